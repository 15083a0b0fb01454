#include <algorithm>
#include <limits>

#include "base/fail.hpp"
#include "clusters/hierarchy_impl.hpp"
#include "groups/groups_impl.hpp"
#include "groups/labels.hpp"
#include "groups/reach.hpp"
#include "parallel/grains.hpp"
#include "parallel/public_call.hpp"
#include "parallel/union_find.hpp"

namespace kith {
namespace {

constexpr std::size_t kMostPoints = std::size_t{1} << 31;

/// The number of merges within a linking length, and that length rounded as fof rounds it.
struct Cut {
  std::size_t merges = 0;
  double length = 0;
};
Cut cut_at(const SpanningTree::Impl& tree, double linking_length, bool is_strict) {
  return tree.visit([&]<class T>(const Array<T>& length2) {
    Frame<T> frame;
    frame.exponent = tree.exponent;
    const LinkingReach<T> reach =
        reach_of<T>(distance_of(linking_length, tree.measure), is_strict, frame);
    const T* const end = std::upper_bound(length2.begin(), length2.end(), reach.reach2);
    return Cut{static_cast<std::size_t>(end - length2.begin()),
               static_cast<double>(reach.linking_length)};
  });
}

/// The groups that the first edges of a spanning tree make.
class CutTree {
 public:
  CutTree(const SpanningTree::Impl& tree, std::size_t merges, const Workers& workers)
      : tree_(tree), workers_(workers), parent_(tree.input_size, workers.pool()) {
    const UnionFind<std::uint32_t> sets(parent_.data());
    each(tree.input_size, [&](std::size_t i) { sets.reset(static_cast<std::uint32_t>(i)); });
    each(merges, [&](std::size_t i) { sets.unite(tree.index[2 * i], tree.index[2 * i + 1]); });
  }

  void name(const FofOptions& options, Groups::Impl& groups) const {
    const InputOrder order{tree_.input_size};
    const CountedSets sets =
        count_sets(order, parent_.data(), options.keep_roots ? 1 : options.min_size, workers_);
    if (!tree_.is_dropped.empty())
      each(tree_.input_size, [&](std::size_t i) {
        if (tree_.is_dropped[i]) sets.drop(i);
      });
    if (options.keep_roots) {
      write_roots(order, sets, workers_, groups.root);
      forget_small_sets(sets, options.min_size, workers_);
    }
    name_sets(order, sets, options.min_size, workers_, groups);
  }

 private:
  template <class Body>
  void each(std::size_t n, Body body) const {
    workers_.for_ranges(n, kLightPointGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) body(i);
    });
  }
  const SpanningTree::Impl& tree_;
  const Workers& workers_;
  Array<std::uint32_t> parent_;
};

/// Follows groups of at least min_size points through the merges.
class BranchList {
 public:
  BranchList(const Hierarchy::Impl& hierarchy, std::size_t min_size)
      : hierarchy_(hierarchy),
        min_size_(min_size),
        branch_(hierarchy.merges()),
        lowest_(hierarchy.merges()) {}

  std::vector<Branch> run() {
    const Dendrogram& tree = hierarchy_.dendrogram;
    if (min_size_ <= 1) begin_with_points();
    for (std::size_t merge = 0; merge < hierarchy_.merges(); ++merge) {
      const std::size_t a = tree.child[2 * merge], b = tree.child[2 * merge + 1];
      lowest_[merge] = std::min(lowest(a), lowest(b));
      branch_[merge] = joined(a, b, merge);
    }
    for (Branch& branch : branches_)
      if (branch.death == std::numeric_limits<double>::infinity()) branch.size = last_;
    return std::move(branches_);
  }

 private:
  static constexpr std::int64_t kNone = -1;

  /// From length 0 on, every point is a group.
  void begin_with_points() {
    const SpanningTree::Impl& tree = impl_of(hierarchy_.tree);
    point_branch_.assign(hierarchy_.points(), kNone);
    for (std::size_t i = 0; i < hierarchy_.points(); ++i)
      if (tree.is_dropped.empty() || !tree.is_dropped[i]) {
        point_branch_[i] = add(0, i);
        last_ = 1;
      }
  }

  std::size_t lowest(std::size_t node) const {
    return node < hierarchy_.points() ? node : lowest_[node - hierarchy_.points()];
  }
  std::int64_t branch(std::size_t node) const {
    if (node >= hierarchy_.points()) return branch_[node - hierarchy_.points()];
    return point_branch_.empty() ? kNone : point_branch_[node];
  }
  std::int64_t add(double birth, std::size_t lowest) {
    branches_.push_back({birth, std::numeric_limits<double>::infinity(), -1, 0, lowest});
    return static_cast<std::int64_t>(branches_.size()) - 1;
  }

  /// The branch of a merge of two nodes.
  std::int64_t joined(std::size_t a, std::size_t b, std::size_t merge) {
    const std::size_t size_a = hierarchy_.size(a), size_b = hierarchy_.size(b);
    std::int64_t on = branch(a), off = branch(b);
    if (on == kNone && off == kNone) {
      if (size_a + size_b < min_size_) return kNone;
      on = add(hierarchy_.length(merge), lowest_[merge]);
    } else if (on == kNone || off == kNone) {
      on = std::max(on, off);
    } else {
      const bool b_goes_on = size_a != size_b ? size_b > size_a : lowest(b) < lowest(a);
      if (b_goes_on) std::swap(on, off);
      Branch& dead = branches_[static_cast<std::size_t>(off)];
      dead.death = hierarchy_.length(merge);
      dead.parent = on;
      dead.size = std::min(size_a, size_b);
      dead.lowest = b_goes_on ? lowest(a) : lowest(b);
    }
    branches_[static_cast<std::size_t>(on)].lowest = lowest_[merge];
    last_ = size_a + size_b;
    return on;
  }

  const Hierarchy::Impl& hierarchy_;
  std::size_t min_size_;
  std::vector<std::int64_t> branch_;  // per merge
  std::vector<std::int64_t> point_branch_;
  std::vector<std::size_t> lowest_;  // per merge
  std::vector<Branch> branches_;
  std::size_t last_ = 0;  // points of the last node: the root has all of them
};

/// Numbers of groups after each number of merges, on the way.
class Counter {
 public:
  Counter(const Hierarchy::Impl& hierarchy, std::size_t min_size)
      : hierarchy_(hierarchy), min_size_(std::max<std::size_t>(1, min_size)) {
    const std::size_t points = impl_of(hierarchy.tree).points;
    now_.largest = std::min<std::size_t>(1, points);
    if (min_size_ == 1) now_.groups = now_.points = points;
  }
  /// `merges` does not fall from call to call.
  const GroupCount& after(std::size_t merges) {
    for (; done_ < merges; ++done_) {
      const Dendrogram& tree = hierarchy_.dendrogram;
      const std::size_t a = hierarchy_.size(tree.child[2 * done_]),
                        b = hierarchy_.size(tree.child[2 * done_ + 1]);
      now_.largest = std::max(now_.largest, a + b);
      if (a + b < min_size_) continue;
      now_.groups += 1 - (a >= min_size_ ? 1 : 0) - (b >= min_size_ ? 1 : 0);
      now_.points += (a < min_size_ ? a : 0) + (b < min_size_ ? b : 0);
    }
    return now_;
  }

 private:
  const Hierarchy::Impl& hierarchy_;
  std::size_t min_size_, done_ = 0;
  GroupCount now_;
};

}  // namespace

std::size_t Hierarchy::size() const { return impl_->merges(); }
std::size_t Hierarchy::input_size() const { return impl_->points(); }
const SpanningTree& Hierarchy::spanning_tree() const { return impl_->tree; }

std::vector<double> Hierarchy::linkage() const {
  return public_call("hierarchy", [&] {
    std::vector<double> rows(4 * size());
    const std::vector<double> length = impl_->tree.length();
    for (std::size_t i = 0; i < size(); ++i) {
      const auto [low, high] =
          std::minmax({impl_->dendrogram.child[2 * i], impl_->dendrogram.child[2 * i + 1]});
      rows[4 * i] = static_cast<double>(low);
      rows[4 * i + 1] = static_cast<double>(high);
      rows[4 * i + 2] = length[i];
      rows[4 * i + 3] = static_cast<double>(impl_->dendrogram.size[i]);
    }
    return rows;
  });
}

Groups Hierarchy::groups(const FofOptions& options, const Execution& execution) const {
  return public_call("hierarchy", execution, [&](Workers& workers) {
    const SpanningTree::Impl& tree = impl_of(impl_->tree);
    check_fof_options(options, "hierarchy");
    if (tree.core_k > 1)
      refuse("hierarchy: core_k = {}; groups of friends need the Euclidean tree, core_k = 1",
             tree.core_k);
    if (options.box != Box() && options.box != tree.box)
      refuse("hierarchy: the box of the options is not that of the hierarchy; leave it out");
    auto groups = std::make_shared<Groups::Impl>();
    const Stage stage(workers, "groups", 4 * tree.input_size);
    const Cut cut = cut_at(tree, linking_length_of(options, tree.box, tree.points, tree.dimension),
                           options.strict);
    groups->linking_length = cut.length;
    groups->label = Array<std::int32_t>(tree.input_size, workers.pool());
    if (options.keep_roots) groups->root = Array<std::int64_t>(tree.input_size, workers.pool());
    CutTree(tree, cut.merges, workers).name(options, *groups);
    return wrap_impl<Groups>(std::move(groups));
  });
}

std::vector<GroupCount> Hierarchy::count(std::span<const double> linking_lengths,
                                         std::size_t min_size) const {
  return public_call("hierarchy", [&] {
    std::vector<std::size_t> merges, order;
    for (const double length : linking_lengths) {
      if (!(length >= 0)) refuse("hierarchy: a linking length of {}; give 0 or more", length);
      order.push_back(merges.size());
      merges.push_back(cut_at(impl_of(impl_->tree), length, false).merges);
    }
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return merges[a] < merges[b]; });
    std::vector<GroupCount> counts(merges.size());
    Counter counter(*impl_, min_size);
    for (const std::size_t i : order) counts[i] = counter.after(merges[i]);
    return counts;
  });
}

std::vector<Branch> Hierarchy::branches(std::size_t min_size) const {
  return public_call("hierarchy", [&] {
    if (min_size < 1) refuse("hierarchy: min_size = 0; the smallest group has 1 point");
    return BranchList(*impl_, min_size).run();
  });
}

Hierarchy hierarchy(const SpanningTree& tree, const Execution& execution) {
  return public_call("hierarchy", execution, [&](Workers& workers) {
    if (tree.input_size() >= kMostPoints)
      fail(ErrorCode::too_large, "hierarchy: {} points; at most {}: split the set",
           tree.input_size(), kMostPoints - 1);
    auto impl = std::make_shared<Hierarchy::Impl>(tree);
    const Stage stage(workers, "dendrogram", tree.size());
    impl->dendrogram = make_dendrogram(impl_of(tree).index, tree.input_size(), workers);
    return wrap_impl<Hierarchy>(std::move(impl));
  });
}

Hierarchy hierarchy(PointsView points, const SpanningTreeOptions& options,
                    const Execution& execution) {
  return hierarchy(spanning_tree(points, options, execution), execution);
}
Hierarchy hierarchy(const AnyTree& tree, const SpanningTreeOptions& options,
                    const Execution& execution) {
  return hierarchy(spanning_tree(tree, options, execution), execution);
}

}  // namespace kith

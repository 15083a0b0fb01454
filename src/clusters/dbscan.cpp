// DBSCAN: core points by capped counts, clusters of core points by the join of their subset of the
// tree, border points by the core points near them.
#include <cmath>

#include "base/fail.hpp"
#include "clusters/clusters_impl.hpp"
#include "clusters/near_walk.hpp"
#include "clusters/packed.hpp"
#include "groups/groups_impl.hpp"
#include "groups/join.hpp"
#include "groups/labels.hpp"
#include "groups/reach.hpp"
#include "parallel/public_call.hpp"
#include "parallel/radix_sort.hpp"
#include "parallel/union_find.hpp"
#include "tree/input.hpp"
#include "tree/subset.hpp"
#include "tree/tree_impl.hpp"

namespace kith {
namespace {

constexpr std::size_t kDbscanGrain = std::size_t{1} << 16;
/// Points of a task; as in a join.
constexpr std::size_t kDbscanTaskPoints = 4096;

/// What a point is; core points have the value that the kernels write.
constexpr std::uint8_t kNoise = 0, kCore = 1, kBorder = 2;

void check(const DbscanOptions& options) {
  if (!(options.eps > 0 && std::isfinite(options.eps)))
    refuse("dbscan: eps = {}; give a positive, finite length", options.eps);
  if (options.min_samples < 1)
    refuse("dbscan: min_samples = 0; a point counts itself, give at least 1");
  if (options.border_links < 1)
    refuse("dbscan: border_links = 0; a border point has at least 1 link");
}

template <class T>
class Dbscan {
 public:
  Dbscan(const TreeData<T>& data, const DbscanOptions& options, T reach2, Workers& workers)
      : data_(data),
        options_(options),
        workers_(workers),
        whole_(data.planes, workers),
        reach2_(reach2),
        kind_(Planes<T>::lanes_up(data.planes.points), workers.pool()),
        parent_(Planes<T>::lanes_up(data.planes.points), workers.pool()) {}

  void run(Groups::Impl& groups, const Array<std::uint8_t>& is_core) {
    if (points() == 0) return name_sets(data_.planes, CountedSets{}, 1, workers_, groups);
    find_cores();
    link();
    name(groups);
    each_range([&](std::size_t begin, std::size_t end) {
      each_point(data_.planes, begin, end,
                 [&](std::size_t at, std::uint32_t index) { is_core[index] = kind_[at] == kCore; });
    });
  }

 private:
  std::size_t points() const { return data_.planes.points; }

  void each_range(FunctionRef<void(std::size_t, std::size_t)> body) const {
    workers_.for_ranges(points(), kDbscanGrain, body);
  }

  void set(NearJob<T>& job) const {
    job.reach2 = reach2_;
    std::copy_n(data_.frame.side, data_.planes.dimension, job.side);
    job.receivers = whole_.view();
    while (job.task_height < job.receivers.plane_count &&
           (std::size_t{1} << (3 * job.task_height)) < kDbscanTaskPoints)
      ++job.task_height;
  }

  /// run(node, scratch) for the nodes of the task height.
  template <class Run>
  void run_tasks(const NearJob<T>& job, Run run) const {
    Borrowed<NearScratch<T>> scratches;
    workers_.for_each(job.receivers.plane(job.task_height - 1).nodes, [&](std::size_t node) {
      const typename Borrowed<NearScratch<T>>::Loan scratch(scratches);
      scratch->near.resize(static_cast<std::size_t>(job.receivers.plane_count) + 1);
      run(static_cast<std::uint32_t>(node), *scratch);
      workers_.advance(std::size_t{1} << (3 * job.task_height));
    });
  }

  void find_cores() {
    const Stage stage(workers_, "core points", points());
    if (options_.min_samples == 1) {
      std::fill(kind_.begin(), kind_.end(), kCore);
      return;
    }
    CoreJob<T> job;
    set(job);
    job.sources = job.receivers;
    job.min_samples = options_.min_samples;
    job.is_core = kind_.data();
    run_tasks(job, [&](std::uint32_t node, NearScratch<T>& scratch) {
      run_core_task(job, node, scratch);
    });
  }

  /// Joins the core points and takes their sets over to all points; then the border points.
  void link() {
    Subset<T> cores = subset(data_.planes, kind_, workers_);
    if (cores.planes.points == 0) {
      each_range([&](std::size_t begin, std::size_t end) {
        for (std::size_t at = begin; at < end; ++at) parent_[at] = static_cast<std::uint32_t>(at);
      });
      return;
    }
    const Array<std::uint32_t> sets = join(cores.planes, data_.frame.side, reach2_, workers_);
    const bool needs_lowest = options_.border == Border::sklearn;
    const CountedSets counted =
        count_sets(cores.planes, sets.data(),
                   needs_lowest ? 1 : std::numeric_limits<std::size_t>::max(), workers_);
    each_range([&](std::size_t begin, std::size_t end) {
      for (std::size_t at = begin; at < end; ++at) parent_[at] = static_cast<std::uint32_t>(at);
    });
    workers_.for_ranges(cores.position.size(), kDbscanGrain,
                        [&](std::size_t begin, std::size_t end) {
                          for (std::size_t i = begin; i < end; ++i)
                            parent_[cores.position[i]] = cores.position[counted.root[i]];
                        });
    if (options_.border != Border::none && cores.planes.points < points()) attach(cores, counted);
  }

  void attach(const Subset<T>& cores, const CountedSets& sets) {
    const Stage stage(workers_, "border points", points());
    BorderJob<T> job;
    set(job);
    job.sources = cores.planes.view();
    job.is_core = kind_.data();
    const UnionFind<std::uint32_t> all(parent_.data());
    run_tasks(job, [&](std::uint32_t node, NearScratch<T>& scratch) {
      std::vector<NearPoint<T>> links;
      run_border_task(job, node, scratch,
                      [&](std::uint32_t at, const std::vector<NearPoint<T>>& found) {
                        links = found;
                        const std::uint32_t core = chosen(links, cores, sets);
                        if (core == kNoIndex) return;
                        kind_[at] = kBorder;
                        all.unite(at, cores.position[core]);
                      });
    });
  }

  /// The core point whose cluster a border point joins, or kNoIndex.
  std::uint32_t chosen(std::vector<NearPoint<T>>& links, const Subset<T>& cores,
                       const CountedSets& sets) const {
    if (options_.border_links > 1) keep_strong(links, sets);
    auto comes_first = [&](const NearPoint<T>& a, const NearPoint<T>& b) {
      if (options_.border == Border::sklearn)
        return sets.lowest[sets.root[a.position]] < sets.lowest[sets.root[b.position]];
      if (a.d2 != b.d2) return a.d2 < b.d2;
      return cores.planes.index(a.position) < cores.planes.index(b.position);
    };
    const auto first = std::min_element(links.begin(), links.end(), comes_first);
    return first == links.end() ? kNoIndex : first->position;
  }

  /// Leaves the links with clusters that have enough of them.
  void keep_strong(std::vector<NearPoint<T>>& links, const CountedSets& sets) const {
    auto root = [&](const NearPoint<T>& link) { return sets.root[link.position]; };
    std::sort(links.begin(), links.end(),
              [&](const NearPoint<T>& a, const NearPoint<T>& b) { return root(a) < root(b); });
    std::size_t kept = 0;
    for (std::size_t begin = 0, end; begin < links.size(); begin = end) {
      for (end = begin; end < links.size() && root(links[end]) == root(links[begin]);) ++end;
      if (end - begin < options_.border_links) continue;
      std::copy(links.begin() + static_cast<std::ptrdiff_t>(begin),
                links.begin() + static_cast<std::ptrdiff_t>(end),
                links.begin() + static_cast<std::ptrdiff_t>(kept));
      kept += end - begin;
    }
    links.resize(kept);
  }

  void name(Groups::Impl& groups) {
    const Stage stage(workers_, "labels", 4 * points());
    const CountedSets sets = count_sets(data_.planes, parent_.data(), 1, workers_);
    each_range([&](std::size_t begin, std::size_t end) {
      for (std::size_t at = begin; at < end; ++at)
        if (kind_[at] == kNoise) sets.drop(at);
    });
    name_sets(data_.planes, sets, 1, workers_, groups);
  }

  const TreeData<T>& data_;
  const DbscanOptions& options_;
  Workers& workers_;
  PackedTree<T> whole_;
  T reach2_;
  Array<std::uint8_t> kind_;     // by position
  Array<std::uint32_t> parent_;  // a union-find over positions
};

}  // namespace

std::span<const std::uint8_t> Clusters::is_core() const {
  return {impl_->is_core.data(), impl_->is_core.size()};
}
const Groups& Clusters::groups() const { return *impl_->groups; }

Clusters dbscan(const Tree& tree, const DbscanOptions& options, const Execution& execution) {
  return public_call("dbscan", execution, [&](Workers& workers) {
    check(options);
    if (options.box != Box() && options.box != tree.box())
      refuse("dbscan: the box of the options is not that of the tree; leave it out");
    auto clusters = std::make_shared<Clusters::Impl>();
    auto groups = std::make_shared<Groups::Impl>();
    clusters->is_core = Array<std::uint8_t>(tree.input_size(), workers.pool());
    std::fill(clusters->is_core.begin(), clusters->is_core.end(), std::uint8_t{0});
    groups->label = Array<std::int32_t>(tree.input_size(), workers.pool());
    tree.impl().visit([&]<class T>(const TreeData<T>& data) {
      const LinkingReach<T> reach = reach_of<T>(options.eps, false, data.frame);
      groups->linking_length = static_cast<double>(reach.linking_length);
      Dbscan<T>(data, options, reach.reach2, workers).run(*groups, clusters->is_core);
    });
    clusters->groups.emplace(std::move(groups));
    return Clusters(std::move(clusters));
  });
}

Clusters dbscan(PointsView points, const DbscanOptions& options, const Execution& execution) {
  return public_call("dbscan", execution, [&] {
    check_view("dbscan", points, options.box);
    check(options);
    const Tree tree(points, {.box = options.box, .non_finite = options.non_finite}, execution);
    return dbscan(tree, options, execution);
  });
}

}  // namespace kith

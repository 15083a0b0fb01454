// The spanning tree of any points: identical ones are removed first and attached again at the end.
//
// Let m be the lowest of identical points (the keeper) and g another. All of them have the same
// distances, so the lightest edges of g have the weight c, m's core distance squared (0 for the
// Euclidean tree), and (c, m, g) is one of them. Let a be the lowest point with an edge of weight c
// to m, or m itself if that is lower. Then (c, a, g) is the first of all edges of g, so it is in
// the tree, and every other edge (w, g, x) is the last of the cycle g, a, m, x, so it is not. The
// tree is that of the keepers and one edge (c, a, g) for each of the others; and if a is lower than
// m, then (c, a, m) is the first edge of m, in the tree of the keepers.
#include <atomic>
#include <bit>
#include <limits>

#include "base/fail.hpp"
#include "clusters/boruvka.hpp"
#include "clusters/core_distance.hpp"
#include "clusters/sample_weights.hpp"
#include "clusters/spanning_tree_impl.hpp"
#include "clusters/thin.hpp"
#include "clusters/weighted_core.hpp"
#include "parallel/grains.hpp"
#include "parallel/pieces.hpp"
#include "parallel/public_call.hpp"
#include "parallel/radix_sort.hpp"
#include "tree/input.hpp"
#include "tree/subset.hpp"
#include "tree/tree_impl.hpp"
#include "walk/source.hpp"

namespace kith {
namespace {

/// An edge by original indices, low < high.
template <class T>
struct IndexEdge {
  T weight;
  std::uint32_t low, high;
};

template <class T>
class Spanning {
 public:
  Spanning(const AnyTree& tree, const SpanningTreeOptions& options, Workers& workers)
      : tree_(tree),
        data_(impl_of(tree).as<T>()),
        workers_(workers),
        core2_(core_distances(tree, options, workers)) {}

  void run(SpanningTree::Impl& out, std::span<const double> weight) {
    const std::size_t n = data_.planes.points;
    if (n < out.input_size) note_dropped(out);
    if (!weight.empty()) note_weights(out, weight);
    if (n < 2) {
      out.length2 = Array<T>();
      return;
    }
    edges_ = Array<IndexEdge<T>>(n - 1, workers_.pool());
    Array<std::uint32_t> keeper = keepers();
    if (keeper.empty()) {
      const PlanesView<T> view = implicit_view<T>(impl_of(tree_));
      write(minimum_spanning_tree(view, data_.frame.side, core2_, workers_), view);
    } else {
      span_keepers(keeper);
    }
    deliver(out);
  }

 private:
  static Array<T> core_distances(const AnyTree& tree, const SpanningTreeOptions& options,
                                 Workers& workers) {
    if (!options.sample_weight.empty())
      return weighted_core_distances2<T>(tree, options.sample_weight, options.core_k, workers);
    return options.core_k > 1 ? core_distances2<T>(tree, options.core_k, workers) : Array<T>();
  }

  void note_weights(SpanningTree::Impl& out, std::span<const double> weight) const {
    out.weight = Array<double>(out.input_size, workers_.pool());
    Array<T> core2(out.input_size, workers_.pool());
    std::fill(out.weight.begin(), out.weight.end(), 0.0);
    std::fill(core2.begin(), core2.end(), T(0));
    each(data_.planes.points, [&](std::size_t i) {
      const std::uint32_t index = data_.planes.index(i);
      out.weight[index] = weight[index];
      core2[index] = core2_[i];
    });
    out.core2 = std::move(core2);
  }

  void note_dropped(SpanningTree::Impl& out) const {
    out.is_dropped = Array<std::uint8_t>(out.input_size, workers_.pool());
    std::fill(out.is_dropped.begin(), out.is_dropped.end(), std::uint8_t{1});
    each(data_.planes.points, [&](std::size_t i) { out.is_dropped[data_.planes.index(i)] = 0; });
  }

  bool is_same(std::size_t a, std::size_t b) const {
    for (int axis = 0; axis < data_.planes.dimension; ++axis)
      if (data_.planes.coordinate(a, axis) != data_.planes.coordinate(b, axis)) return false;
    return true;
  }

  /// The position of the keeper of each position, or nothing if every point keeps itself. Identical
  /// points are runs in tree order.
  Array<std::uint32_t> keepers() const {
    const std::size_t n = data_.planes.points;
    std::atomic<bool> has_twins = false;
    workers_.for_ranges(n - 1, kPointGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        if (is_same(i, i + 1)) return has_twins.store(true, std::memory_order_relaxed);
    });
    if (!has_twins.load(std::memory_order_relaxed)) return {};
    Array<std::uint32_t> keeper(n, workers_.pool());
    WorkMeter meter(workers_);
    for (std::size_t begin = 0, end; begin < n; begin = end) {
      std::size_t lowest = begin;
      for (end = begin + 1; end < n && is_same(end - 1, end); ++end) {
        if (data_.planes.index(end) < data_.planes.index(lowest)) lowest = end;
        meter.add(1);
      }
      meter.add(1);
      std::fill(keeper.begin() + begin, keeper.begin() + end, static_cast<std::uint32_t>(lowest));
    }
    return keeper;
  }

  void span_keepers(const Array<std::uint32_t>& keeper) {
    const std::size_t n = data_.planes.points;
    Array<std::uint8_t> mask(n, workers_.pool());
    each(n, [&](std::size_t i) { mask[i] = keeper[i] == i; });
    const Subset<T> kept = subset(data_.planes, mask, workers_);
    Array<T> core2;
    if (!core2_.empty()) {
      core2 = Array<T>(Planes<T>::lanes_up(kept.planes.points), workers_.pool());
      std::fill(core2.begin() + kept.planes.points, core2.end(),
                std::numeric_limits<T>::infinity());
      each(kept.planes.points, [&](std::size_t i) { core2[i] = core2_[kept.position[i]]; });
    }
    const PlanesView<T> view = kept.planes.view();
    const Array<Edge<T>> tree = minimum_spanning_tree(view, data_.frame.side, core2, workers_);
    write(tree, view);
    hang_others(keeper, tree, kept);
  }

  /// The edges of points that are not kept.
  void hang_others(const Array<std::uint32_t>& keeper, const Array<Edge<T>>& tree,
                   const Subset<T>& kept) {
    const std::size_t n = data_.planes.points;
    // By position, of keepers: the lowest point at the other end of an edge whose weight is the
    // squared core distance, or the keeper itself.
    Array<std::uint32_t> anchor(n, workers_.pool());
    each(n, [&](std::size_t i) { anchor[i] = data_.planes.index(i); });
    for_each_in_order(workers_, tree.size(), [&](std::size_t i) {
      const Edge<T>& edge = tree[i];
      const std::uint32_t p = kept.position[edge.p], q = kept.position[edge.q];
      if (edge.weight == weight_at(p)) anchor[p] = std::min(anchor[p], data_.planes.index(q));
      if (edge.weight == weight_at(q)) anchor[q] = std::min(anchor[q], data_.planes.index(p));
    });
    std::size_t at = tree.size();
    for_each_in_order(workers_, n, [&](std::size_t i) {
      if (keeper[i] != i)
        edges_[at++] = {weight_at(keeper[i]), anchor[keeper[i]], data_.planes.index(i)};
    });
  }

  T weight_at(std::size_t position) const { return core2_.empty() ? T(0) : core2_[position]; }

  void write(const Array<Edge<T>>& tree, const PlanesView<T>& points) {
    const EdgeOrder<T> order(points);
    each(tree.size(), [&](std::size_t i) {
      const auto [low, high] = order.ends(tree[i]);
      edges_[i] = {tree[i].weight, low, high};
    });
  }

  template <class Body>
  void each(std::size_t n, Body body) const {
    workers_.for_ranges(n, kPointGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) body(i);
    });
  }

  /// Sorts the edges and hands them out.
  void deliver(SpanningTree::Impl& out) {
    const Stage stage(workers_, "sort edges", edges_.size());
    const Array<KeyIndex> order = sorted();
    Array<T> length2(edges_.size(), workers_.pool());
    out.index = Array<std::uint32_t>(2 * edges_.size(), workers_.pool());
    each(edges_.size(), [&](std::size_t i) {
      const IndexEdge<T>& edge = edges_[order[i].index];
      length2[i] = edge.weight;
      out.index[2 * i] = edge.low;
      out.index[2 * i + 1] = edge.high;
    });
    out.length2 = std::move(length2);
  }

  /// By the bits of the weight, then ties in full.
  Array<KeyIndex> sorted() const {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    Array<KeyIndex> keys(edges_.size(), workers_.pool());
    each(edges_.size(), [&](std::size_t i) {
      // Weights are not negative: their bits are in their order.
      std::uint64_t key = std::bit_cast<Bits>(edges_[i].weight);
      if constexpr (sizeof(T) == 4) key = key << 32 | edges_[i].low;
      keys[i] = {key, static_cast<std::uint32_t>(i)};
    });
    sort_keys(workers_, keys.data(), keys.size());
    // Runs of equal keys: where they begin and where they end.
    const std::size_t n = keys.size();
    auto is_tie = [&](std::size_t i) { return i > 0 && i < n && keys[i - 1].key == keys[i].key; };
    const Array<std::uint32_t> begin = pack<std::uint32_t>(
        workers_, n, [&](std::size_t i) { return !is_tie(i) && is_tie(i + 1); });
    const Array<std::uint32_t> last = pack<std::uint32_t>(
        workers_, n, [&](std::size_t i) { return is_tie(i) && !is_tie(i + 1); });
    workers_.for_ranges(begin.size(), 256, [&](std::size_t from, std::size_t to) {
      for (std::size_t run = from; run < to; ++run)
        sort_ties(keys.data() + begin[run], last[run] + 1 - begin[run]);
    });
    return keys;
  }

  /// Edges of equal weight by their indices.
  void sort_ties(KeyIndex* keys, std::size_t n) const {
    constexpr std::size_t kMany = std::size_t{1} << 12;
    for (std::size_t i = 0; i < n; ++i) {
      const IndexEdge<T>& edge = edges_[keys[i].index];
      keys[i].key = std::uint64_t{edge.low} << 32 | edge.high;
    }
    if (n > kMany)
      sort_keys(workers_, keys, n);
    else
      std::sort(keys, keys + n);
  }

  const AnyTree& tree_;
  const TreeData<T>& data_;
  Workers& workers_;
  Array<T> core2_;  // by position, or empty
  Array<IndexEdge<T>> edges_;
};

void check(const SpanningTreeOptions& options) {
  if (options.core_k < 1)
    refuse("spanning_tree: core_k = 0; a point is its own first neighbor, give at least 1");
}

}  // namespace

std::size_t SpanningTree::size() const { return impl_->edges(); }
std::size_t SpanningTree::input_size() const { return impl_->input_size; }
std::span<const std::uint32_t> SpanningTree::index() const {
  return {impl_->index.data(), impl_->index.size()};
}
std::vector<double> SpanningTree::length() const {
  return public_call("spanning_tree", [&] {
    std::vector<double> length(size());
    impl_->visit([&](const auto& length2) {
      for (std::size_t i = 0; i < length.size(); ++i) length[i] = impl_->length(length2[i]);
    });
    return length;
  });
}

SpanningTree spanning_tree(const AnyTree& tree, const SpanningTreeOptions& options,
                           const Execution& execution) {
  return public_call("spanning_tree", execution, [&](Workers& workers) {
    check(options);
    if (options.box != Box() && options.box != tree.box())
      refuse("spanning_tree: the box of the options is not that of the tree; leave it out");
    if (!options.sample_weight.empty())
      check_sample_weights("spanning_tree", options.sample_weight, tree.input_size(),
                           Negative::refused);
    if (options.sample_weight.empty() && options.core_k > std::max<std::size_t>(1, tree.size()))
      refuse("spanning_tree: core_k = {} of {} points; give at most their number", options.core_k,
             tree.size());
    auto out = std::make_shared<SpanningTree::Impl>();
    out->input_size = tree.input_size();
    out->points = tree.size();
    out->dimension = tree.dimension();
    out->box = tree.box();
    out->core_k = options.core_k;
    out->exponent = tree.scale_exponent();
    with_scalar(tree.scalar(), [&]<class T>() {
      Spanning<T>(tree, options, workers).run(*out, options.sample_weight);
    });
    return wrap_impl<SpanningTree>(std::move(out));
  });
}

SpanningTree spanning_tree(PointsView points, const SpanningTreeOptions& options,
                           const Execution& execution) {
  return public_call("spanning_tree", execution, [&] {
    check_view("spanning_tree", points, options.box);
    check(options);
    const AnyTree tree(points, {.box = options.box, .non_finite = options.non_finite}, execution);
    return spanning_tree(tree, options, execution);
  });
}

}  // namespace kith

// The spanning tree of any points: identical ones are removed first and attached again at the end.
//
// Let m be the lowest of identical points (the keeper) and g another. All of them have the same
// distances, so the lightest edges of g have the weight c, m's core distance squared (0 for the
// Euclidean tree), and (c, m, g) is one of them. Let a be the lowest point with an edge of weight c
// to m, or m itself if that is lower. Then (c, a, g) is the first of all edges of g, so it is in
// the tree, and every other edge (w, g, x) is the last of the cycle g, a, m, x, so it is not. The
// tree is that of the keepers and one edge (c, a, g) for each of the others; and if a is lower than
// m, then (c, a, m) is the first edge of m, in the tree of the keepers.
#include "clusters/spanning_parts.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <limits>

#include "base/fail.hpp"
#include "clusters/boruvka.hpp"
#include "clusters/spanning_tree_impl.hpp"
#include "clusters/thin.hpp"
#include "parallel/grains.hpp"
#include "parallel/pieces.hpp"
#include "parallel/radix_sort.hpp"
#include "tree/subset.hpp"

namespace kith {
namespace {

/// From positions to indices.
template <class T>
void name_edges(const Array<Edge<T>>& tree, const PlanesView<T>& points,
                const Array<IndexEdge<T>>& edges, const Workers& workers) {
  const EdgeOrder<T> order(points);
  workers.for_ranges(tree.size(), kPointGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto [low, high] = order.ends(tree[i]);
      edges[i] = {tree[i].weight, low, high};
    }
  });
}

template <class T>
class SpanningEdges {
 public:
  SpanningEdges(const Planes<T>& planes, const PlanesView<T>& view, const T* side,
                const Array<T>& core2, Workers& workers)
      : planes_(planes), view_(view), side_(side), core2_(core2), workers_(workers) {}

  Array<IndexEdge<T>> run() {
    const std::size_t n = planes_.points;
    if (n < 2) return {};
    edges_ = Array<IndexEdge<T>>(n - 1, workers_.pool());
    const Array<std::uint32_t> keeper = keepers();
    if (keeper.empty())
      write(minimum_spanning_tree(view_, side_, core2_, workers_), view_);
    else
      span_keepers(keeper);
    return std::move(edges_);
  }

 private:
  bool is_same(std::size_t a, std::size_t b) const {
    for (int axis = 0; axis < planes_.dimension; ++axis)
      if (planes_.coordinate(a, axis) != planes_.coordinate(b, axis)) return false;
    return true;
  }

  /// The position of the keeper of each position, or nothing if every point keeps itself. Identical
  /// points are runs in tree order.
  Array<std::uint32_t> keepers() const {
    const std::size_t n = planes_.points;
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
        if (planes_.index(end) < planes_.index(lowest)) lowest = end;
        meter.add(1);
      }
      meter.add(1);
      std::fill(keeper.begin() + begin, keeper.begin() + end, static_cast<std::uint32_t>(lowest));
    }
    return keeper;
  }

  void span_keepers(const Array<std::uint32_t>& keeper) {
    const std::size_t n = planes_.points;
    Array<std::uint8_t> mask(n, workers_.pool());
    each(n, [&](std::size_t i) { mask[i] = keeper[i] == i; });
    const Subset<T> kept = subset(planes_, mask, workers_);
    Array<T> core2;
    if (!core2_.empty()) {
      core2 = Array<T>(Planes<T>::lanes_up(kept.planes.points), workers_.pool());
      std::fill(core2.begin() + kept.planes.points, core2.end(),
                std::numeric_limits<T>::infinity());
      each(kept.planes.points, [&](std::size_t i) { core2[i] = core2_[kept.position[i]]; });
    }
    const PlanesView<T> view = kept.planes.view();
    const Array<Edge<T>> tree = minimum_spanning_tree(view, side_, core2, workers_);
    write(tree, view);
    hang_others(keeper, tree, kept);
  }

  /// The edges of points that are not kept.
  void hang_others(const Array<std::uint32_t>& keeper, const Array<Edge<T>>& tree,
                   const Subset<T>& kept) {
    const std::size_t n = planes_.points;
    // By position, of keepers: the lowest point at the other end of an edge whose weight is the
    // squared core distance, or the keeper itself.
    Array<std::uint32_t> anchor(n, workers_.pool());
    each(n, [&](std::size_t i) { anchor[i] = planes_.index(i); });
    for_each_in_order(workers_, tree.size(), [&](std::size_t i) {
      const Edge<T>& edge = tree[i];
      const std::uint32_t p = kept.position[edge.p], q = kept.position[edge.q];
      if (edge.weight == weight_at(p)) anchor[p] = std::min(anchor[p], planes_.index(q));
      if (edge.weight == weight_at(q)) anchor[q] = std::min(anchor[q], planes_.index(p));
    });
    std::size_t at = tree.size();
    for_each_in_order(workers_, n, [&](std::size_t i) {
      if (keeper[i] != i)
        edges_[at++] = {weight_at(keeper[i]), anchor[keeper[i]], planes_.index(i)};
    });
  }

  T weight_at(std::size_t position) const { return core2_.empty() ? T(0) : core2_[position]; }

  void write(const Array<Edge<T>>& tree, const PlanesView<T>& points) {
    name_edges(tree, points, edges_, workers_);
  }

  template <class Body>
  void each(std::size_t n, Body body) const {
    workers_.for_ranges(n, kPointGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) body(i);
    });
  }

  const Planes<T>& planes_;
  const PlanesView<T>& view_;
  const T* side_;
  const Array<T>& core2_;  // by position, or empty
  Workers& workers_;
  Array<IndexEdge<T>> edges_;
};

/// Sorts edges: by the bits of the weight, then ties in full.
template <class T>
class EdgeSorter {
 public:
  EdgeSorter(const Array<IndexEdge<T>>& edges, const Workers& workers)
      : edges_(edges), workers_(workers) {}

  Array<KeyIndex> order() const {
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

 private:
  template <class Body>
  void each(std::size_t n, Body body) const {
    workers_.for_ranges(n, kPointGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) body(i);
    });
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

  const Array<IndexEdge<T>>& edges_;
  const Workers& workers_;
};

}  // namespace

void check_spanning_options(const SpanningTreeOptions& options) {
  if (options.core_k < 1)
    refuse("spanning_tree: core_k = 0; a point is its own first neighbor, give at least 1");
}

template <class T>
Array<IndexEdge<T>> SpanningParts<T>::edges(const Planes<T>& planes, const PlanesView<T>& view,
                                            const T* side, const Array<T>& core2,
                                            Workers& workers) {
  return SpanningEdges<T>(planes, view, side, core2, workers).run();
}

template <class T>
Array<IndexEdge<T>> SpanningParts<T>::open_edges(const PlanesView<T>& view, const T* side,
                                                 const Array<T>& core2,
                                                 const Array<std::uint32_t>& joined,
                                                 Workers& workers) {
  const Array<Edge<T>> tree = minimum_spanning_tree(view, side, core2, workers, joined.data());
  Edges edges(tree.size(), workers.pool());
  name_edges(tree, view, edges, workers);
  return edges;
}

template <class T>
Array<IndexEdge<T>> SpanningParts<T>::sorted(const Edges& edges, const Workers& workers) {
  if (edges.empty()) return {};
  const Array<KeyIndex> order = EdgeSorter<T>(edges, workers).order();
  Edges sorted(edges.size(), workers.pool());
  workers.for_ranges(edges.size(), kPointGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) sorted[i] = edges[order[i].index];
  });
  return sorted;
}

template <class T>
void SpanningParts<T>::deliver(const Edges& edges, SpanningTree::Impl& out, Workers& workers) {
  if (edges.empty()) return static_cast<void>(out.length2 = Array<T>());
  const Stage stage(workers, "sort edges", edges.size());
  const Array<KeyIndex> order = EdgeSorter<T>(edges, workers).order();
  Array<T> length2(edges.size(), workers.pool());
  out.index = Array<std::uint32_t>(2 * edges.size(), workers.pool());
  workers.for_ranges(edges.size(), kPointGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const IndexEdge<T>& edge = edges[order[i].index];
      length2[i] = edge.weight;
      out.index[2 * i] = edge.low;
      out.index[2 * i + 1] = edge.high;
    }
  });
  out.length2 = std::move(length2);
}

template struct SpanningParts<float>;
template struct SpanningParts<double>;

}  // namespace kith

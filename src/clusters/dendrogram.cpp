#include "clusters/dendrogram.hpp"

#include <algorithm>

#include "parallel/grains.hpp"
#include "parallel/pieces.hpp"
#include "parallel/radix_sort.hpp"
#include "parallel/union_find.hpp"

namespace kith {
namespace {

/// Up to this many edges are merged by one thread.
constexpr std::size_t kFew = std::size_t{1} << 13;

using Index = std::uint32_t;

/// Clusters that grow merge by merge: a union-find whose roots store their node of the dendrogram.
/// Sets that share no edge may grow at once.
class Growing {
 public:
  Growing(Dendrogram& out, std::size_t points) : out_(out), points_(points) {}

  void reserve(std::size_t clusters, const Workers& workers) {
    set_ = Array<Index>(clusters, workers.pool());
    node_ = Array<Index>(clusters, workers.pool());
  }
  void begin(std::size_t cluster, Index node) const {
    set_[cluster] = static_cast<Index>(cluster);
    node_[cluster] = node;
  }
  /// Merge `edge` of the clusters of a and b.
  void merge(Index a, Index b, std::size_t edge) const {
    a = find(a);
    b = find(b);
    out_.child[2 * edge] = node_[a];
    out_.child[2 * edge + 1] = node_[b];
    out_.size[edge] = size(node_[a]) + size(node_[b]);
    set_[std::max(a, b)] = std::min(a, b);
    node_[std::min(a, b)] = static_cast<Index>(points_ + edge);
  }
  Index node_of(Index cluster) const { return node_[find(cluster)]; }

 private:
  Index find(Index i) const {
    while (set_[i] != i) i = set_[i] = set_[set_[i]];
    return i;
  }
  Index size(Index node) const { return node < points_ ? 1 : out_.size[node - points_]; }

  Dendrogram& out_;
  std::size_t points_;
  Array<Index> set_, node_;
};

class DendrogramBuilder {
 public:
  DendrogramBuilder(const Array<Index>& index, std::size_t points, const Workers& workers)
      : workers_(workers),
        edges_(index.size() / 2),
        out_{Array<Index>(index.size(), workers.pool()), Array<Index>(edges_, workers.pool())},
        growing_(out_, points) {
    ends_ = index.data();
    clusters_ = points;
    growing_.reserve(points, workers);
    each(points, [&](std::size_t i) { growing_.begin(i, static_cast<Index>(i)); });
  }

  Dendrogram run() {
    while (workers_.threads() > 1 && edges_ - done_ > kFew) do_lighter_half();
    for_each_in_order(workers_, edges_ - done_, [&](std::size_t i) { merge(done_ + i); });
    return std::move(out_);
  }

 private:
  template <class Body>
  void each(std::size_t n, Body body) const {
    workers_.for_ranges(n, kPointGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) body(i);
    });
  }
  /// An end of an edge, as a cluster of this turn.
  Index end(std::size_t edge, int side) const {
    return ends_[2 * (edge - first_) + static_cast<std::size_t>(side)];
  }
  void merge(std::size_t edge) const { growing_.merge(end(edge, 0), end(edge, 1), edge); }

  void do_lighter_half() {
    const std::size_t half = (edges_ - done_) / 2;
    Array<Index> parent(clusters_, workers_.pool());
    const UnionFind<Index> components(parent.data());
    each(clusters_, [&](std::size_t i) { components.reset(static_cast<Index>(i)); });
    each(half, [&](std::size_t i) { components.unite(end(done_ + i, 0), end(done_ + i, 1)); });
    each(clusters_, [&](std::size_t i) { components.flatten(static_cast<Index>(i)); });
    merge_components(parent, half);
    contract(parent, half);
  }

  /// Merges the edges of each component in their order.
  void merge_components(const Array<Index>& component, std::size_t half) const {
    Array<KeyIndex> keys(half, workers_.pool());
    each(half, [&](std::size_t i) {
      keys[i] = {component[end(done_ + i, 0)], static_cast<Index>(i)};
    });
    sort_keys(workers_, keys.data(), half);
    const Array<Index> begin = pack<Index>(
        workers_, half, [&](std::size_t i) { return i == 0 || keys[i - 1].key != keys[i].key; });
    workers_.for_ranges(begin.size(), 512, [&](std::size_t from, std::size_t to) {
      const std::size_t last = to < begin.size() ? begin[to] : half;
      for_each_in_order(workers_, last - begin[from],
                        [&](std::size_t i) { merge(done_ + keys[begin[from] + i].index); });
    });
  }

  /// Every component becomes a cluster of the next turn.
  void contract(const Array<Index>& component, std::size_t half) {
    const Array<Index> roots =
        pack<Index>(workers_, clusters_, [&](std::size_t i) { return component[i] == i; });
    Array<Index> number(clusters_, workers_.pool()), node(roots.size(), workers_.pool());
    each(roots.size(), [&](std::size_t i) {
      number[roots[i]] = static_cast<Index>(i);
      node[i] = growing_.node_of(roots[i]);
    });
    const std::size_t rest = edges_ - done_ - half;
    Array<Index> ends(2 * rest, workers_.pool());
    each(rest, [&](std::size_t i) {
      for (int side : {0, 1})
        ends[2 * i + static_cast<std::size_t>(side)] =
            number[component[end(done_ + half + i, side)]];
    });
    done_ += half;
    first_ = done_;
    kept_ends_ = std::move(ends);
    ends_ = kept_ends_.data();
    clusters_ = roots.size();
    each(clusters_, [&](std::size_t i) { growing_.begin(i, node[i]); });
  }

  const Workers& workers_;
  std::size_t edges_;
  Dendrogram out_;
  Growing growing_;
  std::size_t clusters_ = 0;     // of this turn
  std::size_t done_ = 0;         // edges that are merged
  std::size_t first_ = 0;        // the edge that ends_ begin with
  const Index* ends_ = nullptr;  // clusters of this turn, two per edge
  Array<Index> kept_ends_;
};

}  // namespace

Dendrogram make_dendrogram(const Array<std::uint32_t>& index, std::size_t points,
                           const Workers& workers) {
  return DendrogramBuilder(index, points, workers).run();
}

}  // namespace kith

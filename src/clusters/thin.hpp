// The minimum spanning forest of a list of edges inside a small set of points: Kruskal in cache.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "clusters/span.hpp"

namespace kith {

/// The order of edges: (weight, lower original index, higher original index).
template <class T>
class EdgeOrder {
 public:
  explicit EdgeOrder(const PlanesView<T>& points) : points_(points) {}

  bool operator()(const Edge<T>& a, const Edge<T>& b) const {
    if (a.weight != b.weight) return a.weight < b.weight;
    const auto [a_low, a_high] = ends(a);
    const auto [b_low, b_high] = ends(b);
    return a_low != b_low ? a_low < b_low : a_high < b_high;
  }
  std::pair<std::uint32_t, std::uint32_t> ends(const Edge<T>& edge) const {
    return std::minmax<std::uint32_t>({points_.index(edge.p), points_.index(edge.q)});
  }

 private:
  const PlanesView<T>& points_;
};

/// The leading bits of a weight: ordered as the weights are, but for ties.
template <class T>
std::uint32_t leading_bits(T weight) {
  return std::bit_cast<std::uint32_t>(static_cast<float>(weight));
}

/// Edges that are left in a list: first those that leave the range, then those inside in their
/// order.
struct ThinnedEdges {
  std::size_t leaving, all;
};

/// Drops edges that are the greatest of a cycle of edges inside a range of positions. Edges that
/// leave the range are kept. Keeps its memory for the next list.
template <class T>
class Thinner {
 public:
  explicit Thinner(const EdgeOrder<T>& order) : order_(order) {}

  ThinnedEdges operator()(Edge<T>* edges, std::size_t n, std::uint32_t begin, std::uint32_t size) {
    inside_.clear();
    std::size_t kept = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const Edge<T> edge = edges[i];
      edges[kept] = edge;
      const bool is_inside = edge.q - begin < size;
      kept += !is_inside;
      if (is_inside) inside_.push_back(edge);
    }
    const std::size_t leaving = kept;
    const std::uint64_t* const sorted = sort();
    parent_.resize(size);
    for (std::uint32_t i = 0; i < size; ++i) parent_[i] = i;
    for (std::size_t i = 0; i < inside_.size(); ++i) {
      const Edge<T>& edge = inside_[static_cast<std::uint32_t>(sorted[i])];
      const std::uint32_t p = find(edge.p - begin), q = find(edge.q - begin);
      edges[kept] = edge;
      kept += p != q;
      parent_[std::max(p, q)] = std::min(p, q);
    }
    return {leaving, kept};
  }

 private:
  std::uint32_t find(std::uint32_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }

  /// Words leading bits << 32 | number of the edge, in the order of the edges: three passes over
  /// the bits, then ties in full.
  const std::uint64_t* sort() {
    constexpr int kBits = 11;
    constexpr std::uint32_t kMask = (1u << kBits) - 1;
    const std::size_t n = inside_.size();
    if (words_.size() < n) {
      words_.resize(2 * n);
      other_.resize(2 * n);
    }
    std::uint32_t count[3][1 << kBits] = {};
    std::uint64_t *from = words_.data(), *to = other_.data();
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint32_t key = leading_bits(inside_[i].weight);
      from[i] = std::uint64_t{key} << 32 | i;
      for (int pass = 0; pass < 3; ++pass) ++count[pass][key >> (pass * kBits) & kMask];
    }
    for (auto& table : count) {
      std::uint32_t sum = 0;
      for (std::uint32_t& entry : table) sum += std::exchange(entry, sum);
    }
    for (int pass = 0; pass < 3; ++pass) {
      for (std::size_t i = 0; i < n; ++i)
        to[count[pass][from[i] >> (32 + pass * kBits) & kMask]++] = from[i];
      std::swap(from, to);
    }
    sort_ties(from, n);
    return from;
  }

  void sort_ties(std::uint64_t* words, std::size_t n) const {
    for (std::size_t begin = 0, end; begin < n; begin = end) {
      for (end = begin + 1; end < n && words[end] >> 32 == words[begin] >> 32;) ++end;
      if (end - begin > 1)
        std::sort(words + begin, words + end, [&](std::uint64_t a, std::uint64_t b) {
          return order_(inside_[static_cast<std::uint32_t>(a)],
                        inside_[static_cast<std::uint32_t>(b)]);
        });
    }
  }

  const EdgeOrder<T>& order_;
  std::vector<Edge<T>> inside_;
  std::vector<std::uint64_t> words_, other_;
  std::vector<std::uint32_t> parent_;
};

}  // namespace kith

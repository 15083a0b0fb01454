// The job of the kernels of a spanning tree: the tree joined with itself, for edges instead of
// links.
//
// The weight of a pair is its squared distance, or the largest of that and the squared core
// distances of its two points. Edges are ordered by (weight, lower index, higher index).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <kith/box.hpp>

#include "clusters/near_walk.hpp"

namespace kith {

/// A pair of points by position, p < q.
template <class T>
struct Edge {
  T weight;
  std::uint32_t p, q;
};

template <class T>
struct SpanJob {
  bool is_periodic = false;  ///< on any axis
  T side[kMaxDimension] = {};
  PlanesView<T> tree;                        ///< implicit
  const std::uint32_t* component = nullptr;  ///< per position, whole blocks
  /// Per height from 1 on, whole chunks: how far a node must still be searched (squared), or -1.
  std::vector<const T*> need{nullptr};
  /// Per height from 1 on, whole chunks: the component of a node, or kMixed.
  std::vector<const std::uint32_t*> node_component{nullptr};
  /// Squared core distances per position (unused lanes: infinite) and their least per node; null
  /// for the Euclidean tree.
  std::vector<const T*> core2;
  T* best = nullptr;  ///< per component: the least weight of an edge that leaves it, found so far
  int task_height = 1;
};

/// Appends edges without a check of their number: room is reserved beforehand.
template <class T>
class EdgeList {
 public:
  Edge<T>* room(std::size_t more) {
    if (size_ + more > edges_.size()) edges_.resize(std::max(size_ + more, 2 * edges_.size()));
    return edges_.data() + size_;
  }
  void end_at(const Edge<T>* end) { size_ = static_cast<std::size_t>(end - edges_.data()); }
  void clear() { size_ = 0; }
  std::size_t size() const { return size_; }
  Edge<T>* data() { return edges_.data(); }

 private:
  std::vector<Edge<T>> edges_;
  std::size_t size_ = 0;
};

/// Lists that a task fills; they keep their memory for the next one.
template <class T>
struct SpanScratch {
  std::vector<std::vector<std::uint32_t>> near;  ///< per height
  EdgeList<T> edges;

  std::uint32_t* room(int height, std::size_t values) {
    std::vector<std::uint32_t>& list = near[static_cast<std::size_t>(height)];
    if (list.size() < values) list.resize(2 * values);
    return list.data();
  }
};

enum class SpanRound {
  within,  ///< all pairs lighter than the need of either block
  leaving  ///< pairs of different components, as light as the lightest of either
};

/// The edges between a node of the task height and itself or later nodes, on the SIMD target in
/// force.
void run_span_task(const SpanJob<float>& job, SpanRound round, std::uint32_t node,
                   SpanScratch<float>& scratch);
void run_span_task(const SpanJob<double>& job, SpanRound round, std::uint32_t node,
                   SpanScratch<double>& scratch);

}  // namespace kith

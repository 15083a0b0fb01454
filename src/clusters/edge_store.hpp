// The edges that a spanning tree may still take, in one array: a segment for each task that found
// some. Edges stay at their places while more are added, so a place names an edge.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/array.hpp"
#include "base/fail.hpp"
#include "clusters/span.hpp"
#include "parallel/workers.hpp"

namespace kith {

/// The edges that one task has found: first those that leave its node, then those inside.
template <class T>
struct TaskEdges {
  std::vector<Edge<T>> edges;
  std::size_t leaving = 0;
};

struct EdgeSegment {
  std::size_t begin, size;  ///< in the array
  std::size_t leaving;      ///< edges at the front that leave the task's node
  std::uint32_t node;       ///< of the task
};

template <class T>
class EdgeStore {
 public:
  explicit EdgeStore(Workers& workers) : workers_(workers) {}

  std::vector<EdgeSegment>& segments() { return segments_; }
  std::size_t fresh() const { return fresh_; }  ///< the first segment of the last `append`
  Edge<T>* edges(const EdgeSegment& segment) { return edges_.data() + segment.begin; }
  const Edge<T>& operator[](std::uint32_t place) const { return edges_[place]; }

  /// Appends the edges of tasks.
  void append(const std::vector<TaskEdges<T>>& found) {
    fresh_ = segments_.size();
    std::size_t total = used_;
    for (std::size_t node = 0; node < found.size(); ++node) {
      const TaskEdges<T>& task = found[node];
      if (task.edges.empty()) continue;
      segments_.push_back(
          {total, task.edges.size(), task.leaving, static_cast<std::uint32_t>(node)});
      total += task.edges.size();
    }
    if (total > kMostEdges)
      fail(ErrorCode::too_large, "spanning_tree: {} candidate edges; at most {} at once", total,
           kMostEdges);
    if (total > edges_.size()) grow(total + total / 4);
    workers_.for_ranges(segments_.size() - fresh_, 16, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = fresh_ + begin; i < fresh_ + end; ++i)
        std::copy_n(found[segments_[i].node].edges.data(), segments_[i].size,
                    edges_.data() + segments_[i].begin);
    });
    used_ = total;
  }

 private:
  static constexpr std::size_t kMostEdges = 0xfffffff0;
  static constexpr std::size_t kGrain = std::size_t{1} << 14;

  void grow(std::size_t capacity) {
    Array<Edge<T>> larger(capacity, workers_.pool());
    workers_.for_ranges(used_, kGrain, [&](std::size_t begin, std::size_t end) {
      std::copy_n(edges_.data() + begin, end - begin, larger.data() + begin);
    });
    edges_ = std::move(larger);
  }

  Workers& workers_;
  Array<Edge<T>> edges_;
  std::size_t used_ = 0;
  std::vector<EdgeSegment> segments_;
  std::size_t fresh_ = 0;
};

}  // namespace kith

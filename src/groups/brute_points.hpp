// All points of an input in the frame of a tree, for definitions that look at every pair.
#pragma once

#include <vector>

#include "geometry/distance.hpp"
#include "parallel/workers.hpp"
#include "tree/input.hpp"

namespace kith {

template <class T>
class BrutePoints {
 public:
  BrutePoints(const PointsView& points, const Box& box, NonFinite non_finite)
      : input_(read(points, box, non_finite)),
        metric_{Axes<kAnyDimension>(input_.dimension)},
        rows_(input_.size * static_cast<std::size_t>(input_.dimension)) {
    std::copy_n(input_.frame.side, input_.dimension, metric_.side);
    for (std::size_t i = 0; i < size(); ++i)
      input_.load(i, metric_.axes, rows_.data() + i * static_cast<std::size_t>(input_.dimension));
  }

  std::size_t size() const { return input_.size; }  ///< without those that were dropped
  /// The original index of the i-th of them.
  std::size_t index(std::size_t i) const { return input_.index(i); }
  const Frame<T>& frame() const { return input_.frame; }
  T distance2(std::size_t i, std::size_t j) const { return metric_.distance2(row(i), row(j)); }

 private:
  static Input<T> read(const PointsView& points, const Box& box, NonFinite non_finite) {
    Execution execution;
    execution.threads = 1;
    const Workers workers(execution);
    return read_input<T>(points, box, non_finite, workers);
  }
  const T* row(std::size_t i) const {
    return rows_.data() + i * static_cast<std::size_t>(input_.dimension);
  }

  Input<T> input_;
  Metric<kAnyDimension, T> metric_;
  std::vector<T> rows_;
};

}  // namespace kith

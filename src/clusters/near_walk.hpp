// Points of one packed tree against all near points of another, to find core points and border
// points.
//
// Heights count from the points, as in a join: 0 is the points, h the nodes of plane h - 1. A task
// is a node of the receiving tree of `task_height`. Every node carries the list of source nodes
// within reach, made from its parent's list, down to blocks of 8 points.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <kith/box.hpp>

#include "base/exact_sum.hpp"
#include "base/function_ref.hpp"
#include "tree/planes_view.hpp"

namespace kith {

/// A link that a walk has found: a point of the source within reach.
template <class T>
struct NearPoint {
  T d2;
  std::uint32_t position;
};

template <class T>
struct NearJob {
  T reach2 = 0;
  T side[kMaxDimension] = {};
  PlanesView<T> receivers, sources;  ///< implicit trees
  int task_height = 1;
};

/// Marks in `is_core` (whole blocks, by position) the receivers with at least `min_samples` sources
/// within reach, or sources whose weights add up to it. Both trees of the job are the same.
template <class T>
struct CoreJob : NearJob<T> {
  std::size_t min_samples = 0;
  const double* weight = nullptr;  ///< by position; null: every source counts 1
  bool has_negative = false;       ///< weights: then all of them must be added
  std::uint8_t* is_core = nullptr;
};

/// The sources within reach of the receivers that are not core points.
template <class T>
struct BorderJob : NearJob<T> {
  const std::uint8_t* is_core = nullptr;
};

/// Lists that a task fills; they keep their memory for the next one.
template <class T>
struct NearScratch {
  std::vector<std::vector<std::uint32_t>> near;  ///< per height of the receivers
  std::vector<NearPoint<T>> found;               ///< sources near one receiver
  ExactSum sum;                                  ///< of their weights

  std::uint32_t* room(int height, std::size_t values) {
    std::vector<std::uint32_t>& list = near[static_cast<std::size_t>(height)];
    if (list.size() < values) list.resize(2 * values);
    return list.data();
  }
};

/// The callback for the sources near a border point: f(position of the receiver, sources).
template <class T>
using NearVisitor = FunctionRef<void(std::uint32_t, const std::vector<NearPoint<T>>&)>;

/// The task of one node, on the SIMD target in force.
void run_core_task(const CoreJob<float>& job, std::uint32_t node, NearScratch<float>& scratch);
void run_core_task(const CoreJob<double>& job, std::uint32_t node, NearScratch<double>& scratch);
void run_border_task(const BorderJob<float>& job, std::uint32_t node, NearScratch<float>& scratch,
                     NearVisitor<float> visit);
void run_border_task(const BorderJob<double>& job, std::uint32_t node, NearScratch<double>& scratch,
                     NearVisitor<double> visit);

}  // namespace kith

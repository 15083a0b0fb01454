// The common part of all searches from disk.
#pragma once

#include <string>
#include <utility>

#include "base/format.hpp"
#include "neighbors/checks.hpp"
#include "neighbors/parts.hpp"
#include "slabs/ghosts.hpp"
#include "slabs/whole_progress.hpp"

namespace kith::slabs {

struct SearchCall {
  const char* name;
  const StoredPoints& points;
  const TreeOptions& tree;
  const DiskOptions& disk;
  double p = 2;                 ///< the norm
  std::uint64_t in_memory = 0;  ///< bytes of a point's results while its slab is in memory
  std::uint64_t on_disk = 0;    ///< bytes of a point's results
  bool with_mass = false;
  std::string options = {};  ///< those on which results depend
  double least_mass = -std::numeric_limits<double>::max();
  bool sorts = false;  ///< results do not go back to the order of the input

  /// f(store, budget) for points that are divided.
  template <class F>
  void run(Workers& workers, F f) const {
    // A view without rows has all that does not depend on them.
    const PointsView none{nullptr, 0, points.dimension(), points.dimension(), points.scalar()};
    with_scalar(points.scalar(),
                [&]<class T>() { Parts<T>::check(name, none, {.box = tree.box}); });
    if (p != 2) refuse("{}: p = {} needs the points in memory; from disk it is 2", name, p);
    const Budget budget = budget_of(points, disk, in_memory);
    with_scalar(points.scalar(), [&]<class T>() {
      // Sorted slabs are kept beside the others if work may be continued.
      const auto row = static_cast<std::uint64_t>(points.dimension()) * sizeof(T);
      const std::uint64_t sorted = sorts && disk.resume ? row + 8 + (with_mass ? 8 : 0) : 0;
      const Division division{points,
                              tree.box,
                              tree.non_finite,
                              on_disk + sorted,
                              true,
                              with_mass,
                              formatted("{} {}", name, options),
                              least_mass};
      SlabStore<T> store = divide<T>(division, disk, budget, workers);
      if (sorts) sort_slabs(store, budget, workers);
      f(std::as_const(store), budget);
      workers.count("slabs", store.slabs());
      workers.count("bytes written to scratch", store.scratch->written());
      workers.count("bytes read from scratch", store.scratch->read_so_far());
    });
  }
};

/// f(execution, workers). `search`: the stage that follows the division, and what it takes.
template <class F>
decltype(auto) search_call(const char* call, const Execution& given, const StoredPoints& points,
                           const PassCost& search, F f) {
  return watched_call(call, given,
                      {{"extent", 1}, {"count", 2}, {"sort", 4}, {"sort slabs", 4}, search},
                      points.size(), f);
}

/// The search for k neighbors takes the most time.
inline PassCost knn_cost(std::size_t k) { return {"search", 12 + 1.5 * static_cast<double>(k)}; }
inline constexpr PassCost kBallCost{"count neighbors", 12};

}  // namespace kith::slabs

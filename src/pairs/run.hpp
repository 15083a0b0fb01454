// Counts of pairs on threads: the sides of a job, its tasks, and the sums of what the tasks found.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/shared.hpp"
#include "pairs/job.hpp"
#include "parallel/workers.hpp"
#include "tree/planes.hpp"

namespace kith {

/// A region for every point of a tree, by tree order; regions are numbered from 0.
struct PairRegions {
  std::size_t count = 0;
  std::vector<std::int32_t> of_position;
};

/// Per original index: weights (none = 1 each) and bits for pairwise weights.
struct PairColumns {
  std::span<const double> weight = {};
  std::span<const std::uint64_t> words = {};  ///< `words_per_point` for each
  std::size_t words_per_point = 0;
  bool is_weighted = false;
};

/// One side of a count. With regions it holds a copy of the points in which each region starts a
/// group of 64; points of fewer than 3 dimensions are copied too, with coordinates 0.
template <class T>
class PairPoints {
 public:
  PairPoints(const PlanesView<T>& view, const PairColumns& columns, const PairRegions* regions,
             const Workers& workers);
  const PairSide<T>& side() const { return side_; }

 private:
  void arrange(const PlanesView<T>& view, const PairRegions& regions, const Workers& workers);
  void count_points();
  void weigh_points(const PairColumns& columns);
  void name_regions(const std::vector<std::int32_t>& of_group);

  Planes<T> planes_;
  PairSide<T> side_;
};

/// Sums over all tasks: of all pairs, of those with a point in a region, and of those with both
/// points there. Index [region * bins + bin]. Pairs of a set with itself count once.
struct PairTotals {
  std::vector<std::int64_t> counts;
  std::vector<double> sums, lengths;
  std::vector<double> touching, within;  ///< sums of counts are exact below 2^53
};

/// The tasks of a count that this process does, if ranks share it.
struct PairShare {
  std::size_t rank = 0, ranks = 1;
  bool has(std::size_t task) const { return task % ranks == rank; }
};

/// The parts of each task, in order; none for the tasks of other ranks.
using TaskParts = std::vector<std::vector<PairPart>>;

template <class T>
TaskParts run_tasks(PairJob<T> job, const PairShare& share, Workers& workers);

/// Totals without a pair.
template <class T>
PairTotals no_pairs(const PairJob<T>& job, std::size_t regions, bool is_weighted);
/// The parts of all tasks are added in the order of tasks: this order defines the bits of sums.
KITH_SHARED void add_part(const PairPart& part, PairTotals& totals);

template <class T>
PairTotals run_pairs(PairJob<T> job, std::size_t regions, Workers& workers);

}  // namespace kith

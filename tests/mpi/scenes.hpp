// Point sets of many kinds, distributed over ranks in many ways.
#pragma once

#include <algorithm>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <kith/mpi.hpp>

#include "mpi/world.hpp"
#include "support/point_sets.hpp"

namespace kith::test {

enum class Shape { uniform, clustered, all_equal, grid, two_far_clusters, outlier, count };
enum class Deal { even, one_has_all, some_empty, slabs, random, count };
enum class Space { open, periodic, mixed, count };

template <class T>
PointSet<T> scene_points(Shape shape, int dimension, std::size_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  auto uniform = [&] { return std::uniform_real_distribution<double>(0, 1)(random); };
  auto normal = [&] { return std::normal_distribution<double>()(random); };
  std::vector<double> center(6 * 8);
  for (double& c : center) c = uniform();
  return make_set<T>("scene", dimension, n, [&](std::size_t i, int axis) {
    switch (shape) {
      case Shape::clustered: {
        const double r = normal();
        return center[i % 6 * 8 + static_cast<std::size_t>(axis)] + 0.02 * r * r * r;
      }
      case Shape::all_equal: return 0.25;
      case Shape::grid: return static_cast<double>(random() % 6) / 8;
      case Shape::two_far_clusters: return (i % 3 == 0 ? 0.05 : 0.6) + 0.001 * normal();
      case Shape::outlier: return i == n / 2 ? 1e6 : uniform();
      default: return uniform();
    }
  });
}

/// The Euclidean norm as often as all others.
inline double scene_norm(std::size_t number) {
  constexpr double kNorms[] = {1, std::numeric_limits<double>::infinity(), 3, 1.5};
  return number % 2 == 0 ? 2 : kNorms[number / 2 % 4];
}

inline Box scene_box(Space space, int dimension) {
  if (space == Space::open) return Box::open();
  std::vector<double> sides;
  for (int axis = 0; axis < dimension; ++axis)
    sides.push_back(space == Space::mixed && axis % 2 == 0 ? 0 : 0.75 + 0.125 * axis);
  return Box::periodic(sides).with_origin(-0.125);
}

/// The rank of each point; points then are numbered rank by rank.
template <class T>
std::vector<int> dealt(const PointSet<T>& set, Deal deal, int ranks, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<int> rank(set.size());
  for (std::size_t i = 0; i < set.size(); ++i) {
    switch (deal) {
      case Deal::one_has_all: rank[i] = ranks / 2; break;
      case Deal::some_empty: rank[i] = static_cast<int>(random() % ranks) / 2 * 2; break;
      case Deal::slabs: {
        const double slab = static_cast<double>(set.row(i)[0]) * ranks;
        rank[i] = slab > 0 ? static_cast<int>(std::min(slab, ranks - 1.0)) : 0;  // NaN: the first
        break;
      }
      case Deal::random: rank[i] = static_cast<int>(random() % ranks); break;
      default: rank[i] = static_cast<int>(i * ranks / std::max<std::size_t>(1, set.size()));
    }
  }
  return rank;
}

/// A point set as one process would see it: the parts of all ranks, one after the other.
template <class T>
struct Scene {
  PointSet<T> all;
  std::vector<std::size_t> first;  ///< of each rank, and the end

  Scene(const PointSet<T>& set, const std::vector<int>& rank, int ranks)
      : all{set.name, set.dimension, {}} {
    for (int r = 0; r < ranks; ++r) {
      first.push_back(all.size());
      for (std::size_t i = 0; i < set.size(); ++i)
        if (rank[i] == r) all.x.insert(all.x.end(), set.row(i), set.row(i) + set.dimension);
    }
    first.push_back(all.size());
  }
  PointsView part(int rank) const {
    const auto r = static_cast<std::size_t>(rank);
    return view(all.x.empty() ? nullptr : all.row(first[r]), first[r + 1] - first[r],
                all.dimension);
  }
  std::size_t begin(int rank) const { return first[static_cast<std::size_t>(rank)]; }
};

/// How the points of all ranks are numbered. Numbers rise as the indices of one process do, so that
/// ties are the same.
struct Names {
  std::int64_t first = 0;
  std::int64_t step = 0;  ///< between ids; 0: there are none, points count from `first`

  /// The default more often than others; most of these are beyond 32 bits.
  static Names drawn(std::size_t number) {
    constexpr std::int64_t kOne = 1;
    constexpr Names kNames[] = {{},
                                {kOne << 33, 0},
                                {kOne << 33, 1000003},
                                {kOne << 62, kOne << 40},
                                {(kOne << 32) - 100, 0}};
    return number % 8 < 5 ? kNames[number % 8] : Names{};
  }
  std::int64_t operator()(std::size_t i) const {
    return first + static_cast<std::int64_t>(i) * (step == 0 ? 1 : step);
  }
  /// Of n points that begin here; none without ids.
  std::vector<std::int64_t> ids(std::size_t begin, std::size_t n) const {
    std::vector<std::int64_t> ids;
    for (std::size_t i = 0; step != 0 && i < n; ++i) ids.push_back((*this)(begin + i));
    return ids;
  }
  std::int64_t first_index() const { return step == 0 ? first : 0; }
  /// Of one process.
  std::size_t place(std::int64_t name) const {
    return static_cast<std::size_t>((name - first) / (step == 0 ? 1 : step));
  }
};

}  // namespace kith::test

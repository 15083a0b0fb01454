// The paper's tree. Every gap between two neighbours in z-order has a level: that of the smallest
// Morton cell that holds both. A gap is kept as a border between nodes when its cell holds more
// points than the plane allows, so the nodes of a plane are the largest cells within the limit.
// Coarser planes choose among the borders of the finer one. Two additions to that rule: borders of
// unusually large cells are kept as well (regularisation), and runs of identical points, which no
// cell can part, are cut by count.
#include <algorithm>
#include <cmath>
#include <map>

#include "geometry/z_order.hpp"
#include "tree/boxes.hpp"
#include "tree/builders.hpp"

namespace kith {
namespace {

constexpr std::size_t kGrain = std::size_t{1} << 14;

/// Candidate borders of a plane: where each stands in the order of the points, and the level of its
/// gap. The first and the last one are the ends.
struct Borders {
  Array<std::uint32_t> point;  ///< empty: border i stands before point i
  Array<int> level;

  std::size_t count() const { return level.size(); }
  std::size_t at(std::size_t i) const { return point.empty() ? i : point[i]; }
};

template <int D, class T>
void load(const Planes<T>& planes, std::size_t point, Axes<D> axes, T* x) {
  const T* lane = planes.block(point / kLanes) + point % kLanes;
  for (int axis = 0; axis < axes.count(); ++axis)
    x[axis] = lane[static_cast<std::size_t>(axis) * kLanes];
}

/// All gaps between the points.
template <class T>
Borders all_gaps(const Planes<T>& planes, const Workers& workers) {
  const std::size_t n = planes.points;
  Borders gaps{{}, Array<int>(n + 1, workers.pool())};
  gaps.level[0] = gaps.level[n] = kEndLevel;
  with_dimension(planes.dimension, [&]<int D>() {
    const Axes<D> axes(planes.dimension);
    workers.for_ranges(n - 1, kGrain, [&](std::size_t begin, std::size_t end) {
      T x[2][kAxisRoom<D>];
      load(planes, begin, axes, x[begin % 2]);
      for (std::size_t i = begin + 1; i <= end; ++i) {
        load(planes, i, axes, x[i % 2]);
        gaps.level[i] = z_level(x[(i - 1) % 2], x[i % 2], axes);
      }
    });
  });
  return gaps;
}

/// Does the smallest cell around border i hold more than `limit` points? Its other gaps have lower
/// levels, so it ends at the next border of a higher one.
template <class At>
bool exceeds(const int* levels, At at, std::size_t i, std::size_t limit) {
  const int level = levels[i];
  std::size_t left = i - 1, right = i + 1;
  while (levels[left] < level && at(right) - at(left) <= limit) --left;
  while (levels[right] < level && at(right) - at(left) <= limit) ++right;
  return at(right) - at(left) > limit;
}

/// Marks the borders whose cells exceed the limit.
template <class At>
void mark_exceeding(const Borders& borders, At at, std::size_t limit, const Workers& workers,
                    std::uint8_t* kept) {
  const int* levels = borders.level.data();
  workers.for_ranges(borders.count() - 2, kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin + 1; i <= end; ++i)
      kept[i] = levels[i] != kPointLevel && exceeds(levels, at, i, limit);
  });
}

/// Levels above the result are cut everywhere: the volume of a cell may be at most `ratio` times
/// the mean over the points of the smallest cells that hold 90 % of them.
int level_limit(const std::map<int, std::size_t>& points_by_level, double ratio) {
  std::size_t total = 0;
  for (const auto& [level, points] : points_by_level) total += points;
  std::size_t within = 0;
  double mean = 0;  // times 2^-base
  int base = 0;
  for (const auto& [level, points] : points_by_level) {
    if (level == kPointLevel) {
      within += points;
      continue;
    }
    // The sum is kept relative to the newest, largest level: volumes themselves would overflow.
    mean = mean == 0 ? 0 : std::ldexp(mean, base - level);
    base = level;
    mean += static_cast<double>(points);
    within += points;
    if (static_cast<double>(within) >= 0.9 * static_cast<double>(total)) break;
  }
  if (mean == 0) return kEndLevel;
  mean /= static_cast<double>(within);
  return base + static_cast<int>(std::floor(std::log2(ratio * mean)));
}

/// The nodes between kept borders: how many points lie in nodes of each level.
std::map<int, std::size_t> levels_of_nodes(const Borders& borders, const Array<std::uint8_t>& kept,
                                           const Workers& workers) {
  using Levels = std::map<int, std::size_t>;
  return reduce(
      workers, borders.count() - 1, kGrain, Levels(),
      [&](std::size_t begin, std::size_t end) {
        Levels levels;
        // A node belongs to the range in which it starts, wherever it ends.
        while (begin < end && !kept[begin]) ++begin;
        while (begin < end) {
          std::size_t last = begin + 1;
          int level = kPointLevel;
          for (; !kept[last]; ++last) level = std::max(level, borders.level[last]);
          levels[level] += borders.at(last) - borders.at(begin);
          begin = last;
        }
        return levels;
      },
      [](Levels all, const Levels& more) {
        for (const auto& [level, points] : more) all[level] += points;
        return all;
      });
}

/// Marks the borders that the next plane keeps, but for the cuts by count.
Array<std::uint8_t> choose(const Borders& borders, std::size_t limit, double ratio,
                           const Workers& workers) {
  const std::size_t last = borders.count() - 1;
  Array<std::uint8_t> kept(borders.count(), workers.pool());
  kept[0] = kept[last] = 1;
  if (borders.point.empty()) {
    mark_exceeding(
        borders, [](std::size_t i) { return i; }, limit, workers, kept.data());
  } else {
    const std::uint32_t* point = borders.point.data();
    mark_exceeding(
        borders, [point](std::size_t i) { return std::size_t{point[i]}; }, limit, workers,
        kept.data());
  }
  if (ratio > 0) {
    const int highest = level_limit(levels_of_nodes(borders, kept, workers), ratio);
    workers.for_ranges(last, kGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) kept[i] |= borders.level[i] > highest;
    });
  }
  return kept;
}

/// The kept borders as indices into the finer ones, with nodes of identical points cut to the
/// limit.
std::vector<std::uint32_t> cut_by_count(const Borders& borders, const Array<std::uint32_t>& kept,
                                        std::size_t limit) {
  std::vector<std::uint32_t> result;
  result.reserve(kept.size());
  for (std::size_t i = 0; i + 1 < kept.size(); ++i) {
    std::size_t start = kept[i];
    result.push_back(kept[i]);
    if (borders.at(kept[i + 1]) - borders.at(start) <= limit) continue;
    for (std::size_t border = start + 1; border < kept[i + 1]; ++border) {
      if (borders.at(border + 1) - borders.at(start) <= limit) continue;
      result.push_back(static_cast<std::uint32_t>(border));
      start = border;
    }
  }
  result.push_back(kept[kept.size() - 1]);
  return result;
}

template <class T>
Array<T> copied(const std::vector<T>& values, const Workers& workers) {
  Array<T> array(values.size(), workers.pool());
  std::copy(values.begin(), values.end(), array.data());
  return array;
}

/// Bounds and index range of a node in the making.
template <int D, class T>
struct Summary {
  Bounds<D, T> bounds = Bounds<D, T>::empty();
  std::uint32_t smallest = kNoIndex, largest = 0;

  void add(const T* lower, const T* upper, std::uint32_t least, std::uint32_t most, Axes<D> axes) {
    bounds.add(lower, upper, axes);
    smallest = std::min(smallest, least);
    largest = std::max(largest, most);
  }
};

/// Boxes and indices of nodes [begin, end) of a plane from what lies below: points, or nodes.
template <int D, class T>
void fill_plane(const Planes<T>& planes, const Plane<T>* below, const Plane<T>& plane,
                std::size_t begin, std::size_t end) {
  const Axes<D> axes(planes.dimension);
  T lower[kAxisRoom<D>], upper[kAxisRoom<D>];
  for (std::size_t node = begin; node < end; ++node) {
    Summary<D, T> summary;
    for (std::size_t child = plane.first[node]; child < plane.first[node + 1]; ++child) {
      if (!below) {
        load(planes, child, axes, lower);
        summary.add(lower, lower, planes.index(child), planes.index(child), axes);
        continue;
      }
      for (int axis = 0; axis < axes.count(); ++axis) {
        lower[axis] = planes.lower(*below, child, axis);
        upper[axis] = planes.upper(*below, child, axis);
      }
      summary.add(lower, upper, below->smallest[child], below->largest[child], axes);
    }
    for (int axis = 0; axis < axes.count(); ++axis) {
      planes.lower(plane, node, axis) = summary.bounds.lo[axis];
      planes.upper(plane, node, axis) = summary.bounds.hi[axis];
    }
    plane.smallest[node] = summary.smallest;
    plane.largest[node] = summary.largest;
  }
}

/// Adds the plane whose nodes lie between the chosen borders; returns them as the next candidates.
template <class T>
Borders add_plane(const std::vector<std::uint32_t>& chosen, const Borders& borders,
                  const Workers& workers, Planes<T>& planes) {
  const Plane<T>* below = planes.planes.empty() ? nullptr : &planes.planes.back();
  Plane<T> plane = make_plane<T>(chosen.size() - 1, planes.dimension, workers);
  plane.first = copied(chosen, workers);
  Borders next{Array<std::uint32_t>(chosen.size(), workers.pool()),
               Array<int>(chosen.size(), workers.pool())};
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    next.point[i] = static_cast<std::uint32_t>(borders.at(chosen[i]));
    next.level[i] = borders.level[chosen[i]];
  }
  if (below) {
    plane.begin = Array<std::uint32_t>(chosen.size(), workers.pool());
    std::copy(next.point.begin(), next.point.end(), plane.begin.data());
  }
  with_dimension(planes.dimension, [&]<int D>() {
    workers.for_ranges(plane.nodes, kGrain / 16, [&](std::size_t begin, std::size_t end) {
      fill_plane<D>(planes, below, plane, begin, end);
    });
  });
  pad_last_chunk(planes, plane);
  planes.planes.push_back(std::move(plane));
  return next;
}

}  // namespace

template <class T>
void build_cells(const TreeOptions& options, const Workers& workers, Planes<T>& planes) {
  planes.is_implicit = false;
  if (planes.points == 0) return;
  Borders borders = all_gaps(planes, workers);
  double limit = options.max_leaf_size;
  for (;; limit *= options.coarsening) {
    const bool is_root = limit >= static_cast<double>(planes.points);
    const std::size_t most = is_root ? planes.points : static_cast<std::size_t>(limit);
    // The root is one node, however large its cell.
    const double ratio = is_root ? 0 : options.max_volume_ratio;
    const Array<std::uint8_t> kept = choose(borders, most, ratio, workers);
    const Array<std::uint32_t> packed =
        pack<std::uint32_t>(workers, borders.count(), [&](std::size_t i) { return kept[i] != 0; });
    borders = add_plane(cut_by_count(borders, packed, most), borders, workers, planes);
    if (is_root) return;
  }
}

template void build_cells(const TreeOptions&, const Workers&, Planes<float>&);
template void build_cells(const TreeOptions&, const Workers&, Planes<double>&);

}  // namespace kith

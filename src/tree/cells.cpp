// The paper's tree. Every gap between two neighbors in z-order has a level: that of the smallest
// Morton cell that holds both. A gap is kept as a border between nodes when its cell holds more
// points than the plane allows, so the nodes of a plane are the largest cells within the limit.
// Coarser planes choose among the borders of the finer one. Two additions to that rule: borders of
// unusually large cells are kept as well (regularization), and runs of identical points, which no
// cell can separate, are cut by count.
#include <algorithm>
#include <cmath>

#include "parallel/grains.hpp"
#include "tree/boxes.hpp"
#include "tree/builders.hpp"

namespace kith {
namespace {

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
    workers.for_ranges(n - 1, kPointGrain, [&](std::size_t begin, std::size_t end) {
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

/// The items that nodes of a plane are made of: points, and the levels of the gaps at both ends of
/// the row.
struct CellLimits {
  std::size_t most;
  int before, after;
};

/// Does the smallest cell around border i hold more points than it may? Its other gaps have lower
/// levels, so it ends at the next border of a higher one; or beyond the ends of this part.
template <class At>
bool exceeds(const Borders& borders, At at, std::size_t i, const CellLimits& limits) {
  const int* levels = borders.level.data();
  const int level = levels[i];
  std::size_t left = i - 1, right = i + 1;
  while (levels[left] < level && at(right) - at(left) <= limits.most) --left;
  while (levels[right] < level && at(right) - at(left) <= limits.most) ++right;
  return at(right) - at(left) > limits.most || (left == 0 && limits.before < level) ||
         (right + 1 == borders.count() && limits.after < level);
}

/// Marks the borders whose cells exceed the limits.
template <class At>
void mark_exceeding(const Borders& borders, At at, const CellLimits& limits, const Workers& workers,
                    std::uint8_t* kept) {
  workers.for_ranges(borders.count() - 2, kPointGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin + 1; i <= end; ++i)
      kept[i] = borders.level[i] != kPointLevel && exceeds(borders, at, i, limits);
  });
}

/// Levels above the result are cut everywhere: the volume of a cell may be at most `ratio` times
/// the mean over the points of the smallest cells that hold 90 % of them.
int level_limit(const PointsByLevel& points_by_level, double ratio) {
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
PointsByLevel levels_of_nodes(const Borders& borders, const Array<std::uint8_t>& kept,
                              const Workers& workers) {
  return reduce(
      workers, borders.count() - 1, kPointGrain, PointsByLevel(),
      [&](std::size_t begin, std::size_t end) {
        PointsByLevel levels;
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
      [](PointsByLevel all, const PointsByLevel& more) {
        for (const auto& [level, points] : more) all[level] += points;
        return all;
      });
}

/// The borders that the next plane keeps, but for large cells and the cuts by count.
Array<std::uint8_t> borders_of_plane(const Borders& borders, const CellLimits& limits,
                                     const Workers& workers) {
  Array<std::uint8_t> kept(borders.count(), workers.pool());
  kept[0] = kept[borders.count() - 1] = 1;
  if (borders.point.empty()) {
    mark_exceeding(
        borders, [](std::size_t i) { return i; }, limits, workers, kept.data());
  } else {
    const std::uint32_t* point = borders.point.data();
    mark_exceeding(
        borders, [point](std::size_t i) { return std::size_t{point[i]}; }, limits, workers,
        kept.data());
  }
  return kept;
}

/// Adds the borders of cells above a level.
void keep_above(int level, const Borders& borders, const Workers& workers,
                Array<std::uint8_t>& kept) {
  workers.for_ranges(borders.count() - 1, kPointGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) kept[i] |= borders.level[i] > level;
  });
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

/// Boxes and indices of nodes [begin, end) of a plane from the items below them: points, or nodes.
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
    workers.for_ranges(plane.nodes, kPointGrain / 16, [&](std::size_t begin, std::size_t end) {
      fill_plane<D>(planes, below, plane, begin, end);
    });
  });
  pad_last_chunk(planes, plane);
  planes.planes.push_back(std::move(plane));
  return next;
}

}  // namespace

template <class T>
CellsBuilder<T>::CellsBuilder(const TreeOptions& options, Planes<T>& planes, const Workers& workers,
                              int before, int after)
    : options_(options),
      planes_(planes),
      before_(before),
      after_(after),
      limit_(options.max_leaf_size),
      is_done_(planes.points == 0) {
  planes.is_implicit = false;
  if (!is_done_) borders_ = all_gaps(planes, workers);
}

template <class T>
PointsByLevel CellsBuilder<T>::levels(const Workers& workers) {
  if (is_done_) return {};
  // The root is one node, however large its cell.
  const CellLimits limits{most(), is_root() ? kEndLevel : before_, is_root() ? kEndLevel : after_};
  kept_ = borders_of_plane(borders_, limits, workers);
  if (is_root() || options_.max_volume_ratio == 0) return {};
  return levels_of_nodes(borders_, kept_, workers);
}

template <class T>
void CellsBuilder<T>::add(const PointsByLevel& levels, const Workers& workers) {
  if (is_done_) return;
  if (!is_root() && options_.max_volume_ratio > 0)
    keep_above(level_limit(levels, options_.max_volume_ratio), borders_, workers, kept_);
  const Array<std::uint32_t> packed =
      pack<std::uint32_t>(workers, borders_.count(), [&](std::size_t i) { return kept_[i] != 0; });
  borders_ = add_plane(cut_by_count(borders_, packed, most()), borders_, workers, planes_);
  is_done_ = is_root();
  limit_ *= options_.coarsening;
}

template <class T>
void build_cells(const TreeOptions& options, const Workers& workers, Planes<T>& planes) {
  CellsBuilder<T> builder(options, planes, workers);
  while (!builder.is_done()) {
    const PointsByLevel levels = builder.levels(workers);
    builder.add(levels, workers);
  }
}

template class CellsBuilder<float>;
template class CellsBuilder<double>;
template void build_cells(const TreeOptions&, const Workers&, Planes<float>&);
template void build_cells(const TreeOptions&, const Workers&, Planes<double>&);

}  // namespace kith

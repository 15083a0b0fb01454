#include "mpi/domains/cells.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

#include "neighbors/parts.hpp"
#include "tree/builders.hpp"

namespace kith::mpi {
namespace {

/// Levels of the gaps before the first and after the last point of a rank.
struct EndLevels {
  int before = kEndLevel, after = kEndLevel;
};

/// The first and the last point of a rank as they travel: whether there are any, then coordinates.
template <class T>
class EndPoints {
 public:
  EndPoints(int dimension, int ranks)
      : dimension_(dimension), mine_(1 + 2 * width()), all_(mine_.size() * std::size_t(ranks)) {}

  void set(const PlanesView<T>& points) {
    if (points.points == 0) return;
    mine_[0] = 1;
    points.load(0, axes(), mine_.data() + 1);
    points.load(points.points - 1, axes(), mine_.data() + 1 + width());
  }
  void gather(Communicator& communicator) {
    communicator.gather_all(mine_.data(), mine_.size() * sizeof(T), all_.data());
  }
  EndLevels levels(int rank) const {
    EndLevels levels;
    const int ranks = static_cast<int>(all_.size() / mine_.size());
    int before = rank - 1, after = rank + 1;
    while (before >= 0 && !has_points(before)) --before;
    while (after < ranks && !has_points(after)) ++after;
    if (!has_points(rank)) return levels;
    if (before >= 0) levels.before = z_level(last(before), first(rank), axes());
    if (after < ranks) levels.after = z_level(last(rank), first(after), axes());
    return levels;
  }

 private:
  Axes<kAnyDimension> axes() const { return Axes<kAnyDimension>(dimension_); }
  std::size_t width() const { return static_cast<std::size_t>(dimension_); }
  const T* of(int rank) const {
    return all_.data() + static_cast<std::size_t>(rank) * mine_.size();
  }
  bool has_points(int rank) const { return *of(rank) > 0; }
  const T* first(int rank) const { return of(rank) + 1; }
  const T* last(int rank) const { return of(rank) + 1 + width(); }

  int dimension_;
  std::vector<T> mine_, all_;
};

/// Points by level as numbers in a row that all ranks can add up.
class LevelCounts {
 public:
  explicit LevelCounts(Call& call) : call_(call) {}

  /// False once all ranks are done. Collective.
  bool add_up(PointsByLevel& levels, bool is_done) {
    constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max() / 2;
    std::int64_t ends[] = {kNone, kNone, is_done ? 1 : 0};
    for (const auto& [level, points] : levels) {
      if (level == kPointLevel) continue;
      ends[0] = std::min<std::int64_t>(ends[0], level);
      ends[1] = std::min<std::int64_t>(ends[1], -level);
    }
    call_.communicator().least(ends, 3);
    if (ends[2] == 1) return false;
    const std::int64_t lowest = ends[0], highest = -ends[1];
    const std::int64_t range = ends[0] == kNone ? 0 : highest - lowest + 1;
    call_.quick([&] {
      counts_.assign(static_cast<std::size_t>(range) + 1, 0);
      for (const auto& [level, points] : levels)
        counts_[level == kPointLevel ? 0 : static_cast<std::size_t>(level - lowest + 1)] =
            static_cast<std::int64_t>(points);
    });
    call_.communicator().sum(counts_.data(), counts_.size());
    call_.quick([&] {
      levels.clear();
      if (counts_[0] > 0) levels[kPointLevel] = static_cast<std::size_t>(counts_[0]);
      for (std::size_t i = 1; i < counts_.size(); ++i)
        if (counts_[i] > 0)
          levels[static_cast<int>(lowest) + static_cast<int>(i) - 1] =
              static_cast<std::size_t>(counts_[i]);
    });
    return true;
  }

 private:
  Call& call_;
  std::vector<std::int64_t> counts_;
};

template <class T>
EndLevels end_levels(Call& call, const Planes<T>& planes) {
  std::optional<EndPoints<T>> points;
  call.quick([&] { points.emplace(planes.dimension, call.ranks()).set(planes.view()); });
  points->gather(call.communicator());
  return points->levels(call.rank());
}

}  // namespace

template <class T>
Planes<T> cells_of_rows(Call& call, const T* rows, std::size_t n, int dimension,
                        const TreeOptions& options, bool is_in_order) {
  Planes<T> planes;
  call.phase([&](Workers& workers) {
    const Stage stage(workers, "order", n);
    planes =
        Parts<T>::ordered(Parts<T>::input_of_rows(rows, n, dimension, workers), options, workers);
  });
  const EndLevels ends = is_in_order ? end_levels(call, planes) : EndLevels();
  std::optional<CellsBuilder<T>> builder;
  PointsByLevel levels;
  LevelCounts counts(call);
  call.phase([&](Workers& workers) {
    builder.emplace(options, planes, workers, ends.before, ends.after);
    levels = builder->levels(workers);
  });
  while (counts.add_up(levels, builder->is_done()))
    call.phase([&](Workers& workers) {
      const Stage stage(workers, "cells", n);
      builder->add(levels, workers);
      levels = builder->levels(workers);
    });
  return planes;
}

template Planes<float> cells_of_rows(Call&, const float*, std::size_t, int, const TreeOptions&,
                                     bool);
template Planes<double> cells_of_rows(Call&, const double*, std::size_t, int, const TreeOptions&,
                                      bool);

}  // namespace kith::mpi

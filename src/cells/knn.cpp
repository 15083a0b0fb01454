// The nearest neighbors in periodic cells: searches with growing cutoffs, until every atom has
// enough. Neighbors within a cutoff are all there are, so the nearest of enough are the nearest.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <vector>

#include <kith/cells.hpp>

#include "atoms/checks.hpp"
#include "base/fail.hpp"
#include "cells/rows.hpp"
#include "parallel/grains.hpp"
#include "parallel/public_call.hpp"

namespace kith::cells {
namespace {

constexpr const char* kCall = "cells.knn";
constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// The first cutoff, as a part of one that holds several times k atoms of even density; and by how
/// much the next is longer. Atoms in clumps have enough early, and are not searched again.
constexpr double kFirst = 0.25, kGrowth = 1.5;

/// Where the atoms of a system are, roughly.
struct Extent {
  double volume = 1;  ///< of the axes along which they differ, or repeat
  int axes = 0;       ///< their number
  double widest = 0;  ///< more than the distance of any two atoms that are not moved
  bool is_open = true;
};

/// The least and the largest value along each axis of the cell, and of space.
struct Range {
  Vector3 low = {kInfinity, kInfinity, kInfinity}, high = {-kInfinity, -kInfinity, -kInfinity};

  void add(const Vector3& least, const Vector3& most) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      low[axis] = std::min(low[axis], least[axis]);
      high[axis] = std::max(high[axis], most[axis]);
    }
  }
  double size(std::size_t axis) const { return high[axis] - low[axis]; }
};
struct Ranges {
  Range along, place;
};

Vector3 place_of(const PointsView& positions, std::size_t i) {
  Vector3 x = {};
  const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(i) * positions.stride;
  for (int axis = 0; axis < positions.dimension; ++axis)
    x[static_cast<std::size_t>(axis)] =
        positions.scalar == Scalar::float32
            ? double{static_cast<const float*>(positions.data)[at + axis]}
            : static_cast<const double*>(positions.data)[at + axis];
  return x;
}

Extent extent_of(const AtomSystem& system, const Workers& workers) {
  const PreparedLattice lattice(kCall, system.lattice, system.positions.dimension);
  const Ranges ranges = reduce(
      workers, system.positions.size, kPointGrain, Ranges{},
      [&](std::size_t begin, std::size_t end) {
        Ranges part;
        for (std::size_t i = begin; i < end; ++i) {
          const Vector3 x = place_of(system.positions, i);
          const Vector3 along = {lattice.along(0, x), lattice.along(1, x), lattice.along(2, x)};
          part.along.add(along, along);
          part.place.add(x, x);
        }
        return part;
      },
      [](Ranges a, const Ranges& b) {
        a.along.add(b.along.low, b.along.high);
        a.place.add(b.place.low, b.place.high);
        return a;
      });
  Extent extent;
  extent.is_open = lattice.is_open();
  double diagonal2 = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const int k = static_cast<int>(axis);
    diagonal2 += ranges.place.size(axis) * ranges.place.size(axis);
    const double size = lattice.is_periodic(k) ? lattice.height(k) : ranges.along.size(axis);
    if (!(size > 0)) continue;
    extent.volume *= size;
    ++extent.axes;
  }
  extent.widest = std::max(1.001 * std::sqrt(diagonal2), 1e-90);
  return extent;
}

/// The rows of one system.
class SystemKnn {
 public:
  SystemKnn(const AtomSystem& system, const KnnOptions& options, std::size_t first, Neighbors& out)
      : system_(system),
        options_(options),
        width_(static_cast<std::size_t>(out.dimension)),
        index_(out.index.data() + first * options.k),
        shift_(out.shift.data() + first * options.k * width_),
        distance_(out.distance.data() + first * options.k),
        first_(static_cast<std::int64_t>(first)),
        is_done_(system.positions.size, 0) {}

  void run(const Workers& workers) {
    if (is_done_.empty()) return;
    const Extent extent = extent_of(system_, workers);
    const double each =
        extent.volume * static_cast<double>(options_.k + 1) / static_cast<double>(is_done_.size());
    double cutoff = extent.axes > 0 ? kFirst * std::pow(each, 1.0 / extent.axes) : extent.widest;
    cutoff = std::max(cutoff, 1e-90);
    while (!search(cutoff, extent.is_open && cutoff >= extent.widest, workers)) cutoff *= kGrowth;
  }

 private:
  /// Searches the atoms that have no row yet; returns whether all of them have one.
  bool search(double cutoff, bool is_last, const Workers& workers) {
    const AtomBins bins(kCall, system_, cutoff, workers);
    const AtomRule rule{.reach2 = cutoff2_of(cutoff, false), .with_self = !options_.exclude_self};
    std::atomic<bool> is_complete = true;
    for_each_row(
        bins, rule, workers, [&](std::uint32_t i) { return is_done_[i] == 0; },
        [&](std::uint32_t i, std::span<const NeighborKey> row, const AtomRows& rows,
            AtomRows::Scratch& scratch) {
          if (row.size() < options_.k && !is_last) {
            is_complete = false;
            return false;
          }
          const std::size_t count = std::min(row.size(), options_.k);
          write(bins, i, rows.nearest(i, row.size(), count, scratch));
          is_done_[i] = 1;
          return true;
        });
    return is_complete;
  }

  void write(const AtomBins& bins, std::uint32_t i, std::span<const NearKey> row) const {
    for (std::size_t n = 0; n < row.size(); ++n) {
      const std::uint32_t j = atom_of(row[n].key);
      const std::size_t at = i * options_.k + n;
      index_[at] = first_ + j;
      distance_[at] = std::sqrt(row[n].d2);
      const Shift3 shift = bins.shift(i, j, image_of(row[n].key));
      std::copy_n(shift.data(), width_, shift_ + at * width_);
    }
  }

  const AtomSystem& system_;
  const KnnOptions& options_;
  std::size_t width_;
  std::int64_t* index_;
  std::int32_t* shift_;
  double* distance_;
  std::int64_t first_;
  std::vector<std::uint8_t> is_done_;
};

}  // namespace

Neighbors knn(std::span<const AtomSystem> systems, const KnnOptions& options,
              const Execution& execution) {
  return public_call(kCall, execution, [&](Workers& workers) {
    check_systems(kCall, systems, std::numeric_limits<std::int64_t>::max());
    if (options.k == 0) refuse("cells.knn: k = 0; ask for at least 1 neighbor");
    const std::vector<std::size_t> first = first_atoms(systems);
    Neighbors out{.k = options.k};
    if (!systems.empty()) out.dimension = systems[0].positions.dimension;
    if (options.k > std::numeric_limits<std::size_t>::max() / 64 / (first.back() + 1))
      fail(ErrorCode::out_of_memory, "cells.knn: no memory for {} neighbors of {} atoms", options.k,
           first.back());
    const std::size_t rows = first.back() * options.k;
    out.index = filled<std::int64_t>(workers, rows, -1);
    out.shift = filled<std::int32_t>(workers, rows * static_cast<std::size_t>(out.dimension));
    out.distance = filled<double>(workers, rows, kInfinity);
    const Stage stage(workers, "find", first.back());
    workers.for_each(systems.size(), [&](std::size_t s) {
      SystemKnn(systems[s], options, first[s], out).run(workers);
    });
    return out;
  });
}

}  // namespace kith::cells

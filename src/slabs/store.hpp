// The points of slabs on disk, and where each point of the input is.
//
// A slab has its points in the order of the input. So a list of slab numbers in that order says
// where every point is, and values of the points of a slab come back to the input by reading that
// list and the slabs' values side by side: no indices are stored, and every file is read in order.
#pragma once

#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "geometry/distance.hpp"
#include "geometry/frame.hpp"
#include "slabs/budget.hpp"
#include "slabs/cells.hpp"
#include "slabs/input_order.hpp"

namespace kith::slabs {

template <class T>
struct SlabStore {
  std::shared_ptr<Scratch> scratch;
  int dimension = 0;
  std::uint64_t size = 0;   ///< of the input
  std::uint64_t total = 0;  ///< without dropped points
  Frame<T> frame;
  SlabBoxes<T> boxes;
  std::vector<std::uint64_t> begin;  ///< of each slab among the points of all; and the end
  std::uint64_t rows = 0;            ///< place of the points, in the frame
  std::uint64_t numbers = 0;         ///< place of the numbers of slabs, in the order of the input
  std::uint64_t index = 0;           ///< place of the indices of the points, of 64 bits, if asked
  std::uint64_t mass = 0;            ///< place of their masses, if asked
  /// Of runs of points that are near each other, slab after slab; see sort_slabs. None: slabs have
  /// their points in the order of the input.
  SlabBoxes<T> runs;
  std::size_t run_points = 0;  ///< of each run but the last ones of slabs

  /// All but the scratch file and the values that are known without the points.
  template <class Archive>
  void each_state(Archive& archive) {
    archive(total);
    archive(frame);
    archive(boxes.ends);
    archive(boxes.owner);
    archive(begin);
    archive(rows);
    archive(numbers);
    archive(index);
    archive(mass);
  }
  template <int D>
  Metric<D, T> metric() const {
    Metric<D, T> metric{Axes<D>(dimension)};
    std::copy_n(frame.side, metric.axes.count(), metric.side);
    return metric;
  }
  OrderOfInput input_order() const { return {scratch, numbers, begin}; }
  std::size_t slabs() const { return begin.size() - 1; }
  std::size_t slab_size(std::size_t slab) const {
    return static_cast<std::size_t>(begin[slab + 1] - begin[slab]);
  }
};

/// Points to divide, and how.
struct Division {
  const StoredPoints& points;
  const Box& box;
  NonFinite non_finite = NonFinite::error;
  std::uint64_t extra = 0;  ///< more bytes per point that the scratch file will take
  bool with_index = false, with_mass = false;
  std::string task = {};  ///< the call and its options, for DiskOptions::resume
  double least_mass = -std::numeric_limits<double>::max();
};

/// Reads the points three times and divides them. Errors: non_finite, as a tree has it;
/// invalid_argument for masses that are not finite, or less than the least one.
template <class T>
SlabStore<T> divide(const Division& division, const DiskOptions& disk, const Budget& budget,
                    Workers& workers);

}  // namespace kith::slabs

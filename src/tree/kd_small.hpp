// The kd order of a set that fits a cache.
//
// The places of the points are sorted along every axis once. From then on the box of a set is its
// first and last place on each axis, a split is a cut through the sorted places of its axis, and
// the places of the other axes are parted by one pass that keeps their order. Nothing is selected
// and no step depends on the values, so all inputs cost the same.
#pragma once

#include <iterator>
#include <utility>

#include "tree/column_sorter.hpp"
#include "tree/kd.hpp"

namespace kith {

template <int D, class T>
class KdSmall {
 public:
  /// Points in a set, at most.
  static constexpr std::size_t kMost = std::size_t{1} << 15;
  using Place = std::uint16_t;

  /// block(first, places, n) for each block of the set in kd order: the place of the block's first
  /// point among all, and its n points. The points are column by column, by ascending index;
  /// `depth` splits are above them.
  template <class Block>
  void run(const T* const* columns, std::size_t n, int depth, Axes<D> axes, SplitAxis rule,
           Block block) {
    columns_ = columns;
    axes_ = axes;
    rule_ = rule;
    reserve(n);
    for (int axis = 0; axis < axes.count(); ++axis) sorter_.sort(columns[axis], n, order(axis));
    split(0, n, depth);
    emit(n, block);
  }

  std::uint64_t work() const { return sorter_.work(); }

 private:
  static constexpr std::size_t kBatch = 8;  ///< blocks whose points are sorted together
  /// The steps of a network that sorts 8.
  static constexpr std::uint8_t kPairs[][2] = {
      {0, 2}, {1, 3}, {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}, {0, 1}, {2, 3},
      {4, 5}, {6, 7}, {2, 4}, {3, 5}, {1, 4}, {3, 6}, {1, 2}, {3, 4}, {5, 6}};

  void reserve(std::size_t n) {
    const std::size_t places = n * static_cast<std::size_t>(axes_.count());
    if (orders_.size() < places) orders_.resize(places);
    if (side_.size() < n) {
      side_.resize(n);
      greater_.resize(n);
      blocks_.resize(n + kBatch * kLanes);
    }
    size_ = n;
  }
  Place* order(int axis) { return orders_.data() + static_cast<std::size_t>(axis) * size_; }

  void split(std::size_t begin, std::size_t n, int depth) {
    for (; n > 2 * kLanes; ++depth) {
      const std::size_t lesser = kd_lesser_size(n);
      part(begin, n, lesser, axis_of(begin, n, depth));
      split(begin, lesser, depth + 1);
      begin += lesser;
      n -= lesser;
    }
    // The last split needs no other axis.
    const int axis = n > kLanes ? axis_of(begin, n, depth) : 0;
    std::copy_n(order(axis) + begin, n, blocks_.data() + begin);
  }

  int axis_of(std::size_t begin, std::size_t n, int depth) {
    if (rule_ == SplitAxis::cyclic) return depth % axes_.count();
    Bounds<D, T> bounds{};
    for (int axis = 0; axis < axes_.count(); ++axis) {
      const Place* places = order(axis) + begin;
      bounds.lo[axis] = columns_[axis][places[0]];
      bounds.hi[axis] = columns_[axis][places[n - 1]];
    }
    if (rule_ == SplitAxis::widest) return widest_axis(bounds, axes_);
    VarianceSums<D, T> sums(bounds, axes_);
    T x[kAxisRoom<D>];
    for (const Place* place = order(0) + begin; place != order(0) + begin + n; ++place) {
      for (int axis = 0; axis < axes_.count(); ++axis) x[axis] = columns_[axis][*place];
      sums.add(x);
    }
    return sums.axis();
  }

  /// Cuts the places of the split's axis; those of the others follow.
  void part(std::size_t begin, std::size_t n, std::size_t lesser, int split_axis) {
    const Place* cut = order(split_axis) + begin;
    std::uint8_t* side = side_.data();
    for (std::size_t i = 0; i < lesser; ++i) side[cut[i]] = 0;
    for (std::size_t i = lesser; i < n; ++i) side[cut[i]] = 1;
    for (int axis = 0; axis < axes_.count(); ++axis)
      if (axis != split_axis) part(order(axis) + begin, n);
  }

  /// Places of the lesser side first, both sides in their order; without branches.
  void part(Place* places, std::size_t n) {
    const std::uint8_t* side = side_.data();
    Place *lesser = places, *greater = greater_.data();
    for (std::size_t i = 0; i < n; ++i) {
      const Place place = places[i];
      const std::size_t is_greater = side[place];
      *lesser = place;
      *greater = place;
      lesser += 1 - is_greater;
      greater += is_greater;
    }
    std::copy(greater_.data(), greater, lesser);
  }

  /// The points of a block ascend by place, which is by index.
  template <class Block>
  void emit(std::size_t n, Block& block) {
    std::fill_n(blocks_.data() + n, kBatch * kLanes, std::numeric_limits<Place>::max());
    for (std::size_t begin = 0; begin < n; begin += kBatch * kLanes) {
      sort_blocks(blocks_.data() + begin);
      for (std::size_t i = begin; i < std::min(n, begin + kBatch * kLanes); i += kLanes)
        block(i, blocks_.data() + i, std::min(kLanes, n - i));
    }
  }

  /// By a network without branches, all blocks at once.
  static void sort_blocks(Place* places) {
    Place lanes[kLanes][kBatch];
    for (std::size_t i = 0; i < kLanes; ++i)
      for (std::size_t b = 0; b < kBatch; ++b) lanes[i][b] = places[b * kLanes + i];
    const auto exchange = [&](std::size_t a, std::size_t c) {
      for (std::size_t b = 0; b < kBatch; ++b) {
        const Place first = lanes[a][b], second = lanes[c][b];
        lanes[a][b] = std::min(first, second);
        lanes[c][b] = std::max(first, second);
      }
    };
    // All steps written out: a loop over the pairs is not made of vectors.
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (exchange(kPairs[I][0], kPairs[I][1]), ...);
    }
    (std::make_index_sequence<std::size(kPairs)>());
    for (std::size_t b = 0; b < kBatch; ++b)
      for (std::size_t i = 0; i < kLanes; ++i) places[b * kLanes + i] = lanes[i][b];
  }

  const T* const* columns_ = nullptr;
  Axes<D> axes_{D == kAnyDimension ? 1 : D};
  SplitAxis rule_ = SplitAxis::widest;
  std::size_t size_ = 0;
  ColumnSorter<T> sorter_;
  std::vector<Place> orders_;       ///< sorted places, axis by axis
  std::vector<Place> greater_;      ///< room for one side
  std::vector<Place> blocks_;       ///< places in kd order
  std::vector<std::uint8_t> side_;  ///< of each place in the split at work
};

}  // namespace kith

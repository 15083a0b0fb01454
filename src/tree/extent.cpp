#include "tree/extent.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/fail.hpp"
#include "parallel/grains.hpp"

namespace kith {
namespace {

/// Eight rows at a time, each coordinate in a separate lane, so that the compiler makes vector
/// code of it. x * 0 is NaN for a NaN or infinite x; a sum remembers it.
template <int D, class T>
Extent<T> extent_of_packed_rows(const T* data, std::size_t begin, std::size_t end) {
  constexpr std::size_t kRow = D, kBatch = 8 * kRow;
  T lo[kBatch], hi[kBatch], taint[kBatch];
  std::fill_n(lo, kBatch, std::numeric_limits<T>::infinity());
  std::fill_n(hi, kBatch, -std::numeric_limits<T>::infinity());
  std::fill_n(taint, kBatch, T(0));
  auto add = [&](const T* x, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      lo[i] = x[i] < lo[i] ? x[i] : lo[i];
      hi[i] = x[i] > hi[i] ? x[i] : hi[i];
      taint[i] += x[i] * 0;
    }
  };
  std::size_t row = begin;
  for (; row + 8 <= end; row += 8) add(data + row * kRow, kBatch);
  add(data + row * kRow, (end - row) * kRow);
  Extent<T> extent;
  for (std::size_t i = 0; i < kBatch; ++i) {
    T& least = extent.bounds.lo[i % kRow];
    T& most = extent.bounds.hi[i % kRow];
    least = std::min(least, lo[i]);
    most = std::max(most, hi[i]);
    extent.is_finite = extent.is_finite && taint[i] == 0;
  }
  return extent;
}

template <class T>
Extent<T> extent_of_rows(const InputRows<T>& rows, std::size_t begin, std::size_t end) {
  if (rows.stride == rows.dimension && rows.live.empty()) {
    if (rows.dimension == 2) return extent_of_packed_rows<2>(rows.data, begin, end);
    if (rows.dimension == 3) return extent_of_packed_rows<3>(rows.data, begin, end);
  }
  Extent<T> extent;
  T taint = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const T* row = rows.row(i);
    extent.bounds.add(row, Axes<kAnyDimension>(rows.dimension));
    for (int axis = 0; axis < rows.dimension; ++axis) taint += row[axis] * 0;
  }
  extent.is_finite = taint == 0;
  return extent;
}

template <class T>
Extent<T> extent_of(const InputRows<T>& rows, const Workers& workers) {
  return reduce(
      workers, rows.size, kLightPointGrain, Extent<T>(),
      [&](std::size_t begin, std::size_t end) { return extent_of_rows(rows, begin, end); },
      [&](Extent<T> all, const Extent<T>& more) {
        all.add(more, rows.dimension);
        return all;
      });
}

template <class T>
bool is_finite_row(const InputRows<T>& rows, std::size_t i) {
  const T* row = rows.row(i);
  return std::all_of(row, row + rows.dimension, [](T x) { return std::isfinite(x); });
}

template <class T>
[[noreturn]] void fail_non_finite(const InputRows<T>& rows) {
  std::size_t bad = 0, first = rows.size;
  for (std::size_t i = rows.size; i-- > 0;)
    if (!is_finite_row(rows, i)) {
      ++bad;
      first = i;
    }
  const T* row = rows.row(first);
  const T* value =
      std::find_if_not(row, row + rows.dimension, [](T x) { return std::isfinite(x); });
  fail(ErrorCode::non_finite,
       "points: coordinate {} of point {} is {} ({} of {} points are not finite); remove them, or "
       "set non_finite = drop",
       value - row, first, *value, bad, rows.size);
}

}  // namespace

template <class T>
MeasuredRows<T> measure(const PointsView& points, NonFinite non_finite, const Workers& workers) {
  MeasuredRows<T> measured;
  InputRows<T>& rows = measured.rows;
  rows.data = static_cast<const T*>(points.data);
  rows.stride = points.stride;
  rows.dimension = points.dimension;
  rows.size = points.size;
  measured.extent = extent_of(rows, workers);
  if (measured.extent.is_finite) return measured;
  if (non_finite == NonFinite::error) fail_non_finite(rows);
  rows.live = pack<std::uint32_t>(workers, rows.size,
                                  [&](std::size_t i) { return is_finite_row(rows, i); });
  rows.size = rows.live.size();
  measured.extent = extent_of(rows, workers);
  return measured;
}

template MeasuredRows<float> measure(const PointsView&, NonFinite, const Workers&);
template MeasuredRows<double> measure(const PointsView&, NonFinite, const Workers&);

}  // namespace kith

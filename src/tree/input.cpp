#include "tree/input.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/fail.hpp"
#include "tree/planes.hpp"

namespace kith {
namespace {

constexpr std::size_t kGrain = std::size_t{1} << 16;

/// Extent of some points, and whether all their coordinates are finite.
template <class T>
struct Extent {
  Bounds<kAnyDimension, T> bounds = Bounds<kAnyDimension, T>::empty();
  bool is_finite = true;
};

/// Eight rows at a time, each coordinate in a lane of its own, so that the compiler makes vector
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
Extent<T> extent_of_rows(const Input<T>& input, std::size_t begin, std::size_t end) {
  if (input.stride == input.dimension && input.live.empty()) {
    if (input.dimension == 2) return extent_of_packed_rows<2>(input.data, begin, end);
    if (input.dimension == 3) return extent_of_packed_rows<3>(input.data, begin, end);
  }
  Extent<T> extent;
  T taint = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const T* row = input.data + static_cast<std::ptrdiff_t>(input.index(i)) * input.stride;
    extent.bounds.add(row, Axes<kAnyDimension>(input.dimension));
    for (int axis = 0; axis < input.dimension; ++axis) taint += row[axis] * 0;
  }
  extent.is_finite = taint == 0;
  return extent;
}

template <class T>
Extent<T> extent_of(const Input<T>& input, const Workers& workers) {
  return reduce(
      workers, input.size, kGrain, Extent<T>(),
      [&](std::size_t begin, std::size_t end) { return extent_of_rows(input, begin, end); },
      [&](Extent<T> a, const Extent<T>& b) {
        a.bounds.add(b.bounds, Axes<kAnyDimension>(input.dimension));
        a.is_finite = a.is_finite && b.is_finite;
        return a;
      });
}

template <class T>
bool is_finite_row(const Input<T>& input, std::size_t i) {
  const T* row = input.data + static_cast<std::ptrdiff_t>(i) * input.stride;
  return std::all_of(row, row + input.dimension, [](T x) { return std::isfinite(x); });
}

template <class T>
[[noreturn]] void fail_non_finite(const Input<T>& input) {
  std::size_t bad = 0, first = input.size;
  for (std::size_t i = input.size; i-- > 0;)
    if (!is_finite_row(input, i)) {
      ++bad;
      first = i;
    }
  const T* row = input.data + static_cast<std::ptrdiff_t>(first) * input.stride;
  const T* value =
      std::find_if_not(row, row + input.dimension, [](T x) { return std::isfinite(x); });
  fail(ErrorCode::non_finite,
       "points: coordinate {} of point {} is {} ({} of {} points are not finite); remove them, or "
       "set "
       "non_finite = drop",
       value - row, first, *value, bad, input.size);
}

/// The exponent of the scale for points of this extent.
template <class T>
int exponent_of(const Input<T>& input, const Bounds<kAnyDimension, T>& extent) {
  T largest = 0;
  for (int axis = 0; axis < input.dimension; ++axis)
    largest = std::max(largest, input.frame.period[axis] > 0 ? input.frame.period[axis]
                                                             : std::max(std::abs(extent.lo[axis]),
                                                                        std::abs(extent.hi[axis])));
  return scale_exponent(largest);
}

/// Takes the extent of the caller's coordinates to the tree's frame.
template <class T>
void fit_frame(Input<T>& input, const Bounds<kAnyDimension, T>& extent) {
  Frame<T>& frame = input.frame;
  input.is_plain = frame.exponent == 0;
  for (int axis = 0; axis < input.dimension; ++axis) {
    const T period = frame.period[axis];
    frame.side[axis] = std::ldexp(period, frame.exponent);
    const T lo = extent.lo[axis] - frame.origin[axis], hi = extent.hi[axis] - frame.origin[axis];
    const bool is_inside = lo >= 0 && hi < period;
    if (period > 0 && !(is_inside && frame.origin[axis] == 0)) input.is_plain = false;
    input.bounds.lo[axis] = period > 0 && !is_inside ? T(0) : frame(extent.lo[axis], axis);
    input.bounds.hi[axis] =
        period > 0 && !is_inside ? frame.side[axis] : frame(extent.hi[axis], axis);
  }
}

/// The rows of a view, without those that are to be dropped, and their extent.
template <class T>
Extent<T> read_rows(const PointsView& points, NonFinite non_finite, const Workers& workers,
                    Input<T>& input) {
  input.data = static_cast<const T*>(points.data);
  input.stride = points.stride;
  input.dimension = points.dimension;
  input.size = points.size;
  Extent<T> extent = extent_of(input, workers);
  if (!extent.is_finite) {
    if (non_finite == NonFinite::error) fail_non_finite(input);
    input.live = pack<std::uint32_t>(workers, input.size,
                                     [&](std::size_t i) { return is_finite_row(input, i); });
    input.size = input.live.size();
    extent = extent_of(input, workers);
  }
  return extent;
}

}  // namespace

void check_view(const char* call, const PointsView& points, const Box& box) {
  if (points.dimension < 1 || points.dimension > kMaxDimension)
    refuse("{}: points of dimension {}; kith handles 1 to {}", call, points.dimension,
           kMaxDimension);
  if (points.stride < points.dimension)
    refuse("{}: a stride of {} for rows of {} coordinates; rows must not overlap", call,
           points.stride, points.dimension);
  if (points.size > 0 && points.data == nullptr)
    refuse("{}: {} points at a null pointer; pass the address of the first coordinate", call,
           points.size);
  if (points.size > kMaxPoints)
    fail(ErrorCode::too_large, "{}: {} points; one tree holds at most {}: split the set", call,
         points.size, kMaxPoints);
  if (box.dimension() != 0 && box.dimension() != points.dimension)
    refuse("{}: a box of {} axes for points of dimension {}; give one side per axis", call,
           box.dimension(), points.dimension);
}

template <class T>
Frame<T> frame_of(const Box& box, int dimension) {
  Frame<T> frame;
  for (int axis = 0; axis < dimension; ++axis) {
    frame.origin[axis] = static_cast<T>(box.origin(axis));
    frame.period[axis] = frame.side[axis] = static_cast<T>(box.side(axis));
    if (!std::isfinite(frame.period[axis]) || !std::isfinite(frame.origin[axis]) ||
        (box.side(axis) > 0 && !(frame.period[axis] > 0)))
      refuse(
          "box: side {} and origin {} of axis {} do not fit the points' scalar type; use float64 "
          "points",
          box.side(axis), box.origin(axis), axis);
  }
  return frame;
}

template <class T>
Input<T> read_input(const PointsView& points, const Box& box, NonFinite non_finite,
                    const Workers& workers) {
  Input<T> input;
  input.frame = frame_of<T>(box, points.dimension);
  const Extent<T> extent = read_rows(points, non_finite, workers, input);
  if (input.size == 0) return input;
  input.frame.exponent = exponent_of(input, extent.bounds);
  fit_frame(input, extent.bounds);
  return input;
}

template <class T>
Input<T> read_queries(const PointsView& points, const Frame<T>& frame, NonFinite non_finite,
                      const Workers& workers) {
  Input<T> input;
  input.frame = frame;
  const Extent<T> extent = read_rows(points, non_finite, workers, input);
  if (input.size > 0) fit_frame(input, extent.bounds);
  return input;
}

template Frame<float> frame_of(const Box&, int);
template Frame<double> frame_of(const Box&, int);
template Input<float> read_input(const PointsView&, const Box&, NonFinite, const Workers&);
template Input<double> read_input(const PointsView&, const Box&, NonFinite, const Workers&);
template Input<float> read_queries(const PointsView&, const Frame<float>&, NonFinite,
                                   const Workers&);
template Input<double> read_queries(const PointsView&, const Frame<double>&, NonFinite,
                                    const Workers&);

}  // namespace kith

#include "tree/input.hpp"

#include <algorithm>
#include <cmath>

#include "base/fail.hpp"
#include "tree/planes.hpp"

namespace kith {
namespace {

/// The largest magnitude that the scale must serve: coordinates on open axes, sides of periodic
/// ones.
template <class T>
T largest_magnitude(const Frame<T>& frame, int dimension, const Extent<T>& extent) {
  T largest = 0;
  for (int axis = 0; axis < dimension; ++axis)
    largest =
        std::max(largest, frame.period[axis] > 0 ? frame.period[axis]
                                                 : std::max(std::abs(extent.bounds.lo[axis]),
                                                            std::abs(extent.bounds.hi[axis])));
  return largest;
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
Frame<T> fitted_frame(const Box& box, int dimension, const Extent<T>& extent) {
  Frame<T> frame = frame_of<T>(box, dimension);
  if (extent.is_empty()) return frame;
  frame.exponent = scale_exponent(largest_magnitude(frame, dimension, extent));
  for (int axis = 0; axis < dimension; ++axis)
    frame.side[axis] = std::ldexp(frame.period[axis], frame.exponent);
  return frame;
}

template <class T>
Input<T> input_in(const Frame<T>& frame, MeasuredRows<T> measured) {
  Input<T> input{std::move(measured.rows)};
  input.frame = frame;
  if (input.size == 0) return input;
  input.is_plain = frame.exponent == 0;
  for (int axis = 0; axis < input.dimension; ++axis) {
    const T first = measured.extent.bounds.lo[axis], last = measured.extent.bounds.hi[axis];
    const T period = frame.period[axis], origin = frame.origin[axis];
    const bool is_inside = first - origin >= 0 && last - origin < period;
    const bool is_wrapped = period > 0 && !is_inside;
    if (is_wrapped || (period > 0 && origin != 0)) input.is_plain = false;
    input.bounds.lo[axis] = is_wrapped ? T(0) : frame(first, axis);
    input.bounds.hi[axis] = is_wrapped ? frame.side[axis] : frame(last, axis);
  }
  return input;
}

template <class T>
Input<T> read_input(const PointsView& points, const Box& box, NonFinite non_finite,
                    const Workers& workers) {
  frame_of<T>(box, points.dimension);  // a box that does not fit is reported before the points
  MeasuredRows<T> measured = measure<T>(points, non_finite, workers);
  const Frame<T> frame = fitted_frame(box, points.dimension, measured.extent);
  return input_in(frame, std::move(measured));
}

template <class T>
Input<T> read_queries(const PointsView& points, const Frame<T>& frame, NonFinite non_finite,
                      const Workers& workers) {
  return input_in(frame, measure<T>(points, non_finite, workers));
}

template Frame<float> frame_of(const Box&, int);
template Frame<double> frame_of(const Box&, int);
template Frame<float> fitted_frame(const Box&, int, const Extent<float>&);
template Frame<double> fitted_frame(const Box&, int, const Extent<double>&);
template Input<float> input_in(const Frame<float>&, MeasuredRows<float>);
template Input<double> input_in(const Frame<double>&, MeasuredRows<double>);
template Input<float> read_input(const PointsView&, const Box&, NonFinite, const Workers&);
template Input<double> read_input(const PointsView&, const Box&, NonFinite, const Workers&);
template Input<float> read_queries(const PointsView&, const Frame<float>&, NonFinite,
                                   const Workers&);
template Input<double> read_queries(const PointsView&, const Frame<double>&, NonFinite,
                                    const Workers&);

}  // namespace kith

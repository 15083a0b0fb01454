#include "groups/property_columns.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <kith/detail/catalogue_columns.hpp>

#include "base/sides.hpp"
#include "geometry/frame.hpp"
#include "parallel/grains.hpp"

namespace kith {
namespace {

/// The largest finite magnitude among values of float64, `stride` apart.
double largest_of(const double* data, std::size_t count, std::ptrdiff_t stride,
                  const Workers& workers) {
  constexpr double kMost = std::numeric_limits<double>::max();
  return reduce(
      workers, count, kPointGrain, 0.0,
      [&](std::size_t begin, std::size_t end) {
        double found = 0;
        for (std::size_t i = begin; i < end; ++i) {
          const double x = std::abs(data[static_cast<std::ptrdiff_t>(i) * stride]);
          found = x > found && x <= kMost ? x : found;
        }
        return found;
      },
      [](double a, double b) { return std::max(a, b); });
}

/// Of one column, or of all for axis = -1. Values of float32 need no scale in float64: they are not
/// read.
double largest_in(const PointsView& rows, int axis, const Workers& workers) {
  if (!rows.data || rows.scalar == Scalar::float32) return 0;
  const double* data = static_cast<const double*>(rows.data);
  if (axis >= 0) return largest_of(data + axis, rows.size, rows.stride, workers);
  if (rows.stride == rows.dimension)
    return largest_of(data, rows.size * static_cast<std::size_t>(rows.dimension), 1, workers);
  double largest = 0;
  for (int each = 0; each < rows.dimension; ++each)
    largest = std::max(largest, largest_in(rows, each, workers));
  return largest;
}

PointsView as_rows(const ValuesView& values) {
  return {values.data, values.size, 1, 1, values.scalar};
}

/// Coordinates that many sides outside a periodic box: differences of them say nothing about places
/// in the box.
constexpr double kFar = 1ULL << 40;

/// A copy of the rows times 2^exponent; f changes a value first.
template <class F>
void copy_scaled(PointsView& rows, int exponent, const Workers& workers, std::vector<double>& copy,
                 F f) {
  const double* data = static_cast<const double*>(rows.data);
  const auto d = static_cast<std::size_t>(rows.dimension);
  copy = filled<double>(workers, rows.size * d);
  workers.for_ranges(rows.size, kPointGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      for (std::size_t axis = 0; axis < d; ++axis)
        copy[i * d + axis] = std::ldexp(f(data[static_cast<std::ptrdiff_t>(i) * rows.stride +
                                               static_cast<std::ptrdiff_t>(axis)],
                                          static_cast<int>(axis)),
                                        exponent);
  });
  rows = view(copy.data(), rows.size, rows.dimension);
}

/// Open axes have no origin: scaled with small coordinates, it could become infinite.
Box scaled_box(const Box& box, int exponent) {
  if (!box.is_periodic()) return Box::open();
  if (box.dimension() == 0)
    return Box::periodic(std::ldexp(box.side(0), exponent))
        .with_origin(std::ldexp(box.origin(0), exponent));
  std::vector<double> side = sides_of(box, box.dimension()),
                      origin = on_axes(box, box.dimension(), &Box::origin);
  scale_by(side, exponent);
  for (std::size_t axis = 0; axis < origin.size(); ++axis)
    origin[axis] = side[axis] > 0 ? std::ldexp(origin[axis], exponent) : 0;
  return Box::periodic(side).with_origin(origin);
}

}  // namespace

int property_exponent(double largest) {
  constexpr int kMost = 128;
  if (!(largest > 0) || !std::isfinite(largest)) return 0;
  const int exponent = std::ilogb(largest);
  return exponent >= -kMost && exponent < kMost ? 0 : -(exponent - (exponent & 1));
}

void scale_by(std::vector<double>& values, int exponent) {
  if (exponent == 0) return;
  for (double& value : values) value = std::ldexp(value, exponent);
}

Magnitudes::Magnitudes(const PointsView& points, const PointsView& velocity,
                       const ValuesView& masses, const Box& box, const Workers& workers)
    : speed(largest_in(velocity, -1, workers)),
      mass(masses.data ? largest_in(as_rows(masses), 0, workers) : masses.same) {
  if (points.scalar == Scalar::float32) return;
  const double most = largest_in(points, -1, workers);
  bool is_ordinary = property_exponent(most) == 0, is_open = true;
  for (int axis = 0; axis < points.dimension; ++axis) {
    const double side = box.side(axis);
    if (!(side > 0)) continue;
    is_open = false;
    length = std::max(length, side);
    if (most / kFar > side) farthest = std::max(farthest, most / side);
    is_ordinary = is_ordinary && property_exponent(side) == 0;
  }
  if (is_open) length = most;
  if (is_open || is_ordinary) return;
  for (int axis = 0; axis < points.dimension; ++axis)
    if (!box.is_periodic(axis)) length = std::max(length, largest_in(points, axis, workers));
}

PropertyColumns::PropertyColumns(const PointsView& points, const PointsView& velocity,
                                 const ValuesView& mass, const Box& box,
                                 const Magnitudes& magnitudes, const Workers& workers)
    : points_(points),
      velocity_(velocity),
      mass_(mass),
      box_(box),
      length_(property_exponent(magnitudes.length)),
      speed_(property_exponent(magnitudes.speed)),
      mass_exponent_(property_exponent(magnitudes.mass)) {
  if (length_ != 0 || magnitudes.farthest > 0) {
    const auto inside = [&](double x, int axis) {
      const double side = box.side(axis), origin = box.origin(axis);
      return side > 0 && std::isfinite(x) ? origin + wrapped(x, origin, side) : x;
    };
    copy_scaled(points_, length_, workers, point_rows_, inside);
    box_ = scaled_box(box, length_);
  }
  const auto same = [](double x, int) { return x; };
  if (speed_ != 0) copy_scaled(velocity_, speed_, workers, velocity_rows_, same);
  if (mass_exponent_ == 0) return;
  mass_.same = std::ldexp(mass.same, mass_exponent_);
  if (!mass.data) return;
  PointsView rows = as_rows(mass);
  copy_scaled(rows, mass_exponent_, workers, masses_, same);
  mass_.data = rows.data;
}

CatalogueOptions PropertyColumns::scaled(const CatalogueOptions& options) const {
  CatalogueOptions own = options;
  own.box = box_;
  own.mass = mass_;
  own.velocity = velocity_;
  scale_by(own.peak, length_);
  own.gravity = std::ldexp(options.gravity, property_exponent(options.gravity));
  return own;
}

void PropertyColumns::restore(const CatalogueOptions& given, Catalogue& made) const {
  for_each_column(made, [&]<class Value>(const CatalogueColumn& column,
                                         std::vector<Value>& values) {
    const UnitPowers& unit = column.unit;
    if constexpr (std::is_same_v<Value, double>)
      if (&values != &made.max_circular_velocity)
        scale_by(values,
                 -(unit.length * length_ + unit.velocity * speed_ + unit.mass * mass_exponent_));
  });
  const int square = property_exponent(given.gravity) + mass_exponent_ - length_;
  scale_by(made.max_circular_velocity, -square / 2);
}

}  // namespace kith

// The space that contains the points.
#pragma once

#include <array>
#include <initializer_list>
#include <span>

#include <kith/export.hpp>

namespace kith {

/// The largest dimension of a point.
inline constexpr int kMaxDimension = 32;

/// A space with open and periodic axes, in any combination.
///
/// A side of 0 means that the axis is open. On a periodic axis any finite coordinate is accepted
/// and wrapped to [origin, origin + side). Sides and origins are rounded to the scalar type of the
/// points.
class KITH_API Box {
 public:
  /// All axes open.
  Box() = default;
  static Box open() { return Box(); }

  /// The same period on every axis, for any dimension.
  static Box periodic(double side);

  /// One side per axis (0 = open); the points must have as many dimensions.
  static Box periodic(std::initializer_list<double> sides);
  static Box periodic(std::span<const double> sides);

  /// The same box with its lower corner elsewhere, for example at -side / 2.
  Box with_origin(double origin) const;
  Box with_origin(std::initializer_list<double> origin) const;
  Box with_origin(std::span<const double> origin) const;

  double side(int axis) const;
  double origin(int axis) const;
  bool is_periodic(int axis) const { return side(axis) > 0; }
  bool is_periodic() const;  ///< whether any axis is

  /// The number of axes of the box; 0 if it fits every dimension.
  int dimension() const { return dimension_; }

  bool operator==(const Box&) const = default;

 private:
  int dimension_ = 0;
  std::array<double, kMaxDimension> side_{};
  std::array<double, kMaxDimension> origin_{};
};

}  // namespace kith

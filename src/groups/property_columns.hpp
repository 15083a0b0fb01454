// Columns of extreme magnitude, for the properties of groups: like points in a tree's frame, they
// are multiplied by powers of two, so that squares and products neither overflow nor vanish.
// Multiplying is exact, so ordinary numbers would give the same bits with and without.
#pragma once

#include <vector>

#include <kith/catalogue.hpp>

#include "base/shared.hpp"
#include "parallel/workers.hpp"

namespace kith {

/// The exponent for numbers up to `largest`: 0 unless that lies outside [2^-128, 2^128], where
/// fourth powers and products of three columns are safe. Even, so that square roots are exact, too.
int property_exponent(double largest);

/// How large the numbers of some columns are. Values that are not finite do not count.
struct KITH_SHARED Magnitudes {
  double length = 0;    ///< of coordinates on open axes and sides of periodic ones
  double farthest = 0;  ///< beyond the periodic box, in sides of it; 0 unless that is very far
  double speed = 0, mass = 0;

  Magnitudes(const PointsView& points, const PointsView& velocity, const ValuesView& masses,
             const Box& box, const Workers& workers);
};

class KITH_SHARED PropertyColumns {
 public:
  /// The caller's columns, or copies, for magnitudes of these columns or of more.
  PropertyColumns(const PointsView& points, const PointsView& velocity, const ValuesView& mass,
                  const Box& box, const Magnitudes& magnitudes, const Workers& workers);
  PropertyColumns(const PointsView& points, const PointsView& velocity, const ValuesView& mass,
                  const Box& box, const Workers& workers)
      : PropertyColumns(points, velocity, mass, box,
                        Magnitudes(points, velocity, mass, box, workers), workers) {}
  PropertyColumns(PropertyColumns&&) = default;  // views of vectors move with them

  const PointsView& points() const { return points_; }
  const PointsView& velocity() const { return velocity_; }
  const ValuesView& mass() const { return mass_; }
  const Box& box() const { return box_; }

  /// Values are multiplied by 2 to these powers.
  int length() const { return length_; }
  int speed() const { return speed_; }
  int heaviness() const { return mass_exponent_; }

  /// A catalogue of these columns, for options that refer to the caller's.
  CatalogueOptions scaled(const CatalogueOptions& options) const;
  /// The catalogue in the caller's units. Values too large for a double become infinite.
  void restore(const CatalogueOptions& given, Catalogue& made) const;

 private:
  PointsView points_, velocity_;
  ValuesView mass_;
  Box box_;
  int length_ = 0, speed_ = 0, mass_exponent_ = 0;
  std::vector<double> point_rows_, velocity_rows_, masses_;
};

/// Multiplies all values by 2^exponent.
KITH_SHARED void scale_by(std::vector<double>& values, int exponent);

}  // namespace kith

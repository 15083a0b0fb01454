#include "atoms/lattice.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/fail.hpp"

namespace kith {
namespace {

constexpr double kLargest = 1e100;

Vector3 cross(const Vector3& a, const Vector3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

double length(const Vector3& a) { return std::hypot(a[0], a[1], a[2]); }

Vector3 times(double factor, const Vector3& a) {
  return {factor * a[0], factor * a[1], factor * a[2]};
}

/// The part of a that is at right angles to some unit vectors, which are so to each other.
Vector3 rest_of(Vector3 a, const std::vector<Vector3>& units) {
  for (int pass = 0; pass < 2; ++pass)  // the second takes off what rounding has left
    for (const Vector3& unit : units) {
      const double part = dot(a, unit);
      for (std::size_t axis = 0; axis < 3; ++axis) a[axis] -= part * unit[axis];
    }
  return a;
}

}  // namespace

PreparedLattice::PreparedLattice(const char* call, const Lattice& lattice, int dimension) {
  for (std::size_t k = 0; k < static_cast<std::size_t>(dimension); ++k) {
    if (!lattice.periodic[k]) continue;
    periodic_[k] = true;
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(dimension); ++axis) {
      const double value = lattice.vectors[k][axis];
      if (!(std::abs(value) <= kLargest))
        refuse("{}: lattice vector {} has the component {}; give numbers up to 1e100", call, k,
               value);
      vectors_[k][axis] = value;
      largest_ = std::max(largest_, std::abs(value));
    }
    if (!(length(vectors_[k]) >= 1 / kLargest))
      refuse(
          "{}: lattice vector {} is zero although its axis is periodic; give one, or make the "
          "axis open",
          call, k);
  }
  complete();
  invert(call);
}

/// Open axes get the directions in which the periodic vectors leave most room.
void PreparedLattice::complete() {
  std::vector<Vector3> units;
  const auto add = [&](const Vector3& a) {
    const double size = length(a);
    if (size > 0) units.push_back(times(1 / size, a));
  };
  for (std::size_t k = 0; k < 3; ++k)
    if (periodic_[k]) {
      basis_[k] = vectors_[k];
      add(rest_of(times(1 / length(vectors_[k]), vectors_[k]), units));
    }
  for (std::size_t k = 0; k < 3; ++k) {
    if (periodic_[k]) continue;
    Vector3 best = {};
    for (std::size_t i = 0; i < 3; ++i) {
      Vector3 unit = {};
      unit[(k + i) % 3] = 1;
      const Vector3 left = rest_of(unit, units);
      if (length(left) > length(best)) best = left;
    }
    add(best);
    basis_[k] = units.empty() ? Vector3{} : units.back();
  }
}

/// The rows of the inverse are computed for vectors of length 1, and checked: bins count with their
/// error.
void PreparedLattice::invert(const char* call) {
  std::array<Vector3, 3> unit;
  for (std::size_t k = 0; k < 3; ++k) unit[k] = times(1 / length(basis_[k]), basis_[k]);
  const double volume = dot(unit[0], cross(unit[1], unit[2]));
  error_ = 1;
  for (std::size_t k = 0; k < 3; ++k) {
    const Vector3 normal = cross(unit[(k + 1) % 3], unit[(k + 2) % 3]);
    inverse_[k] = times(1 / volume / length(basis_[k]), normal);
    height_[k] = 1 / length(inverse_[k]);
  }
  if (std::abs(volume) >= 1e-6) {
    error_ = 0;
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t l = 0; l < 3; ++l)
        error_ = std::max(error_, std::abs(dot(basis_[k], inverse_[l]) - (k == l ? 1.0 : 0.0)));
  }
  if (!(error_ <= 1e-9))
    refuse(
        "{}: the lattice vectors of the periodic axes are almost in one plane (vectors of length "
        "1 in their directions span a volume of {}); choose others of the same lattice",
        call, std::abs(volume));
}

}  // namespace kith

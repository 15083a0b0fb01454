// A lattice with all that a search needs: the periodic vectors, a basis of space that completes
// them, and its inverse.
#pragma once

#include <array>
#include <cstdint>

#include <kith/neighbor_list.hpp>

namespace kith {

using Vector3 = std::array<double, 3>;
using Shift3 = std::array<std::int32_t, 3>;

inline double dot(const Vector3& a, const Vector3& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// A lattice in three dimensions. Dimensions beyond those of the atoms are open.
class PreparedLattice {
 public:
  /// Errors: invalid_argument for vectors that are not finite or nearly in one plane.
  PreparedLattice(const char* call, const Lattice& lattice, int dimension);

  bool is_periodic(int axis) const { return periodic_[static_cast<std::size_t>(axis)]; }
  bool is_open() const { return !periodic_[0] && !periodic_[1] && !periodic_[2]; }

  /// The vector of an image, as the definition adds it. On open axes the shift must be 0.
  Vector3 offset(const Shift3& shift) const {
    Vector3 sum = {};
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t axis = 0; axis < 3; ++axis)
        sum[axis] += static_cast<double>(shift[k]) * vectors_[k][axis];
    return sum;
  }

  /// The coordinate of a place along a basis vector: 1 for the vector itself. Open axes have unit
  /// vectors at right angles to all others.
  double along(int axis, const Vector3& x) const {
    return dot(x, inverse_[static_cast<std::size_t>(axis)]);
  }
  const Vector3& basis(int axis) const { return basis_[static_cast<std::size_t>(axis)]; }
  /// The distance of the planes where a coordinate is 0 and 1.
  double height(int axis) const { return height_[static_cast<std::size_t>(axis)]; }
  /// The largest component of any periodic vector.
  double largest() const { return largest_; }
  /// How far products of the basis and its inverse are from 0 and 1.
  double error() const { return error_; }

 private:
  void complete();
  void invert(const char* call);

  std::array<bool, 3> periodic_ = {};
  std::array<Vector3, 3> vectors_ = {};  ///< zero on open axes
  std::array<Vector3, 3> basis_ = {}, inverse_ = {};
  Vector3 height_ = {};
  double largest_ = 0, error_ = 0;
};

/// The vector between an atom and an image of another, and its squared length: the definition.
struct AtomVector {
  Vector3 vector;
  double d2;
};
inline AtomVector atom_vector(const double* from, const double* to, const Vector3& offset) {
  const Vector3 v = {(to[0] - from[0]) + offset[0], (to[1] - from[1]) + offset[1],
                     (to[2] - from[2]) + offset[2]};
  return {v, dot(v, v)};
}

}  // namespace kith

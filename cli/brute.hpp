// Brute force: every distance from one point to all others, by the definition of the distance and
// nothing else of the library. Slow and simple; `verify` compares results with it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <kith/box.hpp>

#include "input.hpp"

namespace kith::cli {

/// Points wrapped into their box. Data of extreme size are multiplied by one power of two, as the
/// definition says, so that squares neither overflow nor vanish.
template <class T>
class BruteForce {
 public:
  BruteForce(const T* coordinates, std::size_t size, int dimension, const Box& box)
      : dimension_(static_cast<std::size_t>(dimension)),
        rows_(coordinates, coordinates + size * dimension_),
        side_(dimension_) {
    T largest = 0;
    for (std::size_t axis = 0; axis < dimension_; ++axis) {
      side_[axis] = static_cast<T>(box.side(static_cast<int>(axis)));
      const T origin = static_cast<T>(box.origin(static_cast<int>(axis)));
      for (std::size_t i = axis; i < rows_.size(); i += dimension_) {
        if (side_[axis] > 0)
          rows_[i] = wrapped(rows_[i], origin, side_[axis]);
        else if (std::isfinite(rows_[i]))
          largest = std::max(largest, std::abs(rows_[i]));
      }
      largest = std::max(largest, side_[axis]);
    }
    scale(largest);
  }

  std::size_t size() const { return rows_.size() / dimension_; }

  T distance2(std::size_t i, std::size_t j) const {
    const T* p = &rows_[i * dimension_];
    const T* q = &rows_[j * dimension_];
    T d2 = 0;
    for (std::size_t axis = 0; axis < dimension_; ++axis) {
      T dx = std::abs(p[axis] - q[axis]);
      if (side_[axis] > 0) dx = std::min(dx, side_[axis] - dx);
      d2 = d2 + dx * dx;
    }
    return d2;
  }

  /// The largest squared distance that counts as within a length.
  T limit2(double length, bool is_strict) const {
    const T scaled = std::ldexp(static_cast<T>(length), exponent_);
    const T square = std::min(scaled * scaled, std::numeric_limits<T>::max());
    if (!is_strict) return square;
    return square > 0 ? std::nextafter(square, T(0)) : T(-1);
  }

  /// In the caller's units.
  T distance(T distance2) const { return std::ldexp(std::sqrt(distance2), -exponent_); }

 private:
  static T wrapped(T x, T origin, T side) {
    T r = std::fmod(x - origin, side);
    if (r < 0) r += side;
    if (r >= side) r = 0;
    return r;
  }
  void scale(T largest) {
    constexpr bool kIsFloat = sizeof(T) == sizeof(float);
    const T least = std::ldexp(T(1), kIsFloat ? -32 : -256);
    const T most = std::ldexp(T(1), kIsFloat ? 48 : 384);
    if (largest == 0 || (largest >= least && largest <= most)) return;
    exponent_ = -std::ilogb(largest);
    for (T& x : rows_) x = std::ldexp(x, exponent_);
    for (T& side : side_) side = std::ldexp(side, exponent_);
  }

  std::size_t dimension_;
  std::vector<T> rows_;
  std::vector<T> side_;
  int exponent_ = 0;
};

/// work(BruteForce) in the scalar type of the positions.
template <class Work>
void with_brute_force(const Input& input, Numbers& positions, const Work& work) {
  if (input.scalar() == Scalar::float32)
    work(BruteForce<float>(positions.floats(), input.size(), input.dimension(), input.box()));
  else
    work(BruteForce<double>(positions.doubles(), input.size(), input.dimension(), input.box()));
}

/// `wanted` different numbers below n, ascending; all of them if there are no more.
std::vector<std::size_t> draw(std::size_t n, std::size_t wanted, std::mt19937_64& random);

/// check(i) for i in [0, n) on all threads. It returns what is wrong, or nothing; the complaint
/// with the lowest i comes back. Shows progress and stops when the user says so.
std::string first_complaint(const std::string& stage, std::size_t n, const Execution& execution,
                            const std::function<std::string(std::size_t)>& check);

}  // namespace kith::cli

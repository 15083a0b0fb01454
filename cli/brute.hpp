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

/// Points wrapped into their box, axis by axis. Data of extreme size are multiplied by one power of
/// two, as the definition says, so that squares neither overflow nor vanish.
template <class T>
class BruteForce {
 public:
  using Scalar = T;

  BruteForce(const T* coordinates, std::size_t size, int dimension, const Box& box)
      : size_(size), x_(static_cast<std::size_t>(dimension)), side_(x_.size()) {
    T largest = 0;
    for (std::size_t axis = 0; axis < x_.size(); ++axis) {
      side_[axis] = static_cast<T>(box.side(static_cast<int>(axis)));
      const T origin = static_cast<T>(box.origin(static_cast<int>(axis)));
      x_[axis].resize(size);
      for (std::size_t i = 0; i < size; ++i) {
        T x = coordinates[i * x_.size() + axis];
        if (side_[axis] > 0)
          x = wrapped(x, origin, side_[axis]);
        else if (std::isfinite(x))
          largest = std::max(largest, std::abs(x));
        x_[axis][i] = x;
      }
      largest = std::max(largest, side_[axis]);
    }
    scale(largest);
  }

  std::size_t size() const { return size_; }
  std::size_t dimension() const { return x_.size(); }

  /// A point anywhere, as the tree would see it.
  std::vector<T> place(const double* x, const Box& box) const {
    std::vector<T> at(x_.size());
    for (std::size_t axis = 0; axis < x_.size(); ++axis) {
      at[axis] = static_cast<T>(x[axis]);
      const T side = static_cast<T>(box.side(static_cast<int>(axis)));
      if (side > 0)
        at[axis] = wrapped(at[axis], static_cast<T>(box.origin(static_cast<int>(axis))), side);
      at[axis] = std::ldexp(at[axis], exponent_);
    }
    return at;
  }
  std::vector<T> place(std::size_t i) const {
    std::vector<T> at(x_.size());
    for (std::size_t axis = 0; axis < x_.size(); ++axis) at[axis] = x_[axis][i];
    return at;
  }

  T distance2(std::size_t i, std::size_t j) const {
    T d2 = 0;
    for (std::size_t axis = 0; axis < x_.size(); ++axis) {
      const T dx = gap(x_[axis][i], x_[axis][j], side_[axis]);
      d2 = d2 + dx * dx;
    }
    return d2;
  }

  /// use(first, count, squared distances from there to the points first, first + 1, ...) for all
  /// points, some at a time: loops over one axis become vector instructions.
  template <class Use>
  void for_all(const std::vector<T>& from, const Use& use) const {
    constexpr std::size_t kBlock = 1024;
    T d2[kBlock];
    for (std::size_t first = 0; first < size_; first += kBlock) {
      const std::size_t count = std::min(kBlock, size_ - first);
      std::fill_n(d2, count, T(0));
      for (std::size_t axis = 0; axis < x_.size(); ++axis)
        add_axis(&x_[axis][first], count, from[axis], side_[axis], d2);
      use(first, count, d2);
    }
  }

  /// The sum by the norm of this p; see norm_length for the distance.
  double norm_key(std::size_t i, std::size_t j, double p) const {
    T sum = 0;
    double wide = 0;
    for (std::size_t axis = 0; axis < x_.size(); ++axis) {
      const T dx = gap(x_[axis][i], x_[axis][j], side_[axis]);
      if (p == 1)
        sum = sum + dx;
      else if (p == 2)
        sum = sum + dx * dx;
      else if (std::isinf(p))
        sum = std::max(sum, dx);
      else
        wide = wide + power(static_cast<double>(dx), p);
    }
    return is_narrow(p) ? static_cast<double>(sum) : wide;
  }
  double norm_limit(double length, double p) const {
    if (p == 2)
      return static_cast<double>(
          std::min(scaled(length) * scaled(length), std::numeric_limits<T>::max()));
    return is_narrow(p) ? static_cast<double>(scaled(length))
                        : power(static_cast<double>(scaled(length)), p);
  }
  T norm_length(double key, double p) const {
    T length = static_cast<T>(key);
    if (p == 2)
      length = std::sqrt(static_cast<T>(key));
    else if (!is_narrow(p))
      length = static_cast<T>(std::pow(key, is_whole(p) ? 1.0 / static_cast<int>(p) : 1 / p));
    return std::ldexp(length, -exponent_);
  }

  /// A length, scaled as the points are.
  T scaled(double length) const { return std::ldexp(static_cast<T>(length), exponent_); }

  /// The largest squared distance that counts as within a length.
  T limit2(double length, bool is_strict) const {
    const T square = std::min(scaled(length) * scaled(length), std::numeric_limits<T>::max());
    if (!is_strict) return square;
    return square > 0 ? std::nextafter(square, T(0)) : T(-1);
  }

  /// In the caller's units.
  T distance(T distance2) const { return std::ldexp(std::sqrt(distance2), -exponent_); }
  double unit() const { return std::ldexp(1.0, -exponent_); }

 private:
  static T gap(T a, T b, T side) {
    const T dx = std::abs(a - b);
    return side > 0 ? std::min(dx, side - dx) : dx;
  }
  static void add_axis(const T* x, std::size_t count, T from, T side, T* d2) {
    if (side > 0)
      for (std::size_t i = 0; i < count; ++i) {
        const T far = std::abs(from - x[i]), around = side - far;
        const T dx = far < around ? far : around;
        d2[i] = d2[i] + dx * dx;
      }
    else
      for (std::size_t i = 0; i < count; ++i) {
        const T dx = std::abs(from - x[i]);
        d2[i] = d2[i] + dx * dx;
      }
  }
  static bool is_narrow(double p) { return p == 1 || p == 2 || std::isinf(p); }
  static bool is_whole(double p) { return p <= 16 && p == std::floor(p); }
  static double power(double x, double p) {
    if (!is_whole(p)) return std::pow(x, p);
    double product = x;
    for (int i = 1; i < static_cast<int>(p); ++i) product *= x;
    return product;
  }
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
    for (std::vector<T>& axis : x_)
      for (T& x : axis) x = std::ldexp(x, exponent_);
    for (T& side : side_) side = std::ldexp(side, exponent_);
  }

  std::size_t size_;
  std::vector<std::vector<T>> x_;
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

/// The points of `among` that are connected with `first`, by are_friends(i, j, d2); stops when
/// `enough` are found.
template <class T, class AreFriends>
std::vector<std::size_t> component(const BruteForce<T>& brute, std::size_t first,
                                   std::vector<std::size_t> among, const AreFriends& are_friends,
                                   std::size_t enough) {
  std::vector<std::size_t> found{first};
  std::erase(among, first);
  for (std::size_t next = 0; next < found.size() && found.size() < enough; ++next) {
    const auto friends = std::partition(among.begin(), among.end(), [&](std::size_t j) {
      return !are_friends(found[next], j, brute.distance2(found[next], j));
    });
    found.insert(found.end(), friends, among.end());
    among.erase(friends, among.end());
  }
  return found;
}

/// `wanted` different numbers below n, ascending; all of them if there are no more.
std::vector<std::size_t> draw(std::size_t n, std::size_t wanted, std::mt19937_64& random);

/// check(i) for i in [0, n) on all threads of all ranks. It returns what is wrong, or nothing; the
/// complaint with the lowest i comes back. Shows progress and stops when the user says so.
std::string first_complaint(const std::string& stage, std::size_t n, const Execution& execution,
                            const std::function<std::string(std::size_t)>& check);

}  // namespace kith::cli

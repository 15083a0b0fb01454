// Sums over some members of a group. Results for the parts of a group add up to that of the whole,
// in order.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "groups/columns.hpp"

namespace kith {

/// The smallest of the images of dx, in [-side / 2, side / 2).
inline double minimum_image(double dx, double side) {
  return dx - side * std::floor(dx / side + 0.5);
}

/// First pass over a group: what the center follows from. Coordinates are relative to the first
/// member.
struct Sums {
  double mass = 0;
  std::vector<double> position, velocity;  // weighted by mass
  std::vector<double> plain_position, plain_velocity;
  std::vector<double> lower, upper;
  std::vector<std::int64_t> type_size;
  std::vector<double> type_mass;

  explicit Sums(std::size_t d = 0, std::size_t types = 0)
      : position(d, 0.0),
        velocity(d, 0.0),
        plain_position(d, 0.0),
        plain_velocity(d, 0.0),
        lower(d, std::numeric_limits<double>::infinity()),
        upper(d, -std::numeric_limits<double>::infinity()),
        type_size(types, 0),
        type_mass(types, 0.0) {}
};

/// Second pass: moments about center and mean velocity.
struct Moments {
  double radius2 = 0, inertia = 0, dispersion = 0;
  std::vector<double> tensor, angular_momentum;

  Moments(std::size_t d = 0, std::size_t components = 0)
      : tensor(d * d, 0.0), angular_momentum(components, 0.0) {}
};

template <class T>
void add_to(std::vector<T>& sum, const std::vector<T>& more) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += more[i];
}

inline Sums operator+(Sums a, const Sums& b) {
  a.mass += b.mass;
  add_to(a.position, b.position);
  add_to(a.velocity, b.velocity);
  add_to(a.plain_position, b.plain_position);
  add_to(a.plain_velocity, b.plain_velocity);
  add_to(a.type_size, b.type_size);
  add_to(a.type_mass, b.type_mass);
  for (std::size_t axis = 0; axis < a.lower.size(); ++axis) {
    a.lower[axis] = std::min(a.lower[axis], b.lower[axis]);
    a.upper[axis] = std::max(a.upper[axis], b.upper[axis]);
  }
  return a;
}

inline Moments operator+(Moments a, const Moments& b) {
  a.radius2 = std::max(a.radius2, b.radius2);
  a.inertia += b.inertia;
  a.dispersion += b.dispersion;
  add_to(a.tensor, b.tensor);
  add_to(a.angular_momentum, b.angular_momentum);
  return a;
}

/// Everything that the sums read.
struct Source {
  RowReader position, velocity;
  ValueReader mass;
  std::span<const std::uint8_t> type;
  std::vector<double> side;
  std::size_t d, types;

  double offset(std::size_t i, std::size_t first, std::size_t axis) const {
    const int a = static_cast<int>(axis);
    const double dx = position(i, a) - position(first, a);
    return side[axis] > 0 ? minimum_image(dx, side[axis]) : dx;
  }
};

inline Sums sums_of(const Source& from, std::span<const std::uint32_t> members, std::size_t first) {
  Sums sums(from.d, from.types);
  for (const std::uint32_t i : members) {
    const double m = from.mass(i);
    sums.mass += m;
    for (std::size_t axis = 0; axis < from.d; ++axis) {
      const double dx = from.offset(i, first, axis);
      sums.position[axis] += m * dx;
      sums.plain_position[axis] += dx;
      sums.lower[axis] = std::min(sums.lower[axis], dx);
      sums.upper[axis] = std::max(sums.upper[axis], dx);
      if (!from.velocity.is_given()) continue;
      const double v = from.velocity(i, static_cast<int>(axis));
      sums.velocity[axis] += m * v;
      sums.plain_velocity[axis] += v;
    }
    if (from.types == 0) continue;
    ++sums.type_size[from.type[i]];
    sums.type_mass[from.type[i]] += m;
  }
  return sums;
}

/// x cross v in 3-D and its one component in 2-D.
inline void add_angular_momentum(std::vector<double>& sum, double m, const double* x,
                                 const double* v) {
  if (sum.size() == 1) {
    sum[0] += m * (x[0] * v[1] - x[1] * v[0]);
  } else if (sum.size() == 3) {
    sum[0] += m * (x[1] * v[2] - x[2] * v[1]);
    sum[1] += m * (x[2] * v[0] - x[0] * v[2]);
    sum[2] += m * (x[0] * v[1] - x[1] * v[0]);
  }
}

/// Center and mean velocity of a group; the center relative to the first member.
struct Center {
  std::vector<double> position, velocity;
  bool is_massless;  // no mass at all: every member counts the same
};

inline Moments moments_of(const Source& from, std::span<const std::uint32_t> members,
                          std::size_t first, const Center& center, std::size_t components) {
  Moments moments(from.d, components);
  double x[kMaxDimension], v[kMaxDimension] = {};
  for (const std::uint32_t i : members) {
    const double m = center.is_massless ? 1 : from.mass(i);
    double r2 = 0, v2 = 0;
    for (std::size_t axis = 0; axis < from.d; ++axis) {
      x[axis] = from.offset(i, first, axis) - center.position[axis];
      r2 += x[axis] * x[axis];
      if (from.velocity.is_given()) {
        v[axis] = from.velocity(i, static_cast<int>(axis)) - center.velocity[axis];
        v2 += v[axis] * v[axis];
      }
    }
    moments.radius2 = std::max(moments.radius2, r2);
    moments.inertia += m * r2;
    moments.dispersion += m * v2;
    for (std::size_t row = 0; row < from.d; ++row)
      for (std::size_t column = 0; column < from.d; ++column)
        moments.tensor[row * from.d + column] += m * x[row] * x[column];
    add_angular_momentum(moments.angular_momentum, m, x, v);
  }
  return moments;
}

}  // namespace kith

// Clumps of points whose lengths, speeds and masses can be multiplied by any powers of two.
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include <kith/kith.hpp>

#include "support/property.hpp"

namespace kith::test {

using Row = std::array<double, 3>;

/// Points, velocities and masses times powers of two.
struct Scaled {
  int length = 0, speed = 0, mass = 0;
  std::vector<Row> x, v;
  std::vector<double> m;
  Box box;

  Scaled times(int by_length, int by_speed, int by_mass) const {
    Scaled made{by_length, by_speed, by_mass, x, v, m, Box::open()};
    for (Row& row : made.x)
      for (double& each : row) each = std::ldexp(each, by_length);
    for (Row& row : made.v)
      for (double& each : row) each = std::ldexp(each, by_speed);
    for (double& each : made.m) each = std::ldexp(each, by_mass);
    if (box.is_periodic()) made.box = Box::periodic(std::ldexp(box.side(0), by_length));
    return made;
  }
  double long_as(double value) const { return std::ldexp(value, length); }
};

/// A few clumps; multiples of 2^-20, so that nothing gets lost at any scale.
inline Scaled draw_clumps(Draw& draw, std::size_t n) {
  Scaled made;
  if (draw.below(2)) made.box = Box::periodic(4.0);
  const auto grid = [](double x) { return std::round(std::ldexp(x, 20)) / (1 << 20); };
  for (std::size_t i = 0; i < n; ++i) {
    Row x, v;
    const double middle = static_cast<double>(draw.below(3)) + 0.5;
    for (double& each : x) each = grid(middle + 0.05 * draw.normal());
    for (double& each : v) each = grid(draw.normal());
    made.x.push_back(x);
    made.v.push_back(v);
    made.m.push_back(grid(0.5 + draw.uniform()));
  }
  return made;
}

inline int any_exponent(Draw& draw, int most) {
  return static_cast<int>(draw.below(static_cast<std::size_t>(2 * most + 1))) - most;
}

}  // namespace kith::test

// The smoothing kernels of SPH, as functions of q = r / h, zero at and beyond q = 1.
#pragma once

#include <cmath>
#include <cstddef>
#include <numbers>

#include <kith/density.hpp>

namespace kith {

/// A kernel in a dimension from 1 to 3.
struct KernelShape {
  SphKernel kind;
  int dimension;

  /// Without the factor.
  double value(double q) const {
    const double p = 1 - q;
    if (kind == SphKernel::cubic_spline) return q < 0.5 ? 1 - 6 * q * q * p : 2 * p * p * p;
    return dimension == 1 ? p * p * p * (1 + 3 * q) : p * p * p * p * (1 + 4 * q);
  }

  /// The derivative by q.
  double slope(double q) const {
    const double p = 1 - q;
    if (kind == SphKernel::cubic_spline) return q < 0.5 ? 6 * q * (3 * q - 2) : -6 * p * p;
    return dimension == 1 ? -12 * q * p * p : -20 * q * p * p * p;
  }

  /// The factor that makes the integral of a kernel of radius 1 equal to 1.
  double factor() const {
    constexpr double pi = std::numbers::pi;
    const bool is_spline = kind == SphKernel::cubic_spline;
    switch (dimension) {
      case 1: return is_spline ? 4.0 / 3 : 1.25;
      case 2: return is_spline ? 40 / (7 * pi) : 7 / pi;
      default: return is_spline ? 8 / pi : 21 / (2 * pi);
    }
  }

  /// The density at a point from its neighbors, at least one, in their order: their distances and
  /// masses. `factor`: as above.
  template <class Distance, class Mass>
  double density(std::size_t count, double factor, Distance distance, Mass mass) const {
    const double h = distance(count - 1);
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const double q = h > 0 ? distance(i) / h : 0;
      sum += value(q) * mass(i);
    }
    return factor * sum / std::pow(h, dimension);
  }
};

}  // namespace kith

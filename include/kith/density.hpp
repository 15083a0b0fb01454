// Quantities made from the k nearest neighbors of each point, without storing them.
#pragma once

#include <span>
#include <vector>

#include <kith/neighbors.hpp>

namespace kith {

/// Distance to the k-th neighbor of each of the tree's own points (itself the first, unless
/// excluded), in input order; infinity where there are fewer than k.
KITH_API std::vector<double> kth_distance(const Tree& tree, const KnnOptions& options,
                                          const Execution& execution = {});

/// Mean distance to the neighbors that there are, in input order; NaN where there are none.
KITH_API std::vector<double> mean_distance(const Tree& tree, const KnnOptions& options,
                                           const Execution& execution = {});

/// Smoothing kernels of SPH, zero at and beyond their radius h.
enum class SphKernel {
  cubic_spline,  ///< M4, Monaghan & Lattanzio 1985
  wendland_c2,   ///< Wendland 1995; no pairing
};

constexpr const char* name(SphKernel kernel) {  ///< "cubic_spline"
  switch (kernel) {
    case SphKernel::cubic_spline: return "cubic_spline";
    case SphKernel::wendland_c2: return "wendland_c2";
  }
  return "?";
}

struct DensityOptions {
  std::size_t k = 32;  ///< neighbors, the point itself included; h is the distance of the k-th
  SphKernel kernel = SphKernel::cubic_spline;
  std::span<const double> mass = {};  ///< one per point that was given; none = 1 each
};

/// rho_i = sum_j m_j W(r_ij, h_i) over the k nearest, in input order. In one, two and three
/// dimensions. Where k points coincide h is 0 and the density infinite; with fewer than k points, h
/// is the distance of the last; NaN for points that were dropped. The same bits for any number of
/// threads. Errors: invalid_argument.
KITH_API std::vector<double> sph_density(const Tree& tree, const DensityOptions& options,
                                         const Execution& execution = {});

}  // namespace kith

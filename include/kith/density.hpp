// Quantities computed from the k nearest neighbors of each point without storing them.
#pragma once

#include <span>
#include <vector>

#include <kith/neighbors.hpp>

namespace kith {

/// The distance from each point of the tree to its k-th neighbor, in input order; infinity if there
/// are fewer than k. The point itself is the first neighbor, unless it is excluded.
KITH_API std::vector<double> kth_distance(const AnyTree& tree, const KnnOptions& options,
                                          const Execution& execution = {});

/// The mean distance from each point to its neighbors, in input order; NaN if there are none.
KITH_API std::vector<double> mean_distance(const AnyTree& tree, const KnnOptions& options,
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
  std::size_t k = 32;  ///< neighbors, including the point itself; h is the distance to the k-th
  SphKernel kernel = SphKernel::cubic_spline;
  std::span<const double> mass = {};  ///< one per input point; empty = 1 each
};

/// The SPH density rho_i = sum_j m_j W(r_ij, h_i) over the k nearest points, in input order. In
/// one, two and three dimensions. If k points coincide, h is 0 and the density infinite; with fewer
/// than k points, h is the distance to the last one; dropped points get NaN. The bits do not depend
/// on the number of threads. Errors: invalid_argument.
KITH_API std::vector<double> sph_density(const AnyTree& tree, const DensityOptions& options,
                                         const Execution& execution = {});

}  // namespace kith

// Halo properties: masses within spheres of a given mean density. Subhalos: <kith/subhalos.hpp>.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <kith/catalogue.hpp>
#include <kith/export.hpp>
#include <kith/subhalos.hpp>
#include <kith/tree.hpp>

namespace kith {

/// A universe with matter, curvature and a cosmological constant, in the caller's units.
struct Cosmology {
  double omega_m = 0.31;
  double omega_lambda = 0.69;
  double redshift = 0;
  double hubble = 100;             ///< H0 in velocity per length today: 100 km/s per Mpc/h
  double gravity = 4.30091727e-9;  ///< Newton's constant: (km/s)^2 Mpc / Msun
};

/// Mean densities that define a halo's edge.
enum class Edge {
  critical200,  ///< 200 times the critical density
  critical500,
  mean200,  ///< 200 times the mean density of matter
  virial,   ///< Bryan & Norman 1998: 18 pi^2 + 82 x - 39 x^2 times critical, x = Omega_m(z) - 1
};

constexpr const char* name(Edge edge) {  ///< "critical200"
  switch (edge) {
    case Edge::critical200: return "critical200";
    case Edge::critical500: return "critical500";
    case Edge::mean200: return "mean200";
    case Edge::virial: return "virial";
  }
  return "?";
}

/// The density of an edge, per comoving volume. Errors: invalid_argument for an impossible
/// cosmology.
KITH_API double edge_density(Edge edge, const Cosmology& cosmology);

struct OverdensityOptions {
  /// Mean densities inside the edge, in units of mass per length^dimension.
  std::vector<double> density;
  ValuesView mass = {};  ///< of every point; default 1 for all
  /// For every center, the radius inside which the density must be reached; default: infinite.
  ValuesView within = {.same = std::numeric_limits<double>::infinity()};
  /// For every center, an estimate of the mass. It affects the time, not the result.
  ValuesView mass_guess = {};
};

/// Masses and radii, [center * densities + density].
struct Overdensities {
  std::vector<double> mass;
  std::vector<double> radius;
  std::vector<std::int64_t> size;  ///< points inside; 0 where there is no sphere
};

/// Spheres of fewer points are unresolved: their masses scatter by more than a tenth.
inline constexpr std::int64_t kResolvedSize = 100;

/// Spheres about the centers (rows of the tree's dimension): going outward over all points, not
/// only members, the outermost place where the mean density inside, having been above a given one
/// at a point inside `within`, falls below it. Mass and radius are 0 where the density is not
/// reached inside `within` (a group's own radius is a good choice: without a limit the search
/// extends to half the box for each center), and NaN where the edge is beyond half a periodic side.
///
/// Distances are those of the tree; a center is rounded to its scalar type. Masses are summed
/// outward, ties by index. Errors: invalid_argument for densities that are not positive, or sizes
/// that do not fit.
KITH_API Overdensities overdensities(const AnyTree& tree, std::span<const double> centers,
                                     const OverdensityOptions& options,
                                     const Execution& execution = {});

}  // namespace kith

// The mass function of halos, from counts and from theory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <kith/cosmology.hpp>
#include <kith/export.hpp>

namespace kith {

struct MassFunctionOptions {
  double volume = 0;        ///< the volume that contains the halos; required
  int bins_per_decade = 5;  ///< of equal width in ln M
  double min_mass = 0;      ///< lower edge of the first bin; 0 = the smallest mass
  double max_mass = 0;      ///< upper edge of the last bin, at least; 0 = the largest mass
};

/// Halos per volume and logarithmic mass, one row per bin, including empty bins.
struct MassFunction {
  std::vector<double> edge;         ///< of the bins, one more than there are bins
  std::vector<double> mass;         ///< middle of each bin in ln M
  std::vector<std::int64_t> count;  ///< halos in [edge, next edge)
  std::vector<double> density;      ///< dn / dlnM = count / (volume * width in ln M)
  std::vector<double> lower;        ///< Poisson limits of the density,
  std::vector<double> upper;        ///< at one standard deviation

  std::size_t bins() const { return count.size(); }
};

/// Counts masses, in any unit. Masses that are not positive, or not finite, are left out. Errors:
/// invalid_argument for an invalid volume, bins or limits.
KITH_API MassFunction mass_function(std::span<const double> mass,
                                    const MassFunctionOptions& options);

/// Limits of the mean for an observed count, at one standard deviation (84.13 % each):
/// Gehrels, ApJ 303, 336 (1986), equations 9 and 14, good to 3 % of the error.
struct PoissonLimits {
  double lower = 0;
  double upper = 0;
};
KITH_API PoissonLimits poisson_limits(std::int64_t count);

/// The share of mass in halos of each rarity.
enum class Multiplicity {
  press_schechter,  ///< Press & Schechter 1974: spherical collapse
  sheth_tormen,     ///< Sheth & Tormen 1999: ellipsoidal collapse, a = 0.707, p = 0.3, A = 0.3222
};

/// f(sigma), with dn / dlnM = (mean density / M) f |dln sigma / dlnM|, for the critical contrast
/// 1.686; its integral over dln sigma is 1, so all mass is in halos.
KITH_API double multiplicity(Multiplicity kind, double sigma);

/// The linear rms contrast in spheres that contain the masses on average, at scale factor `a`.
/// Masses are in solar masses / h. Errors: invalid_argument for masses that are not positive.
KITH_API std::vector<double> sigma_of_mass(const sample::Cosmology& cosmology,
                                           std::span<const double> mass, double a = 1);

/// dn / dlnM in (h / Mpc)^3, comoving, at scale factor `a`, masses in solar masses / h. Only
/// the cosmological parameters of `cosmology` are used.
KITH_API std::vector<double> mass_function(Multiplicity kind, const sample::Cosmology& cosmology,
                                           std::span<const double> mass, double a = 1);

}  // namespace kith

// Halo mass functions: counts with Poisson errors, and the curves of Press & Schechter and of Sheth
// & Tormen from the linear power spectrum.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <kith/mass_function.hpp>

#include "base/fail.hpp"
#include "parallel/public_call.hpp"
#include "sample/theory.hpp"

namespace kith {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kCriticalContrast = 1.686;
constexpr double kCriticalDensity = 2.77536627e11;  // solar masses / h per (Mpc/h)^3
constexpr int kMaxBins = 100000;

bool is_mass(double m) { return m > 0 && std::isfinite(m); }

struct Range {
  double low = 0;
  double high = 0;
};

/// From the smallest to the largest mass, unless the options set limits.
Range range_of(std::span<const double> mass, const MassFunctionOptions& options) {
  Range range{std::numeric_limits<double>::infinity(), 0};
  for (const double m : mass) {
    if (!is_mass(m)) continue;
    range = {std::min(range.low, m), std::max(range.high, m)};
  }
  if (options.min_mass > 0) range.low = options.min_mass;
  if (options.max_mass > 0) range.high = options.max_mass;
  return range;
}

void check(const MassFunctionOptions& options) {
  if (!(options.volume > 0) || !std::isfinite(options.volume))
    refuse("mass_function: volume = {}; give the volume that the halos were counted in",
           options.volume);
  if (options.bins_per_decade < 1 || options.bins_per_decade > 1000)
    refuse("mass_function: bins_per_decade = {}; give 1 to 1000", options.bins_per_decade);
  const bool is_ordered =
      options.min_mass == 0 || options.max_mass == 0 || options.min_mass < options.max_mass;
  if (!(options.min_mass >= 0) || !(options.max_mass >= 0) || !std::isfinite(options.min_mass) ||
      !std::isfinite(options.max_mass) || !is_ordered)
    refuse("mass_function: masses from {} to {}; give positive limits, the smaller one first, or 0",
           options.min_mass, options.max_mass);
}

std::vector<double> edges(const Range& range, int bins_per_decade) {
  const double bins = std::floor(std::log10(range.high / range.low) * bins_per_decade) + 1;
  if (bins > kMaxBins)
    refuse("mass_function: {} bins from {} to {}; give closer limits", bins, range.low, range.high);
  std::vector<double> edge;
  for (int i = 0; i <= static_cast<int>(bins); ++i)
    edge.push_back(range.low * std::pow(10.0, double(i) / bins_per_decade));
  return edge;
}

/// Radius in Mpc/h of the sphere that holds a mass on average.
double radius_of(double mass, double density) { return std::cbrt(mass / (4 * kPi / 3 * density)); }

double mean_density(const sample::Cosmology& cosmology) {
  return cosmology.omega_m * kCriticalDensity;
}

void check(std::span<const double> mass, const char* call) {
  for (const double m : mass)
    if (!is_mass(m)) refuse("{}: a mass of {}; give positive, finite masses", call, m);
}

}  // namespace

PoissonLimits poisson_limits(std::int64_t count) {
  if (count < 0) refuse("poisson_limits: count = {}; give 0 or more", count);
  const auto n = static_cast<double>(count);
  PoissonLimits limits;
  limits.upper = n + std::sqrt(n + 0.75) + 1;
  if (count > 0) limits.lower = n * std::pow(1 - 1 / (9 * n) - 1 / (3 * std::sqrt(n)), 3);
  return limits;
}

MassFunction mass_function(std::span<const double> mass, const MassFunctionOptions& options) {
  return public_call("mass_function", [&] {
    check(options);
    MassFunction result;
    const Range range = range_of(mass, options);
    if (!(range.low <= range.high)) return result;  // nothing to count, or nothing so heavy
    result.edge = edges(range, options.bins_per_decade);
    result.count.resize(result.edge.size() - 1);
    for (const double m : mass) {
      if (!is_mass(m)) continue;
      const auto above = std::upper_bound(result.edge.begin(), result.edge.end(), m);
      if (above == result.edge.begin() || above == result.edge.end()) continue;
      ++result.count[static_cast<std::size_t>(above - result.edge.begin() - 1)];
    }
    const double unit = options.volume * std::numbers::ln10 / options.bins_per_decade;
    for (std::size_t i = 0; i < result.bins(); ++i) {
      const PoissonLimits limits = poisson_limits(result.count[i]);
      result.mass.push_back(std::sqrt(result.edge[i]) * std::sqrt(result.edge[i + 1]));
      result.density.push_back(static_cast<double>(result.count[i]) / unit);
      result.lower.push_back(limits.lower / unit);
      result.upper.push_back(limits.upper / unit);
    }
    return result;
  });
}

double multiplicity(Multiplicity kind, double sigma) {
  const double nu = kCriticalContrast / sigma;
  if (kind == Multiplicity::press_schechter)
    return std::sqrt(2 / kPi) * nu * std::exp(-nu * nu / 2);
  constexpr double kA = 0.707;
  constexpr double kP = 0.3;
  constexpr double kNorm = 0.3222;
  const double x = kA * nu * nu;
  return kNorm * std::sqrt(2 * x / kPi) * (1 + std::pow(x, -kP)) * std::exp(-x / 2);
}

std::vector<double> sigma_of_mass(const sample::Cosmology& cosmology, std::span<const double> mass,
                                  double a) {
  return public_call("sigma_of_mass", [&] {
    check(mass, "sigma_of_mass");
    const double growth = sample::linear_growth(cosmology, a);
    const sample::PowerSpectrum spectrum(cosmology);
    std::vector<double> result;
    for (const double m : mass)
      result.push_back(growth * spectrum.sigma(radius_of(m, mean_density(cosmology))));
    return result;
  });
}

std::vector<double> mass_function(Multiplicity kind, const sample::Cosmology& cosmology,
                                  std::span<const double> mass, double a) {
  return public_call("mass_function", [&] {
    check(mass, "mass_function");
    const double growth = sample::linear_growth(cosmology, a);
    const sample::PowerSpectrum spectrum(cosmology);
    const double density = mean_density(cosmology);
    std::vector<double> result;
    for (const double m : mass) {
      constexpr double kStep = 0.01;  // in ln M, to both sides: the slope is good to 1e-5
      const double radius = radius_of(m, density);
      const double above = spectrum.sigma(radius * std::exp(kStep / 3));
      const double below = spectrum.sigma(radius * std::exp(-kStep / 3));
      const double slope = std::log(below / above) / (2 * kStep);
      result.push_back(density / m * multiplicity(kind, growth * spectrum.sigma(radius)) * slope);
    }
    return result;
  });
}

}  // namespace kith

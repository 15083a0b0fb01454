// The judge of masses, radii and circular velocities: halos of known profile, drawn from it.
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>
#include <random>

#include <kith/kith.hpp>

namespace kith {
namespace {

double nfw_mass(double x) { return std::log(1 + x) - x / (1 + x); }

/// A halo with M200 = 1, R200 = 1 and gravity 1, of `n` points inside R200, which continues to 3
/// R200.
struct Halo {
  double concentration;
  std::vector<std::array<double, 3>> points;
  double particle_mass;

  Halo(std::size_t n, double c, unsigned seed, double softening = 0)
      : concentration(c), particle_mass(1 / static_cast<double>(n)) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> uniform(0, 1);
    const double whole = nfw_mass(3 * c);
    const auto count =
        static_cast<std::size_t>(std::lround(static_cast<double>(n) * whole / nfw_mass(c)));
    for (std::size_t i = 0; i < count; ++i) {
      const double m = uniform(random) * whole;
      double low = 0, high = 3 * c;
      for (int step = 0; step < 50; ++step) {
        const double middle = (low + high) / 2;
        (nfw_mass(middle) < m ? low : high) = middle;
      }
      // Softening spreads the innermost points, as the forces of a simulation do.
      const double r = std::hypot(high / c, softening);
      const double z = 2 * uniform(random) - 1, phi = 2 * std::numbers::pi * uniform(random);
      const double s = std::sqrt(1 - z * z);
      points.push_back({r * s * std::cos(phi), r * s * std::sin(phi), r * z});
    }
  }

  static double density() { return 1 / (4 * std::numbers::pi / 3); }
  /// Of the profile: the largest sqrt(M(r) / r), at r = 2.1626 scale radii.
  double max_velocity() const {
    return std::sqrt(nfw_mass(2.1626) / nfw_mass(concentration) * concentration / 2.1626);
  }
};

struct Measured {
  double mass, radius, velocity, concentration;
};

/// The concentration whose ratio of largest velocity to that at R200 this is.
double concentration_of(double ratio) {
  double low = 2.1626, high = 200;
  for (int step = 0; step < 60; ++step) {
    const double c = (low + high) / 2;
    (std::sqrt(nfw_mass(2.1626) / nfw_mass(c) * c / 2.1626) < ratio ? low : high) = c;
  }
  return low;
}

/// As the program does it: the deepest member of the friends of friends at b = 0.2, where the mean
/// separation is that of a universe with Omega_m = 0.3: R200 holds 200 / 0.3 times the mean.
std::vector<double> found_center(const Halo& halo) {
  const double separation = std::cbrt(4 * std::numbers::pi / 3 * halo.particle_mass * 200 / 0.3);
  const double length = 0.2 * separation;
  const Groups groups = fof(view(halo.points), {.linking_length = length, .min_size = 10});
  Members largest = members(groups);
  largest.offset.resize(2);
  return centers(view(halo.points), largest, {.softening = length / 5});
}

Measured measure(const Halo& halo, const std::vector<double>& center = {0, 0, 0}) {
  const Tree tree(view(halo.points));
  const Overdensities sphere = overdensities(tree, center,
                                             {.density = {Halo::density()},
                                              .mass = same_value(halo.particle_mass),
                                              .within = same_value(1.5)});
  const Groups whole = fof(view(halo.points), {.linking_length = 10});
  const Catalogue row =
      catalogue(view(halo.points), whole,
                {.mass = same_value(halo.particle_mass), .gravity = 1, .peak = center});
  const double at_edge = std::sqrt(sphere.mass[0] / sphere.radius[0]);
  return {sphere.mass[0], sphere.radius[0], row.max_circular_velocity[0],
          concentration_of(row.max_circular_velocity[0] / at_edge)};
}

/// The mean of many halos beside the truth, and their scatter.
struct Statistics {
  double mass_bias, radius_bias, velocity_bias, concentration_bias, mass_scatter;
};

Statistics statistics(std::size_t n, int halos, double softening) {
  constexpr double kConcentration = 7;
  Measured sum{};
  double square = 0;
  for (int seed = 0; seed < halos; ++seed) {
    const Halo halo(n, kConcentration, static_cast<unsigned>(seed + 1), softening);
    const Measured found = measure(halo, found_center(halo));
    sum.mass += found.mass / halos;
    sum.radius += found.radius / halos;
    sum.velocity += found.velocity / halo.max_velocity() / halos;
    sum.concentration += found.concentration / kConcentration / halos;
    square += (found.mass - 1) * (found.mass - 1) / halos;
  }
  return {sum.mass - 1, sum.radius - 1, sum.velocity - 1, sum.concentration - 1, std::sqrt(square)};
}

/// Enough halos that the mean of their masses is known to a part in 200.
void expect_unbiased(std::size_t n, int halos, double softening = 0) {
  const Statistics found = statistics(n, halos, softening);
  const double poisson = 1 / std::sqrt(static_cast<double>(n));
  SCOPED_TRACE(n);
  EXPECT_LT(std::abs(found.mass_bias), 0.02);
  EXPECT_LT(std::abs(found.radius_bias), 0.02);
  EXPECT_LT(found.mass_scatter, 2.5 * poisson);  // Poisson's, times how M200 answers to M(r)
  if (n < 3000) return;
  EXPECT_LT(std::abs(found.velocity_bias), 0.02);
  EXPECT_LT(std::abs(found.concentration_bias), 0.05);
}

TEST(NfwHalos, HaveTheirMassesAndRadii) {
  expect_unbiased(300, 400);
  expect_unbiased(1000, 150);
}

TEST(NfwHalos, HaveTheirVelocitiesAndConcentrations) {
  expect_unbiased(3000, 60);
  expect_unbiased(30000, 6);
}

TEST(NfwHalos, OfAMillionPoints) { expect_unbiased(1000000, 1); }

TEST(NfwHalos, MayBeSoftened) {
  expect_unbiased(300, 300, 0.01);
  expect_unbiased(10000, 15, 0.01);
}

TEST(NfwHalos, OfAHundredPointsAreNeverOneHole) {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    const double mass = measure(Halo(100, 7, seed)).mass;
    EXPECT_GT(mass, 0.6) << seed;
    EXPECT_LT(mass, 1.5) << seed;
  }
}

TEST(NfwHalos, DoNotTakeTheirNeighborsIn) {
  for (const double distance : {2.0, 3.0}) {
    double sum = 0;
    constexpr int kHalos = 20;
    for (unsigned seed = 1; seed <= kHalos; ++seed) {
      Halo halo(3000, 7, seed);
      Halo other(1000, 7, seed + 1000);  // a third of the mass: of the same particles
      for (std::array<double, 3> x : other.points) {
        const double size = std::cbrt(1.0 / 3);
        const double r2 = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
        if (r2 > 1) continue;  // it ends at its own R200
        halo.points.push_back({size * x[0] + distance, size * x[1], size * x[2]});
      }
      sum += measure(halo).mass / kHalos;
    }
    // The neighbor's outskirts add this mass inside R200, and no more.
    EXPECT_NEAR(sum, 1, 0.03) << distance;
  }
}

}  // namespace
}  // namespace kith

// Growth and spectrum against closed forms and independently computed values.
#include "sample/theory.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

#include "support/expect_error.hpp"

namespace kith::sample {
namespace {

using test::expect_error;

/// D(a) = const H(a) * integral of da / (a H)^3, by the midpoint rule.
double growth_integral(double a, double omega_m) {
  const auto rate = [&](double x) { return std::sqrt(omega_m / (x * x * x) + 1 - omega_m); };
  constexpr int kPoints = 100000;
  double sum = 0;
  for (int i = 0; i < kPoints; ++i) {
    const double x = a * (i + 0.5) / kPoints;
    sum += std::pow(x * rate(x), -3) * a / kPoints;
  }
  return rate(a) * sum;
}

TEST(Growth, FollowsTheIntegralOfLinearTheory) {
  for (const double omega_m : {0.1, 0.31, 0.7})
    for (const double a : {0.02, 0.3, 1.0, 2.0}) {
      const double expected = growth_integral(a, omega_m) / growth_integral(1, omega_m);
      EXPECT_NEAR(GrowthHistory(omega_m).at(a).d1, expected, 1e-6 * expected)
          << omega_m << " " << a;
    }
}

TEST(Growth, IsPowersOfTheScaleFactorInAUniverseOfMatterAlone) {
  const GrowthHistory history(1);
  for (const double a : {0.05, 0.5, 1.0}) {
    const Growth g = history.at(a);
    EXPECT_NEAR(g.d1, a, 1e-7 * a);
    EXPECT_NEAR(g.p1, std::pow(a, 1.5), 1e-8);
    EXPECT_NEAR(g.d2, -3.0 / 7 * a * a, 1e-8);
    EXPECT_NEAR(g.p2, -6.0 / 7 * std::pow(a, 2.5), 1e-8);
  }
}

TEST(Growth, OfSecondOrderIsNearTheKnownFit) {
  const Growth g = GrowthHistory(0.31).at(1);  // Bouchet et al. 1995: -3/7 D^2 Omega^(-1/143)
  EXPECT_NEAR(g.d2, -3.0 / 7 * std::pow(0.31, -1.0 / 143), 1e-3);
}

TEST(Spectrum, HasTheValuesOfEisensteinAndHu) {
  // Computed apart, in Python, from the equations of the paper.
  const std::vector<double> k = {0.001, 0.01, 0.02, 0.07, 0.1, 0.5, 1, 10};
  const std::vector<double> expected = {3627.860445, 20980.02949, 22999.30767, 9485.489209,
                                        5578.029946, 308.5225746, 66.82272309, 0.22933514};
  const std::vector<double> power = linear_power({}, k);
  for (std::size_t i = 0; i < k.size(); ++i) EXPECT_NEAR(power[i] / expected[i], 1, 1e-5) << k[i];
}

TEST(Spectrum, HasBaryonWigglesThatBbksHasNot) {
  // The ratio of the two turns several times between 0.05 and 0.3 h/Mpc.
  std::vector<double> k;
  for (double x = 0.05; x < 0.3; x += 0.002) k.push_back(x);
  const std::vector<double> wiggly = linear_power({}, k);
  const std::vector<double> smooth = linear_power({.transfer = Transfer::bbks}, k);
  int turns = 0;
  for (std::size_t i = 2; i < k.size(); ++i) {
    const auto ratio = [&](std::size_t j) { return wiggly[j] / smooth[j]; };
    turns += (ratio(i) - ratio(i - 1)) * (ratio(i - 1) - ratio(i - 2)) < 0 ? 1 : 0;
  }
  EXPECT_GE(turns, 4);
}

TEST(Spectrum, OfBbksFallsAsItShould) {
  const Cosmology options{.omega_b = 0, .n_s = 1, .transfer = Transfer::bbks};
  const std::vector<double> p = linear_power(options, {1e-4, 2e-4, 100, 200});
  EXPECT_NEAR(p[1] / p[0], 2, 0.02);  // P ~ k on large scales
  const double log_ratio =
      std::pow(std::log(2.34 * 200 / 0.2108) / std::log(2.34 * 100 / 0.2108), 2);
  EXPECT_NEAR(p[3] / p[2], log_ratio / 8,
              0.002);  // P ~ k^-3 ln^2 k on small ones; shape = 0.31 * 0.68
}

TEST(Spectrum, HasTheValuesOfBbks) {  // computed apart, as above
  const std::vector<double> expected = {18585.373533, 5825.7830008, 63.19322351};
  const std::vector<double> power = linear_power({.transfer = Transfer::bbks}, {0.01, 0.1, 1});
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(power[i] / expected[i], 1, 1e-5);
}

TEST(Spectrum, IsNormalisedToSigma8) {
  for (const Transfer transfer : {Transfer::eisenstein_hu, Transfer::bbks}) {
    const Cosmology options{.sigma8 = 0.77, .transfer = transfer};
    double sum = 0;
    constexpr double kStep = 0.002;
    std::vector<double> k;
    for (double log_k = std::log(1e-4); log_k < std::log(30.0); log_k += kStep)
      k.push_back(std::exp(log_k));
    const std::vector<double> p = linear_power(options, k);
    for (std::size_t i = 0; i < k.size(); ++i) {
      const double x = 8 * k[i];
      const double window = 3 * (std::sin(x) - x * std::cos(x)) / (x * x * x);
      sum += std::pow(k[i], 3) * p[i] * window * window * kStep;
    }
    EXPECT_NEAR(std::sqrt(sum / (2 * std::numbers::pi * std::numbers::pi)), 0.77, 1e-4);
  }
}

TEST(Spectrum, RefusesWaveNumbersThatAreNone) {
  expect_error(ErrorCode::invalid_argument, "linear_power: k = 0;", [] {
    linear_power({}, {0.1, 0});
  });
  expect_error(ErrorCode::invalid_argument, "linear_growth: a = 0;", [] { linear_growth({}, 0); });
  EXPECT_EQ(linear_growth({}, 1), 1);
}

}  // namespace
}  // namespace kith::sample

// Counts against counting by hand, Poisson limits against Gehrels's tables, theory against closed
// forms.
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <numbers>

#include <kith/mass_function.hpp>

#include "support/expect_error.hpp"

namespace kith {
namespace {

using test::expect_error;

constexpr double kMeanDensity = 0.31 * 2.77536627e11;
constexpr double kContrast = 1.686;

double mass_of_sphere(double radius) {
  return 4 * std::numbers::pi / 3 * std::pow(radius, 3) * kMeanDensity;
}

TEST(MassFunction, CountsHalosPerVolumeAndLogarithmicMass) {
  const std::vector<double> mass = {1, 9.99, 10, 50, 99, 1000, 0, -1, NAN, INFINITY};
  const MassFunction f = mass_function(mass, {.volume = 8, .bins_per_decade = 1});
  EXPECT_EQ(f.count, (std::vector<std::int64_t>{2, 3, 0, 1}));
  ASSERT_EQ(f.edge.size(), 5U);
  EXPECT_DOUBLE_EQ(f.edge[4], 10000);
  EXPECT_DOUBLE_EQ(f.mass[1], std::sqrt(1000.0));
  EXPECT_DOUBLE_EQ(f.density[1], 3 / (8 * std::log(10.0)));
  EXPECT_DOUBLE_EQ(f.upper[2], poisson_limits(0).upper / (8 * std::log(10.0)));
  EXPECT_EQ(f.lower[2], 0);
}

TEST(MassFunction, KeepsToItsLimits) {
  const std::vector<double> mass = {5, 20, 200, 2000};
  const MassFunction f =
      mass_function(mass, {.volume = 1, .bins_per_decade = 2, .min_mass = 10, .max_mass = 999});
  EXPECT_EQ(f.count, (std::vector<std::int64_t>{1, 0, 1, 0}));
  EXPECT_EQ(mass_function(std::vector<double>{}, {.volume = 1}).bins(), 0U);
  EXPECT_EQ(mass_function(mass, {.volume = 1, .min_mass = 1e6}).bins(), 0U);
  const MassFunction one = mass_function(std::vector<double>{7, 7}, {.volume = 1});
  EXPECT_EQ(one.count, (std::vector<std::int64_t>{2}));
}

TEST(MassFunction, HasThePoissonLimitsOfGehrelsTables) {
  struct Row {
    std::int64_t count;
    double lower, upper;
  };
  // Gehrels 1986, tables 1 and 2, confidence level 0.8413.
  for (const Row& row :
       {Row{0, 0, 1.841}, Row{1, 0.173, 3.300}, Row{2, 0.708, 4.638}, Row{5, 2.840, 8.382},
        Row{10, 6.891, 14.27}, Row{50, 42.95, 58.12}, Row{100, 90.02, 111.0}}) {
    const PoissonLimits limits = poisson_limits(row.count);
    EXPECT_NEAR(limits.upper, row.upper, 0.03 * (row.upper - double(row.count))) << row.count;
    EXPECT_NEAR(limits.lower, row.lower, 0.03 * (double(row.count) - row.lower)) << row.count;
  }
}

TEST(MassFunction, OfTheoryHasAllMassInHalos) {
  for (const auto kind : {Multiplicity::press_schechter, Multiplicity::sheth_tormen}) {
    double sum = 0;
    constexpr double kStep = 0.001;
    for (double s = -10; s < 60; s += kStep) sum += multiplicity(kind, std::exp(s)) * kStep;
    // Sheth & Tormen give their norm with four digits.
    EXPECT_NEAR(sum, 1, kind == Multiplicity::press_schechter ? 1e-6 : 2e-4);
  }
}

TEST(MassFunction, OfTheoryHasItsKnownValues) {
  // At sigma = 1.686: sqrt(2 / (pi e)), and 0.3222 sqrt(1.414 / pi) (1 + 0.707^-0.3) e^-0.3535.
  EXPECT_NEAR(multiplicity(Multiplicity::press_schechter, kContrast), 0.4839414, 1e-6);
  EXPECT_NEAR(multiplicity(Multiplicity::sheth_tormen, kContrast),
              0.3222 * 0.6708889 * (1 + 1.1096192) * 0.7022263, 1e-6);
}

TEST(MassFunction, RecoversSigma8) {
  const std::vector<double> mass = {mass_of_sphere(8)};
  EXPECT_NEAR(sigma_of_mass({.sigma8 = 0.9}, mass)[0], 0.9, 1e-9);
  const double growth = sample::linear_growth({}, 0.5);
  EXPECT_NEAR(sigma_of_mass({.sigma8 = 0.9}, mass, 0.5)[0], 0.9 * growth, 1e-9);
}

TEST(MassFunction, SigmaIsTheIntegralOverTheSpectrum) {
  // Simpson's rule in k itself, not in its logarithm, with the window from its definition.
  constexpr double kRadius = 3;
  constexpr int kPoints = 200000;
  constexpr double kEnd = 60;
  std::vector<double> k;
  for (int i = 1; i <= kPoints; ++i) k.push_back(kEnd * i / kPoints);
  const std::vector<double> power = sample::linear_power({}, k);
  double sum = 0;
  for (int i = 0; i < kPoints; ++i) {
    const double x = k[i] * kRadius;
    const double window = 3 * (std::sin(x) - x * std::cos(x)) / (x * x * x);
    const double weight = i + 1 == kPoints ? 1 : (i % 2 == 0 ? 4 : 2);
    sum += weight / 3 * k[i] * k[i] * power[i] * window * window;
  }
  const double sigma = std::sqrt(sum * kEnd / kPoints / (2 * std::pow(std::numbers::pi, 2)));
  EXPECT_NEAR(sigma_of_mass({}, std::vector<double>{mass_of_sphere(kRadius)})[0], sigma,
              1e-4 * sigma);
}

TEST(MassFunction, OfPressAndSchechterIntegratesToTheirShareOfMass) {
  // Mass in halos above M is erfc(1.686 / (sqrt(2) sigma(M))) of all mass.
  constexpr int kSteps = 60;
  for (const double a : {1.0, 0.5}) {
    std::vector<double> mass;
    const double step = std::log(1e15 / 1e11) / kSteps;
    for (int i = 0; i <= kSteps; ++i) mass.push_back(1e11 * std::exp(i * step));
    const auto density = mass_function(Multiplicity::press_schechter, {}, mass, a);
    double sum = 0;
    for (int i = 0; i <= kSteps; ++i)
      sum += mass[i] * density[i] * step * (i == 0 || i == kSteps ? 0.5 : 1);
    const auto sigma = sigma_of_mass({}, std::vector<double>{1e11, 1e15}, a);
    const auto above = [](double s) { return std::erfc(kContrast / (std::sqrt(2.0) * s)); };
    const double expected = kMeanDensity * (above(sigma[0]) - above(sigma[1]));
    EXPECT_NEAR(sum, expected, 2e-4 * expected) << a;
  }
}

TEST(MassFunction, OfShethAndTormenHasMoreClustersAndFewerSmallHalos) {
  const std::vector<double> mass = {1e12, 1e15};
  const auto ps = mass_function(Multiplicity::press_schechter, {}, mass);
  const auto st = mass_function(Multiplicity::sheth_tormen, {}, mass);
  EXPECT_LT(st[0], ps[0]);
  EXPECT_GT(st[1], 1.5 * ps[1]);
}

TEST(MassFunction, RefusesWhatMakesNoSense) {
  const std::vector<double> mass = {1, 2};
  const auto refused = [&](const MassFunctionOptions& options, std::string_view words) {
    expect_error(ErrorCode::invalid_argument, words, [&] { mass_function(mass, options); });
  };
  refused({}, "mass_function: volume = 0");
  refused({.volume = NAN}, "mass_function: volume = nan");
  refused({.volume = 1, .bins_per_decade = 0}, "bins_per_decade = 0");
  refused({.volume = 1, .min_mass = 5, .max_mass = 2}, "masses from 5 to 2");
  refused({.volume = 1, .bins_per_decade = 1000, .min_mass = 1e-300, .max_mass = 1e300}, "bins");
  expect_error(ErrorCode::invalid_argument, "a mass of -1",
               [&] { sigma_of_mass({}, std::vector<double>{-1}); });
  expect_error(ErrorCode::invalid_argument, "count = -1", [] { poisson_limits(-1); });
}

}  // namespace
}  // namespace kith

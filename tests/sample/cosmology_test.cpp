// The universe: is it the one that theory describes, and is it always the same one.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>
#include <set>
#include <thread>

#include <kith/cosmology.hpp>

#include "sample/gravity.hpp"
#include "sample/initial.hpp"
#include "support/expect_error.hpp"
#include "support/float_environment.hpp"
#include "support/processor_clock.hpp"

namespace kith::sample {
namespace {

using test::expect_error;

/// The shortest way from y to x in a periodic box.
double separation(double x, double y, double side) {
  const double d = x - y;
  return d - side * std::round(d / side);
}

/// The displacement of every coordinate from the grid of the start.
std::vector<double> displacements(const Universe& universe) {
  const auto n = static_cast<std::size_t>(universe.options.n);
  const double side = universe.options.side;
  std::vector<double> result;
  for (std::size_t i = 0; i < universe.position.size(); ++i) {
    const std::size_t particle = i / 3;
    const std::size_t cell[3] = {particle / (n * n), particle / n % n, particle % n};
    const double start = (static_cast<double>(cell[i % 3]) + 0.5) * side / static_cast<double>(n);
    result.push_back(separation(universe.position[i], start, side));
  }
  return result;
}

double rms(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v * v;
  return std::sqrt(sum / static_cast<double>(values.size()));
}

double rms_difference(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> difference(a.size());
  std::transform(a.begin(), a.end(), b.begin(), difference.begin(), std::minus<>());
  return rms(difference);
}

/// Power by whole wave number of a set of amplitudes, and how many waves it was measured with.
struct Measured {
  std::vector<double> power, expected, waves;
};

Measured measure(const Mesh& mesh, const Cosmology& options) {
  const PowerSpectrum spectrum(options);
  const std::size_t bins = mesh.n() / 2;
  Measured m{std::vector<double>(bins), std::vector<double>(bins), std::vector<double>(bins)};
  for (std::size_t x = 0; x < mesh.n(); ++x)
    for (std::size_t y = 0; y < mesh.n(); ++y)
      for (std::size_t z = 1; z < mesh.modes(); ++z) {  // z = 0 holds every wave twice
        const double k = std::hypot(wave_number(x, mesh.n()), wave_number(y, mesh.n()), double(z));
        const auto bin = static_cast<std::size_t>(k + 0.5);
        if (bin >= bins) continue;
        const std::complex<double> amplitude = mesh.amplitudes(x, y)[z];
        m.power[bin] += std::norm(amplitude) * std::pow(options.side, 3);
        m.expected[bin] += spectrum(k * 2 * std::numbers::pi / options.side);
        m.waves[bin] += 1;
      }
  return m;
}

/// Particles per cell of a coarse grid.
std::vector<int> counts_in_cells(const Universe& universe, int cells) {
  std::vector<int> count(static_cast<std::size_t>(cells * cells * cells));
  for (std::size_t i = 0; i < universe.size(); ++i) {
    std::size_t cell = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double x = universe.position[3 * i + axis] / universe.options.side;
      cell = cell * static_cast<std::size_t>(cells) + static_cast<std::size_t>(x * cells);
    }
    ++count[cell];
  }
  return count;
}

/// Summed power of the contrast of the particles over waves up to k_max.
double large_scale_power(const Universe& universe, int k_max) {
  const double unit = 2 * std::numbers::pi / universe.options.side;
  double sum = 0;
  for (int kx = -k_max; kx <= k_max; ++kx)
    for (int ky = -k_max; ky <= k_max; ++ky)
      for (int kz = 1; kz <= k_max; ++kz) {
        if (kx * kx + ky * ky + kz * kz > k_max * k_max) continue;
        std::complex<double> amplitude = 0;
        for (std::size_t i = 0; i < universe.position.size(); i += 3) {
          const float* p = universe.position.data() + i;
          amplitude +=
              std::polar(1.0, unit * (kx * double{p[0]} + ky * double{p[1]} + kz * double{p[2]}));
        }
        sum += std::norm(amplitude / static_cast<double>(universe.size()));
      }
  return sum;
}

/// A small universe of strong clustering, made once.
const Universe& small_universe() {
  static const Universe universe = cosmology({.n = 32});
  return universe;
}

TEST(InitialField, HasThePowerOfTheoryInEveryBin) {
  const Cosmology options{.n = 64, .side = 500, .seed = 5};
  const Execution execution;
  const Workers workers(execution);
  const Measured m = measure(linear_field(options, workers), options);
  for (std::size_t bin = 1; bin < m.power.size(); ++bin)
    EXPECT_NEAR(m.power[bin] / m.expected[bin], 1, 5 / std::sqrt(m.waves[bin])) << bin;
}

TEST(InitialField, IsRealSoThatOppositeWavesAreConjugate) {
  const Execution execution;
  const Workers workers(execution);
  const Mesh mesh = linear_field({.n = 16, .side = 100}, workers);
  for (std::size_t x = 0; x < 16; ++x)
    for (std::size_t y = 0; y < 16; ++y)
      ASSERT_EQ(mesh.amplitudes(x, y)[0],
                std::conj(mesh.amplitudes((16 - x) % 16, (16 - y) % 16)[0]));
}

TEST(InitialField, HasTheSameWavesAtEveryResolution) {
  const Execution execution;
  const Workers workers(execution);
  const Mesh coarse = linear_field({.n = 16, .side = 100}, workers);
  const Mesh fine = linear_field({.n = 30, .side = 100}, workers);
  for (std::size_t y = 0; y < 8; ++y)
    for (std::size_t z = 0; z < 8; ++z) {
      EXPECT_EQ(coarse.amplitudes(3, y)[z], fine.amplitudes(3, y)[z]);
      EXPECT_EQ(coarse.amplitudes(16 - 3, y)[z], fine.amplitudes(30 - 3, y)[z]);
    }
}

TEST(InitialConditions, HaveTheRmsDisplacementOfTheory) {
  const Cosmology options{.n = 64, .side = 2000, .order = 1, .a_start = 0.1, .a_end = 0.1};
  // Along all axes: integral of P dk / (2 pi^2), up to the ball with the volume of the cube of
  // waves.
  const double k_max = std::numbers::pi * 64 / 2000 * std::cbrt(6 / std::numbers::pi);
  std::vector<double> k;
  constexpr int kPoints = 2000;
  for (int i = 0; i < kPoints; ++i) k.push_back(k_max * (i + 0.5) / kPoints);
  double sum = 0;
  for (const double p : linear_power(options, k)) sum += p * k_max / kPoints;
  const double expected =
      linear_growth(options, 0.1) * std::sqrt(sum / (6 * std::pow(std::numbers::pi, 2)));
  EXPECT_NEAR(rms(displacements(cosmology(options))) / expected, 1, 0.03);
}

TEST(InitialConditions, MoveAsFastAsTheyGrow) {
  // v = a H f D s: for Zel'dovich velocity and displacement are proportional, at this rate.
  const Cosmology options{.n = 16, .side = 200, .order = 1, .a_start = 0.5, .a_end = 0.5};
  const Universe universe = cosmology(options);
  const std::vector<double> moved = displacements(universe);
  const double da = 1e-4;
  const double d = linear_growth(options, 0.5);
  const double f =
      (linear_growth(options, 0.5 + da) - linear_growth(options, 0.5 - da)) / (2 * da) * 0.5 / d;
  const double rate = 0.5 * 100 * std::sqrt(0.31 / std::pow(0.5, 3) + 0.69) * f;
  for (std::size_t i = 0; i < moved.size(); ++i)
    ASSERT_NEAR(universe.velocity[i], rate * moved[i], 1e-3 * std::abs(rate * moved[i]) + 0.01)
        << i;
}

TEST(InitialConditions, OfSecondOrderDifferBySecondOrder) {
  const auto correction = [](double a) {
    Cosmology options{.n = 32, .side = 100, .a_start = a, .a_end = a};
    const std::vector<double> second = displacements(cosmology(options));
    options.order = 1;
    return rms_difference(second, displacements(cosmology(options)));
  };
  const double ratio = linear_growth({}, 0.2) / linear_growth({}, 0.1);
  EXPECT_GT(correction(0.1), 1e-3);
  EXPECT_NEAR(correction(0.2) / correction(0.1), ratio * ratio, 0.01 * ratio * ratio);
}

TEST(InitialConditions, OfSecondOrderHaveWhatTheRunAddsToFirstOrder) {
  // A run from early on differs from first order by the second order, and by errors of the mesh
  // that are of first order and have nothing to do with it: so their mean product gives the size of
  // the second-order part.
  Cosmology options{.n = 24, .side = 200, .a_start = 0.02, .a_end = 0.3, .steps = 30};
  const std::vector<double> run = displacements(cosmology(options));
  options.a_start = 0.3;
  const std::vector<double> second = displacements(cosmology(options));
  options.order = 1;
  const std::vector<double> first = displacements(cosmology(options));
  double product = 0;
  double square = 0;
  for (std::size_t i = 0; i < run.size(); ++i) {
    product += (run[i] - first[i]) * (second[i] - first[i]);
    square += (second[i] - first[i]) * (second[i] - first[i]);
  }
  EXPECT_NEAR(product / square, 1, 0.25);
}

TEST(Universe, GrowsOnLargeScalesAsLinearTheorySays) {
  Cosmology options{.n = 32, .side = 640, .a_start = 0.05, .steps = 10};
  const double late = large_scale_power(cosmology(options), 3);
  options.a_end = options.a_start;
  const double early = large_scale_power(cosmology(options), 3);
  const double growth = 1 / linear_growth(options, 0.05);
  EXPECT_NEAR(late / early / (growth * growth), 1, 0.05);
}

TEST(Universe, ConservesMomentum) {
  const Universe& universe = small_universe();
  double sum[3] = {};
  double square = 0;
  for (std::size_t i = 0; i < universe.velocity.size(); ++i) {
    sum[i % 3] += universe.velocity[i];
    square += double{universe.velocity[i]} * universe.velocity[i];
  }
  const double speed = std::sqrt(square / static_cast<double>(universe.size()));
  EXPECT_GT(speed, 50);  // km/s
  EXPECT_LT(speed, 1000);
  for (const double each : sum)
    EXPECT_LT(std::abs(each / static_cast<double>(universe.size())), 1e-5 * speed);
}

TEST(Universe, HasTheTailsOfAClusteredField) {
  const std::vector<int> count = counts_in_cells(small_universe(), 16);  // 8 in a cell on average
  double square = 0;
  for (const int c : count) square += double(c) * c / static_cast<double>(count.size());
  const auto empty = std::count(count.begin(), count.end(), 0);
  // A random distribution has a variance of 8, 1.4 empty cells, and no cell with more than 30
  // particles.
  EXPECT_GT(square - 64, 20 * 8);
  EXPECT_GT(empty, 200);
  EXPECT_GT(*std::max_element(count.begin(), count.end()), 200);
}

TEST(Universe, HasDenserHalosWithAFinerMesh) {
  const auto in_dense_cells = [](const Universe& universe) {  // 1/8 in a cell on average
    int sum = 0;
    for (const int count : counts_in_cells(universe, 64)) sum += count > 30 ? count : 0;
    return sum;
  };
  const int coarse = in_dense_cells(cosmology({.n = 32, .mesh = 32}));
  EXPECT_GT(coarse, 100);
  EXPECT_GT(in_dense_cells(small_universe()), 1.2 * coarse);
}

TEST(Universe, LiesInItsBoxAndKnowsWhatItIs) {
  const Universe& universe = small_universe();
  EXPECT_EQ(universe.size(), 32U * 32 * 32);
  EXPECT_EQ(universe.velocity.size(), universe.position.size());
  const auto [low, high] = std::minmax_element(universe.position.begin(), universe.position.end());
  EXPECT_GE(*low, 0);
  EXPECT_LT(*high, 32);
  EXPECT_EQ(universe.options.side, 32);
  EXPECT_EQ(universe.options.mesh, 64);
  EXPECT_NEAR(universe.particle_mass, 0.31 * 2.775e11, 1e8);  // one per (Mpc/h)^3
  EXPECT_EQ(universe.box(), Box::periodic(32));
}

TEST(Universe, HasTheSameBitsForAnyNumberOfThreads) {
  const Cosmology options{.n = 20, .side = 40, .steps = 4, .mesh = 50};
  const Universe one = cosmology(options, {.threads = 1});
  for (const int threads : {2, 5}) {
    const Universe other = cosmology(options, {.threads = threads});
    EXPECT_EQ(one.position, other.position) << threads;
    EXPECT_EQ(one.velocity, other.velocity) << threads;
  }
  const test::ForeignEnvironment environment(FE_DOWNWARD);
  EXPECT_EQ(one.position, cosmology(options, {.threads = 2}).position);
}

TEST(Universe, IsAnotherOneForAnotherSeedAndWorksForOddSizes) {
  const Universe one = cosmology({.n = 9, .steps = 3});
  EXPECT_NE(one.position, cosmology({.n = 9, .seed = 2, .steps = 3}).position);
  EXPECT_GT(rms(displacements(one)), 0.1);
}

TEST(Universe, HasTheSameBitsWhenThreadsCrowdInFewCells) {
  const Cosmology options{.n = 32, .side = 2, .steps = 3, .mesh = 4};
  EXPECT_EQ(cosmology(options, {.threads = 1}).position,
            cosmology(options, {.threads = 5}).position);
}

/// The pull of a clump of all other particles on one at a distance of 1 in a box of 15.
float pull_of_clump(int n) {
  const Cosmology options{.n = n, .side = 15, .mesh = 150};
  const Execution execution;
  const Workers workers(execution);
  std::vector<float> position(static_cast<std::size_t>(n * n * n) * 3, 2.05F);
  std::vector<float> momentum(position.size());
  position[0] = 3.05F;
  Gravity(options, workers).step({.kick = 1, .drift = 0}, position.data(), momentum.data());
  return momentum[0];
}

TEST(Gravity, IsRightWhenTheMassInACellOverflows32Bits) {
  const float expected = pull_of_clump(10);  // 1000 particles in eight cells, 2^20 each: fits
  EXPECT_LT(expected, 0);
  EXPECT_NEAR(pull_of_clump(50) / expected, 1, 0.01);  // 125000 do not
}

TEST(Gravity, OfAClumpIsThatOfAPointMass) {
  // The source is 3/2 omega_m times the contrast and the clump holds all mass: F = 3/2 omega_m V /
  // (4 pi r^2).
  const double expected = -1.5 * 0.31 * 3375 / (4 * std::numbers::pi);
  EXPECT_NEAR(pull_of_clump(10) / expected, 1, 0.03);
}

TEST(Universe, ReportsItsStagesAndProgress) {
  std::set<std::string> stages;
  bool is_sane = true;
  Statistics statistics;
  std::uint64_t done = 0;
  std::uint64_t total = 0;
  cosmology({.n = 16, .steps = 4}, {.progress =
                                        [&](const Progress& p) {
                                          stages.insert(std::string(p.stage));
                                          is_sane = is_sane && p.done <= p.total;
                                          done = p.done;
                                          total = p.total;
                                        },
                                    .statistics = &statistics});
  EXPECT_EQ(stages, (std::set<std::string>{"initial conditions", "gravity"}));
  EXPECT_TRUE(is_sane);
  EXPECT_EQ(done, total);  // the work foretold was the work done
  EXPECT_EQ(statistics.stages.size(), 2U);
}

TEST(Universe, StopsSoonWhenCancelled) {
  const CancelToken token;
  test::ProcessorClock::time_point cancelled;
  std::jthread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    cancelled = test::ProcessorClock::now();
    token.cancel();
  });
  expect_error(ErrorCode::cancelled, "cancelled",
               [&] { cosmology({.n = 64, .steps = 1000}, {.cancel = &token}); });
  const std::chrono::duration<double> late = test::ProcessorClock::now() - cancelled;
  EXPECT_LT(late, test::longest_stop());
}

TEST(Universe, RefusesWhatMakesNoSense) {
  const auto refused = [](const Cosmology& options, std::string_view words) {
    expect_error(ErrorCode::invalid_argument, words, [&] { cosmology(options); });
  };
  refused({.n = 0}, "cosmology: n = 0; give a number from 2 to 2048");
  refused({.n = -4}, "cosmology: n = -4");
  refused({.n = 8, .side = -1}, "cosmology: side = -1");
  refused({.n = 8, .mesh = 3}, "cosmology: mesh = 3; give a number from 4 to 4096");
  refused({.n = 8, .sigma8 = -0.8}, "cosmology: sigma8 = -0.8");
  refused({.n = 8, .omega_m = 1.5}, "cosmology: omega_m = 1.5");
  refused({.n = 8, .omega_m = NAN}, "cosmology: omega_m = nan");
  refused({.n = 8, .omega_b = 0.4}, "cosmology: omega_b = 0.4 with omega_m = 0.31");
  refused({.n = 8, .omega_b = 0}, "take bbks");
  refused({.n = 8, .order = 3}, "cosmology: order = 3; take 1 (Zel'dovich) or 2");
  refused({.n = 8, .a_start = 0}, "cosmology: a_start = 0");
  refused({.n = 8, .a_start = 0.5, .a_end = 0.2}, "cosmology: a_end = 0.2; give a number from 0.5");
  refused({.n = 8, .steps = 0}, "cosmology: steps = 0");
}

}  // namespace
}  // namespace kith::sample

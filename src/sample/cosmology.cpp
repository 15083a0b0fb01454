// The universe: checks, initial conditions, and the steps of the particle-mesh run.
//
// Steps are kick-drift-kick with the factors of FastPM (Feng et al., MNRAS 463, 2273, 2016): the
// time integrals are those of a particle that moves as in linear theory, so large scales grow
// exactly as they should with any number of steps.
#include <cmath>
#include <new>

#include <kith/cosmology.hpp>

#include "base/fail.hpp"
#include "parallel/public_call.hpp"
#include "sample/gravity.hpp"
#include "sample/initial.hpp"
#include "sample/theory.hpp"

namespace kith::sample {
namespace {

constexpr int kMaxN = 2048;
constexpr int kMaxMesh = 4096;
constexpr double kCriticalDensity = 2.77536627e11;  // solar masses / h per (Mpc/h)^3
constexpr double kHubble = 100;                     // km/s per Mpc/h

void check_between(const char* option, double value, double low, double high) {
  if (!(value >= low && value <= high))
    refuse("cosmology: {} = {}; give a number from {} to {}", option, value, low, high);
}

void check_matter(const Cosmology& options) {
  check_between("omega_m", options.omega_m, 0.01, 1);
  check_between("h", options.h, 0.1, 10);
  check_between("n_s", options.n_s, -1, 3);
  check_between("sigma8", options.sigma8, 0, 100);
  if (!(options.omega_b >= 0 && options.omega_b < options.omega_m))
    refuse(
        "cosmology: omega_b = {} with omega_m = {}; baryons are a part of matter, give 0 or more "
        "and less than omega_m",
        options.omega_b, options.omega_m);
  if (options.omega_b < 1e-6 && options.transfer == Transfer::eisenstein_hu)
    refuse(
        "cosmology: omega_b = {}, but the transfer function eisenstein_hu needs baryons; give at "
        "least 1e-6 or take bbks",
        options.omega_b);
}

void check_run(const Cosmology& options) {
  check_between("n", options.n, 2, kMaxN);
  check_between("mesh", options.mesh, 4, kMaxMesh);
  check_between("side", options.side, 1e-3, 1e6);
  check_between("a_start", options.a_start, 0.001, 1);
  check_between("a_end", options.a_end, options.a_start, 10);
  if (options.order != 1 && options.order != 2)
    refuse("cosmology: order = {}; take 1 (Zel'dovich) or 2 (second order)", options.order);
  if (options.a_end > options.a_start) check_between("steps", options.steps, 1, 100000);
}

Cosmology completed(Cosmology options) {
  if (options.side == 0) options.side = options.n;
  if (options.mesh == 0) options.mesh = 2 * options.n;
  check_run(options);
  check_matter(options);
  return options;
}

/// The moments of a run: force s is computed at scale factor at(s), momenta live at halfway(s).
struct Schedule {
  const Cosmology& options;
  double at(int s) const {
    if (s == options.steps) return options.a_end;
    return options.a_start + (options.a_end - options.a_start) * s / options.steps;
  }
  double halfway(int s) const { return 0.5 * (at(s) + at(s + 1)); }
};

/// The factors of step s, such that the solution of linear theory is also a solution of the steps.
StepFactors step_factors(const Schedule& schedule, const GrowthHistory& history, int s) {
  const int last = schedule.options.steps;
  const double from = s == 0 ? schedule.at(0) : schedule.halfway(s - 1);
  const double to = s == last ? schedule.at(last) : schedule.halfway(s);
  const Growth now = history.at(schedule.at(s));
  const Growth after = history.at(to);
  StepFactors factors;
  factors.kick = (after.p1 - history.at(from).p1) / (1.5 * schedule.options.omega_m * now.d1);
  if (s < last) factors.drift = (history.at(schedule.at(s + 1)).d1 - now.d1) / after.p1;
  return factors;
}

void evolve(const GrowthHistory& history, Workers& workers, Universe& universe) {
  const Cosmology& options = universe.options;
  const Gravity gravity(options, workers);
  const Stage stage(workers, "gravity",
                    static_cast<std::uint64_t>(options.steps + 1) * gravity.work());
  for (int s = 0; s <= options.steps; ++s)
    gravity.step(step_factors({options}, history, s), universe.position.data(),
                 universe.velocity.data());
}

/// Momenta become velocities in km/s.
void finish(const Workers& workers, Universe& universe) {
  const auto speed = static_cast<float>(kHubble / universe.options.a_end);
  workers.for_ranges(universe.position.size(), 1 << 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) universe.velocity[i] *= speed;
  });
}

std::vector<float> room(const Cosmology& options, const Workers& workers) {
  const auto n = static_cast<std::size_t>(options.n);
  return filled<float>(workers, n * n * n * 3);
}

}  // namespace

Universe cosmology(const Cosmology& given, const Execution& execution) {
  return public_call("cosmology", execution, [&](Workers& workers) {
    Universe universe;
    universe.options = completed(given);
    const Cosmology& options = universe.options;
    const double cell = options.side / options.n;
    universe.particle_mass = options.omega_m * kCriticalDensity * cell * cell * cell;
    universe.position = room(options, workers);
    universe.velocity = room(options, workers);

    const GrowthHistory history(options.omega_m);
    {
      const Stage stage(workers, "initial conditions", placing_work(options));
      place_particles(options, history.at(options.a_start), workers, universe.position.data(),
                      universe.velocity.data());
    }
    if (options.a_end > options.a_start) evolve(history, workers, universe);
    finish(workers, universe);
    return universe;
  });
}

std::vector<double> linear_power(const Cosmology& options, const std::vector<double>& k) {
  return public_call("linear_power", [&] {
    check_matter(options);
    const PowerSpectrum spectrum(options);
    std::vector<double> result;
    for (const double each : k) {
      if (!(each > 0) || !std::isfinite(each))
        refuse("linear_power: k = {}; give positive, finite wave numbers in h/Mpc", each);
      result.push_back(spectrum(each));
    }
    return result;
  });
}

double linear_growth(const Cosmology& options, double a) {
  return public_call("linear_growth", [&] {
    check_matter(options);
    if (!(a >= 0.001 && a <= 100))
      refuse("linear_growth: a = {}; give a scale factor from 0.001 to 100", a);
    return GrowthHistory(options.omega_m).at(a).d1;
  });
}

}  // namespace kith::sample

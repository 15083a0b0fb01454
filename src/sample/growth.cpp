#include <cmath>

#include "sample/elementary.hpp"
#include "sample/theory.hpp"

namespace kith::sample {
namespace {

// Early enough that only matter counts, for any omega_m: the error there is below 1e-9 for
// omega_m > 0.001.
constexpr double kEarly = 1e-4;
constexpr int kSteps = 512;

double expansion_rate(double a, double omega_m) {
  return std::sqrt(omega_m / (a * a * a) + (1 - omega_m));
}

/// The solution while matter dominates: d1 = a, d2 = -3/7 a^2.
Growth early(double omega_m) {
  const double a = kEarly;
  const double mass = a * a * a * expansion_rate(a, omega_m);
  return {a, mass, -3.0 / 7 * a * a, -6.0 / 7 * a * mass};
}

Growth shifted(const Growth& g, const Growth& slope, double step) {
  return {g.d1 + step * slope.d1, g.p1 + step * slope.p1, g.d2 + step * slope.d2,
          g.p2 + step * slope.p2};
}

/// Derivatives by ln a: displacements follow momenta, momenta follow the force of the displaced
/// matter.
Growth slope_at(double log_a, const Growth& g, double omega_m) {
  const double a = exponential(log_a);
  const double rate = expansion_rate(a, omega_m);
  const double drift = 1 / (a * a * rate);
  const double kick = 1.5 * omega_m / (a * rate);
  return {drift * g.p1, kick * g.d1, drift * g.p2, kick * (g.d2 - g.d1 * g.d1)};
}

/// One Runge-Kutta step of fourth order.
Growth stepped(double log_a, double step, const Growth& g, double omega_m) {
  const Growth k1 = slope_at(log_a, g, omega_m);
  const Growth k2 = slope_at(log_a + step / 2, shifted(g, k1, step / 2), omega_m);
  const Growth k3 = slope_at(log_a + step / 2, shifted(g, k2, step / 2), omega_m);
  const Growth k4 = slope_at(log_a + step, shifted(g, k3, step), omega_m);
  Growth next = shifted(g, k1, step / 6);
  next = shifted(next, k2, step / 3);
  next = shifted(next, k3, step / 3);
  return shifted(next, k4, step / 6);
}

}  // namespace

GrowthHistory::GrowthHistory(double omega_m) : omega_m_(omega_m) { d1_today_ = at(1).d1; }

Growth GrowthHistory::at(double a) const {
  Growth g = early(omega_m_);
  const double begin = natural_log(kEarly);
  const double step = (natural_log(a) - begin) / kSteps;
  for (int i = 0; i < kSteps; ++i) g = stepped(begin + i * step, step, g, omega_m_);
  const double unit = 1 / d1_today_;
  return {g.d1 * unit, g.p1 * unit, g.d2 * unit * unit, g.p2 * unit * unit};
}

}  // namespace kith::sample

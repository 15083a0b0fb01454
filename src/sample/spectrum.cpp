// The transfer functions of Eisenstein & Hu (ApJ 496, 605, 1998) and of Bardeen et al. (ApJ 304,
// 15, 1986).
#include <cmath>
#include <numbers>

#include "sample/elementary.hpp"
#include "sample/theory.hpp"

namespace kith::sample {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kTheta =
    2.7255 / 2.7;  // temperature of the microwave background, in the fit's unit

/// The fit's pressureless transfer function, equation 19 and 20.
double t0(double q, double alpha, double beta) {
  const double c = 14.2 / alpha + 386 / (1 + 69.9 * power(q, 1.08));
  const double l = natural_log(std::numbers::e + 1.8 * beta * q);
  return l / (l + c * q * q);
}

/// Equation 15.
double g(double y) {
  const double root = std::sqrt(1 + y);
  return y * (-6 * root + (2 + 3 * y) * natural_log((root + 1) / (root - 1)));
}

/// The Fourier transform of a sphere of radius 1 that is evenly filled.
double top_hat(double x) {
  if (x < 0.01) return 1 - x * x / 10;
  const CirclePoint p = circle_point(x / (2 * kPi));
  return 3 * (p.sine - x * p.cosine) / (x * x * x);
}

double cube(double x) { return x * x * x; }

}  // namespace

PowerSpectrum::PowerSpectrum(const Cosmology& options) : options_(options), fit_(fit(options)) {
  const double ratio = options.sigma8 / sigma(8);
  amplitude_ = ratio * ratio;
}

double PowerSpectrum::operator()(double k) const {
  const double t = options_.transfer == Transfer::bbks ? bbks(k) : eisenstein_hu(k * options_.h);
  return amplitude_ * power(k, options_.n_s) * t * t;
}

double PowerSpectrum::sigma(double radius) const {
  // The trapezoidal rule in ln k; the window ends the integral at both sides.
  constexpr int kPoints = 4000;
  const double begin = natural_log(1e-5 / radius);
  const double step = natural_log(1e8) / kPoints;
  double sum = 0;
  for (int i = 0; i <= kPoints; ++i) {
    const double k = exponential(begin + i * step);
    const double window = top_hat(k * radius);
    sum += cube(k) * (*this)(k)*window * window;
  }
  return std::sqrt(sum * step / (2 * kPi * kPi));
}

PowerSpectrum::Fit PowerSpectrum::fit(const Cosmology& options) {
  const double matter = options.omega_m * options.h * options.h;
  const double baryons = options.omega_b * options.h * options.h;
  const double theta2 = kTheta * kTheta;
  Fit f{};
  f.f_baryon = options.omega_b / options.omega_m;
  const double z_eq = 2.5e4 * matter / (theta2 * theta2);
  f.k_eq = 0.0746 * matter / theta2;

  const double b1 = 0.313 * power(matter, -0.419) * (1 + 0.607 * power(matter, 0.674));
  const double b2 = 0.238 * power(matter, 0.223);
  const double z_drag = 1291 * power(matter, 0.251) / (1 + 0.659 * power(matter, 0.828)) *
                        (1 + b1 * power(baryons, b2));
  const double r_times_z = 31.5e3 * baryons / (theta2 * theta2);
  const double r_drag = r_times_z / z_drag;
  const double r_eq = r_times_z / z_eq;
  f.s = 2 / (3 * f.k_eq) * std::sqrt(6 / r_eq) *
        natural_log((std::sqrt(1 + r_drag) + std::sqrt(r_drag + r_eq)) / (1 + std::sqrt(r_eq)));
  f.k_silk = 1.6 * power(baryons, 0.52) * power(matter, 0.73) * (1 + power(10.4 * matter, -0.95));

  const double a1 = power(46.9 * matter, 0.670) * (1 + power(32.1 * matter, -0.532));
  const double a2 = power(12.0 * matter, 0.424) * (1 + power(45.0 * matter, -0.582));
  f.alpha_c = power(a1, -f.f_baryon) * power(a2, -cube(f.f_baryon));
  const double c1 = 0.944 / (1 + power(458 * matter, -0.708));
  const double c2 = power(0.395 * matter, -0.0266);
  f.beta_c = 1 / (1 + c1 * (power(1 - f.f_baryon, c2) - 1));

  f.alpha_b = 2.07 * f.k_eq * f.s * power(1 + r_drag, -0.75) * g((1 + z_eq) / (1 + z_drag));
  f.beta_node = 8.41 * power(matter, 0.435);
  const double m = 17.2 * matter;
  f.beta_b = 0.5 + f.f_baryon + (3 - 2 * f.f_baryon) * std::sqrt(m * m + 1);
  return f;
}

/// k in 1/Mpc here, as in the paper.
double PowerSpectrum::eisenstein_hu(double k) const {
  const double q = k / (13.41 * fit_.k_eq);
  const double ks = k * fit_.s;
  const double ks_fourth = (ks / 5.4) * (ks / 5.4) * (ks / 5.4) * (ks / 5.4);
  const double f = 1 / (1 + ks_fourth);
  const double dark = f * t0(q, 1, fit_.beta_c) + (1 - f) * t0(q, fit_.alpha_c, fit_.beta_c);

  const double s_shifted = fit_.s / power(1 + cube(fit_.beta_node / ks), 1.0 / 3);
  const double phase = k * s_shifted;
  // Beyond this the sound waves are damped to less than 1e-13; the exponential has no smaller
  // numbers.
  const double damping = k < 100 * fit_.k_silk / 9 ? exponential(-power(k / fit_.k_silk, 1.4)) : 0;
  const double j0 = phase < 1e-4 ? 1 : sine(phase) / phase;
  const double baryons = (t0(q, 1, 1) / (1 + (ks / 5.2) * (ks / 5.2)) +
                          fit_.alpha_b / (1 + cube(fit_.beta_b / ks)) * damping) *
                         j0;
  return fit_.f_baryon * baryons + (1 - fit_.f_baryon) * dark;
}

double PowerSpectrum::bbks(double k) const {
  const double shape =
      options_.omega_m * options_.h *
      exponential(-options_.omega_b * (1 + std::sqrt(2 * options_.h) / options_.omega_m));
  const double q = k / shape;
  const double series =
      1 + 3.89 * q + (16.1 * q) * (16.1 * q) + cube(5.46 * q) + (6.71 * q) * cube(6.71 * q);
  const double l = q < 1e-8 ? 1 : natural_log(1 + 2.34 * q) / (2.34 * q);
  return l * power(series, -0.25);
}

}  // namespace kith::sample

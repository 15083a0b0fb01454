// Linear theory of a flat universe of matter and a cosmological constant: how fast fluctuations
// grow, and how large they are on each scale.
#pragma once

#include <vector>

#include <kith/cosmology.hpp>

namespace kith::sample {

/// Growth at one scale factor. A particle that began at q is at x = q + d1 s1 + d2 s2 to second
/// order, and its momentum a^2 dx/dt, with time in units of 1 / H0, is p1 s1 + p2 s2.
struct Growth {
  double d1 = 0;
  double p1 = 0;
  double d2 = 0;
  double p2 = 0;
};

/// Growth as a function of the scale factor, d1 = 1 at a = 1.
class GrowthHistory {
 public:
  explicit GrowthHistory(double omega_m);
  Growth at(double a) const;

 private:
  double omega_m_;
  double d1_today_ = 1;
};

/// The linear power spectrum at a = 1 in (Mpc/h)^3 at wave numbers in h/Mpc.
class PowerSpectrum {
 public:
  explicit PowerSpectrum(const Cosmology& options);
  double operator()(double k) const;
  /// The rms contrast in spheres of this radius in Mpc/h.
  double sigma(double radius) const;

 private:
  /// Numbers of the Eisenstein & Hu fit that depend on the cosmology alone, named as in their
  /// paper.
  struct Fit {
    double k_eq, k_silk, s, alpha_c, beta_c, alpha_b, beta_b, beta_node, f_baryon;
  };
  static Fit fit(const Cosmology& options);
  double eisenstein_hu(double k) const;
  double bbks(double k) const;

  Cosmology options_;
  Fit fit_;
  double amplitude_ = 1;
};

}  // namespace kith::sample

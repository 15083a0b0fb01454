// A sample universe: dark matter particles in a periodic box, evolved under gravity.
//
// Lengths are comoving and in Mpc/h, wave numbers in h/Mpc, velocities in km/s, masses in solar
// masses / h.
#pragma once

#include <cstdint>
#include <vector>

#include <kith/box.hpp>
#include <kith/execution.hpp>
#include <kith/export.hpp>
#include <kith/points.hpp>

namespace kith::sample {

/// The shape of the linear power spectrum.
enum class Transfer {
  eisenstein_hu,  ///< Eisenstein & Hu 1998, with baryon acoustic oscillations
  bbks,           ///< Bardeen, Bond, Kaiser & Szalay 1986, with Sugiyama's shape parameter
};

/// The parameters of a flat universe, and of the simulation.
struct Cosmology {
  int n = 128;      ///< particles along each axis, n^3 in all
  double side = 0;  ///< of the periodic box in Mpc/h; 0 = n Mpc/h
  std::uint64_t seed = 1;

  double omega_m = 0.31;   ///< matter, baryons included, today
  double omega_b = 0.049;  ///< baryons today; they only shape the spectrum
  double h = 0.68;         ///< Hubble constant today in 100 km/s/Mpc
  double n_s = 0.97;       ///< primordial slope
  double sigma8 = 0.81;    ///< linear rms contrast today in spheres of 8 Mpc/h; sets the amplitude
  Transfer transfer = Transfer::eisenstein_hu;

  int order = 2;          ///< of the initial conditions: 1 = Zel'dovich, 2 = second order
  double a_start = 0.05;  ///< scale factor of the initial conditions
  /// Scale factor of the result; a_start gives the initial conditions themselves.
  double a_end = 1;
  int steps = 40;  ///< number of steps, of equal length in scale factor
  int mesh = 0;  ///< cells of the force mesh along each axis; 0 = 2 n (n makes halos too extended)
};

/// Particles at one time.
struct Universe {
  std::vector<float> position;  ///< n^3 rows of 3, in [0, side)
  std::vector<float> velocity;  ///< peculiar velocities, n^3 rows of 3
  double particle_mass = 0;
  Cosmology options;  ///< with all defaults filled in

  std::size_t size() const { return position.size() / 3; }
  View<float> view() const { return kith::view(position.data(), size(), 3); }
  Box box() const { return Box::periodic(options.side); }
};

/// A Gaussian random field at a_start, then a particle-mesh run to a_end.
///
/// Row (i n + j) n + k is the particle that began in cell (i, j, k) of an n^3 grid. A seed gives
/// the same waves at every n, so runs of different n in boxes of the same side have the same
/// structures.
/// Cost: 128^3 takes 33 s of processor time; memory 4 bytes per mesh cell + 24 per particle.
/// Errors: invalid_argument, too_large, out_of_memory, cancelled.
KITH_API Universe cosmology(const Cosmology& options, const Execution& execution = {});

/// Linear power spectrum at scale factor 1 in (Mpc/h)^3, for k > 0.
KITH_API std::vector<double> linear_power(const Cosmology& options, const std::vector<double>& k);

/// Linear growth factor D, 1 at scale factor 1, for 0.001 <= a <= 100.
KITH_API double linear_growth(const Cosmology& options, double a);

}  // namespace kith::sample

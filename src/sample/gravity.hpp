// Gravity on a mesh: particles are spread over cells, the potential is made by Fourier transform,
// and particles are pulled by its slope.
//
// Cloud-in-cell both ways, with the same weights, and a symmetric slope: no particle pulls itself
// and the forces of all sum to nothing. The slope is the difference over four points of the
// potential in real space, which takes two transforms per force where slopes in Fourier space take
// four; it is exact to third order and falls to zero at the edge of the mesh, where cloud-in-cell
// forces point anywhere.
#pragma once

#include <kith/cosmology.hpp>

#include "parallel/workers.hpp"
#include "sample/fourier.hpp"

namespace kith::sample {

/// Factors of one step: momentum += kick * force, then position += drift * momentum.
struct StepFactors {
  double kick = 0;
  double drift = 0;
};

/// The cells that a coordinate lies between, and its share of each.
struct Share {
  std::size_t lower;
  std::size_t upper;
  float of_upper;
};

/// One axis of the force mesh.
struct MeshAxis {
  std::size_t n;
  float cells_per_length;
  float offset;  ///< in cells, from 0 to 1

  Share share(float x) const {
    const float scaled = x * cells_per_length + offset;
    const auto cell = static_cast<std::size_t>(scaled);
    const std::size_t lower = cell < n ? cell : cell - n;
    return {lower, lower + 1 < n ? lower + 1 : 0, scaled - static_cast<float>(cell)};
  }
};

class Gravity {
 public:
  Gravity(const Cosmology& options, const Workers& workers);

  /// One force computation for n^3 particles with positions in [0, side), rows of 3, and one step
  /// of them. The force is minus the gradient of psi, where the Laplacian of psi is 3/2 omega_m
  /// times the contrast. Advances the workers' stage by work().
  void step(const StepFactors& factors, float* position, float* momentum) const;

  std::uint64_t work() const { return 3 * mesh_.n(); }

 private:
  int deposit(const float* position) const;
  std::uint64_t spread(const float* position, int bits) const;
  void make_potential(int bits) const;
  void pull(const StepFactors& factors, float* position, float* momentum) const;

  const Cosmology& options_;
  const Workers& workers_;
  std::size_t particles_;
  MeshAxis axis_;
  Mesh mesh_;
  Fourier fourier_;
  std::vector<float> window_;  ///< per wave number: the inverse of the smoothing by cloud-in-cell
};

}  // namespace kith::sample

// Initial conditions: a Gaussian random field, and the displacements and momenta that particles
// have in it.
#pragma once

#include <kith/cosmology.hpp>

#include "parallel/workers.hpp"
#include "sample/fourier.hpp"
#include "sample/theory.hpp"

namespace kith::sample {

/// Amplitudes of the linear density contrast at a = 1: delta(x) = sum over k of amplitude exp(ikx).
/// The same wave has the same phase for any n. Waves at the edge of the mesh (n / 2) are left out:
/// only half of their phases are distinct there.
Mesh linear_field(const Cosmology& options, const Workers& workers);

/// Positions in [0, side) and momenta, rows of 3, of the particles at the growth given.
void place_particles(const Cosmology& options, const Growth& growth, const Workers& workers,
                     float* position, float* momentum);

/// The amount by which place_particles advances the workers' stage.
std::uint64_t placing_work(const Cosmology& options);

}  // namespace kith::sample

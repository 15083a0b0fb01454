// Which particles of a snapshot make groups, which join them, and how far apart they are on
// average: the rules of `kith fof`, and of kith.halos in Python.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <kith/box.hpp>
#include <kith/execution.hpp>
#include <kith/export.hpp>
#include <kith/halos.hpp>
#include <kith/io/snapshot.hpp>

namespace kith {

/// The role of each type of particles in friends of friends.
struct ParticleRoles {
  /// They make the groups.
  std::vector<int> linked = {};
  /// They join the group of their nearest linked particle; ascending.
  std::vector<int> attached = {};
  /// Linked types that are low-resolution particles of a zoom simulation.
  std::vector<int> contaminating = {};
};

/// As in other codes: dark matter (type 1) is linked; gas, stars and black holes (0, 4, 5) are
/// attached. Particles of types 2 and 3 that are heavier than dark matter are attached and
/// contaminating: they surround the region of interest of a zoom simulation. Lighter ones are disks
/// and bulges of galaxies, and are left out. A file without type 1 has all types linked.
///
/// `types`: those to use; all, if none are named. Reads the masses of types 1, 2 and 3 if the
/// header does not have them. Errors: io, cancelled.
KITH_API ParticleRoles particle_roles(const Snapshot& snapshot, std::span<const int> types = {},
                                      const Execution& execution = {});

/// The mean separation of the linked particles, found in two ways.
struct MeanSeparation {
  double by_number = 0;  ///< (V/N)^(1/3) over the box; 0 in an open box
  double by_mass = 0;    ///< (m/rho)^(1/3); 0 if the file does not say enough
  /// The particles do not fill the box, so that their number does not say how far apart they are.
  bool is_by_mass = false;
  /// The linked dark matter has particles of different masses, as in zoom simulations. by_mass is
  /// the separation of the lightest ones, those of high resolution.
  bool has_several_masses = false;
  /// False: there are baryons and the file has no Omega_b, so by_mass takes 0.157 Omega_m for it.
  bool is_baryon_fraction_known = true;
};

/// For lengths given as a fraction `b` of the mean separation. The density rho is that of what the
/// linked particles represent: dark matter if the file has baryons too, else all matter. The mass m
/// is their mean mass. If there is dark matter over 1.5 times as heavy as the lightest, as in zoom
/// simulations, m is the mean of the lighter particles, unless these are fewer than one in a
/// hundred. The two ways agree to 1 % (10 % without Omega_b) if the particles fill the box;
/// otherwise the mass decides, as in Gadget-4 and SWIFT. Errors: io, cancelled.
KITH_API MeanSeparation mean_separation(const Snapshot& snapshot, std::span<const int> linked,
                                        const Box& box, const Execution& execution = {});

/// Newton's constant in the units of a snapshot, divided by the scale factor if its lengths are
/// comoving; 0 if it does not state its units.
KITH_API double snapshot_gravity(const SnapshotInfo& info);

/// The expansion in a snapshot in its units, velocity per length: H(z), times the scale factor if
/// its lengths are comoving; 0 if it does not state its units and cosmology.
KITH_API double snapshot_hubble_flow(const SnapshotInfo& info);

/// The universe of a snapshot in its units; none if it does not state enough.
KITH_API std::optional<Cosmology> snapshot_cosmology(const SnapshotInfo& info);

}  // namespace kith

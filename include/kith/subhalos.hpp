// Subhalos: groups inside groups.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <kith/box.hpp>
#include <kith/catalogue.hpp>
#include <kith/execution.hpp>
#include <kith/export.hpp>
#include <kith/points.hpp>

namespace kith {

/// How subhalos are found; docs/subhalos.md defines them.
enum class SubhaloMethod {
  automatic,  ///< phase_fof if a linking length is given, otherwise subfind
  phase_fof,  ///< friends of friends in phase space, one search with a given length
  subfind,    ///< dense regions, reduced to members that their own gravity binds
  phase,      ///< regions around seeds in phase space, reduced in the same way
};

constexpr const char* name(SubhaloMethod method) {  ///< "phase_fof"
  switch (method) {
    case SubhaloMethod::automatic: return "automatic";
    case SubhaloMethod::phase_fof: return "phase_fof";
    case SubhaloMethod::subfind: return "subfind";
    case SubhaloMethod::phase: return "phase";
  }
  return "?";
}

struct SubhaloOptions {
  SubhaloMethod method = SubhaloMethod::automatic;
  Box box = {};              ///< the box of the groups
  PointsView velocity = {};  ///< of every point; peculiar velocities for bound subhalos
  ValuesView mass = {};      ///< default 1 for all
  /// As in CatalogueOptions, for counts and masses by type.
  std::span<const std::uint8_t> type = {};
  int types = 0;

  // phase_fof
  double linking_length = 0;  ///< in units of the scales below; required
  double position_scale = 0;  ///< 0: sqrt(mean |x - center|^2) of each halo's members
  double velocity_scale = 0;  ///< 0: sqrt(mean |v - mean velocity|^2) of each halo's members

  std::size_t min_size = 20;  ///< the smallest subhalo

  // subfind and phase
  /// Newton's constant in velocity^2 length / mass, divided by the scale factor if lengths are
  /// comoving; required.
  double gravity = 0;
  /// Potentials are -sum m / sqrt(r^2 + softening^2): the softening length of the simulation.
  double softening = 0;
  /// The expansion H(z) in velocity per length: for comoving lengths, H(z) times the scale factor.
  double hubble_flow = 0;
  /// Thermal energy per mass of every point, in velocity^2; default 0 for all.
  ValuesView thermal_energy = {.same = 0};

  // subfind
  std::size_t density_neighbors = 64;  ///< k of the density, which includes the point itself
  std::size_t link_neighbors = 20;     ///< among which the two nearest denser ones are linked
};

/// The method that these options ask for.
constexpr SubhaloMethod chosen_method(const SubhaloOptions& options) {
  if (options.method != SubhaloMethod::automatic) return options.method;
  return options.linking_length > 0 ? SubhaloMethod::phase_fof : SubhaloMethod::subfind;
}

/// Whether these options ask for bound subhalos: subfind or phase.
constexpr bool are_bound(const SubhaloOptions& options) {
  return chosen_method(options) != SubhaloMethod::phase_fof;
}

/// Groups inside groups, sorted by halo, then by size (largest first), then by lowest member.
struct Subhalos {
  std::vector<std::int64_t> parent;  ///< the halo of each subhalo
  Members members;                   ///< points of each subhalo
  Catalogue catalogue;               ///< properties of each subhalo

  // Of bound subhalos; empty for phase_fof.
  std::vector<std::int64_t> host;        ///< the smallest subhalo around this one; -1: none
  std::vector<std::int64_t> most_bound;  ///< the point of lowest energy
  std::vector<double> peak;              ///< where it is, inside the box
  /// The members of each subhalo as in `members`, but the most bound one first.
  std::vector<std::uint32_t> by_binding;
};

/// Finds the subhalos of each halo.
///
/// phase_fof: friends of friends with d2 = |dx|^2 / position_scale^2 + |dv|^2 / velocity_scale^2,
/// in float64, positions unwrapped about the halo's first member. A scale that is 0 because all
/// members agree leaves its part out. Points of up to 16 dimensions.
///
/// subfind: a candidate is a dense region of a halo up to the saddle point where it meets a larger
/// one, and the halo itself. From the smallest candidate to the halo, members that are not bound by
/// the gravity of the others are removed until all are bound; they are left to the candidate
/// around. So a halo's own bound members form a subhalo as well, mostly the first. Points of 1 to 3
/// dimensions. Its catalogue measures circular velocities from the most bound member. Cost: about
/// O(n log n); memory: 250 bytes per member of the largest halo.
///
/// phase: the members of a halo are linked in phase space with a length at which 7 of 10 have a
/// friend, the groups in the same way, and so on. Groups that have none inside are seeds, each
/// member joins a seed, and a candidate is what joined a seed and those around it. Members are
/// removed as in subfind. Cost: about O(n log n + n s) for s seeds of a halo; memory: 300 bytes per
/// member of the largest halo.
///
/// Errors: invalid_argument for a linking length or a gravity that is not positive, other numbers
/// that are negative, missing velocities, or sizes that do not fit; points of other dimensions.
KITH_API Subhalos subhalos(PointsView points, const Members& halos, const SubhaloOptions& options,
                           const Execution& execution = {});

/// The subhalo of each point, of which there are `points`; -1: none.
KITH_API std::vector<std::int32_t> subhalo_labels(const Subhalos& subhalos, std::size_t points);

}  // namespace kith

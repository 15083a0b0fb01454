// The metadata of results: one table of names, fields and meanings. The writers and readers of all
// styles, the Python package and the table in the documents use it.
#pragma once

#include <initializer_list>
#include <type_traits>

#include <kith/io/results.hpp>

namespace kith {

/// One fact. Its name is that of an attribute in HDF5, or of a line in other formats.
struct ResultFact {
  const char* name;
  unsigned kinds;       ///< bits of the kinds of results that have it
  const char* meaning;  ///< for the documents
};

constexpr unsigned bit_of(ResultKind kind) { return 1U << static_cast<unsigned>(kind); }
constexpr unsigned bits_of(std::initializer_list<ResultKind> kinds) {
  unsigned bits = 0;
  for (const ResultKind kind : kinds) bits |= bit_of(kind);
  return bits;
}

inline constexpr unsigned kEveryResult = ~0U >> 2;
inline constexpr unsigned kOnlySky = 1U << 30;           ///< where points are positions on the sky
inline constexpr unsigned kOnlyCosmological = 1U << 31;  ///< where the background is known

/// Calls visit(fact, field) for every fact, in the order in which files contain them; the
/// ResultAbout may be const. A Box is two facts: its sides, and its `origin`.
template <class About, class Visit>
void for_each_fact(About& about, Visit visit) {  // NOLINT(readability-function-size): a table
  static_assert(std::is_same_v<std::remove_const_t<About>, ResultAbout>);
  using enum ResultKind;
  constexpr unsigned all = kEveryResult;
  constexpr unsigned groups = bits_of({fof, subhalos}), sub = bit_of(subhalos);
  constexpr unsigned neighbors = bits_of({knn, radius}), cluster = bit_of(clusters);
  constexpr unsigned universe = kEveryResult | kOnlyCosmological;
  const auto fact = [&](const char* name, unsigned kinds, auto& field, const char* meaning) {
    visit(ResultFact{name, kinds, meaning}, field);
  };
  fact("kind", all, about.kind, "fof, subhalos, knn, radius, density, clusters or match");
  fact("version", all, about.version, "version of kith that wrote the file");
  fact("snapshot", all, about.snapshot, "the file with the points");
  fact("points", all, about.points, "number of points");
  fact("dimension", all, about.dimension, "dimension of the points");
  fact("scalar", all, about.scalar, "type in which distances were computed: float32 or float64");
  fact("box", all, about.box, "periodic sides, 0 on open axes; `origin` is its lower corner");
  fact("sky", kEveryResult | kOnlySky, about.sky,
       "degrees: points are positions on the sky, and neighbors are at angles; lengths among these "
       "facts are chords");
  fact("type_numbers", all, about.type_numbers,
       "number of particle types in the format of the snapshot");
  fact("types", all, about.types, "types of the points; empty: all are of type 0");
  fact("counts", all, about.counts, "number of points of each type");
  fact("given_mass", all, about.given_mass,
       "mass of particles that have none in the file, from the option `mass`; 0: not given");
  fact("subhalo_method", sub, about.subhalo_method, "subfind, phase or phase_fof");
  fact("subhalo_linking_length", sub, about.subhalo_linking_length,
       "linking length in phase space, in units of the scales");
  fact("position_scale", sub, about.position_scale,
       "scale of positions; 0: the extent of each group");
  fact("velocity_scale", sub, about.velocity_scale,
       "scale of velocities; 0: the dispersion of each group");
  fact("subhalo_min_size", sub, about.subhalo_min_size, "smallest size of a subhalo");
  fact("subhalo_softening", sub, about.subhalo_softening,
       "softening length of the potentials that bind subhalos");
  fact("hubble_flow", sub, about.hubble_flow,
       "expansion in velocity per length that subfind and phase add to velocities");
  fact("density_neighbors", sub, about.density_neighbors, "neighbors of the densities of subfind");
  fact("link_neighbors", sub, about.link_neighbors,
       "neighbors among which subfind links the two nearest denser ones");
  fact("link_types", groups, about.link_types, "types whose points are linked");
  fact("attach_types", groups, about.attach_types,
       "types that join the group of their nearest linked point");
  fact("linking_length", groups | bit_of(match), about.linking_length,
       "linking length, rounded to the scalar type");
  fact("b", groups | bit_of(match), about.b,
       "linking length over mean separation; 0: the length was given");
  fact("linking_length_column", bit_of(fof), about.linking_length_column,
       "column or dataset of the snapshot with a linking length for each point, of which "
       "`linking_length` is the largest; otherwise empty");
  fact("linking_length_rule", bit_of(fof), about.linking_length_rule,
       "length of a pair with two linking lengths: mean, least or largest; otherwise empty");
  fact("min_size", groups | bit_of(match), about.min_size, "smallest size of a group");
  fact("line_of_sight", groups, about.line_of_sight,
       "for groups in redshift space: x, y, z or midpoint; otherwise empty");
  fact("stretch", groups, about.stretch,
       "ratio of the linking lengths along and across the line of sight");
  fact("contaminating_types", groups, about.contaminating_types,
       "low-resolution types of a zoom run");
  fact("sorted_snapshot", groups, about.sorted_snapshot,
       "snapshot with the points sorted by group, if it was written; otherwise empty");
  fact("center", groups, about.center,
       "kind of center in `peak`: mass, density, shrinking or potential; empty: mass");
  fact("softening", groups, about.softening,
       "softening length of the potential, for the center `potential`");
  fact("gravity", groups, about.gravity,
       "Newton's constant in units of the result, divided by the scale factor if lengths are "
       "comoving; 0: no circular velocities");
  fact("k", bits_of({knn, density}), about.k, "number of neighbors of each point");
  fact("radius", bit_of(radius), about.radius, "largest distance of a neighbor");
  fact("exclude_self", neighbors, about.exclude_self, "1: points are not their own neighbors");
  fact("strict", groups | neighbors, about.strict,
       "1: points at exactly the limit (linking length, radius, max_radius) do not count");
  fact("max_radius", bit_of(knn), about.max_radius, "largest distance of a neighbor; 0: no limit");
  fact("p", neighbors, about.p, "exponent of the norm; 2 is Euclidean");
  fact("kernel", bit_of(density), about.kernel,
       "kernel of the density: cubic_spline or wendland_c2");
  fact("method", cluster, about.method, "dbscan or hdbscan");
  fact("eps", cluster, about.eps,
       "dbscan: largest distance between neighbors, rounded to the scalar type");
  fact("min_samples", cluster, about.min_samples,
       "dbscan: points within eps that make a core point; hdbscan: the neighbor that defines the "
       "core distance; both include the point itself");
  fact("border", cluster, about.border, "dbscan: rule for border points: nearest, sklearn or none");
  fact("border_links", cluster, about.border_links,
       "dbscan: core points of a cluster that a border point needs within eps");
  fact("min_cluster_size", cluster, about.min_cluster_size, "hdbscan: smallest size of a cluster");
  fact("selection", cluster, about.selection, "hdbscan: how clusters are selected, eom or leaf");
  fact("selection_epsilon", cluster, about.selection_epsilon,
       "hdbscan: clusters that split off at a shorter distance stay together");
  fact("allow_single_cluster", cluster, about.allow_single_cluster,
       "hdbscan: 1: all points may be one cluster");
  fact("max_cluster_size", cluster, about.max_cluster_size,
       "hdbscan: largest size of a cluster with eom; 0: no limit");
  fact("other", bit_of(match), about.other, "the catalogue in which matches are");
  fact("weight", bit_of(match), about.weight,
       "weight of a member by its rank of binding: sqrt_rank, inverse_rank or equal");
  fact("most_bound", bit_of(match), about.most_bound,
       "the number of most bound members that have a weight; 0: all");
  fact("find", bit_of(match), about.find,
       "1: groups were found even in snapshots that have a catalogue");
  fact("find_subhalos", bit_of(match), about.find_subhalos,
       "1: bound subhalos of the groups that were found are matched");
  fact("time", all, about.time, "time in the header of the snapshot");
  fact("unit_length", all, about.units.length, "unit of length in cm; 0: unknown");
  fact("unit_mass", all, about.units.mass, "unit of mass in g; 0: unknown");
  fact("unit_velocity", all, about.units.velocity, "unit of velocity in cm/s; 0: unknown");
  fact("is_per_h", all, about.units.is_per_h, "1: units of length and mass contain a factor 1/h");
  fact("is_comoving", all, about.units.is_comoving, "1: lengths are comoving");
  fact("is_cosmological", all, about.background.is_known, "1: the cosmology below is known");
  fact("omega_m", universe, about.background.omega_m, "density of matter today");
  fact("omega_lambda", universe, about.background.omega_lambda,
       "density of the cosmological constant today");
  fact("omega_b", universe, about.background.omega_b, "density of baryons today");
  fact("h", universe, about.background.h, "Hubble constant in 100 km/s/Mpc");
  fact("scale_factor", universe, about.background.scale_factor, "scale factor of the snapshot");
  fact("redshift", universe, about.background.redshift, "redshift of the snapshot");
}

/// Whether this result has the fact.
inline bool has_fact(const ResultAbout& about, const ResultFact& fact) {
  return (fact.kinds & bit_of(about.kind)) != 0 &&
         ((fact.kinds & kOnlyCosmological) == 0 || about.background.is_known) &&
         ((fact.kinds & kOnlySky) == 0 || !about.sky.empty());
}

}  // namespace kith

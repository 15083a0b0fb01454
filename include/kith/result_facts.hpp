// The metadata of results: one table of names, fields and meanings. The writers and readers of all
// styles, the Python package and the table in the documents use it.
#pragma once

#include <initializer_list>
#include <type_traits>

#include <kith/results.hpp>

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

inline constexpr unsigned kEveryResult = ~0U >> 1;
inline constexpr unsigned kOnlyCosmological = 1U << 31;  ///< where the background is known

/// Calls visit(fact, field) for every fact, in the order in which files have them; the ResultAbout
/// may be const or not. A Box is two facts: its sides, and its `origin`.
template <class About, class Visit>
void for_each_fact(About& about, Visit visit) {
  static_assert(std::is_same_v<std::remove_const_t<About>, ResultAbout>);
  using enum ResultKind;
  constexpr unsigned all = kEveryResult;
  constexpr unsigned groups = bits_of({fof, subhalos}), sub = bit_of(subhalos);
  constexpr unsigned neighbors = bits_of({knn, radius}), cluster = bit_of(clusters);
  constexpr unsigned universe = kEveryResult | kOnlyCosmological;
  const auto fact = [&](const char* name, unsigned kinds, auto& field, const char* meaning) {
    visit(ResultFact{name, kinds, meaning}, field);
  };
  fact("kind", all, about.kind, "fof, subhalos, knn, radius, density or clusters");
  fact("version", all, about.version, "of the kith that wrote it");
  fact("snapshot", all, about.snapshot, "the file that the points came from");
  fact("points", all, about.points, "how many there are");
  fact("dimension", all, about.dimension, "of the points");
  fact("scalar", all, about.scalar, "float32 or float64: in which distances were computed");
  fact("box", all, about.box, "periodic sides, 0 on open axes; `origin` is its lower corner");
  fact("type_numbers", all, about.type_numbers,
       "numbers of types that the snapshot's format knows");
  fact("types", all, about.types, "of the points; none: all are of type 0");
  fact("counts", all, about.counts, "points of each type");
  fact("given_mass", all, about.given_mass,
       "of particles to which the file gives no mass, as the user said; 0: nothing was said");
  fact("subhalo_linking_length", sub, about.subhalo_linking_length,
       "in phase space, in units of the scales");
  fact("position_scale", sub, about.position_scale, "0: the group's own extent");
  fact("velocity_scale", sub, about.velocity_scale, "0: the group's own dispersion");
  fact("subhalo_min_size", sub, about.subhalo_min_size, "smallest subhalo that counts");
  fact("link_types", groups, about.link_types, "types that make groups");
  fact("attach_types", groups, about.attach_types,
       "types that join the group of their nearest linked point");
  fact("linking_length", groups, about.linking_length, "rounded to the scalar type");
  fact("b", groups, about.b, "as a fraction of the mean separation; 0: the length was given");
  fact("min_size", groups, about.min_size, "smallest group that counts");
  fact("line_of_sight", groups, about.line_of_sight,
       "x, y, z or midpoint, of groups in redshift space; none: there is none");
  fact("stretch", groups, about.stretch,
       "linking length along the line of sight over the one across it");
  fact("contaminating_types", groups, about.contaminating_types,
       "types that a zoom run has outside of its region");
  fact("sorted_snapshot", groups, about.sorted_snapshot,
       "the same points, group after group, where they were written; none otherwise");
  fact("center", groups, about.center,
       "what `peak` is: mass, density, shrinking or potential; none: mass");
  fact("softening", groups, about.softening, "of the potentials whose deepest member is `peak`");
  fact("gravity", groups, about.gravity,
       "Newton's constant of the circular velocities, over the scale factor if comoving; 0: none");
  fact("k", bits_of({knn, density}), about.k, "neighbors of each point");
  fact("radius", bit_of(radius), about.radius, "neighbors lie within");
  fact("exclude_self", neighbors, about.exclude_self, "1: a point is none of its neighbors");
  fact("strict", groups | neighbors, about.strict,
       "1: points at exactly the limit (linking length, radius, max_radius) do not count");
  fact("max_radius", bit_of(knn), about.max_radius, "no neighbors beyond; 0: no limit");
  fact("p", neighbors, about.p, "the norm that measures distance; 2 is Euclid's");
  fact("kernel", bit_of(density), about.kernel, "cubic_spline or wendland_c2");
  fact("method", cluster, about.method, "dbscan or hdbscan");
  fact("eps", cluster, about.eps, "dbscan: neighbors lie within; rounded to the scalar type");
  fact("min_samples", cluster, about.min_samples,
       "points within eps of a core point, or the neighbor that gives the core distance; the "
       "point itself counts");
  fact("border", cluster, about.border, "dbscan: which cluster border points join");
  fact("border_links", cluster, about.border_links,
       "dbscan: core points of its cluster within eps of a border point");
  fact("min_cluster_size", cluster, about.min_cluster_size, "hdbscan: smallest cluster");
  fact("selection", cluster, about.selection, "hdbscan: eom or leaf");
  fact("selection_epsilon", cluster, about.selection_epsilon,
       "hdbscan: clusters that split off at a shorter distance stay together");
  fact("allow_single_cluster", cluster, about.allow_single_cluster,
       "hdbscan: 1: all points may be one cluster");
  fact("max_cluster_size", cluster, about.max_cluster_size,
       "hdbscan: larger clusters are not taken by eom; 0: no limit");
  fact("time", all, about.time, "of the snapshot");
  fact("unit_length", all, about.units.length, "in cm; 0: not known");
  fact("unit_mass", all, about.units.mass, "in g; 0: not known");
  fact("unit_velocity", all, about.units.velocity, "in cm/s; 0: not known");
  fact("is_per_h", all, about.units.is_per_h, "1: lengths and masses carry a factor 1/h");
  fact("is_comoving", all, about.units.is_comoving, "1: lengths are comoving");
  fact("is_cosmological", all, about.background.is_known, "1: the following are known");
  fact("omega_m", universe, about.background.omega_m, "matter today");
  fact("omega_lambda", universe, about.background.omega_lambda, "cosmological constant today");
  fact("omega_b", universe, about.background.omega_b, "baryons today");
  fact("h", universe, about.background.h, "Hubble constant in 100 km/s/Mpc");
  fact("scale_factor", universe, about.background.scale_factor, "of the snapshot");
  fact("redshift", universe, about.background.redshift, "of the snapshot");
}

/// Whether this result has the fact.
inline bool has_fact(const ResultAbout& about, const ResultFact& fact) {
  return (fact.kinds & bit_of(about.kind)) != 0 &&
         ((fact.kinds & kOnlyCosmological) == 0 || about.background.is_known);
}

}  // namespace kith

// Ghosts: the points of other ranks within reach of a rank's queries.
#pragma once

#include "mpi/domains/domain.hpp"
#include "mpi/neighbors/near_boxes.hpp"
#include "neighbors/far_queries.hpp"

namespace kith::mpi {

/// The queries of this rank under packed planes: its own points, or others that were sent here.
template <class T>
struct Queries {
  const Planes<T>* points = nullptr;
  PlanesView<T> view;
  bool is_own = false;
};

/// Points of other ranks, numbered in the order of their global indices.
template <class T>
struct Ghosts {
  Planes<T> planes;
  Array<std::uint64_t> global;
  Array<double> value;  ///< on request, some numbers of the caller for each point
};

/// Where fewer than `need` points are on this rank: limits each reach to the boxes that hold this
/// many. For p other than 2, the sphere must enclose the ball of the norm around the boxes.
template <class T>
void shorten_reach(const Part<T>& part, std::uint64_t need, double p, const Workers& workers,
                   FarQueries<T>& queries);

/// Whose points are imported.
enum class GhostsOf { others, all };

/// The points of all other ranks within reach, or of all ranks. `value`: one number for each local
/// index, to be sent with the points, or null. Collective.
template <class T>
Ghosts<T> import_ghosts(Call& call, const Part<T>& part, const FarQueries<T>& queries,
                        const double* value = nullptr, GhostsOf from = GhostsOf::others);

/// Numbers that are sent with the points: `write` puts those of a position into place, once for
/// each rank that the point is sent to, one after the other.
struct GhostValues {
  std::size_t width = 0;  ///< numbers of a point
  FunctionRef<void(std::size_t position, double* to)> write;
};

/// The same with numbers that are computed when they are sent.
template <class T>
Ghosts<T> import_ghosts(Call& call, const Part<T>& part, const FarQueries<T>& queries,
                        const GhostValues& values);

}  // namespace kith::mpi

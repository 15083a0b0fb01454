// Points of other ranks that a rank needs for its queries: which ranks are
// asked, and which points they send.
#pragma once

#include "mpi/domain.hpp"
#include "mpi/near_boxes.hpp"
#include "tree/subset.hpp"

namespace kith::mpi {

/// The queries of this rank under packed planes: its own points, or others that were sent here.
template <class T>
struct Asked {
  const Planes<T>* points = nullptr;
  PlanesView<T> view;
  bool is_own = false;
};

/// Points of other ranks, numbered in the order of their global indices.
template <class T>
struct Ghosts {
  Planes<T> planes;
  Array<std::uint64_t> global;
  Array<double> value;  ///< on request, what the caller has for each point
};

/// Queries that have to look beyond their rank.
template <class T>
struct Reaching {
  Subset<T> queries;
  Array<T> reach2;  ///< of each of them
};

/// Those with reach2[position] >= 0.
template <class T>
Reaching<T> reaching(const Asked<T>& asked, const Array<T>& reach2, const Workers& workers);

/// Where fewer than `need` points are on this rank: no reach needs to be longer than to the boxes
/// that hold this many. For p other than 2, the sphere must hold the ball of the norm that holds
/// that of the boxes.
template <class T>
void shorten(const Part<T>& part, std::uint64_t need, double p, const Workers& workers,
             Reaching<T>& queries);

/// Whose points are imported.
enum class From { others, all };

/// The points of all other ranks within reach, or of all ranks. `value`: one number for each local
/// index, to be sent with the points, or null. Collective.
template <class T>
Ghosts<T> import_ghosts(Call& call, const Part<T>& part, const Reaching<T>& queries,
                        const double* value = nullptr, From from = From::others);

/// The number that is sent with the point at a position; called once for each rank that the point
/// is sent to, one after the other.
using GhostValue = FunctionRef<double(std::size_t position)>;

/// The same with numbers that are made when they are sent.
template <class T>
Ghosts<T> import_ghosts(Call& call, const Part<T>& part, const Reaching<T>& queries,
                        const GhostValue& value);

}  // namespace kith::mpi

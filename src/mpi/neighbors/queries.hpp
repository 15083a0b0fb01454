// Queries that are not points of the domains: each goes to the rank whose boxes are nearest, and
// its row comes back.
#pragma once

#include "mpi/neighbors/ghosts.hpp"

namespace kith::mpi {

template <class T>
struct RoutedQueries {
  Route route;
  Planes<T> planes;  ///< index: the place among the rows that arrived

  Queries<T> asked() const { return {&planes, planes.view(), false}; }
};

/// Collective. Errors: as for the queries of a tree.
template <class T>
RoutedQueries<T> route_queries(Call& call, const Domains::Impl& domains, const PointsView& queries);

}  // namespace kith::mpi

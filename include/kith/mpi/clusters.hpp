// Density-based clusters over MPI ranks: DBSCAN.
#pragma once

#include <cstdint>
#include <mpi.h>
#include <vector>

#include <kith/clusters.hpp>
#include <kith/mpi/groups.hpp>

namespace kith::mpi {

/// Clusters of the points of all ranks.
struct Clusters {
  Groups groups;                      ///< their labels, sizes and lowest members
  std::vector<std::uint8_t> is_core;  ///< 1 for core points, in the order of the labels
};

/// As kith::dbscan, label by label. Weights: one for each point that this rank gave, on all ranks
/// or on none. The box and what to do with points that are not finite are those of the domains.
///
/// Points near other ranks are searched among the points of all ranks within eps. Memory beyond
/// the domains: 40 bytes per point, and the trees of core points and of points near edges.
/// Errors: as kith::dbscan.
KITH_API Clusters dbscan(const Domains& domains, const DbscanOptions& options,
                         RowOrder order = RowOrder::input, const Execution& execution = {});
/// In one call, for points that are not needed again.
KITH_API Clusters dbscan(MPI_Comm comm, PointsView points, const DbscanOptions& options,
                         const Execution& execution = {});

}  // namespace kith::mpi

// The interface for libraries above to find core and border points in parts of a point set: the
// core's own functions, exported as in neighbors/parts.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <kith/clusters.hpp>

#include "base/array.hpp"
#include "base/function_ref.hpp"
#include "base/shared.hpp"
#include "geometry/frame.hpp"
#include "groups/reach.hpp"
#include "parallel/workers.hpp"
#include "tree/planes_view.hpp"

namespace kith {

/// Throws Error for wrong options, except weights.
KITH_SHARED void check_dbscan_options(const DbscanOptions& options);

/// A core point within reach of a point that is not one.
template <class T>
struct CoreLink {
  T d2;
  std::uint32_t position;  ///< in the tree of the core points
  std::uint64_t index;     ///< decides ties
  std::uint64_t cluster;   ///< its lowest core point
};

template <class T>
struct KITH_SHARED ClusterParts {
  static LinkingReach<T> reach(double eps, const Frame<T>& frame);

  /// A 1 by position (whole blocks) for each point with enough points, or weights by original
  /// index, within reach; no weights: null.
  static Array<std::uint8_t> cores(const PlanesView<T>& points, const Frame<T>& frame, T reach2,
                                   std::size_t min_samples, const double* weight, Workers& workers);

  /// visit(position, links) for each receiver with core points within reach, from several threads;
  /// those with a 1 in `skip` are left out. Links come without index and cluster.
  using Visit = FunctionRef<void(std::uint32_t, std::vector<CoreLink<T>>&)>;
  static void borders(const PlanesView<T>& receivers, const std::uint8_t* skip,
                      const PlanesView<T>& cores, const Frame<T>& frame, T reach2, Workers& workers,
                      Visit visit);

  /// The link whose cluster a border point joins; null: it is noise. Sorts the links.
  static const CoreLink<T>* chosen(std::vector<CoreLink<T>>& links, const DbscanOptions& options);
};

}  // namespace kith

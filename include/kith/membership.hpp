// How strongly points belong to each cluster of HDBSCAN*.
#pragma once

#include <vector>

#include <kith/execution.hpp>
#include <kith/export.hpp>
#include <kith/hdbscan.hpp>

namespace kith {

/// The probability that each point of the clusters belongs to each cluster, as
/// all_points_membership_vectors of hdbscan: a row of clusters.count() numbers for each input
/// point. The sum of a row is the probability that the point belongs to any cluster. Rows of
/// dropped points are 0. docs/clusters.md has the definition.
///
/// `tree` has the points of the hierarchy, `clusters` are made from it. Cost: a search for the
/// nearest neighbor per point and cluster, and 8 bytes for each of both. The result does not depend
/// on threads; its last bits depend on the C library's exp. Errors: invalid_argument for a tree of
/// other points.
KITH_API std::vector<double> memberships(const AnyTree& tree, const Hierarchy& hierarchy,
                                         const HdbscanClusters& clusters,
                                         const Execution& execution = {});

/// The same for new points, as membership_vector of hdbscan: a row for each. The clusters do not
/// change. Errors: also those of predict.
KITH_API std::vector<double> memberships(const AnyTree& tree, const Hierarchy& hierarchy,
                                         const HdbscanClusters& clusters, PointsView points,
                                         const Execution& execution = {});

}  // namespace kith

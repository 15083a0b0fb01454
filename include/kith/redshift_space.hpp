// Friends of friends in redshift space, where velocities stretch groups along the line of sight.
#pragma once

#include <vector>

#include <kith/correlation.hpp>
#include <kith/execution.hpp>
#include <kith/export.hpp>
#include <kith/groups.hpp>
#include <kith/linking_lengths.hpp>
#include <kith/points.hpp>

namespace kith {

struct RedshiftSpace {
  /// An axis, as for a distant observer, or from an observer to the midpoint of each pair.
  LineOfSight line_of_sight = LineOfSight::z;
  double stretch = 1;  ///< linking length along the line of sight over the one across it
  /// The start of lines of sight to midpoints, one number per axis; the origin if empty.
  std::vector<double> observer = {};
};

/// Friends of friends with different linking lengths across (options.linking_length or options.b)
/// and along the line of sight (`stretch` times it).
///
/// Along an axis: the coordinate of that axis, the side and the origin of the box are divided by
/// `stretch` and rounded to the scalar type; the groups are those of `fof` on these points. Cost:
/// that of `fof`, and a copy of the points.
///
/// Midpoint: p and q are friends if across2 + (along / stretch)^2 <= linking_length^2, with d = p -
/// q, s = (p - observer) + (q - observer), along = d.s / |s|, across2 = d2 - along^2, in float64;
/// with s = 0 all of d is along. Positions are Cartesian (distances, not angles), and the box is
/// open. All pairs within the longer of the two lengths are visited, so a stretch of 10 costs much
/// more than fof.
///
/// The labels depend only on points and options. Errors: those of fof; invalid_argument for a
/// stretch that is not positive and finite, an axis that the points do not have, and a periodic box
/// with lines to midpoints.
KITH_API Groups redshift_fof(PointsView points, const FofOptions& options,
                             const RedshiftSpace& space, const Execution& execution = {});

/// The same with a length across for each point: the linking_length of a pair follows from those of
/// both (kith/linking_lengths.hpp). Midpoint: it is computed in float64 from lengths rounded to the
/// scalar type.
KITH_API Groups redshift_fof(PointsView points, const LinkingLengths& lengths,
                             const FofOptions& options, const RedshiftSpace& space,
                             const Execution& execution = {});

}  // namespace kith

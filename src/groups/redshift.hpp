// Friends of friends in redshift space, step by step, for those who have only some of the points.
#pragma once

#include <memory>

#include <kith/linking_lengths.hpp>
#include <kith/redshift_space.hpp>

#include "base/array.hpp"
#include "parallel/workers.hpp"

namespace kith {

/// Checks all options. Errors: invalid_argument.
KITH_API void check_redshift_space(const PointsView& points, const FofOptions& options,
                                   const RedshiftSpace& space);

/// The same without what concerns lengths.
KITH_API void check_line_of_sight(const PointsView& points, const FofOptions& options,
                                  const RedshiftSpace& space);

/// Points that are not dropped.
std::size_t live_points(const PointsView& points, const FofOptions& options);

/// Options with the length across, before anything is compressed, for this many points in all; the
/// mean separation is that of the real volume.
KITH_API FofOptions with_length_across(const FofOptions& options, std::size_t live, int dimension);

/// A copy of points and box with one axis divided; the options are those for fof.
struct CompressedPoints {
  PointsView points;
  FofOptions options;
  std::shared_ptr<const void> memory;
};
KITH_API CompressedPoints compressed_points(const PointsView& points, const FofOptions& options,
                                            const RedshiftSpace& space, const Workers& workers);

/// Friends by lines of sight to midpoints are within this distance of each other, rounded or not.
KITH_API double midpoint_reach(double length, const RedshiftSpace& space);

/// Parents of a union-find over points, joined by lines of sight to midpoints; lengths are rounded
/// to T: that of the options, or one for each point. Points that are not finite stay alone if the
/// options drop them.
template <class T>
KITH_API Array<std::uint32_t> join_to_midpoints(const PointsView& points, const FofOptions& options,
                                                const RedshiftSpace& space,
                                                const LinkingLengths& lengths,
                                                const Execution& execution);

}  // namespace kith

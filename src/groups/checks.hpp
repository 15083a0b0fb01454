// Checks of the arguments of functions of groups, for one process and for ranks, each of which
// checks its own arguments.
#pragma once

#include <span>

#include <kith/centers.hpp>
#include <kith/halos.hpp>

#include "base/shared.hpp"
#include "parallel/workers.hpp"

namespace kith {

/// One row for each point. Columns that are left out are null or empty.
struct GivenColumns {
  PointsView points = {};
  PointsView velocity = {};
  ValuesView mass = {};
  std::span<const std::uint8_t> type = {};
  int types = 0;
};

/// Sizes, dimensions and masses; errors: invalid_argument, as of all of these.
KITH_SHARED void check_columns(const char* call, const GivenColumns& given, const Box& box,
                               const Workers& workers);
/// Values that a call is given for `points` points.
KITH_SHARED void check_values(const char* call, const char* what, const ValuesView& values,
                              std::size_t points, const Workers& workers);

/// Throws Error unless there is one label per point.
KITH_SHARED void check_grouped(const char* call, std::size_t grouped, std::size_t points);

/// Types: of the points that this process has.
KITH_SHARED void check_catalogue(const PointsView& points, std::size_t groups,
                                 const CatalogueOptions& options, const Workers& workers);
/// `found`: one more than the largest type of all points. Returns the number of types.
KITH_SHARED int checked_types(const CatalogueOptions& options, int found);

KITH_SHARED void check_centers(const PointsView& points, const CenterOptions& options,
                               const Workers& workers);
/// `points`: those that were given to the tree, or to the domains by this rank.
KITH_SHARED void check_spheres(std::size_t points, int dimension, std::span<const double> centers,
                               const OverdensityOptions& options, const Workers& workers);
KITH_SHARED void check_types(std::span<const TypedPoints> types, const FofOptions& options);

}  // namespace kith

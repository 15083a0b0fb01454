// Friends of friends with a linking length for each point.
#pragma once

#include <span>

#include <kith/execution.hpp>
#include <kith/export.hpp>
#include <kith/groups.hpp>
#include <kith/points.hpp>
#include <kith/tree.hpp>

namespace kith {

/// The length of a pair of points, from the lengths l_i and l_j of both.
enum class LengthRule {
  mean,     ///< (l_i + l_j) * 0.5
  least,    ///< the smaller of both
  largest,  ///< the larger of both
};

constexpr const char* name(LengthRule rule) {  ///< "mean"
  return rule == LengthRule::mean ? "mean" : rule == LengthRule::least ? "least" : "largest";
}

/// A linking length for each point, in input order. They are rounded to the scalar type T of the
/// points, and scaled as the points are.
struct LinkingLengths {
  std::span<const double> length;
  LengthRule rule = LengthRule::mean;
};

/// Finds friends-of-friends groups where points i and j are friends if d2 <= l * l, with l the
/// length of the pair; all of this in T, each operation rounded once. With equal lengths the groups
/// are those of `fof`. The options are those of `fof` without `linking_length` and `b`;
/// Groups::linking_length() is the largest length.
///
/// Cost: four to six times that of `fof`, about the same if lengths are equal. A point with a long
/// length meets all points within it. Memory: 17 bytes per float point beyond those of `fof`, 25
/// per double point. Errors: those of `fof`; invalid_argument for lengths that are negative or not
/// finite, or not one for each point.
KITH_API Groups fof(PointsView points, const LinkingLengths& lengths, const FofOptions& options,
                    const Execution& execution = {});
/// The same for an existing tree, with a length for each point of its input.
KITH_API Groups fof(const AnyTree& tree, const LinkingLengths& lengths, const FofOptions& options,
                    const Execution& execution = {});

}  // namespace kith

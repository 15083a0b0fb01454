// From counted sets of points in tree order to numbered groups of points in input order.
#pragma once

#include <cstddef>

#include "groups/groups_impl.hpp"
#include "groups/sets.hpp"

namespace kith {

/// The lowest original index in the set of every point; -1 for those in no set or in one that was
/// dropped. Needs the lowest members of all sets.
template <class Points>
void write_roots(const Points& points, const CountedSets& sets, const Workers& workers,
                 const Array<std::int64_t>& root);

/// Takes the lowest member from the sets of fewer than `min_size` points.
void forget_small_sets(const CountedSets& sets, std::size_t min_size, const Workers& workers);

/// Numbers the sets of at least `min_size` points by falling size, then by lowest member, and fills
/// labels, sizes and lowest members of the groups. Smaller sets must have lost their lowest member
/// (`forget_small_sets`) unless they never had one; the lowest members of the other sets are
/// overwritten. Errors: too_large.
template <class Points>
void name_sets(const Points& points, const CountedSets& sets, std::size_t min_size,
               const Workers& workers, Groups::Impl& groups);

/// All of this for the sets of a union-find over the points. `groups` has room for labels, and for
/// roots if they are kept.
template <class Points>
void write_groups(const Points& points, std::uint32_t* parent, std::size_t min_size,
                  bool keep_roots, Workers& workers, Groups::Impl& groups);

}  // namespace kith

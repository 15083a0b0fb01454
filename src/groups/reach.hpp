// From the options to the one number that decides a link.
#pragma once

#include <cstddef>

#include <kith/groups.hpp>
#include <kith/linking_lengths.hpp>

#include "base/shared.hpp"
#include "geometry/frame.hpp"

namespace kith {

/// Points are linked if distance2 <= reach2, in the frame of the tree.
template <class T>
struct LinkingReach {
  T linking_length = 0;  ///< in the caller's frame
  T reach2 = 0;          ///< finite; negative if nothing is ever linked
};

/// Checks all options that do not depend on the points. Errors: invalid_argument.
KITH_SHARED void check_fof_options(const FofOptions& options, const char* call = "fof");

/// The linking length of `options` for that many points in a box, in the caller's units.
double linking_length_of(const FofOptions& options, const Box& box, std::size_t points,
                         int dimension);

/// The square of a length in a tree's frame, rounded as LinkingReach holds it.
template <class T>
T reach2_of(T length, bool is_strict);

/// Rounds the linking length to T, scales it as the tree is scaled and squares it in T.
template <class T>
LinkingReach<T> reach_of(double linking_length, bool is_strict, const Frame<T>& frame);

/// Checks a length for each point, and the options that go with them. Errors: invalid_argument.
KITH_SHARED void check_linking_lengths(const LinkingLengths& lengths, std::size_t points,
                                       const FofOptions& options, const char* call);

}  // namespace kith

// Friends of friends with a length for each point: the rest of a join, after all points within the
// least length have been linked (groups/join.hpp).
//
// If lengths are alike, the points within the largest length are linked as well, to see where
// anything is left to do: where both give the same set, nothing is. The rest is searched in groups
// of leaves, each for later leaves within reach, which the largest lengths of nodes bound. Pairs of
// leaves that are in one set as a whole are left out; which are so is noted on the way.
#pragma once

#include <cstdint>

#include <kith/linking_lengths.hpp>

#include "geometry/frame.hpp"
#include "parallel/workers.hpp"
#include "tree/planes.hpp"

namespace kith {

/// Unites sets of points that are friends. `length` is in tree order and in the frame; `parent` is
/// a union-find over the points in tree order, `widest` one of points within the largest length, or
/// null.
template <class T>
void join_by_lengths(const Planes<T>& planes, const Frame<T>& frame, const T* length,
                     LengthRule rule, bool is_strict, std::uint32_t* parent, std::uint32_t* widest,
                     Workers& workers);

}  // namespace kith

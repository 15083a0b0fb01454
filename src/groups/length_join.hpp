// Friends of friends with a length for each point. First, all points within the least length are
// linked (groups/join.hpp).
//
// If lengths are alike, the points within the largest length are linked as well, to see where
// anything is left to do: where both give the same set, nothing is. The rest is searched in groups
// of leaves, each for later leaves within reach, which the largest lengths of nodes bound. Pairs of
// leaves that are in one set as a whole are left out; which are so is noted on the way.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include <kith/linking_lengths.hpp>

#include "base/array.hpp"
#include "geometry/frame.hpp"
#include "parallel/workers.hpp"
#include "tree/planes.hpp"

namespace kith {

/// Lengths in the frame of a tree, in its order, which are rounded; their least and largest.
template <class T>
struct PointLengths {
  Array<T> length;
  T least = std::numeric_limits<T>::infinity(), largest = 0;
};

/// `given`: of each index, in the caller's units.
template <class T>
PointLengths<T> point_lengths(const Planes<T>& planes, const Frame<T>& frame,
                              std::span<const double> given, const Workers& workers);

/// Who are friends, by the lengths of both.
struct LengthLinks {
  LengthRule rule = LengthRule::mean;
  bool is_strict = false;
};

/// Parents of a union-find over the points, one or more, in tree order.
template <class T>
Array<std::uint32_t> join_by_lengths(const Planes<T>& planes, const Frame<T>& frame,
                                     const PointLengths<T>& lengths, const LengthLinks& links,
                                     Workers& workers);

}  // namespace kith

// The interface for libraries above to link parts of a point set: the core's own functions,
// exported as in neighbors/parts.hpp.
#pragma once

#include <cstdint>
#include <span>

#include <kith/groups.hpp>

#include "base/shared.hpp"
#include "groups/length_join.hpp"
#include "groups/reach.hpp"
#include "groups/sets.hpp"
#include "parallel/workers.hpp"
#include "tree/planes.hpp"

namespace kith {

template <class T>
struct KITH_SHARED GroupParts {
  /// Checks the options too. `points`: of all parts.
  static LinkingReach<T> reach(const FofOptions& options, const Box& box, std::size_t points,
                               int dimension, const Frame<T>& frame);
  /// Sets of linked points, see groups/join.hpp; none without points.
  static Array<std::uint32_t> join(const Planes<T>& planes, const Frame<T>& frame, T reach2,
                                   Workers& workers);
  /// Of each of a few rows in the frame, one row of its set, the same for all of them.
  static Array<std::uint32_t> sets_of_rows(const Array<T>& rows, std::size_t n, int dimension,
                                           const Frame<T>& frame, T reach2, Workers& workers);
  static CountedSets count(const Planes<T>& planes, std::uint32_t* parent, const Workers& workers);
};

/// The same with a length for each point, see groups/length_join.hpp. Lengths are the caller's, of
/// each index or row.
template <class T>
struct KITH_SHARED LengthParts {
  static PointLengths<T> lengths(const Planes<T>& planes, const Frame<T>& frame,
                                 std::span<const double> given, const Workers& workers);
  static Array<std::uint32_t> join(const Planes<T>& planes, const Frame<T>& frame,
                                   const PointLengths<T>& lengths, const LengthLinks& links,
                                   Workers& workers);
  static Array<std::uint32_t> sets_of_rows(const Array<T>& rows, std::span<const double> given,
                                           int dimension, const Frame<T>& frame,
                                           const LengthLinks& links, Workers& workers);
};

}  // namespace kith

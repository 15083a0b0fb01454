// Who are friends of whom, for each way to link: one length, a length for each point, lines of
// sight to midpoints, cells of any shape. The join over ranks (fof.cpp) is the same for all of
// them.
#pragma once

#include <memory>
#include <span>

#include "mpi/groups/fof.hpp"
#include "mpi/neighbors/ghosts.hpp"

namespace kith::mpi {

template <class T>
class Friends {
 public:
  virtual ~Friends() = default;

  /// Rounded to T, in the caller's units; the largest of several.
  virtual double linking_length() const = 0;
  /// Parents of a union-find over the points of this rank, by position.
  virtual Array<std::uint32_t> join_own(Workers& workers) = 0;
  /// The points of this rank that may have friends on others. Of two friends on two ranks, both
  /// reach the other.
  virtual FarQueries<T> near_others(Workers& workers) = 0;
  /// Of each of a few rows in the frame, one row of its set. `values`: those of the job, of each.
  virtual Array<std::uint32_t> sets_of_rows(Array<T> rows, std::span<const double> values,
                                            Workers& workers) = 0;
};

/// Made inside a body of the call.
template <class T>
std::unique_ptr<Friends<T>> make_friends(Call& call, const Domains::Impl& domains,
                                         const LinkingJob& job);

}  // namespace kith::mpi

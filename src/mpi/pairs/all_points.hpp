// A set of points of all ranks, held by every rank.
#pragma once

#include <vector>

#include <kith/correlation.hpp>

#include "mpi/transport/call.hpp"

namespace kith::mpi {

/// The points and columns of all ranks, those of rank 0 first.
class AllPoints {
 public:
  /// Sizes of columns are compared with the points of each rank; `words`: of bits for each point.
  /// Collective.
  AllPoints(Call& call, const PairSet& part, const Box& box, std::size_t words = 0);
  AllPoints(const AllPoints&) = delete;
  AllPoints& operator=(const AllPoints&) = delete;

  const PairSet& set() const { return set_; }
  std::size_t first() const { return first_; }  ///< the number of this rank's first point

 private:
  /// One of the arrays of a set.
  struct Column {
    const char* name;
    const void* own;         ///< rows of this rank
    std::size_t values;      ///< that this rank gave
    std::size_t row_values;  ///< for each point
    std::size_t value_bytes;
    bool is_given = true;  ///< by a rank
    Array<std::byte> all = {};
  };

  void copy_rows(const PointsView& points);
  void share(Call& call, Column& column) const;

  std::vector<std::byte> rows_;      ///< of this rank, packed
  std::vector<std::size_t> counts_;  ///< points of each rank
  std::size_t first_ = 0;
  std::vector<Column> columns_;
  PairSet set_;
};

}  // namespace kith::mpi

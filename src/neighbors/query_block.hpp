// The queries of one block that are searched together: coordinates, indices, rows and limits.
#pragma once

#include "geometry/bounds.hpp"
#include "neighbors/search_job.hpp"

namespace kith {

/// IsSquared: limits are squares, for p = 2.
template <int D, class T, bool IsSquared>
class QueryBlock {
 public:
  explicit QueryBlock(const SearchJob<T>& job) : job_(job), axes_(job.queries.dimension) {}

  void set_block(std::size_t block) {
    const std::size_t begin = block * kLanes;
    set({begin, begin + job_.queries.points_of_block(block)});
  }
  /// Queries of one block.
  void set(const IndexRange& positions) {
    position_ = positions.begin;
    const T* block = job_.queries.block(position_ / kLanes, axes_);
    points_ = block + position_ % kLanes;
    indices_ = indices_of(block, axes_) + position_ % kLanes;
    size_ = positions.size();
  }

  std::size_t size() const { return size_; }
  std::size_t block() const { return position_ / kLanes; }
  std::size_t group() const { return position_ / kGroupQueries; }
  /// The coordinates of query j, a column of 8 apart; those of the other queries follow.
  const T* point(std::size_t j) const { return points_ + j; }
  std::uint32_t index(std::size_t j) const { return indices_[j]; }
  std::size_t row(std::size_t j) const { return job_.row_of(position_ + j, indices_[j]); }

  /// The box of a whole block.
  Bounds<D, T> box_of(std::size_t block) const { return job_.queries.box(0, block, axes_); }
  bool is_point(const Bounds<D, T>& box) const {
    return std::equal(box.lo, box.lo + axes_.count(), box.hi);
  }

  bool has_own_limits() const {
    return IsSquared ? job_.limits2 != nullptr : job_.limits != nullptr;
  }
  /// The limit of all queries, unless each has its own.
  T shared_limit2() const { return IsSquared ? job_.limit2 : static_cast<T>(job_.limit); }
  T limit2(std::size_t j) const {
    if (!has_own_limits()) return shared_limit2();
    return IsSquared ? job_.limits2[index(j)] : static_cast<T>(job_.limits[index(j)]);
  }

 private:
  const SearchJob<T>& job_;
  Axes<D> axes_;
  std::size_t position_ = 0;  ///< of the first query
  const T* points_ = nullptr;
  const std::uint32_t* indices_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace kith

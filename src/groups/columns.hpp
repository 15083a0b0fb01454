// Columns of the caller's data, read as float64 from any type.
#pragma once

#include <cstddef>
#include <vector>

#include <kith/catalogue.hpp>

#include "groups/checks.hpp"
#include "parallel/workers.hpp"

namespace kith {

/// Rows of several numbers.
class RowReader {
 public:
  explicit RowReader(const PointsView& view) : view_(view) {}
  double operator()(std::size_t row, int axis) const {
    const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(row) * view_.stride + axis;
    return view_.scalar == Scalar::float32
               ? static_cast<double>(static_cast<const float*>(view_.data)[at])
               : static_cast<const double*>(view_.data)[at];
  }

 private:
  PointsView view_;
};

/// One number a row.
class ValueReader {
 public:
  explicit ValueReader(const ValuesView& view) : view_(view) {}
  bool is_same() const { return !view_.data; }  ///< for all rows
  double operator()(std::size_t row) const {
    if (!view_.data) return view_.same;
    return view_.scalar == Scalar::float32
               ? static_cast<double>(static_cast<const float*>(view_.data)[row])
               : static_cast<const double*>(view_.data)[row];
  }

 private:
  ValuesView view_;
};

/// Throws Error unless the members are groups of these points: slices that follow each other, none
/// empty, of indices below `points`.
void check_members(const char* call, const Members& members, std::size_t points,
                   const Workers& workers);

/// Where the members of each group begin, sorted by group; count + 1 values.
std::vector<std::size_t> member_offsets(const Groups& groups, const Workers& workers);

}  // namespace kith

// The snapshot once more, with its particles in the order of the groups.
#pragma once

#include <algorithm>

#include "groups/groups.hpp"

namespace kith::cli {

/// Rows of each type in that type, in the order of the groups: those of this rank's part of it.
template <class Row>
using TypeRows = std::vector<std::vector<Row>>;

/// Makes them of points that are counted over all types. `counts`: the particles of each type.
template <class Row>
class RowsByType {
 public:
  explicit RowsByType(const std::vector<std::uint64_t>& counts) : rows_(counts.size()) {
    std::uint64_t end = 0;
    for (const std::uint64_t count : counts) {
      begins_.push_back(end);
      ends_.push_back(end += count);
    }
  }
  void add(std::int64_t point) {
    const auto row = static_cast<std::uint64_t>(point);
    const auto type =
        static_cast<std::size_t>(std::upper_bound(ends_.begin(), ends_.end(), row) - ends_.begin());
    rows_[type].push_back(static_cast<Row>(row - begins_[type]));
  }
  const TypeRows<Row>& rows() const { return rows_; }

 private:
  std::vector<std::uint64_t> begins_, ends_;
  TypeRows<Row> rows_;
};

/// All ranks write it.
void write_sorted(const GroupTask& task, const Found& found, Session& session);

}  // namespace kith::cli

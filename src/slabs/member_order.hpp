// The points in the order of their groups, on disk: rows of each type, and ids of the members.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "slabs/budget.hpp"
#include "slabs/pieces.hpp"
#include "slabs/scratch.hpp"

namespace kith::slabs {

/// The points of each type follow those of the type before.
class TypeParts {
 public:
  TypeParts() = default;
  explicit TypeParts(std::vector<std::uint64_t> counts) : counts_(std::move(counts)) {
    for (const std::uint64_t count : counts_) ends_.push_back(first_index + (points_ += count));
  }
  std::uint64_t points() const { return points_; }
  std::size_t count() const { return counts_.size(); }
  std::uint64_t size(std::size_t part) const { return counts_[part]; }
  std::uint64_t begin(std::size_t part) const { return ends_[part] - counts_[part]; }
  /// The type of a point.
  std::size_t of(std::uint64_t index) const {
    return static_cast<std::size_t>(std::upper_bound(ends_.begin(), ends_.end(), index) -
                                    ends_.begin());
  }

 private:
  std::vector<std::uint64_t> counts_, ends_;
  std::uint64_t points_ = 0;
};

class MemberOrder {
 public:
  MemberOrder() = default;
  /// `grouped`: points in groups.
  MemberOrder(std::shared_ptr<Scratch> scratch, TypeParts parts, std::uint64_t grouped,
              bool has_id);

  /// The next members, and their ids if there are any.
  void add(std::span<const std::uint64_t> index, std::span<const std::uint64_t> id);
  /// All others. read_labels(begin, out): -1 for those in no group.
  template <class Read>
  void add_ungrouped(std::size_t piece, const Workers& workers, Read read_labels) {
    std::vector<std::int32_t> label;
    std::vector<std::uint64_t> index;
    for_pieces(parts_.points(), piece, workers, [&](std::uint64_t begin, std::size_t n) {
      label.resize(n);
      read_labels(begin, std::span(label));
      index.clear();
      for (std::size_t i = 0; i < n; ++i)
        if (label[i] < 0) index.push_back(first_index + begin + i);
      add(index, {});
    });
  }

  template <class Archive>
  void each_state(Archive& archive) {
    archive(place_);
    archive(id_);
    archive(filled_);
    archive(ids_);
  }

  /// Rows within a type. Errors: invalid_argument.
  void read(std::size_t part, std::uint64_t begin, std::span<std::uint64_t> out) const;
  void read_ids(std::uint64_t begin, std::span<std::uint64_t> out) const;

 private:
  std::shared_ptr<Scratch> scratch_;
  TypeParts parts_;
  std::vector<std::uint64_t> place_, filled_;  ///< of its rows on disk, and how many are there
  std::uint64_t id_ = 0, ids_ = 0, grouped_ = 0;
  bool has_id_ = false;
  std::vector<std::vector<std::uint64_t>> rows_;
};

}  // namespace kith::slabs

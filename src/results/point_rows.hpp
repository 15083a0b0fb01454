// The arrays of a catalogue that have a row for each point: from memory, or as others hold them.
#pragma once

#include <optional>

#include <kith/result_rows.hpp>

#include "results/columns.hpp"

namespace kith::io {

/// The rows [begin, begin + count) of an array.
ResultRows sliced(const ResultRows& array, std::size_t begin, std::size_t count);

/// Views of a content that must outlive it.
class PointRows {
 public:
  explicit PointRows(const CatalogueContent& content);

  bool has_label() const { return rows_ ? rows_->label.has_value() : !content_.label.empty(); }
  bool has_id() const { return rows_ ? rows_->id.has_value() : content_.id != nullptr; }
  bool has_order() const { return rows_ ? !rows_->order.empty() : content_.members != nullptr; }
  /// IDs of the members can be listed group after group.
  bool has_member_id() const {
    return rows_ ? rows_->member_id.has_value() : has_order() && has_id();
  }
  std::uint64_t grouped() const;  ///< points in groups

  /// Rows of groups, -1 for none.
  ResultRows label(const TypeSlice& slice) const;
  /// From 1 on; the largest 32-bit number for none.
  ResultRows swift_label(const TypeSlice& slice);
  ResultRows id(const TypeSlice& slice) const;
  /// Rows of a type in the order of the groups; those of all types; slice `number` of slices_of.
  ResultRows order(const TypeSlice& slice, std::size_t number);
  ResultRows order_of_all() const;
  ResultRows member_id();

 private:
  const CatalogueContent& content_;
  const CatalogueRows* rows_;
  std::vector<std::uint32_t> order_, order_of_type_;
  std::vector<std::int64_t> swift_piece_;
  std::vector<std::uint64_t> id_piece_;
};

}  // namespace kith::io

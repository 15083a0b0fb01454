#include "results/point_rows.hpp"

#include "results/writer.hpp"

namespace kith::io {

ResultRows sliced(const ResultRows& array, std::size_t begin, std::size_t count) {
  ResultRows slice = array;
  slice.rows = count;
  if (array.data) slice.data = static_cast<const char*>(array.data) + begin * row_bytes(array);
  if (array.read)
    slice.read = [read = array.read, begin](std::size_t first, std::size_t rows) {
      return read(begin + first, rows);
    };
  if (array.store)
    slice.store = [store = array.store, begin](const std::string& file, std::uint64_t offset,
                                               std::size_t first, std::size_t rows) {
      store(file, offset, begin + first, rows);
    };
  return slice;
}

PointRows::PointRows(const CatalogueContent& content) : content_(content), rows_(content.rows) {
  if (!rows_ && content.members) order_ = kith::io::order_of(content);
}

std::uint64_t PointRows::grouped() const {
  return rows_ ? rows_->grouped : content_.members->offset.back();
}

ResultRows PointRows::label(const TypeSlice& slice) const {
  const std::size_t count = slice.end - slice.begin;
  if (rows_) return sliced(*rows_->label, slice.begin, count);
  return {result_array("label", content_.label.data() + slice.begin, count)};
}

ResultRows PointRows::swift_label(const TypeSlice& slice) {
  if (rows_) return label(slice);  // converted where they are
  ResultRows labels{result_array("label", swift_piece_.data(), slice.end - slice.begin)};
  labels.read = [this, slice](std::size_t begin, std::size_t count) {
    swift_piece_ = swift_labels(content_.label.subspan(slice.begin + begin, count));
    return static_cast<const void*>(swift_piece_.data());
  };
  return labels;
}

ResultRows PointRows::id(const TypeSlice& slice) const {
  const std::size_t count = slice.end - slice.begin;
  if (rows_) return sliced(*rows_->id, slice.begin, count);
  return {result_array("id", content_.id + slice.begin, count)};
}

ResultRows PointRows::order(const TypeSlice& slice, std::size_t number) {
  if (rows_) return rows_->order[number];
  order_of_type_.clear();
  order_of_type_.reserve(slice.end - slice.begin);
  for (const std::uint32_t i : order_)
    if (i >= slice.begin && i < slice.end)
      order_of_type_.push_back(static_cast<std::uint32_t>(i - slice.begin));
  return {result_array("order", order_of_type_.data(), order_of_type_.size())};
}

ResultRows PointRows::order_of_all() const {
  if (rows_) return rows_->order.front();
  return {result_array("order", order_.data(), order_.size())};
}

ResultRows PointRows::member_id() {
  if (rows_) return sliced(*rows_->member_id, 0, rows_->grouped);
  ResultRows ids{result_array("id", id_piece_.data(), grouped())};
  ids.read = [this](std::size_t begin, std::size_t count) {
    id_piece_.resize(count);
    for (std::size_t i = 0; i < count; ++i) id_piece_[i] = content_.id[order_[begin + i]];
    return static_cast<const void*>(id_piece_.data());
  };
  return ids;
}

}  // namespace kith::io

namespace kith {

std::vector<std::int64_t> swift_labels(std::span<const std::int32_t> label) {
  constexpr std::int64_t kNone = 2147483647;
  std::vector<std::int64_t> ids(label.size());
  for (std::size_t i = 0; i < ids.size(); ++i)
    ids[i] = label[i] < 0 ? kNone : std::int64_t{label[i]} + 1;
  return ids;
}

}  // namespace kith

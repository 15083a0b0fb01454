// Members of stored groups, some whole groups at a time: they are sorted on disk into batches.
#pragma once

#include <algorithm>
#include <numeric>

#include <kith/catalogue.hpp>

#include "base/fail.hpp"
#include "slabs/budget.hpp"
#include "slabs/groups_impl.hpp"
#include "slabs/input_order.hpp"
#include "slabs/member_fields.hpp"
#include "slabs/passes.hpp"

namespace kith::slabs {

/// Whole groups whose members are together in memory.
struct Batch {
  std::size_t first = 0, end = 0;  ///< groups
  std::size_t members = 0, filled = 0;
  std::uint64_t place = 0;
};

/// The members of a batch, in the order of their indices.
template <class T>
struct BatchMembers {
  MemberFields<T> fields;
  Members members;                 ///< of its groups
  std::vector<std::uint8_t> type;  ///< of each member, if points have types

  PointsView points() const { return rows_of(fields.position); }
  PointsView velocity() const {
    return fields.has_velocity ? rows_of(fields.velocity) : PointsView{};
  }
  /// `same`: where points have no masses.
  ValuesView mass(const ValuesView& same) const {
    return fields.has_mass ? values(fields.mass) : same;
  }
  /// All members, in this order, behind those of batches before.
  void put(std::span<const std::uint32_t> sorted, MemberOrder& order) const {
    std::vector<std::uint64_t> index, id;
    for (const std::uint32_t i : sorted) {
      index.push_back(fields.index[i]);
      if (fields.has_id) id.push_back(fields.id[i]);
    }
    order.add(index, id);
  }

 private:
  PointsView rows_of(const std::vector<T>& values) const {
    const int dimension = static_cast<int>(fields.d);
    return {values.data(), values.size() / fields.d, dimension, dimension, scalar_of<T>};
  }
};

template <class T>
class MemberBatches {
 public:
  MemberBatches(const StoredPoints& points, const StoredGroups& groups,
                std::span<const int> type_numbers, const Budget& budget)
      : points_(points),
        groups_(impl_of(groups)),
        type_numbers_(type_numbers),
        budget_(budget),
        parts_(points.counts()),
        columns_(points) {}

  MemberOrder new_order() const {
    return {groups_.scratch, parts_, groups_.grouped, columns_.has_id};
  }
  const std::vector<Batch>& all() const { return batches_; }

  /// `more`: bytes of memory for a member beside its columns. Errors: out_of_memory, if a group
  /// does not fit.
  void cut(const char* call, std::size_t more) {
    // A batch is in memory twice: as it is read, and as columns of a call.
    const std::size_t bytes = 2 * columns_.bytes() + 16 + more;
    const std::size_t room = budget_.bytes / 2 / bytes;
    const std::size_t most = std::min(room, most_slab_points);
    batches_ = {{}};
    for (std::size_t group = 0; group < groups_.size.size(); ++group) {
      const auto size = static_cast<std::size_t>(groups_.size[group]);
      if (size > room)
        fail(ErrorCode::out_of_memory,
             "{}: a group has {} members, which need {} bytes of memory; allow at least {}", call,
             size, size * bytes, kProgramBytes + 2 * size * bytes);
      if (batches_.back().members > 0 && batches_.back().members + size > most)
        batches_.push_back({group, group});
      batches_.back().end = group + 1;
      batches_.back().members += size;
    }
    if (batches_.size() >= kNoSlab)
      fail(ErrorCode::out_of_memory, "{}: {} batches of groups, at most {}; allow more memory",
           call, batches_.size(), kNoSlab - 1);
  }

  /// A pass over the points. `finds_back`: so that values of members come back to the input.
  void sort(const char* pass, bool finds_back, Workers& workers) {
    Scratch& scratch = *groups_.scratch;
    for (Batch& batch : batches_) batch.place = scratch.reserve(batch.members * columns_.bytes());
    if (finds_back) numbers_ = scratch.reserve(points_.size() * sizeof(std::uint16_t));
    run_pass(
        scratch, pass,
        [&](auto& archive) {
          archive(batches_);
          archive(numbers_);
        },
        [&] { sort_members(finds_back, workers); });
  }
  /// Where the members of batches are in the input, others being in none.
  OrderOfInput input_order() const {
    std::vector<std::uint64_t> begin{0};
    for (const Batch& batch : batches_) begin.push_back(begin.back() + batch.members);
    return {groups_.scratch, numbers_, begin};
  }

  /// A batch without groups is empty.
  BatchMembers<T> read(const Batch& batch) const {
    BatchMembers<T> found{MemberFields<T>(points_), {}, {}};
    MemberFields<T>& fields = found.fields;
    fields.resize(batch.members);
    std::uint64_t place = batch.place;
    if (batch.members > 0)
      fields.each([&]<class Value>(std::vector<Value>& column, std::size_t) {
        groups_.scratch->read(place, std::span(column));
        place += column.size() * sizeof(Value);
      });
    found.members = in_order(fields, batch);
    if (type_numbers_.empty()) return found;
    for (const std::uint64_t i : fields.index)
      found.type.push_back(static_cast<std::uint8_t>(type_numbers_[parts_.of(i)]));
    return found;
  }

  /// As a call in memory finds it among all points.
  int types(int asked) const {
    int found = 0;
    for (std::size_t part = 0; part < type_numbers_.size(); ++part)
      if (parts_.size(part) > 0) found = std::max(found, 1 + type_numbers_[part]);
    return found == 0 || asked == 0 ? found : asked;
  }

  /// Points that are read at a time: a piece is there twice.
  std::size_t piece_rows() const {
    const std::size_t most = budget_.bytes / 4 / (2 * columns_.bytes());
    return std::clamp<std::size_t>(most, 1, budget_.piece_points);
  }

 private:
  /// The number of the batch of a group.
  std::uint16_t batch_of(std::int32_t label) const {
    const auto after =
        std::upper_bound(batches_.begin(), batches_.end(), static_cast<std::size_t>(label),
                         [](std::size_t group, const Batch& batch) { return group < batch.first; });
    return static_cast<std::uint16_t>(after - batches_.begin() - 1);
  }

  void sort_members(bool finds_back, Workers& workers) {
    const Stage stage(workers, "members", points_.size());
    MemberFields<T> piece(points_), sorted(points_);
    std::vector<std::size_t> place;
    std::vector<std::uint16_t> number;
    for_pieces(points_.size(), piece_rows(), workers, [&](std::uint64_t begin, std::size_t n) {
      piece.resize(n);
      groups_.read_labels(begin, piece.label);
      piece.read(points_, begin);
      number.resize(n);
      for (std::size_t i = 0; i < n; ++i)
        number[i] = piece.label[i] < 0 ? kNoSlab : batch_of(piece.label[i]);
      if (finds_back)
        groups_.scratch->write(numbers_ + begin * sizeof(std::uint16_t),
                               std::span<const std::uint16_t>(number));
      place.assign(batches_.size() + 1, 0);
      for (const std::uint16_t batch : number)
        if (batch != kNoSlab) ++place[batch + std::size_t{1}];
      std::partial_sum(place.begin(), place.end(), place.begin());
      const std::vector<std::size_t> start = place;
      sorted.resize(start.back());
      for (std::size_t i = 0; i < n; ++i)
        if (number[i] != kNoSlab) sorted.set(place[number[i]]++, piece, i);
      for (std::size_t b = 0; b < batches_.size(); ++b)
        append(sorted, start[b], start[b + 1], batches_[b]);
    });
  }

  /// Columns of a batch lie one after the other.
  void append(MemberFields<T>& from, std::size_t begin, std::size_t end, Batch& batch) {
    if (begin == end) return;
    std::uint64_t place = batch.place;
    from.each([&]<class Value>(std::vector<Value>& column, std::size_t width) {
      groups_.scratch->write(
          place + batch.filled * width * sizeof(Value),
          std::span<const Value>(column).subspan(begin * width, (end - begin) * width));
      place += batch.members * width * sizeof(Value);
    });
    batch.filled += end - begin;
  }

  static Members in_order(const MemberFields<T>& fields, const Batch& batch) {
    Members members;
    members.offset.assign(batch.end - batch.first + 1, 0);
    for (const std::int32_t label : fields.label)
      ++members.offset[static_cast<std::size_t>(label) - batch.first + 1];
    std::partial_sum(members.offset.begin(), members.offset.end(), members.offset.begin());
    std::vector<std::size_t> next(members.offset.begin(), members.offset.end() - 1);
    members.order.resize(fields.label.size());
    for (std::size_t i = 0; i < fields.label.size(); ++i)
      members.order[next[static_cast<std::size_t>(fields.label[i]) - batch.first]++] =
          static_cast<std::uint32_t>(i);
    return members;
  }

  const StoredPoints& points_;
  const StoredGroups::Impl& groups_;
  std::span<const int> type_numbers_;
  const Budget& budget_;
  TypeParts parts_;
  MemberFields<T> columns_;  ///< without any rows
  std::vector<Batch> batches_;
  std::uint64_t numbers_ = 0;  ///< place of the numbers of batches, in the order of the input
};

/// Errors: invalid_argument.
inline void check_groups(const char* call, const StoredPoints& points, const StoredGroups& groups,
                         std::span<const int> type_numbers) {
  if (points.size() != groups.size())
    refuse("{}: groups of {} points for {} points", call, groups.size(), points.size());
  if (!type_numbers.empty() && type_numbers.size() != points.counts().size())
    refuse("{}: {} types for points of {}", call, type_numbers.size(), points.counts().size());
}

}  // namespace kith::slabs

// Points of all ranks in the order in which a catalogue lists its members.
#pragma once

#include <cstdint>
#include <limits>
#include <tuple>
#include <vector>

#include "mpi/transport/call.hpp"

namespace kith::mpi {

struct OrderedRow {
  static constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();
  std::int64_t label = kLast;  ///< kLast: none
  std::int64_t part = kLast;   ///< a part of the group that comes before the rest of it
  std::int64_t place = 0;      ///< in the part, where its members have an order
  std::int64_t index = 0;
  std::uint64_t id = 0;

  friend bool operator<(const OrderedRow& a, const OrderedRow& b) {
    return std::tie(a.label, a.part, a.place, a.index) <
           std::tie(b.label, b.part, b.place, b.index);
  }
};

/// Sorts the rows of all ranks: each gets a run of them, about as long as the others'. A group may
/// end up on many ranks. Collective. Memory: 80 bytes for each row of this rank, before or after.
void sort_rows(Call& call, std::vector<OrderedRow>& rows);

/// Where a point is.
struct PartPlace {
  std::int64_t part = OrderedRow::kLast;
  std::int64_t place = 0;
};

/// Of each of this rank's points, which are numbered rank by rank from `start[rank]` on: the part
/// that it is in, or OrderedRow::kLast. `index` lists the members of some parts, part after part;
/// `offset` says where each begins, `first` is the number of the first. Members before that belong
/// to a part that began on a rank before, and the last part may continue on the next. Collective.
struct ListedParts {
  std::int64_t first = 0;
  std::vector<std::int64_t> index;
  std::vector<std::size_t> offset;
  bool are_ordered = false;  ///< members have places; parts begin and end on one rank
};
std::vector<PartPlace> part_of_rows(Call& call, const ListedParts& parts,
                                    const std::vector<std::uint64_t>& start);

}  // namespace kith::mpi

// Groups of all ranks by falling size, those of equal size by their lowest member: a sample sort.
// Afterwards each rank has the rows of a run of labels.
#pragma once

#include <cstdint>
#include <vector>

#include "mpi/call.hpp"

namespace kith::mpi {

struct GroupKey {
  std::uint64_t size, lowest;  ///< the lowest global index

  friend bool operator==(const GroupKey&, const GroupKey&) = default;
  friend bool operator<(const GroupKey& a, const GroupKey& b) {
    return a.size != b.size ? a.size > b.size : a.lowest < b.lowest;
  }
};

/// The rows of this rank: labels first, first + 1, ...
struct GroupRows {
  std::uint64_t count = 0;  ///< of all ranks
  std::uint64_t first = 0;
  std::vector<GroupKey> rows;
};

/// Sets label[i] of key i; the keys of all ranks are different. Collective.
GroupRows order_groups(Call& call, const std::vector<GroupKey>& keys,
                       std::vector<std::int64_t>& label);

}  // namespace kith::mpi

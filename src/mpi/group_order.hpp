// Groups of all ranks by falling size, those of equal size by their lowest member: a sample sort.
// Afterwards each rank has the rows of a run of labels, cut so that the groups of each rank have
// about as many points as those of the others.
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

struct GroupRows {
  std::vector<std::uint64_t> start;  ///< the first label of each rank, and the end
  std::vector<GroupKey> rows;        ///< of this rank
};

/// Sets label[i] of key i; the keys of all ranks are different. Collective.
GroupRows order_groups(Call& call, const std::vector<GroupKey>& keys,
                       std::vector<std::int64_t>& label);

}  // namespace kith::mpi

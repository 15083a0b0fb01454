// The implementation of Groups over ranks.
#pragma once

#include <cstdint>

#include <kith/mpi.hpp>

#include "base/access.hpp"
#include "base/array.hpp"
#include "mpi/groups/group_order.hpp"

namespace kith::mpi {

class Groups::Impl {
 public:
  Array<std::int64_t> tree_label;          ///< per position of this rank's tree
  Array<std::int64_t> label;               ///< per input point, or empty: asked for in tree order
  Array<std::int64_t> tree_root, root;     ///< per input point, or both empty
  std::vector<std::int64_t> size, lowest;  ///< of the rows of this rank
  GroupCuts cuts;                          ///< of the members
  std::uint64_t first = 0;                 ///< label of this rank
  RowOrder order = RowOrder::input;
  double linking_length = 0;
  // Of points of several types.
  std::shared_ptr<const Domains::Impl> domains;  ///< of the linked ones
  Array<std::int64_t> index;                     ///< global, of each label

  void take(GroupRows rows, int rank) {
    cuts = std::move(rows.cuts);
    first = cuts.first_row(rank);
    for (const GroupKey& key : rows.rows) {
      size.push_back(static_cast<std::int64_t>(key.size));
      lowest.push_back(static_cast<std::int64_t>(key.lowest));
    }
  }
};

}  // namespace kith::mpi

// What a Groups over ranks holds.
#pragma once

#include <cstdint>

#include <kith/mpi.hpp>

#include "base/array.hpp"

namespace kith::mpi {

class Groups::Impl {
 public:
  Array<std::int64_t> tree_label;          ///< per position of this rank's tree
  Array<std::int64_t> label;               ///< per input point, or empty: asked for in tree order
  Array<std::int64_t> tree_root, root;     ///< likewise, or both empty
  std::vector<std::int64_t> size, lowest;  ///< of the rows of this rank
  std::vector<std::uint64_t> start;        ///< the first label of each rank, and the end
  std::uint64_t first = 0;                 ///< of this rank
  RowOrder order = RowOrder::input;
  double linking_length = 0;
  // Of points of several types.
  std::shared_ptr<const Domains::Impl> domains;  ///< of the linked ones
  Array<std::int64_t> index;                     ///< global, of each label
};

}  // namespace kith::mpi

// Points on their way to the ranks of their groups.
#pragma once

#include "mpi/domain.hpp"
#include "mpi/groups_impl.hpp"

namespace kith::mpi {

class Members::Impl {
 public:
  std::shared_ptr<const Domains::Impl> domains;
  std::uint64_t first = 0;
  std::vector<std::int64_t> index;  ///< by group, then ascending
  std::vector<std::size_t> offset;
  Route route;                ///< from the rows of labels to the places of `index`
  std::size_t row_count = 0;  ///< labels of this rank
};

/// Sets everything but the domains. Collective.
void find_members(Call& call, const Domains::Impl& domains, const Groups::Impl& groups,
                  Members::Impl& out);

/// Values by position, in the order of the input; -1 for points that were dropped. Collective.
Array<std::int64_t> in_input_order(Call& call, const Domains::Impl& domains,
                                   const Array<std::int64_t>& values);

}  // namespace kith::mpi

// Points in the order of their groups, spread evenly over the ranks.
#pragma once

#include "base/access.hpp"
#include "mpi/domains/domain.hpp"
#include "mpi/groups/groups_impl.hpp"

namespace kith::mpi {

class Members::Impl {
 public:
  std::shared_ptr<const Domains::Impl> domains;
  std::uint64_t first = 0;
  std::vector<std::int64_t> index;  ///< by group, then ascending
  /// Of the groups that begin here; before the first one, members of a group that began elsewhere.
  std::vector<std::size_t> offset;
  Route route;                ///< from the rows of labels to the places of `index`
  std::size_t row_count = 0;  ///< labels of this rank
};

/// Labels of this rank's rows, -1 for none, and their global indices.
struct Labeled {
  std::span<const std::int64_t> label, index;
  const GroupCuts& cuts;
};

/// Sets everything but the domains. Collective.
void gather_members(Call& call, const Labeled& labeled, Members::Impl& out);
/// The same for groups of these domains.
void find_members(Call& call, const Domains::Impl& domains, const Groups::Impl& groups,
                  Members::Impl& out);

inline constexpr std::uint64_t kAnyValue = ~std::uint64_t{0};

/// Values by position, in the order of the input; -1 for points that were dropped. All values are
/// -1 or more and less than `limit`, the same on all ranks: small ones travel faster. Collective.
Array<std::int64_t> in_input_order(Call& call, const Domains::Impl& domains,
                                   const Array<std::int64_t>& values, std::uint64_t limit);
/// The same into memory of the caller.
void put_in_input_order(Call& call, const Domains::Impl& domains, const Array<std::int64_t>& values,
                        std::uint64_t limit, std::int64_t* to);

}  // namespace kith::mpi

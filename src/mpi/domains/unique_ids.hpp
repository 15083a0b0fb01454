// Whether all points have different ids.
#pragma once

#include "mpi/transport/call.hpp"

namespace kith::mpi {

/// Refuses an id that two ranks have. `ids`: those of this rank, ascending. They are sorted over
/// all ranks: 8 bytes per point are sent, and it takes 1 to 2 % of the time of Domains::keep or
/// curve (10^6 points on each of two ranks). Collective, with an agreement.
void check_unique_ids(Call& call, const Array<std::uint64_t>& ids);

}  // namespace kith::mpi

// Halos and their histories from catalogues that several processes read together.
#pragma once

#include <string>
#include <vector>

#include <kith/detail/ranks.hpp>
#include <kith/io/halo_histories.hpp>

namespace kith {

/// As read_halo_members: all halos, and the members that this rank has read. Those of a halo are in
/// order rank by rank. Collective.
KITH_API HaloMembers read_halo_members(Ranks& ranks, const std::string& path,
                                       const HaloMembersOptions& options,
                                       const Execution& execution);

/// As halo_histories, which every rank gets. Collective.
KITH_API HaloHistories halo_histories(Ranks& ranks, const std::vector<std::string>& catalogues,
                                      const HistoryOptions& options, const HaloHistories* earlier,
                                      const Execution& execution);

}  // namespace kith

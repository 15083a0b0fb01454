// Catalogues of halos with their members, and how members count: shared by `match` and `trees`.
#pragma once

#include <string>

#include <kith/io/halo_members.hpp>
#include <kith/io/results.hpp>
#include <kith/match.hpp>

#include "command.hpp"

namespace kith::cli {

struct HaloOptions {
  std::string weight = "automatic";
  std::uint64_t most_bound = 0;
  HaloMembersOptions members;

  HaloOptions() = default;
  explicit HaloOptions(const ResultAbout& about);  ///< as `note` has noted them
  void note(const MatchOptions& options, ResultAbout& about) const;

  /// Without a choice of weights: by rank if the members of all catalogues are in order of binding.
  MatchOptions match(bool are_in_order) const;
  /// Reads the halos and says how many there are.
  HaloMembers open(const std::string& path, Session& session) const;
};

void add_halo_options(Command command, HaloOptions& options);

}  // namespace kith::cli

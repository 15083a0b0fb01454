// The definition of matches, links and trees, in the plainest code.
#pragma once

#include <kith/match.hpp>
#include <kith/merger_trees.hpp>

namespace kith::histories {

/// kith::match, by looking at all pairs of members of all pairs of objects.
Match brute_match(const LabeledIds& a, const LabeledIds& b, const MatchOptions& options);

/// HaloLinker, by looking at all pairs of snapshots within reach.
HaloLinks brute_links(std::span<const LabeledIds> snapshots, const LinkOptions& options);

/// kith::merger_trees, by recursion.
MergerTrees brute_trees(const HaloLinks& links, std::span<const std::int64_t> members,
                        MainBranch rule);

/// OrphanFollower, by looking for each particle in each later snapshot; links and members.
struct BruteOrphans {
  HaloLinks links;
  std::vector<std::int64_t> members;
};
BruteOrphans brute_orphans(std::span<const LabeledIds> snapshots, const HaloLinks& links,
                           std::span<const std::int64_t> members, MainBranch rule);

}  // namespace kith::histories

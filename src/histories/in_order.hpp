// Trees whose main branches are known already: those of files.
#pragma once

#include <kith/merger_trees.hpp>

#include "base/shared.hpp"

namespace kith::histories {

/// kith::merger_trees, where of several progenitors the one with the lowest number comes first.
KITH_SHARED MergerTrees merger_trees_in_order(const HaloLinks& links,
                                              std::span<const std::int64_t> members,
                                              std::span<const std::int64_t> order);

}  // namespace kith::histories

// What HaloLinker asks of the members of snapshots: in one process, or over ranks.
#pragma once

#include <functional>
#include <vector>

#include <kith/merger_trees.hpp>

#include "base/shared.hpp"

namespace kith::histories {

/// Matches of a new snapshot with those within reach, of which it keeps the members.
class KITH_SHARED HaloMatcher {
 public:
  virtual ~HaloMatcher();

  /// Passed on by add(): the number of halos, and matches with the snapshots before, the latest
  /// first.
  struct Found {
    std::size_t halos = 0;
    std::vector<Match> matches = {};
  };
  /// use(found), then keeps the members; if there is an error, nothing has changed. Known snapshots
  /// are not matched.
  virtual void add(const LabeledIds& halos, bool is_known, const Execution& execution,
                   const std::function<void(const Found&)>& use) = 0;
};

/// Throws for options that make no links.
void check_link_options(const LinkOptions& options);

}  // namespace kith::histories

// The partners of members: the objects of the other set that have the same ID.
#pragma once

#include <cstdint>
#include <vector>

#include "histories/sorted_members.hpp"

namespace kith::histories {

/// Nearly every member has one partner or none, kept in `first`; an ID that is a member of
/// several objects of the other set has the rest in `more`.
struct Partners {
  struct More {
    std::uint32_t place;
    std::int32_t object;
    // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14
    auto operator<=>(const More&) const = default;
  };
  Array<std::int32_t> first;  ///< of each place; -1: none
  std::vector<More> more;     ///< ascending
};

/// Of the members of `from` in `to`.
KITH_SHARED Partners partners_of(const Workers& workers, const SortedMembers& from,
                                 const SortedMembers& to);

/// The best partners of the objects of `from`, of which `to` has `objects`. Only from.offset is
/// read.
KITH_SHARED Matches best_partners(const Workers& workers, const SortedMembers& from,
                                  const Partners& partners, std::size_t objects,
                                  const MatchOptions& options);

}  // namespace kith::histories

// The members of the objects of one set, by object and by ID.
//
// A place is the position of a member when all are ordered by (object, rank of binding). Members
// are sorted by (ID, place), so that two sets can be joined in one pass, and one sorted set can be
// joined with several others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <kith/match.hpp>

#include "base/shared.hpp"
#include "parallel/radix_sort.hpp"

namespace kith::histories {

struct SortedMembers {
  std::vector<std::size_t> offset;  ///< object o has the places [offset[o], offset[o + 1])
  Array<std::int32_t> object;       ///< of each place
  Array<KeyIndex> by_id;            ///< (ID, place)

  std::size_t objects() const { return offset.empty() ? 0 : offset.size() - 1; }
  std::size_t members() const { return object.size(); }
};

/// How messages name a call and the set that it was given.
struct SetName {
  const char* call;
  const char* set;
};

/// Errors: those of kith::match.
SortedMembers sorted_members(const Workers& workers, const LabeledIds& set, const SetName& name);

// ---- parts of it, for sets that are divided among ranks

/// The largest label, or -1; errors for arrays that do not fit each other.
KITH_SHARED std::int32_t largest_label(const Workers& workers, const LabeledIds& set,
                                       const SetName& name);
/// The number of objects of a set with this many labels; an error if the largest is beyond them.
KITH_SHARED std::size_t objects_of(std::int32_t largest, std::uint64_t labels, std::size_t objects,
                                   const SetName& name);
/// Sorts by_id, where `object` is set. Throws if an ID is twice a member of one object.
KITH_SHARED void sort_by_id(const Workers& workers, SortedMembers& members, const SetName& name);

}  // namespace kith::histories

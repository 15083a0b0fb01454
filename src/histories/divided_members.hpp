// Members that are divided by their IDs, so that two sets are joined a part at a time: over ranks,
// or from disk. Shared members are then brought to their objects.
#pragma once

#include <span>

#include "histories/partners.hpp"
#include "parallel/pieces.hpp"

namespace kith::histories {

struct MemberRow {
  std::uint64_t id;
  std::int32_t object;
  std::uint32_t rank_of_binding;
};

/// The same for equal IDs; IDs in any pattern are spread evenly.
inline std::uint32_t hash_of_id(std::uint64_t id) {
  id = (id ^ id >> 32) * 0x9e3779b97f4a7c15ULL;
  return static_cast<std::uint32_t>(id >> 32);
}

/// Members of one set whose IDs belong to one part.
struct MembersOfPart {
  SortedMembers by_id;  ///< `object` and `by_id`, without `offset`
  Array<std::uint32_t> rank_of_binding;
};
KITH_SHARED MembersOfPart members_of_part(const Workers& workers, std::span<const MemberRow> rows,
                                          const SetName& name);

/// A member of `object` that is a member of `partner` in the other set.
struct SharedMember {
  std::int32_t object;
  std::uint32_t rank_of_binding;
  std::int32_t partner;
};

/// visit(shared) for the members of `from` with partners.
template <class Visit>
void each_shared(const Workers& workers, const MembersOfPart& from, const Partners& partners,
                 Visit visit) {
  const auto shared = [&](std::size_t i, std::int32_t partner) {
    visit(SharedMember{from.by_id.object[i], from.rank_of_binding[i], partner});
  };
  for_each_in_order(workers, partners.first.size(), [&](std::size_t i) {
    if (partners.first[i] >= 0) shared(i, partners.first[i]);
  });
  for_each_in_order(workers, partners.more.size(), [&](std::size_t k) {
    shared(std::size_t{partners.more[k].place}, partners.more[k].object);
  });
}

/// Partners of members at the places of objects: object k of those here has the places
/// [offset[k], offset[k + 1]) in order of binding. own(object): its number here.
template <class Own>
Partners partners_by_place(const Workers& workers, std::span<const SharedMember> shared,
                           const std::vector<std::size_t>& offset, Own own) {
  Partners partners{Array<std::int32_t>(offset.back(), workers.pool()), {}};
  std::fill(partners.first.begin(), partners.first.end(), -1);
  for_each_in_order(workers, shared.size(), [&](std::size_t i) {
    const std::size_t place = offset[own(shared[i].object)] + shared[i].rank_of_binding;
    if (partners.first[place] < 0)
      partners.first[place] = shared[i].partner;
    else
      partners.more.push_back({static_cast<std::uint32_t>(place), shared[i].partner});
  });
  std::sort(partners.more.begin(), partners.more.end());
  return partners;
}

}  // namespace kith::histories

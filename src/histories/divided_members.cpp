#include "histories/divided_members.hpp"

namespace kith::histories {

MembersOfPart members_of_part(const Workers& workers, std::span<const MemberRow> rows,
                              const SetName& name) {
  const std::size_t n = rows.size();
  MembersOfPart members;
  members.by_id.object = Array<std::int32_t>(n, workers.pool());
  members.rank_of_binding = Array<std::uint32_t>(n, workers.pool());
  members.by_id.by_id = Array<KeyIndex>(n, workers.pool());
  for_each_in_order(workers, n, [&](std::size_t i) {
    members.by_id.object[i] = rows[i].object;
    members.rank_of_binding[i] = rows[i].rank_of_binding;
    members.by_id.by_id[i] = {rows[i].id, static_cast<std::uint32_t>(i)};
  });
  sort_by_id(workers, members.by_id, name);
  return members;
}

}  // namespace kith::histories

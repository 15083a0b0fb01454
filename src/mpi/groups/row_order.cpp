#include "mpi/groups/row_order.hpp"

#include <algorithm>

#include "base/checked_sort.hpp"
#include "mpi/domains/sample_sort.hpp"
#include "mpi/transport/rows.hpp"

namespace kith::mpi {
namespace {

void sort(std::vector<OrderedRow>& rows, const Workers& workers) {
  checked_sort(rows.begin(), rows.end(), [&] { workers.check_cancelled(); });
}

struct Placed {
  std::int64_t index;
  PartPlace at;
};

}  // namespace

void sort_rows(Call& call, std::vector<OrderedRow>& rows) {
  call.work([&](Workers& workers) { sort(rows, workers); });
  Received<OrderedRow> arrived = deal_in_order(call, rows).arrived;
  call.phase([&](Workers& workers) {
    std::vector<OrderedRow>().swap(rows);
    rows.assign(arrived.all().begin(), arrived.all().end());
    arrived.values = {};
    sort(rows, workers);
  });
}

std::vector<PartPlace> part_of_rows(Call& call, const ListedParts& parts,
                                    const std::vector<std::uint64_t>& start) {
  std::vector<Placed> placed;
  call.prepare([&] {
    for (std::size_t i = 0; i < parts.offset.front(); ++i)
      placed.push_back({parts.index[i], {parts.first - 1, 0}});
    for (std::size_t s = 0; s + 1 < parts.offset.size(); ++s)
      for (std::size_t i = parts.offset[s]; i < parts.offset[s + 1]; ++i)
        placed.push_back(
            {parts.index[i],
             {parts.first + static_cast<std::int64_t>(s),
              parts.are_ordered ? static_cast<std::int64_t>(i - parts.offset[s]) : 0}});
    std::sort(placed.begin(), placed.end(),
              [](const Placed& a, const Placed& b) { return a.index < b.index; });
  });
  const Received<Placed> arrived = send_rows(call, placed, [&](const Placed& each) {
    const auto after =
        std::upper_bound(start.begin() + 1, start.end(), static_cast<std::uint64_t>(each.index));
    return static_cast<int>(after - start.begin()) - 1;
  });
  std::vector<PartPlace> part;
  call.quick([&] {
    const auto rank = static_cast<std::size_t>(call.rank());
    part.assign(static_cast<std::size_t>(start[rank + 1] - start[rank]), {});
    for (const Placed& each : arrived.all())
      part[static_cast<std::size_t>(each.index) - start[rank]] = each.at;
  });
  return part;
}

}  // namespace kith::mpi

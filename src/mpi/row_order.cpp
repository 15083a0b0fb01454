#include "mpi/row_order.hpp"

#include <algorithm>

#include "base/checked_sort.hpp"
#include "mpi/mail.hpp"
#include "mpi/sample_splitters.hpp"

namespace kith::mpi {
namespace {

void sort(std::vector<OrderedRow>& rows, const Workers& workers) {
  checked_sort(rows.begin(), rows.end(), [&] { workers.check_cancelled(); });
}

struct Placed {
  std::int64_t index, part;
};

}  // namespace

void sort_rows(Call& call, std::vector<OrderedRow>& rows) {
  std::size_t count = 0;
  call.work([&](Workers& workers) {
    sort(rows, workers);
    count = rows.size();
  });
  const auto splitters =
      sample_splitters<OrderedRow>(call, count, [&](std::size_t i) { return rows[i]; });
  Runs runs;
  call.prepare(
      [&] { runs = sorted_runs(rows, splitters, sizeof(OrderedRow), std::less<OrderedRow>()); });
  Arrived arrived = call.exchange(runs, reinterpret_cast<const std::byte*>(rows.data()));
  call.phase([&](Workers& workers) {
    std::vector<OrderedRow>().swap(rows);
    const auto found = rows_of<OrderedRow>(arrived.bytes);
    rows.assign(found.begin(), found.end());
    arrived.bytes = {};
    sort(rows, workers);
  });
}

std::vector<std::int64_t> part_of_rows(Call& call, const ListedParts& parts,
                                       const std::vector<std::uint64_t>& start) {
  std::vector<Placed> placed;
  call.prepare([&] {
    for (std::size_t i = 0; i < parts.offset.front(); ++i)
      placed.push_back({parts.index[i], parts.first - 1});
    for (std::size_t s = 0; s + 1 < parts.offset.size(); ++s)
      for (std::size_t i = parts.offset[s]; i < parts.offset[s + 1]; ++i)
        placed.push_back({parts.index[i], parts.first + static_cast<std::int64_t>(s)});
    std::sort(placed.begin(), placed.end(),
              [](const Placed& a, const Placed& b) { return a.index < b.index; });
  });
  const Arrived arrived = mailed(call, placed, [&](const Placed& each) {
    const auto after =
        std::upper_bound(start.begin() + 1, start.end(), static_cast<std::uint64_t>(each.index));
    return static_cast<int>(after - start.begin()) - 1;
  });
  std::vector<std::int64_t> part;
  call.quick([&] {
    const auto rank = static_cast<std::size_t>(call.rank());
    part.assign(static_cast<std::size_t>(start[rank + 1] - start[rank]), OrderedRow::kLast);
    for (const Placed& each : rows_of<Placed>(arrived.bytes))
      part[static_cast<std::size_t>(each.index) - start[rank]] = each.part;
  });
  return part;
}

}  // namespace kith::mpi

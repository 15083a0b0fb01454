#include "mpi/domains/shipment.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace kith::mpi {

void Shipment::plan_keep(std::size_t n, bool lists_rows, const Workers& workers) {
  if (n > 0) route_.out.add(call_.rank(), n);
  if (!lists_rows) return;
  route_.row = Array<std::uint32_t>(n, workers.pool());
  workers.for_ranges(n, kGrain, [&](std::size_t begin, std::size_t end) {
    std::iota(&route_.row[begin], &route_.row[begin] + (end - begin),
              static_cast<std::uint32_t>(begin));
  });
}

void Shipment::plan(const Array<std::uint32_t>& rank, const Workers& workers) {
  const std::size_t n = rank.size(), ranks = static_cast<std::size_t>(call_.ranks());
  route_.row = Array<std::uint32_t>(n, workers.pool());
  // Each range of points has its own place among the rows of each rank.
  const std::size_t grain = std::max({4 * kGrain, n / 256, 8 * ranks});
  std::vector<std::size_t> at(range_count(n, grain) * ranks);
  workers.for_ranges(n, grain, [&](std::size_t begin, std::size_t end) {
    std::size_t* count = &at[begin / grain * ranks];
    for (std::size_t i = begin; i < end; ++i) ++count[rank[i]];
  });
  for (std::size_t r = 0, sum = 0; r < ranks; ++r) {
    const std::size_t before = sum;
    for (std::size_t i = r; i < at.size(); i += ranks) sum += std::exchange(at[i], sum);
    if (sum > before) route_.out.add(static_cast<int>(r), sum - before);
  }
  workers.for_ranges(n, grain, [&](std::size_t begin, std::size_t end) {
    std::size_t* to = &at[begin / grain * ranks];
    for (std::size_t i = begin; i < end; ++i)
      route_.row[to[rank[i]]++] = static_cast<std::uint32_t>(i);
  });
  set_others();
}

void Shipment::set_others() {
  for (std::size_t i = 0; i < route_.out.size(); ++i)
    if (route_.out.rank[i] != call_.rank()) others_.add(route_.out.rank[i], route_.out.length(i));
}

}  // namespace kith::mpi

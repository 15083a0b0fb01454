// Points in the order of their groups: a stable counting sort by label.
//
// Labels are skewed (the first groups hold most points), so points are scattered not by label but
// by the place where their group starts in the result: buckets then hold about equally many points,
// or one group.
#include <algorithm>
#include <bit>

#include <kith/catalogue.hpp>

#include "groups/columns.hpp"
#include "parallel/pieces.hpp"
#include "parallel/public_call.hpp"
#include "parallel/radix_sort.hpp"

namespace kith {
namespace {

constexpr std::size_t kBuckets = 2048;

Members sorted_by_group(const Groups& groups, const Workers& workers) {
  const std::span<const std::int32_t> label = groups.label();
  const std::size_t n = label.size(), count = groups.count();
  Members members;
  members.offset = member_offsets(groups, workers);
  members.order = filled<std::uint32_t>(workers, n);
  // Points without a group follow the last one.
  auto group_of = [&](std::size_t i) {
    return label[i] < 0 ? count : static_cast<std::size_t>(label[i]);
  };
  // A bucket is a stretch of the result, a power of two long.
  const int shift = static_cast<int>(std::bit_width(n / kBuckets));

  Array<std::uint32_t> scattered(n, workers.pool());
  Array<std::uint16_t> codes(n, workers.pool());
  const std::vector<std::size_t> start = scatter_to_buckets(
      workers, n, kBuckets, [&](std::size_t i) { return members.offset[group_of(i)] >> shift; },
      [](std::size_t i) { return static_cast<std::uint32_t>(i); }, codes.data(), scattered.data());
  workers.for_ranges(kBuckets, 8, [&](std::size_t begin, std::size_t end) {
    std::vector<std::size_t> next;
    for (std::size_t bucket = begin; bucket < end; ++bucket) {
      if (start[bucket] == start[bucket + 1]) continue;
      // The bucket's groups are those that start in its stretch of the result.
      const auto first =
          std::lower_bound(members.offset.begin(), members.offset.end(), bucket << shift);
      const auto last = std::lower_bound(first, members.offset.end(), (bucket + 1) << shift);
      const std::size_t lowest = static_cast<std::size_t>(first - members.offset.begin());
      next.assign(first, last);
      // A bucket may hold one huge group.
      for_each_in_order(workers, start[bucket + 1] - start[bucket], [&](std::size_t i) {
        const std::uint32_t point = scattered[start[bucket] + i];
        members.order[next[group_of(point) - lowest]++] = point;
      });
    }
  });
  return members;
}

}  // namespace

// The sizes of groups count linked points alone, members are attached points too: only where there
// are some must every label be counted.
std::vector<std::size_t> member_offsets(const Groups& groups, const Workers& workers) {
  const std::span<const std::int32_t> label = groups.label();
  const std::size_t count = groups.count();
  std::vector<std::size_t> offset = filled<std::size_t>(workers, count + 1);
  for_each_in_order(workers, count, [&](std::size_t group) {
    offset[group + 1] = offset[group] + groups.size(group);
  });
  const std::size_t grouped = reduce(
      workers, label.size(), std::size_t{1} << 16, std::size_t{0},
      [&](std::size_t begin, std::size_t end) {
        return static_cast<std::size_t>(
            std::count_if(label.begin() + static_cast<std::ptrdiff_t>(begin),
                          label.begin() + static_cast<std::ptrdiff_t>(end),
                          [](std::int32_t each) { return each >= 0; }));
      },
      [](std::size_t a, std::size_t b) { return a + b; });
  if (grouped == offset[count]) return offset;
  for_each_in_order(workers, count + 1, [&](std::size_t group) { offset[group] = 0; });
  for_each_in_order(workers, label.size(), [&](std::size_t i) {
    if (label[i] >= 0) ++offset[static_cast<std::size_t>(label[i]) + 1];
  });
  for_each_in_order(workers, count, [&](std::size_t group) { offset[group + 1] += offset[group]; });
  return offset;
}

Members members(const Groups& groups, const Execution& execution) {
  return public_call("members", execution, [&](Workers& workers) {
    const Stage stage(workers, "members", groups.label().size());
    return sorted_by_group(groups, workers);
  });
}

}  // namespace kith

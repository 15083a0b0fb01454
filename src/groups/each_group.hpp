// The loop over groups of very different sizes.
#pragma once

#include <functional>

#include <kith/catalogue.hpp>

#include "groups/source.hpp"
#include "parallel/workers.hpp"

namespace kith {

/// All threads share a group of more members; smaller groups go to threads in ranges.
inline constexpr std::size_t kLargeGroup = 16 * kSumBlock;

/// make() returns a body for a range of groups; body(group) is called for all groups. Groups must
/// be sorted by decreasing size, or nearly so: attached points do not count. `grain`: groups of a
/// range; small where the work for a group is large.
template <class Make>
void for_ranges_of_groups(const Members& members, const Workers& workers, std::size_t grain,
                          Make make) {
  const std::size_t count = members.count();
  std::size_t large = 0;
  for (auto body = make(); large < count && members.of(large).size() > kLargeGroup; ++large) {
    body(large);
    workers.advance(members.of(large).size());
  }
  workers.for_ranges(count - large, grain, [&](std::size_t begin, std::size_t end) {
    auto body = make();
    std::size_t checked = members.offset[large + begin];
    for (std::size_t group = large + begin; group < large + end; ++group) {
      body(group);
      if (members.offset[group + 1] - checked < kLargeGroup) continue;
      workers.check_cancelled();
      checked = members.offset[group + 1];
    }
    workers.advance(members.offset[large + end] - members.offset[large + begin]);
  });
}

inline constexpr std::size_t kGroupGrain = 16;

template <class Body>
void for_each_group(const Members& members, const Workers& workers, Body body,
                    std::size_t grain = kGroupGrain) {
  for_ranges_of_groups(members, workers, grain, [&] { return std::ref(body); });
}

}  // namespace kith

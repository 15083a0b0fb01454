#include "groups/checks.hpp"

#include <algorithm>
#include <cmath>

#include "base/fail.hpp"
#include "groups/columns.hpp"
#include "parallel/pieces.hpp"

namespace kith {

void check_columns(const char* call, const GivenColumns& given, const Box& box,
                   const Workers& workers) {
  const PointsView &points = given.points, &velocity = given.velocity;
  if (points.dimension < 1 || points.dimension > kMaxDimension)
    refuse("{}: points of dimension {}; kith handles 1 to {}", call, points.dimension,
           kMaxDimension);
  if (box.dimension() != 0 && box.dimension() != points.dimension)
    refuse("{}: a box of {} axes for points of dimension {}", call, box.dimension(),
           points.dimension);
  check_values(call, "mass", given.mass, points.size, workers);
  if (velocity.data && (velocity.size != points.size || velocity.dimension != points.dimension))
    refuse("{}: velocity has {} rows of {}, the points have {} of {}", call, velocity.size,
           velocity.dimension, points.size, points.dimension);
  if (!given.type.empty() && given.type.size() != points.size)
    refuse("{}: {} types for {} points", call, given.type.size(), points.size);
}

void check_values(const char* call, const char* what, const ValuesView& values, std::size_t points,
                  const Workers& workers) {
  if (values.data && values.size != points)
    refuse("{}: {} values of {} for {} points; give one per point", call, values.size, what,
           points);
  const ValueReader read(values);
  const std::size_t count = values.data ? points : 1;
  for_each_in_order(workers, count, [&](std::size_t i) {
    if (!std::isfinite(read(i)) || read(i) < 0)
      refuse("{}: {} {} of point {}; it must be finite and not negative", call, what, read(i), i);
  });
}

void check_grouped(const char* call, std::size_t grouped, std::size_t points) {
  if (grouped != points)
    refuse("{}: {} points, but the groups are of {}; pass the points that the groups were made of",
           call, points, grouped);
}

void check_members(const char* call, const Members& members, std::size_t points,
                   const Workers& workers) {
  const std::vector<std::size_t>& offset = members.offset;
  if (offset.empty() || offset.front() != 0 || offset.back() > members.order.size())
    refuse("{}: members of {} points with offsets that do not fit; they go from 0 to at most that",
           call, members.order.size());
  check_grouped(call, members.order.size(), points);
  constexpr std::size_t kGrain = std::size_t{1} << 16;
  workers.for_ranges(members.count(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t group = begin; group < end; ++group)
      if (offset[group] >= offset[group + 1])
        refuse("{}: group {} has no members; a group has at least one", call, group);
  });
  workers.for_ranges(points, kGrain, [&](std::size_t begin, std::size_t end) {
    std::uint32_t last = 0;
    for (std::size_t i = begin; i < end; ++i) last = std::max(last, members.order[i]);
    if (last >= points)
      refuse("{}: member {} of {} points; indices are below that", call, last, points);
  });
}

}  // namespace kith

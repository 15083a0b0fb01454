#include "subhalos/phase_sets.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <kith/groups.hpp>
#include <kith/neighbors.hpp>

#include "base/checked_sort.hpp"
#include "parallel/grains.hpp"
#include "parallel/pieces.hpp"

namespace kith {
namespace {

/// Sets of up to this many members are searched by one thread.
constexpr std::size_t kShared = 10000;

/// Columns about their mean over some members, over the root of the mean square distance from it;
/// all 0 if that is 0. They go to the columns [first, first + d) of rows of 2 d numbers.
void put_scaled(std::span<const double> values, std::size_t d,
                std::span<const std::uint32_t> members, std::size_t first, const Workers& workers,
                std::vector<double>& rows) {
  const auto n = static_cast<double>(members.size());
  std::vector<double> mean(d);
  for_each_in_order(workers, members.size(), [&](std::size_t k) {
    for (std::size_t axis = 0; axis < d; ++axis) mean[axis] += values[members[k] * d + axis];
  });
  for (double& each : mean) each /= n;
  double square = 0;
  for_each_in_order(workers, members.size(), [&](std::size_t k) {
    double distance2 = 0;
    for (std::size_t axis = 0; axis < d; ++axis) {
      const double off = values[members[k] * d + axis] - mean[axis];
      distance2 += off * off;
    }
    square += distance2;
  });
  const double scale = std::sqrt(square / n);
  if (!(scale > 0)) return;
  workers.for_ranges(members.size(), kPointGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k)
      for (std::size_t axis = 0; axis < d; ++axis)
        rows[2 * d * k + first + axis] = (values[members[k] * d + axis] - mean[axis]) / scale;
  });
}

/// The length within which linked_members() have a friend: just above the distance of one of them
/// from its nearest neighbor.
double linking_length(const Tree<double>& tree, const Workers& workers,
                      const Execution& execution) {
  const Neighbors<double> near = knn(tree, {.k = 1, .exclude_self = true}, execution);
  std::vector<double> distance(near.distances(), near.distances() + near.size());
  const auto last =
      distance.begin() + static_cast<std::ptrdiff_t>(linked_members(distance.size())) - 1;
  checked_nth_element(distance.begin(), last, distance.end(), [&] { workers.check_cancelled(); });
  return std::nextafter(*last, std::numeric_limits<double>::infinity());
}

/// The sets inside one, the largest first. None if it has no groups, or a single one of all.
std::vector<PhaseSet> sets_inside(const PhaseRows& rows, std::span<const std::uint32_t> members,
                                  std::size_t min_size, const Workers& workers,
                                  const Execution& execution) {
  const std::size_t n = members.size(), width = 2 * rows.d;
  if (n < 2) return {};
  std::vector<double> scaled = filled<double>(workers, n * width);
  put_scaled(rows.x, rows.d, members, 0, workers, scaled);
  put_scaled(rows.v, rows.d, members, rows.d, workers, scaled);
  const Execution alone{.threads = 1, .cancel = execution.cancel};
  const Execution& how = n > kShared ? execution : alone;
  const Tree<double> tree(view(scaled.data(), n, static_cast<int>(width)), {}, how);
  const double length = linking_length(tree, workers, how);
  const Groups groups = fof(tree, {.linking_length = length, .min_size = min_size}, how);
  if (groups.count() == 1 && groups.size(0) == n) return {};
  std::vector<PhaseSet> inside(groups.count());
  const std::span<const std::int32_t> label = groups.label();
  for_each_in_order(workers, n, [&](std::size_t k) {
    if (label[k] >= 0) inside[static_cast<std::size_t>(label[k])].members.push_back(members[k]);
  });
  return inside;
}

}  // namespace

std::vector<PhaseSet> phase_sets(const PhaseRows& rows, std::size_t min_size,
                                 const Workers& workers, const Execution& execution) {
  std::vector<PhaseSet> sets(1);
  sets[0].members.resize(rows.x.size() / rows.d);
  std::iota(sets[0].members.begin(), sets[0].members.end(), 0u);
  for (std::size_t s = 0; s < sets.size(); ++s) {
    std::vector<PhaseSet> inside = sets_inside(rows, sets[s].members, min_size, workers, execution);
    sets[s].first = sets.size();
    sets[s].count = inside.size();
    std::move(inside.begin(), inside.end(), std::back_inserter(sets));
  }
  return sets;
}

}  // namespace kith

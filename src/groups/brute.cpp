#include "groups/brute.hpp"

#include <algorithm>
#include <numeric>

#include "base/float_environment.hpp"
#include "groups/brute_points.hpp"
#include "groups/reach.hpp"

namespace kith {
namespace {

using Indices = std::vector<std::int64_t>;

/// The lowest point of the component of each point. A component is found by asking the points in
/// it, one after the other, for friends among those that nobody has claimed yet.
template <class T>
Indices components(const BrutePoints<T>& points, T reach2) {
  Indices root(points.size(), -1);
  std::vector<std::size_t> unclaimed(points.size());
  std::iota(unclaimed.begin(), unclaimed.end(), std::size_t{0});
  while (!unclaimed.empty()) {
    const std::size_t lowest = unclaimed.front();
    std::vector<std::size_t> asking{lowest};
    unclaimed.erase(unclaimed.begin());
    while (!asking.empty()) {
      const std::size_t p = asking.back();
      asking.pop_back();
      root[p] = static_cast<std::int64_t>(lowest);
      const auto friends =
          std::stable_partition(unclaimed.begin(), unclaimed.end(),
                                [&](std::size_t q) { return !(points.distance2(p, q) <= reach2); });
      asking.insert(asking.end(), friends, unclaimed.end());
      unclaimed.erase(friends, unclaimed.end());
    }
  }
  return root;
}

/// Sizes, order and labels from the root of each point (-1: dropped).
BruteGroups numbered(Indices root, std::size_t min_size) {
  const std::size_t n = root.size();
  BruteGroups groups{std::vector<std::int32_t>(n, -1), std::move(root), {}, {}};
  std::vector<std::size_t> size(n, 0);
  for (const std::int64_t r : groups.root)
    if (r >= 0) ++size[static_cast<std::size_t>(r)];
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < n; ++i)
    if (size[i] >= min_size) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return size[a] > size[b]; });
  std::vector<std::int32_t> label(n, -1);
  for (std::size_t g = 0; g < order.size(); ++g) {
    label[order[g]] = static_cast<std::int32_t>(g);
    groups.size.push_back(static_cast<std::int64_t>(size[order[g]]));
    groups.lowest.push_back(static_cast<std::int64_t>(order[g]));
  }
  for (std::size_t i = 0; i < n; ++i)
    if (groups.root[i] >= 0) groups.label[i] = label[static_cast<std::size_t>(groups.root[i])];
  return groups;
}

template <class T>
BruteGroups solve(const PointsView& points, const FofOptions& options) {
  const BrutePoints<T> all(points, options.box, options.non_finite);
  const double length = linking_length_of(options, options.box, all.size(), points.dimension);
  const Indices live = components(all, reach_of<T>(length, options.strict, all.frame()).reach2);
  Indices root(points.size, -1);
  for (std::size_t i = 0; i < live.size(); ++i)
    root[all.index(i)] = static_cast<std::int64_t>(all.index(static_cast<std::size_t>(live[i])));
  return numbered(std::move(root), options.min_size);
}

}  // namespace

BruteGroups brute_fof(const PointsView& points, const FofOptions& options) {
  const FloatEnvironment environment;
  check_view("fof", points, options.box);
  check_fof_options(options);
  return with_scalar(points.scalar, [&]<class T>() { return solve<T>(points, options); });
}

}  // namespace kith

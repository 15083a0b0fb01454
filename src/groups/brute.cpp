#include "groups/brute.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/float_environment.hpp"
#include "groups/brute_points.hpp"
#include "groups/reach.hpp"

namespace kith {
namespace {

using Indices = std::vector<std::int64_t>;

/// The lowest point of the component of each point. A component is found by searching the friends
/// of its points, one after the other, among the points that are in no component yet.
template <class AreFriends>
Indices components(std::size_t size, AreFriends are_friends) {
  Indices root(size, -1);
  std::vector<std::size_t> unclaimed(size);
  std::iota(unclaimed.begin(), unclaimed.end(), std::size_t{0});
  while (!unclaimed.empty()) {
    const std::size_t lowest = unclaimed.front();
    std::vector<std::size_t> asking{lowest};
    unclaimed.erase(unclaimed.begin());
    while (!asking.empty()) {
      const std::size_t p = asking.back();
      asking.pop_back();
      root[p] = static_cast<std::int64_t>(lowest);
      const auto friends = std::stable_partition(unclaimed.begin(), unclaimed.end(),
                                                 [&](std::size_t q) { return !are_friends(p, q); });
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

template <class T, class AreFriends>
BruteGroups solve(const PointsView& points, const BrutePoints<T>& all, const FofOptions& options,
                  AreFriends are_friends) {
  const Indices live = components(all.size(), are_friends);
  Indices root(points.size, -1);
  for (std::size_t i = 0; i < live.size(); ++i)
    root[all.index(i)] = static_cast<std::int64_t>(all.index(static_cast<std::size_t>(live[i])));
  return numbered(std::move(root), options.min_size);
}

/// d2 <= l * l, with l from the lengths of both.
template <class T>
bool are_friends_by(LengthRule rule, T a, T b, T d2, bool is_strict) {
  T length = (a + b) * T(0.5);
  if (rule == LengthRule::least) length = a < b ? a : b;
  if (rule == LengthRule::largest) length = a < b ? b : a;
  const T reach2 = std::min(length * length, std::numeric_limits<T>::max());
  return is_strict ? d2 < reach2 : d2 <= reach2;
}

}  // namespace

BruteGroups brute_fof(const PointsView& points, const LinkingLengths& lengths,
                      const FofOptions& options) {
  const FloatEnvironment environment;
  return with_scalar(points.scalar, [&]<class T>() {
    const BrutePoints<T> all(points, options.box, options.non_finite);
    constexpr double kMost = std::numeric_limits<T>::max();
    std::vector<T> length;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto rounded = static_cast<T>(std::min(lengths.length[all.index(i)], kMost));
      length.push_back(
          std::min(std::ldexp(rounded, all.frame().exponent), std::numeric_limits<T>::max()));
    }
    return solve(points, all, options, [&](std::size_t p, std::size_t q) {
      return are_friends_by(lengths.rule, length[p], length[q], all.distance2(p, q),
                            options.strict);
    });
  });
}

BruteGroups brute_fof(const PointsView& points, const FofOptions& options) {
  const FloatEnvironment environment;
  check_view("fof", points, options.box);
  check_fof_options(options);
  return with_scalar(points.scalar, [&]<class T>() {
    const BrutePoints<T> all(points, options.box, options.non_finite);
    const double length = linking_length_of(options, options.box, all.size(), points.dimension);
    const T reach2 = reach_of<T>(length, options.strict, all.frame()).reach2;
    return solve(points, all, options,
                 [&](std::size_t p, std::size_t q) { return all.distance2(p, q) <= reach2; });
  });
}

}  // namespace kith

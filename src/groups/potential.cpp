// Direct sums in float64 decide, but only among points that are deep by a cheaper measure: direct
// sums in float32 for groups of ordinary size (4 times as fast), and a tree code for large ones.
#include "groups/potential.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "base/checked_sort.hpp"
#include "geometry/curve_key.hpp"
#include "groups/direct_sum.hpp"
#include "groups/octree.hpp"
#include "parallel/grains.hpp"

namespace kith {
namespace {

constexpr double kFloatError = 1e-3;  // more than sums in float can be wrong by

/// All potentials of these receivers, which ascend.
template <class T>
std::vector<Depth> depths(const DirectSum<T>& sum, const Bodies& bodies,
                          const std::vector<std::size_t>& receivers, const Workers& workers) {
  constexpr std::size_t kMost = DirectSum<T>::kMost;
  std::vector<Depth> found(receivers.size());
  workers.for_ranges(receivers.size(), kMost, [&](std::size_t first, std::size_t last) {
    typename DirectSum<T>::Receivers to;
    for (std::size_t k = first; k < last; ++k) sum.add_body(to, receivers[k]);
    T potential[kMost] = {}, block[kMost];
    WorkMeter meter(workers);
    std::size_t begin = 0;
    for (const std::size_t end : bodies.block_end) {
      sum.run(to, begin, end, block, meter);
      for (std::size_t k = 0; k < to.size(); ++k) potential[k] += block[k];
      begin = end;
    }
    for (std::size_t k = first; k < last; ++k)
      found[k] = {static_cast<double>(potential[k - first]), receivers[k]};
  });
  return found;
}

/// Points whose sums in float are close to the least: the deepest is among them.
std::vector<std::size_t> float_candidates(const Bodies& bodies, double softening,
                                          const Workers& workers) {
  std::vector<std::size_t> all(bodies.count);
  std::iota(all.begin(), all.end(), std::size_t{0});
  double extent = softening, mass = 0;
  for (const double x : bodies.x) extent = std::max(extent, std::abs(x));
  for (const double m : bodies.mass) mass += m;
  if (!(extent > 0) || all.size() <= DirectSum<float>::kMost) return all;
  const DirectSum<float> sum(bodies, softening, 1 / extent, 1 / mass);
  const std::vector<Depth> depth = depths(sum, bodies, all, workers);
  const double limit = std::min_element(depth.begin(), depth.end())->first * (1 - kFloatError);
  std::vector<std::size_t> found;
  for (const Depth& each : depth)
    if (each.first <= limit) found.push_back(each.second);
  return found;
}

/// Bodies along the curve.
std::vector<std::size_t> curve_order(const Bodies& bodies, const Workers& workers) {
  std::vector<double> lower(bodies.d), upper(bodies.d);
  for (std::size_t axis = 0; axis < bodies.d; ++axis) {
    const double* x = &bodies.x[axis * bodies.count];
    const auto [least, most] = std::minmax_element(x, x + bodies.count);
    lower[axis] = *least;
    upper[axis] = *most;
  }
  const std::vector<std::uint64_t> place =
      curve_places(bodies, lower.data(), upper.data(), workers);
  std::vector<std::pair<std::uint64_t, std::size_t>> sorted(bodies.count);
  for (std::size_t i = 0; i < sorted.size(); ++i) sorted[i] = {place[i], i};
  checked_sort(sorted.begin(), sorted.end(), [&] { workers.check_cancelled(); });
  std::vector<std::size_t> order;
  order.reserve(sorted.size());
  for (const auto& each : sorted) order.push_back(each.second);
  return order;
}

constexpr std::size_t kBodies = kOctet * kOctet;  // of an octet of leaves

/// The limit above which potentials are not needed.
double limit_of(const std::vector<Depth>& found) {
  return found.size() < kDeepestBy ? 0 : found.back().first;
}

/// Adds the potentials of the bodies of some branches to `found` and keeps the least, without those
/// that cannot be among them. `order`: the bodies along the curve.
void add_deepest(const OctreeSum& sum, const std::vector<std::size_t>& branches,
                 const std::vector<std::size_t>& order, std::vector<Depth>& found,
                 const Workers& workers) {
  constexpr std::size_t kOctets = kBranch / kBodies;  // of leaves in a branch
  const std::size_t old = found.size(), count = order.size();
  const double limit = limit_of(found);
  found.resize(old + branches.size() * kBranch, {0, count});
  workers.for_each(branches.size() * kOctets, [&](std::size_t k) {
    const std::size_t octet = branches[k / kOctets] * kOctets + k % kOctets;
    if (octet * kBodies >= count || sum.bound_of_octet(octet) > limit) return;
    const std::size_t begin = octet * kBodies, end = std::min(count, begin + kBodies);
    double potential[kBodies];
    sum.run(octet, potential);
    for (std::size_t i = begin; i < end; ++i)
      found[old + k * kBodies + i - begin] = {potential[i - begin], order[i]};
  });
  std::erase_if(found, [&](const Depth& each) { return each.second == count; });
  std::sort(found.begin(), found.end());
  found.resize(std::min(found.size(), kDeepestBy));
}

/// The least potentials by a tree code, from the branches that can have one of them: those of a
/// halo of 10^6 points are found in 5.1 s instead of 27.7 (NFW, softening 0.005, one thread).
std::vector<Depth> deepest_by(const OctreeSum& sum, const std::vector<std::size_t>& order,
                              const Workers& workers) {
  constexpr std::size_t kAtOnce = 16;
  std::vector<std::pair<double, std::size_t>> bounds(sum.branches());
  workers.for_ranges(bounds.size(), kAtOnce, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) bounds[i] = {sum.bound_of_branch(i), i};
  });
  std::sort(bounds.begin(), bounds.end());
  std::vector<Depth> found;
  for (std::size_t begin = 0; begin < bounds.size(); begin += kAtOnce) {
    if (bounds[begin].first > limit_of(found)) break;
    std::vector<std::size_t> branches;
    for (std::size_t i = begin; i < std::min(bounds.size(), begin + kAtOnce); ++i)
      branches.push_back(bounds[i].second);
    add_deepest(sum, branches, order, found, workers);
  }
  return found;
}

/// The tree code of some bodies.
struct CurveTree {
  std::vector<std::size_t> order;  ///< of the bodies, along the curve
  OctreeBranches branches;
  OctreeTop top;

  CurveTree(const Bodies& bodies, const Workers& workers)
      : order(curve_order(bodies, workers)),
        branches(branches_of(bodies, order)),
        top(bodies.d, branches.nodes(bodies.d)) {
    workers.check_cancelled();
  }

 private:
  static OctreeBranches branches_of(const Bodies& bodies, const std::vector<std::size_t>& order) {
    std::vector<double> x, mass;
    x.reserve(bodies.x.size());
    mass.reserve(order.size());
    for (const std::size_t i : order) {
      mass.push_back(bodies.mass[i]);
      for (std::size_t axis = 0; axis < bodies.d; ++axis) x.push_back(bodies.at(i, axis));
    }
    return {bodies.d, std::move(x), std::move(mass)};
  }
};

/// The points that a tree code finds deepest, ascending.
std::vector<std::size_t> tree_candidates(const Bodies& bodies, double softening,
                                         const Workers& workers) {
  const CurveTree tree(bodies, workers);
  std::vector<std::size_t> found;
  for (const Depth& each :
       deepest_by(OctreeSum(bodies.d, softening, tree.top, tree.branches), tree.order, workers))
    found.push_back(each.second);
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<double> tree_potentials(const Bodies& bodies, double softening,
                                    const Workers& workers) {
  const CurveTree tree(bodies, workers);
  const OctreeSum sum(bodies.d, softening, tree.top, tree.branches);
  std::vector<double> found = filled<double>(workers, bodies.count);
  workers.for_each(range_count(bodies.count, kBodies), [&](std::size_t octet) {
    workers.check_cancelled();
    double potential[kBodies];
    sum.run(octet, potential);
    const std::size_t begin = octet * kBodies, end = std::min(bodies.count, begin + kBodies);
    for (std::size_t i = begin; i < end; ++i) found[tree.order[i]] = potential[i - begin];
  });
  return found;
}

}  // namespace

Bodies bodies_of(const Source& from, const MemberBlocks& blocks, Chosen chosen,
                 const Workers& workers) {
  Bodies bodies{.d = from.d};
  std::vector<double> rows;
  for (std::size_t b = 0; b < blocks.count(); ++b) {
    workers.check_cancelled();
    blocks.with_block(b, [&](const MemberBlock& block) {
      for (std::size_t i = 0; i < block.size(); ++i) {
        if (chosen == Chosen::by_type && !from.is_chosen(block.members[i])) continue;
        bodies.number.push_back(b * kSumBlock + i);
        bodies.mass.push_back(block.m[i]);
        rows.insert(rows.end(), block.x.data() + i * from.d, block.x.data() + (i + 1) * from.d);
      }
    });
    bodies.block_end.push_back(bodies.mass.size());
  }
  bodies.count = bodies.mass.size();
  bodies.x.resize(rows.size());
  for_each_in_order(workers, bodies.count, [&](std::size_t i) {
    for (std::size_t axis = 0; axis < from.d; ++axis)
      bodies.x[axis * bodies.count + i] = rows[i * from.d + axis];
  });
  return bodies;
}

std::vector<std::uint64_t> curve_places(const Bodies& bodies, const double* lower,
                                        const double* upper, const Workers& workers) {
  const int d = static_cast<int>(bodies.d);
  auto bounds = Bounds<kAnyDimension, double>::empty();
  bounds.add(lower, upper, Axes<kAnyDimension>(d));
  const WideCurveKey<double, EqualCells> key(bounds, d);
  std::vector<std::uint64_t> place(bodies.count);
  if (!key.can_split()) return place;
  workers.for_ranges(bodies.count, kPointGrain, [&](std::size_t begin, std::size_t end) {
    double x[kMaxDimension];
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t axis = 0; axis < bodies.d; ++axis) x[axis] = bodies.at(i, axis);
      place[i] = key(x);
    }
  });
  return place;
}

std::vector<double> potentials(const Bodies& bodies, double softening, const Workers& workers) {
  if (bodies.count > kAllDirect) return tree_potentials(bodies, softening, workers);
  std::vector<std::size_t> all(bodies.count);
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::vector<double> found;
  found.reserve(all.size());
  for (const Depth& each : depths(DirectSum<double>(bodies, softening), bodies, all, workers))
    found.push_back(each.first);
  return found;
}

std::vector<double> potentials_at(std::span<const double> rows, const Bodies& bodies,
                                  double softening, const Workers& workers) {
  constexpr std::size_t kMost = DirectSum<double>::kMost;
  const DirectSum<double> sum(bodies, softening);
  std::vector<double> found = filled<double>(workers, rows.size() / bodies.d);
  workers.for_ranges(found.size(), kMost, [&](std::size_t first, std::size_t last) {
    DirectSum<double>::Receivers to;
    for (std::size_t k = first; k < last; ++k)
      to.add(bodies.d, [&](std::size_t axis) { return rows[k * bodies.d + axis]; });
    WorkMeter meter(workers);
    sum.run(to, 0, bodies.count, &found[first], meter);
  });
  return found;
}

std::size_t deepest(const Bodies& bodies, double softening, const Workers& workers) {
  const std::vector<std::size_t> candidates = bodies.count > kDirect
                                                  ? tree_candidates(bodies, softening, workers)
                                                  : float_candidates(bodies, softening, workers);
  if (candidates.size() == 1) return candidates.front();
  const std::vector<Depth> depth =
      depths(DirectSum<double>(bodies, softening), bodies, candidates, workers);
  return std::min_element(depth.begin(), depth.end())->second;
}

}  // namespace kith

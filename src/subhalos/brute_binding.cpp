// Unbinding and potentials by their definition.
#include <algorithm>
#include <cmath>
#include <limits>

#include "groups/potential.hpp"
#include "subhalos/brute_halo.hpp"

namespace kith {
namespace {

/// Potentials of some members, which ascend, by the tree code: nodes are runs of 8^height of them
/// along the curve.
class BruteTree {
 public:
  BruteTree(const BruteHalo& halo, const List& members, double softening)
      : halo_(halo), softening_(softening) {
    const std::size_t n = members.size();
    Bodies bodies{.d = halo.d,
                  .count = n,
                  .x = std::vector<double>(n * halo.d),
                  .mass = {},
                  .block_end = {},
                  .number = {}};
    std::vector<double> lower = halo.x[members[0]], upper = lower;
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t axis = 0; axis < halo.d; ++axis) {
        const double at = bodies.x[axis * n + k] = halo.x[members[k]][axis];
        lower[axis] = std::min(lower[axis], at);
        upper[axis] = std::max(upper[axis], at);
      }
    const Execution alone{.threads = 1};
    const std::vector<std::uint64_t> place =
        curve_places(bodies, lower.data(), upper.data(), Workers(alone));
    std::vector<std::pair<std::uint64_t, std::uint32_t>> sorted;
    for (std::size_t k = 0; k < n; ++k) sorted.emplace_back(place[k], members[k]);
    std::sort(sorted.begin(), sorted.end());
    for (const auto& each : sorted) order_.push_back(each.second);
    while ((std::size_t{1} << (3 * height_)) < n) ++height_;
  }

  /// In the order of the curve.
  const List& order() const { return order_; }
  double potential(std::size_t k) const {
    const Node leaf = node(1, k / 8);
    double sum = 0;
    add(std::max<std::size_t>(height_, kLeastHeight), 0, k, leaf, sum);
    return sum;
  }

 private:
  /// The tree code has a node above each branch of 512, however few members there are.
  static constexpr std::size_t kLeastHeight = 3;

  struct Node {
    double mass = 0;
    std::vector<double> middle, lower, upper;
  };

  Node node(std::size_t height, std::size_t number) const {
    Node made;
    if (height == 0) {
      const std::uint32_t i = order_[number];
      return {halo_.mass[i], halo_.x[i], halo_.x[i], halo_.x[i]};
    }
    made.middle.assign(halo_.d, 0);
    made.lower.assign(halo_.d, std::numeric_limits<double>::infinity());
    made.upper.assign(halo_.d, -std::numeric_limits<double>::infinity());
    for (std::size_t c = 8 * number; c < 8 * number + 8 && begin(height - 1, c) < order_.size();
         ++c) {
      const Node child = node(height - 1, c);
      made.mass += child.mass;
      for (std::size_t axis = 0; axis < halo_.d; ++axis) {
        made.middle[axis] += child.mass * child.middle[axis];
        made.lower[axis] = std::min(made.lower[axis], child.lower[axis]);
        made.upper[axis] = std::max(made.upper[axis], child.upper[axis]);
      }
    }
    const bool has_middle = made.mass > 0 && diagonal2(made) > 0;
    for (std::size_t axis = 0; axis < halo_.d; ++axis)
      made.middle[axis] = has_middle ? made.middle[axis] / made.mass : made.lower[axis];
    return made;
  }
  static std::size_t begin(std::size_t height, std::size_t number) {
    return number << (3 * height);
  }

  double diagonal2(const Node& node) const {
    double sum = 0;
    for (std::size_t axis = 0; axis < halo_.d; ++axis) {
      const double side = node.upper[axis] - node.lower[axis];
      sum += side * side;
    }
    return sum;
  }
  /// Whether the diagonal of a node is at least half as long as its distance from a leaf's box. A
  /// node of one place acts from there.
  bool is_open(const Node& node, const Node& leaf) const {
    double distance2 = 0;
    for (std::size_t axis = 0; axis < halo_.d; ++axis) {
      const double gap = std::max(
          {leaf.lower[axis] - node.middle[axis], node.middle[axis] - leaf.upper[axis], 0.0});
      distance2 += gap * gap;
    }
    return diagonal2(node) > 0 && !(diagonal2(node) < 0.25 * distance2);
  }

  void add(std::size_t height, std::size_t number, std::size_t k, const Node& leaf,
           double& sum) const {
    if (begin(height, number) >= order_.size()) return;
    const Node source = node(height, number);
    const bool has_leaf = height > 0 && k >> (3 * height) == number;
    if (has_leaf || (height > 0 && is_open(source, leaf))) {
      for (std::size_t c = 8 * number; c < 8 * number + 8; ++c) add(height - 1, c, k, leaf, sum);
      return;
    }
    if (source.mass == 0 || (height == 0 && number == k)) return;
    double r2 = softening_ * softening_;
    const std::vector<double>& at = halo_.x[order_[k]];
    for (std::size_t axis = 0; axis < halo_.d; ++axis)
      r2 += (at[axis] - source.middle[axis]) * (at[axis] - source.middle[axis]);
    sum -= source.mass / std::sqrt(r2);
  }

  const BruteHalo& halo_;
  double softening_;
  List order_;
  std::size_t height_ = 0;
};

/// The potential of some members at another place or one of them.
double direct(const BruteHalo& halo, const List& members, std::uint32_t at, double softening) {
  double sum = 0;
  for (const std::uint32_t i : members) {
    if (i == at || halo.mass[i] == 0) continue;
    double r2 = softening * softening;
    for (std::size_t axis = 0; axis < halo.d; ++axis)
      r2 += (halo.x[at][axis] - halo.x[i][axis]) * (halo.x[at][axis] - halo.x[i][axis]);
    sum -= halo.mass[i] / std::sqrt(r2);
  }
  return sum;
}

/// [member]; 0 for those that are not among `members`.
std::vector<double> brute_potentials(const BruteHalo& halo, const List& members, double softening) {
  std::vector<double> found(halo.size());
  if (members.size() <= kAllDirect) {
    for (const std::uint32_t i : members) found[i] = direct(halo, members, i, softening);
    return found;
  }
  const BruteTree tree(halo, members, softening);
  for (std::size_t k = 0; k < members.size(); ++k) found[tree.order()[k]] = tree.potential(k);
  return found;
}

std::vector<double> mean_of(const BruteHalo& halo, const std::vector<std::vector<double>>& rows,
                            const List& members) {
  std::vector<double> mean(halo.d);
  double mass = 0;
  for (const std::uint32_t i : members) mass += halo.mass[i];
  for (const std::uint32_t i : members)
    for (std::size_t axis = 0; axis < halo.d; ++axis) mean[axis] += halo.mass[i] * rows[i][axis];
  for (double& each : mean) each = mass > 0 ? each / mass : 0;
  return mean;
}

}  // namespace

List brute_bound(const BruteHalo& halo, List members, const BindingRules& rules,
                 bool must_be_half) {
  std::vector<double> potential = brute_potentials(halo, members, rules.softening);
  std::size_t summed = members.size();  // when potentials were last computed
  while (members.size() >= rules.min_size) {
    const std::vector<double> middle = mean_of(halo, halo.x, members),
                              stream = mean_of(halo, halo.v, members);
    std::vector<std::pair<double, std::uint32_t>> energy;
    for (const std::uint32_t i : members) {
      double v2 = 0;
      for (std::size_t axis = 0; axis < halo.d; ++axis) {
        const double v =
            halo.v[i][axis] - stream[axis] + rules.hubble_flow * (halo.x[i][axis] - middle[axis]);
        v2 += v * v;
      }
      energy.emplace_back(rules.gravity * potential[i] + 0.5 * v2 + halo.heat[i], i);
    }
    std::sort(energy.begin(), energy.end());
    if (must_be_half && !(energy[(members.size() - 1) / 2].first < 0)) return {};
    must_be_half = false;
    const std::size_t most = std::max<std::size_t>(1, members.size() / 4);
    List removed;
    while (removed.size() < most && !energy.empty() && !(energy.back().first < 0)) {
      removed.push_back(energy.back().second);
      energy.pop_back();
    }
    if (removed.empty()) {
      List order;
      for (const auto& each : energy) order.push_back(each.second);
      return order;
    }
    std::sort(removed.begin(), removed.end());
    std::erase_if(members, [&](std::uint32_t i) {
      return std::binary_search(removed.begin(), removed.end(), i);
    });
    if (removed.size() > kAllDirect || 2 * members.size() < summed) {
      potential = brute_potentials(halo, members, rules.softening);
      summed = members.size();
    } else {
      for (const std::uint32_t i : members)
        potential[i] -= direct(halo, removed, i, rules.softening);
    }
  }
  return {};
}

}  // namespace kith

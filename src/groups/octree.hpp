// Potentials by a tree code. Nodes are octets of bodies that follow each other along a curve,
// octets of octets, and so on up to one.
//
// A branch is 512 bodies with the nodes up to theirs. A sum may run over some branches alone if the
// others are too far from the receivers to be opened: ranks that share a group have some branches
// each, and all nodes above them. The bits of a potential are the same either way.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "base/dispatch.hpp"

namespace kith {

inline constexpr std::size_t kOctet = 8;
inline constexpr std::size_t kBranchHeight = 3;
inline constexpr std::size_t kBranch = 512;

/// Nodes of one height; vectors have one row for each of them. Bodies are nodes without extent.
struct OctreePlane {
  std::size_t nodes = 0;
  std::vector<double> mass, middle;
  std::vector<double> size2;         ///< of the diagonal of the box
  std::vector<double> lower, upper;  ///< none of bodies: both are in the middle
};

/// Makes the nodes above others.
class OctreeBuilder {
 public:
  explicit OctreeBuilder(std::size_t d) : d_(d) {}

  OctreePlane parents_of(const OctreePlane& below) const {
    constexpr double kFar = std::numeric_limits<double>::infinity();
    const std::size_t nodes = (below.nodes + kOctet - 1) / kOctet;
    OctreePlane plane{nodes,
                      std::vector<double>(nodes),
                      std::vector<double>(nodes * d_),
                      std::vector<double>(nodes),
                      std::vector<double>(nodes * d_, kFar),
                      std::vector<double>(nodes * d_, -kFar)};
    for (std::size_t c = 0; c < below.nodes; ++c) add_child(plane, c / kOctet, below, c);
    for (std::size_t node = 0; node < nodes; ++node) finish(plane, node);
    return plane;
  }

 private:
  /// `middle` is a sum until the node is finished.
  void add_child(OctreePlane& plane, std::size_t node, const OctreePlane& below,
                 std::size_t child) const {
    const auto &lower = below.lower.empty() ? below.middle : below.lower,
               &upper = below.upper.empty() ? below.middle : below.upper;
    plane.mass[node] += below.mass[child];
    for (std::size_t axis = 0; axis < d_; ++axis) {
      const std::size_t to = node * d_ + axis, from = child * d_ + axis;
      plane.middle[to] += below.mass[child] * below.middle[from];
      plane.lower[to] = std::min(plane.lower[to], lower[from]);
      plane.upper[to] = std::max(plane.upper[to], upper[from]);
    }
  }

  void finish(OctreePlane& plane, std::size_t node) const {
    for (std::size_t k = node * d_; k < (node + 1) * d_; ++k) {
      plane.middle[k] = plane.mass[node] > 0 ? plane.middle[k] / plane.mass[node] : plane.lower[k];
      const double side = plane.upper[k] - plane.lower[k];
      plane.size2[node] += side * side;
    }
  }

  std::size_t d_;
};

/// The bodies of some branches and the nodes above them, below the branches' own.
struct OctreeBranches {
  OctreePlane planes[kBranchHeight];

  /// Branches ascend; only the last of a tree may be incomplete.
  OctreeBranches(std::size_t d, std::vector<double> x, std::vector<double> mass) {
    planes[0].nodes = mass.size();
    planes[0].mass = std::move(mass);
    planes[0].middle = std::move(x);
    for (std::size_t height = 1; height < kBranchHeight; ++height)
      planes[height] = OctreeBuilder(d).parents_of(planes[height - 1]);
  }
  OctreePlane nodes(std::size_t d) const {
    return OctreeBuilder(d).parents_of(planes[kBranchHeight - 1]);
  }
};

/// The nodes of all branches, and those above, up to one root.
struct OctreeTop {
  std::vector<OctreePlane> planes;

  OctreeTop(std::size_t d, OctreePlane branches) {
    planes.push_back(std::move(branches));
    while (planes.back().nodes > 1) planes.push_back(OctreeBuilder(d).parents_of(planes.back()));
  }
};

/// Whether receivers in a box take a node as a whole.
class OctreeOpening {
 public:
  explicit OctreeOpening(std::size_t d) : d_(d) {}

  bool is_open(const OctreePlane& plane, std::size_t node, const double* lower,
               const double* upper) const {
    return !is_far(plane, node, distance2(&plane.middle[node * d_], lower, upper));
  }
  /// Small, seen from this distance?
  bool is_far(const OctreePlane& plane, std::size_t node, double r2) const {
    constexpr double kAngle2 = 0.25;
    return plane.size2[node] < kAngle2 * r2;
  }

  /// At most the squared distance of the node's middle from a place of the box, however the middle
  /// was rounded.
  double gap2(const OctreePlane& plane, std::size_t node, const double* lower,
              const double* upper) const {
    double r2 = 0;
    for (std::size_t axis = 0; axis < d_; ++axis) {
      const double low = plane.lower[node * d_ + axis], high = plane.upper[node * d_ + axis];
      const double rounding = 1e-14 * std::max(std::abs(low), std::abs(high));
      const double gap = std::max({lower[axis] - high, low - upper[axis], rounding}) - rounding;
      r2 += gap * gap;
    }
    return r2;
  }

  /// Calls visit(branch) for those that some box inside this one opens, ascending.
  template <class Visit>
  void each_open(const OctreeTop& top, const double* lower, const double* upper,
                 const Visit& visit) const {
    each_open(top, top.planes.size() - 1, 0, lower, upper, visit);
  }

 private:
  /// From a node's middle to the nearest place of a box.
  double distance2(const double* middle, const double* lower, const double* upper) const {
    double r2 = 0;
    for (std::size_t axis = 0; axis < d_; ++axis) {
      const double gap = std::max({lower[axis] - middle[axis], middle[axis] - upper[axis], 0.0});
      r2 += gap * gap;
    }
    return r2;
  }

  template <class Visit>
  void each_open(const OctreeTop& top, std::size_t plane, std::size_t node, const double* lower,
                 const double* upper, const Visit& visit) const {
    if (!is_open(top.planes[plane], node, lower, upper)) return;
    if (plane == 0) return visit(node);
    const std::size_t end = std::min(top.planes[plane - 1].nodes, (node + 1) * kOctet);
    for (std::size_t c = node * kOctet; c < end; ++c)
      each_open(top, plane - 1, c, lower, upper, visit);
  }

  std::size_t d_;
};

/// Sums over all bodies, of which some branches are here.
class OctreeSum {
 public:
  /// `slot`: where each branch is among those here; empty if all are here.
  OctreeSum(std::size_t d, double softening, const OctreeTop& top, const OctreeBranches& branches,
            std::vector<std::uint32_t> slot = {})
      : d_(d),
        softening2_(softening * softening),
        opening_(d),
        top_(top),
        branches_(branches),
        slot_(std::move(slot)) {}

  std::size_t branches() const { return top_.planes.front().nodes; }

  /// No body of this branch lies deeper: nodes act as if they were where their boxes are nearest.
  /// All branches must be here.
  double bound_of_branch(std::size_t branch) const { return bound(top_.planes.front(), branch); }
  /// The same for an octet of leaves.
  double bound_of_octet(std::size_t octet) const { return bound(branches_.planes[2], octet); }

  /// The potentials of the bodies of one leaf, which share their walk.
  void run(std::size_t leaf, double* potential) const {
    Receivers to(*this, leaf);
    sum(root_height(), 0, to);
    std::copy_n(to.potential, to.count, potential);
  }

 private:
  /// Up to 8 bodies that follow each other.
  struct Receivers {
    std::size_t first, count;
    const double* lower;
    const double* upper;
    double at[kMaxDimension][kOctet], potential[kOctet] = {};

    Receivers(const OctreeSum& tree, std::size_t leaf)
        : first(leaf * kOctet),
          count(std::min(kOctet, tree.branches_.planes[0].nodes - first)),
          lower(&tree.branches_.planes[1].lower[leaf * tree.d_]),
          upper(&tree.branches_.planes[1].upper[leaf * tree.d_]) {
      const std::vector<double>& x = tree.branches_.planes[0].middle;
      for (std::size_t axis = 0; axis < tree.d_; ++axis)
        for (std::size_t k = 0; k < kOctet; ++k)
          at[axis][k] = x[(first + std::min(k, count - 1)) * tree.d_ + axis];
    }
  };

  const OctreePlane& plane(std::size_t height) const {
    return height < kBranchHeight ? branches_.planes[height] : top_.planes[height - kBranchHeight];
  }

  std::size_t root_height() const { return kBranchHeight + top_.planes.size() - 1; }

  double bound(const OctreePlane& boxes, std::size_t receiver) const {
    constexpr double kRounding = 1 + 1e-9;  // of sums with up to 10^6 terms
    const std::size_t at = receiver * d_;
    return kRounding * bound(root_height(), 0, &boxes.lower[at], &boxes.upper[at]);
  }
  double bound(std::size_t height, std::size_t node, const double* lower,
               const double* upper) const {
    const OctreePlane& at = plane(height);
    if (at.mass[node] == 0) return 0;
    const double gap2 = opening_.gap2(at, node, lower, upper);
    if (height == 1 || opening_.is_far(at, node, gap2))
      return -at.mass[node] / std::sqrt(softening2_ + gap2);
    double all = 0;
    const std::size_t end = std::min(plane(height - 1).nodes, (node + 1) * kOctet);
    for (std::size_t c = node * kOctet; c < end; ++c) all += bound(height - 1, c, lower, upper);
    return all;
  }

  void sum(std::size_t height, std::size_t node, Receivers& to) const {
    const OctreePlane& at = plane(height);
    if (height == 0 || !opening_.is_open(at, node, to.lower, to.upper))
      return add(at.mass[node], &at.middle[node * d_], height == 0 ? node : kNoBody, to);
    const std::size_t place = height == kBranchHeight && !slot_.empty() ? slot_[node] : node;
    const std::size_t end = std::min(plane(height - 1).nodes, (place + 1) * kOctet);
    for (std::size_t c = place * kOctet; c < end; ++c) sum(height - 1, c, to);
  }

  static constexpr std::size_t kNoBody = ~std::size_t{0};

  /// `body`: the place of a body, on which it does not act itself.
  void add(double mass, const double* x, std::size_t body, Receivers& to) const {
    if (mass == 0) return;
    double r2[kOctet];
    std::fill_n(r2, kOctet, softening2_);
    for (std::size_t axis = 0; axis < d_; ++axis)
      for (std::size_t k = 0; k < kOctet; ++k)
        r2[k] += (to.at[axis][k] - x[axis]) * (to.at[axis][k] - x[axis]);
    if (body >= to.first && body < to.first + to.count)
      r2[body - to.first] = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < kOctet; ++k) to.potential[k] -= mass / std::sqrt(r2[k]);
  }

  std::size_t d_;
  double softening2_;
  OctreeOpening opening_;
  const OctreeTop& top_;
  const OctreeBranches& branches_;
  std::vector<std::uint32_t> slot_;
};

}  // namespace kith

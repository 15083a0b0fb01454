// Potentials by a tree code. Nodes are octets of bodies that follow each other along a curve,
// octets of octets, and so on up to one.
//
// A branch is 512 bodies with the nodes up to theirs. A sum may run over some branches alone if the
// others are too far from the receivers to be opened: ranks that share a group have some branches
// each, and all nodes above them. The bits of a potential are the same either way.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "base/dispatch.hpp"
#include "groups/octree_terms.hpp"

namespace kith {

inline constexpr std::size_t kOctet = 8;
inline constexpr std::size_t kBranchHeight = 3;
inline constexpr std::size_t kBranch = 512;

/// The number of the node that has another one inside, this many heights below.
constexpr std::size_t ancestor(std::size_t node, std::size_t heights) {
  return node >> (3 * heights);
}

/// Nodes of one height; vectors have one row for each of them. Bodies are nodes without extent.
struct OctreePlane {
  std::size_t nodes = 0;
  std::vector<double> mass, middle;
  std::vector<double> size2;         ///< of the diagonal of the box
  std::vector<double> lower, upper;  ///< none of bodies: both are in the middle

  /// All bodies of the node are in one place, which is its middle.
  bool is_one_place(std::size_t node) const { return size2[node] == 0; }
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
      const double side = plane.upper[k] - plane.lower[k];
      plane.size2[node] += side * side;
    }
    const bool has_middle = plane.mass[node] > 0 && !plane.is_one_place(node);
    for (std::size_t k = node * d_; k < (node + 1) * d_; ++k)
      plane.middle[k] = has_middle ? plane.middle[k] / plane.mass[node] : plane.lower[k];
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

/// Whether receivers in a box take a node as a whole. Nodes that have receivers inside must be
/// opened without asking.
class OctreeOpening {
 public:
  explicit OctreeOpening(std::size_t d) : d_(d) {}

  bool is_open(const OctreePlane& plane, std::size_t node, const double* lower,
               const double* upper) const {
    return !is_far(plane, node, distance2(&plane.middle[node * d_], lower, upper));
  }
  /// The same for all receivers in the box, one by one.
  bool is_open_for_all(const OctreePlane& plane, std::size_t node, const double* lower,
                       const double* upper) const {
    double r2 = 0;
    for (std::size_t axis = 0; axis < d_; ++axis) {
      const double middle = plane.middle[node * d_ + axis];
      const double far = std::max(std::abs(lower[axis] - middle), std::abs(middle - upper[axis]));
      r2 += far * far;
    }
    return !is_far(plane, node, r2);
  }
  /// Small, seen from this distance? One place is, even from there.
  bool is_far(const OctreePlane& plane, std::size_t node, double r2) const {
    constexpr double kAngle2 = 0.25;
    return plane.size2[node] < kAngle2 * r2 || plane.is_one_place(node);
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

  /// Calls visit(branch) for those that some receivers in a branch open, ascending.
  template <class Visit>
  void each_open(const OctreeTop& top, std::size_t receiver, const Visit& visit) const {
    each_open(top, top.planes.size() - 1, 0, receiver, visit);
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
  void each_open(const OctreeTop& top, std::size_t plane, std::size_t node, std::size_t receiver,
                 const Visit& visit) const {
    const OctreePlane& boxes = top.planes.front();
    const bool has_receiver = ancestor(receiver, plane) == node;
    if (!has_receiver &&
        !is_open(top.planes[plane], node, &boxes.lower[receiver * d_], &boxes.upper[receiver * d_]))
      return;
    if (plane == 0) return visit(node);
    const std::size_t end = std::min(top.planes[plane - 1].nodes, (node + 1) * kOctet);
    for (std::size_t c = node * kOctet; c < end; ++c) each_open(top, plane - 1, c, receiver, visit);
  }

  std::size_t d_;
};

/// Sums over all bodies, of which some branches are here.
class OctreeSum {
 public:
  /// `here`: the branches that are here, ascending; empty if all are.
  OctreeSum(std::size_t d, double softening, const OctreeTop& top, const OctreeBranches& branches,
            std::vector<std::uint64_t> here = {})
      : d_(d),
        softening2_(softening * softening),
        opening_(d),
        top_(top),
        branches_(branches),
        here_(std::move(here)),
        slot_(here_.empty() ? 0 : this->branches()) {
    for (std::size_t i = 0; i < here_.size(); ++i)
      slot_[static_cast<std::size_t>(here_[i])] = static_cast<std::uint32_t>(i);
  }

  std::size_t branches() const { return top_.planes.front().nodes; }

  /// No body of this branch lies deeper: nodes act as if they were where their boxes are nearest.
  /// All branches must be here.
  double bound_of_branch(std::size_t branch) const { return bound(top_.planes.front(), branch); }
  /// The bound of an octet of leaves.
  double bound_of_octet(std::size_t octet) const { return bound(branches_.planes[2], octet); }

  /// The potentials of the bodies of an octet of leaves, counted over the branches that are here.
  /// Each leaf walks alone, but nodes that are far from all leaves, or open for all, are found
  /// once.
  void run(std::size_t octet, double* potential) const {
    const OctreePlane& octets = plane(2);
    SharedWalk shared(d_, path_of(octet), &octets.lower[octet * d_], &octets.upper[octet * d_]);
    prepare(root_height(), 0, shared);
    const std::size_t begin = octet * kOctet, end = std::min(plane(1).nodes, begin + kOctet);
    for (std::size_t leaf = begin; leaf < end; ++leaf, potential += kOctet) {
      shared.path[1] = leaf;
      Receivers to(*this, shared.path);
      std::size_t row = 0;
      for (const auto& step : shared.steps) {
        add_rows(shared, row, step.rows_before, to);
        row = step.rows_before;
        sum(step.height, step.node, to);
      }
      add_rows(shared, row, shared.rows.size() / (d_ + 2), to);
      flush(to);
      std::copy_n(to.bodies.potential, to.count, potential);
    }
  }

 private:
  /// [height]: the node that has some receivers inside. Branches and nodes above them are counted
  /// among all, nodes below among those here.
  using Path = std::array<std::size_t, 22>;

  Path path_of(std::size_t octet) const {
    Path path{0, 0, octet};
    const std::size_t branch = ancestor(octet, kBranchHeight - 2);
    path[kBranchHeight] = here_.empty() ? branch : static_cast<std::size_t>(here_[branch]);
    for (std::size_t height = kBranchHeight + 1; height <= root_height(); ++height)
      path[height] = ancestor(path[height - 1], 1);
    return path;
  }

  /// Up to 8 bodies that follow each other, and what acts on them next.
  struct Receivers {
    const Path& path;
    std::size_t first, count;
    const double* lower;
    const double* upper;
    OctreeReceivers bodies;
    OctreeTerms terms;

    Receivers(const OctreeSum& tree, const Path& to)
        : path(to),
          first(path[1] * kOctet),
          count(std::min(kOctet, tree.branches_.planes[0].nodes - first)),
          lower(&tree.branches_.planes[1].lower[path[1] * tree.d_]),
          upper(&tree.branches_.planes[1].upper[path[1] * tree.d_]) {
      const std::vector<double>& x = tree.branches_.planes[0].middle;
      for (std::size_t axis = 0; axis < tree.d_; ++axis)
        for (std::size_t k = 0; k < kOctet; ++k)
          bodies.at[axis][k] = x[(first + std::min(k, count - 1)) * tree.d_ + axis];
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

  /// The walk that the leaves of an octet have in common: rows of terms in its order, and nodes in
  /// between that some leaves may open.
  struct SharedWalk {
    struct Step {
      std::size_t rows_before, height, node;
    };
    Path path;
    const double* lower;
    const double* upper;
    std::vector<double> rows;
    std::vector<Step> steps;

    SharedWalk(std::size_t d, const Path& receivers, const double* from, const double* to)
        : path(receivers), lower(from), upper(to) {
      rows.reserve(1024 * (d + 2));
    }
  };

  /// The boxes of leaves are inside that of their octet. Rounding keeps the order of differences,
  /// squares and sums, so a node that is far from the nearest place of the octet is far from all
  /// leaves, and one that is open from the farthest place is open for all.
  void prepare(std::size_t height, std::size_t node, SharedWalk& shared) const {
    const OctreePlane& at = plane(height);
    const bool has_some =
        height == 1 ? ancestor(node, 1) == shared.path[2] : node == shared.path[height];
    if (!has_some && !opening_.is_open(at, node, shared.lower, shared.upper)) {
      if (at.mass[node] == 0) return;
      shared.rows.resize(shared.rows.size() + d_ + 2);
      return put(at, node, kOctet, &shared.rows[shared.rows.size() - d_ - 2]);
    }
    if (height == 1 ||
        (!has_some && !opening_.is_open_for_all(at, node, shared.lower, shared.upper)))
      return shared.steps.push_back({shared.rows.size() / (d_ + 2), height, node});
    each_child(height, node, [&](std::size_t c) { prepare(height - 1, c, shared); });
  }

  void sum(std::size_t height, std::size_t node, Receivers& to) const {
    const OctreePlane& at = plane(height);
    const bool is_own = node == to.path[height];
    if (!is_own && !opening_.is_open(at, node, to.lower, to.upper))
      return add(at, node, kOctet, to);
    if (height > 1) return each_child(height, node, [&](std::size_t c) { sum(height - 1, c, to); });
    each_child(height, node,
               [&](std::size_t c) { add(plane(0), c, is_own ? c - to.first : kOctet, to); });
  }

  template <class Visit>
  void each_child(std::size_t height, std::size_t node, const Visit& visit) const {
    const std::size_t place = height == kBranchHeight && !slot_.empty() ? slot_[node] : node;
    const std::size_t end = std::min(plane(height - 1).nodes, (place + 1) * kOctet);
    for (std::size_t c = place * kOctet; c < end; ++c) visit(c);
  }

  /// `receiver`: on which it does not act, because it is the same body; kOctet: none.
  void put(const OctreePlane& from, std::size_t node, std::size_t receiver, double* row) const {
    row[0] = from.mass[node];
    row[1] = static_cast<double>(receiver);
    for (std::size_t axis = 0; axis < d_; ++axis) row[2 + axis] = from.middle[node * d_ + axis];
  }
  void add(const OctreePlane& from, std::size_t node, std::size_t receiver, Receivers& to) const {
    if (from.mass[node] == 0) return;
    put(from, node, receiver, to.terms.row + (d_ + 2) * to.terms.count);
    if (++to.terms.count == OctreeTerms::kMost) flush(to);
  }
  void add_rows(const SharedWalk& shared, std::size_t begin, std::size_t end, Receivers& to) const {
    while (begin < end) {
      const std::size_t count = std::min(end - begin, OctreeTerms::kMost - to.terms.count);
      std::copy_n(&shared.rows[begin * (d_ + 2)], count * (d_ + 2),
                  to.terms.row + (d_ + 2) * to.terms.count);
      begin += count;
      to.terms.count += count;
      if (to.terms.count == OctreeTerms::kMost) flush(to);
    }
  }
  void flush(Receivers& to) const {
    subtract_terms(to.terms, d_, softening2_, to.bodies);
    to.terms.count = 0;
  }

  std::size_t d_;
  double softening2_;
  OctreeOpening opening_;
  const OctreeTop& top_;
  const OctreeBranches& branches_;
  std::vector<std::uint64_t> here_;
  std::vector<std::uint32_t> slot_;  ///< of each branch among those here; empty if all are here
};

}  // namespace kith

// Direct sums in float64 decide, but only among points that are deep by a cheaper measure: direct
// sums in float32 for groups of ordinary size (4 times as fast), and a tree code for large ones,
// whose nodes are the octets of a packed tree's order.
#include "groups/potential.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include <kith/tree.hpp>

#include "parallel/pieces.hpp"
#include "tree/tree_impl.hpp"

namespace kith {
namespace {

constexpr std::size_t kDirect = 1024;    // points up to which direct sums are as fast as a tree
constexpr std::size_t kCandidates = 64;  // a tree's error is a part in 10^3 at most
constexpr double kFloatError = 1e-3;     // more than sums in float can be wrong by
constexpr std::size_t kChunk = 64;       // receivers of a direct sum: their columns stay in cache
constexpr double kOpening2 = 0.25;       // the square of the opening angle
constexpr std::size_t kOctet = 8;

/// (potential, point): the order in which points lie deep.
using Depth = std::pair<double, std::size_t>;

/// Direct sums for some receivers. Each receiver's terms are added in the order of the sources.
template <class T>
class DirectSum {
 public:
  /// Lengths and masses are multiplied by these first: float has few exponents.
  DirectSum(const Bodies& bodies, double softening, double length = 1, double mass = 1)
      : d_(bodies.d),
        count_(bodies.count),
        x_(bodies.x.size()),
        mass_(bodies.count),
        softening2_(static_cast<T>(softening * length * softening * length)) {
    for (std::size_t k = 0; k < x_.size(); ++k) x_[k] = static_cast<T>(bodies.x[k] * length);
    for (std::size_t i = 0; i < count_; ++i) mass_[i] = static_cast<T>(bodies.mass[i] * mass);
  }

  /// At most kChunk receivers, which ascend.
  void run(std::span<const std::size_t> receivers, T* potential, const Workers& workers) const {
    const std::size_t count = receivers.size();
    T at[kMaxDimension][kChunk], r2[kChunk];
    for (std::size_t axis = 0; axis < d_; ++axis)
      for (std::size_t k = 0; k < count; ++k) at[axis][k] = x_[axis * count_ + receivers[k]];
    std::fill_n(potential, count, T(0));
    WorkMeter meter(workers);
    std::size_t own = 0;  // the next receiver among the sources
    for (std::size_t source = 0; source < count_; ++source) {
      std::fill_n(r2, count, softening2_);
      for (std::size_t axis = 0; axis < d_; ++axis) {
        const T x = x_[axis * count_ + source];
        for (std::size_t k = 0; k < count; ++k) r2[k] += (at[axis][k] - x) * (at[axis][k] - x);
      }
      if (own < count && receivers[own] == source)
        r2[own++] = std::numeric_limits<T>::infinity();  // nothing acts on itself
      for (std::size_t k = 0; k < count; ++k) potential[k] -= mass_[source] / std::sqrt(r2[k]);
      meter.add(count);
    }
  }

 private:
  std::size_t d_, count_;
  std::vector<T> x_, mass_;
  T softening2_;
};

/// All potentials of these receivers, which ascend.
template <class T>
std::vector<Depth> depths(const DirectSum<T>& sum, const std::vector<std::size_t>& receivers,
                          const Workers& workers) {
  std::vector<Depth> found(receivers.size());
  const std::size_t chunks = (receivers.size() + kChunk - 1) / kChunk;
  workers.for_ranges(chunks, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c) {
      const std::size_t first = c * kChunk, count = std::min(kChunk, receivers.size() - first);
      T potential[kChunk];
      sum.run(std::span(receivers).subspan(first, count), potential, workers);
      for (std::size_t k = 0; k < count; ++k)
        found[first + k] = {static_cast<double>(potential[k]), receivers[first + k]};
    }
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
  if (!(extent > 0) || all.size() <= kChunk) return all;
  const DirectSum<float> sum(bodies, softening, 1 / extent, 1 / mass);
  const std::vector<Depth> depth = depths(sum, all, workers);
  const double limit = std::min_element(depth.begin(), depth.end())->first * (1 - kFloatError);
  std::vector<std::size_t> found;
  for (const Depth& each : depth)
    if (each.first <= limit) found.push_back(each.second);
  return found;
}

/// Octets of points in tree order, octets of octets, and so on up to one.
class Octree {
 public:
  Octree(const Bodies& bodies, double softening, const Workers& workers, const Execution& execution)
      : bodies_(bodies), softening2_(softening * softening), order_(order_of(bodies, execution)) {
    planes_.push_back(points_plane());
    while (planes_.back().nodes > 1) {
      workers.check_cancelled();
      planes_.push_back(parents_of(planes_.back()));
    }
  }

  std::size_t leaves() const { return planes_[1].nodes; }

  /// The points of one leaf, which share their walk.
  void depths_of(std::size_t leaf, Depth* out) const {
    Receivers to(*this, leaf);
    sum(planes_.size() - 1, 0, to);
    for (std::size_t k = 0; k < to.count; ++k) out[k] = {to.potential[k], order_[to.first + k]};
  }

 private:
  /// Nodes of one height; vectors have their axes one after the other.
  struct Plane {
    std::size_t nodes;
    std::vector<double> mass, middle;
    std::vector<double> size2;  // of the diagonal of the box
    std::vector<double> lower, upper;

    Plane(std::size_t count, std::size_t d)
        : nodes(count),
          mass(count),
          middle(count * d),
          size2(count),
          lower(count * d, std::numeric_limits<double>::infinity()),
          upper(count * d, -std::numeric_limits<double>::infinity()) {}
  };

  static std::vector<std::size_t> order_of(const Bodies& bodies, const Execution& execution) {
    std::vector<double> rows(bodies.x.size());
    for (std::size_t i = 0; i < bodies.count; ++i)
      for (std::size_t axis = 0; axis < bodies.d; ++axis)
        rows[i * bodies.d + axis] = bodies.at(i, axis);
    const Tree tree(view(rows.data(), bodies.count, static_cast<int>(bodies.d)), {}, execution);
    std::vector<std::size_t> order(bodies.count);
    tree.impl().visit([&]<class T>(const TreeData<T>& data) {
      const PlanesView<T> planes = data.planes.view();
      for (std::size_t i = 0; i < order.size(); ++i) order[i] = planes.index(i);
    });
    return order;
  }

  /// The points themselves, in tree order.
  Plane points_plane() const {
    Plane plane(bodies_.count, bodies_.d);
    for (std::size_t i = 0; i < plane.nodes; ++i) {
      plane.mass[i] = bodies_.mass[order_[i]];
      for (std::size_t axis = 0; axis < bodies_.d; ++axis)
        plane.middle[i * bodies_.d + axis] = bodies_.at(order_[i], axis);
    }
    plane.lower = plane.upper = plane.middle;
    return plane;
  }

  Plane parents_of(const Plane& below) const {
    Plane plane((below.nodes + kOctet - 1) / kOctet, bodies_.d);
    for (std::size_t c = 0; c < below.nodes; ++c) add_child(plane, c / kOctet, below, c);
    for (std::size_t node = 0; node < plane.nodes; ++node) finish(plane, node);
    return plane;
  }

  /// `middle` is a sum until the node is finished.
  void add_child(Plane& plane, std::size_t node, const Plane& below, std::size_t child) const {
    plane.mass[node] += below.mass[child];
    for (std::size_t axis = 0; axis < bodies_.d; ++axis) {
      const std::size_t to = node * bodies_.d + axis, from = child * bodies_.d + axis;
      plane.middle[to] += below.mass[child] * below.middle[from];
      plane.lower[to] = std::min(plane.lower[to], below.lower[from]);
      plane.upper[to] = std::max(plane.upper[to], below.upper[from]);
    }
  }

  void finish(Plane& plane, std::size_t node) const {
    for (std::size_t k = node * bodies_.d; k < (node + 1) * bodies_.d; ++k) {
      plane.middle[k] = plane.mass[node] > 0 ? plane.middle[k] / plane.mass[node] : plane.lower[k];
      const double side = plane.upper[k] - plane.lower[k];
      plane.size2[node] += side * side;
    }
  }

  /// Up to 8 points that follow each other.
  struct Receivers {
    std::size_t leaf, first, count;
    const double* lower;
    const double* upper;
    double at[kMaxDimension][kOctet], potential[kOctet] = {};

    Receivers(const Octree& tree, std::size_t of)
        : leaf(of),
          first(of * kOctet),
          count(std::min(kOctet, tree.bodies_.count - first)),
          lower(&tree.planes_[1].lower[of * tree.bodies_.d]),
          upper(&tree.planes_[1].upper[of * tree.bodies_.d]) {
      for (std::size_t axis = 0; axis < tree.bodies_.d; ++axis)
        for (std::size_t k = 0; k < kOctet; ++k)
          at[axis][k] =
              tree.planes_[0].middle[(first + std::min(k, count - 1)) * tree.bodies_.d + axis];
    }
  };

  /// From a node's middle to the nearest place of the receivers' box.
  double distance2(const Receivers& to, const double* middle) const {
    double r2 = 0;
    for (std::size_t axis = 0; axis < bodies_.d; ++axis) {
      const double gap =
          std::max({to.lower[axis] - middle[axis], middle[axis] - to.upper[axis], 0.0});
      r2 += gap * gap;
    }
    return r2;
  }

  void sum(std::size_t height, std::size_t node, Receivers& to) const {
    const Plane& plane = planes_[height];
    const double* middle = &plane.middle[node * bodies_.d];
    if (height == 0 || plane.size2[node] < kOpening2 * distance2(to, middle))
      return add(plane.mass[node], middle, height == 0 ? node : bodies_.count, to);
    const std::size_t end = std::min(planes_[height - 1].nodes, (node + 1) * kOctet);
    for (std::size_t c = node * kOctet; c < end; ++c) sum(height - 1, c, to);
  }

  /// `source` is a point's place in tree order, or the number of points for a node.
  void add(double mass, const double* x, std::size_t source, Receivers& to) const {
    double r2[kOctet];
    std::fill_n(r2, kOctet, softening2_);
    for (std::size_t axis = 0; axis < bodies_.d; ++axis)
      for (std::size_t k = 0; k < kOctet; ++k)
        r2[k] += (to.at[axis][k] - x[axis]) * (to.at[axis][k] - x[axis]);
    if (source >= to.first && source < to.first + to.count)
      r2[source - to.first] = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < kOctet; ++k) to.potential[k] -= mass / std::sqrt(r2[k]);
  }

  const Bodies& bodies_;
  double softening2_;
  std::vector<std::size_t> order_;
  std::vector<Plane> planes_;  // the points, then octets of them, up to one root
};

/// The points that a tree code finds deepest, ascending.
std::vector<std::size_t> tree_candidates(const Bodies& bodies, double softening,
                                         const Workers& workers, const Execution& execution) {
  const Octree tree(bodies, softening, workers, execution);
  std::vector<Depth> depth(bodies.count);
  workers.for_ranges(tree.leaves(), 32, [&](std::size_t begin, std::size_t end) {
    for (std::size_t leaf = begin; leaf < end; ++leaf) tree.depths_of(leaf, &depth[leaf * kOctet]);
  });
  const auto end = depth.begin() + static_cast<std::ptrdiff_t>(kCandidates);
  std::nth_element(depth.begin(), end, depth.end());
  std::vector<std::size_t> found;
  for (auto each = depth.begin(); each != end; ++each) found.push_back(each->second);
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

std::size_t deepest(const Bodies& bodies, double softening, const Workers& workers,
                    const Execution& execution) {
  const std::vector<std::size_t> candidates =
      bodies.count > kDirect ? tree_candidates(bodies, softening, workers, execution)
                             : float_candidates(bodies, softening, workers);
  if (candidates.size() == 1) return candidates.front();
  const std::vector<Depth> depth =
      depths(DirectSum<double>(bodies, softening), candidates, workers);
  return std::min_element(depth.begin(), depth.end())->second;
}

}  // namespace kith

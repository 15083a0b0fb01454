#include <cmath>

#include "base/fail.hpp"
#include "geometry/z_order.hpp"
#include "tree/builders.hpp"

namespace kith {
namespace {

template <class T>
class Checker {
 public:
  Checker(const Planes<T>& planes, const TreeOptions& options)
      : planes_(planes), options_(options), axes_(planes.dimension) {}

  void run() const {
    check_points();
    if (options_.curve == Curve::z) check_z_order();
    check_plane_count();
    for (std::size_t plane = 0; plane < planes_.planes.size(); ++plane)
      check_plane(static_cast<int>(plane));
  }

 private:
  template <class... Args>
  static void require(bool holds, fmt::format_string<Args...> format, Args&&... args) {
    if (!holds)
      throw Error(ErrorCode::internal,
                  "tree: broken invariant: " + fmt::format(format, std::forward<Args>(args)...));
  }

  /// Every original index once, coordinates finite and not -0.0, unused lanes marked.
  void check_points() const {
    std::vector<std::uint32_t> indices;
    for (std::size_t i = 0; i < planes_.points; ++i) {
      indices.push_back(planes_.index(i));
      for (int axis = 0; axis < planes_.dimension; ++axis) {
        const T x = planes_.coordinate(i, axis);
        require(std::isfinite(x) && !(x == 0 && std::signbit(x)), "point {} has coordinate {}", i,
                x);
      }
    }
    std::sort(indices.begin(), indices.end());
    for (std::size_t i = 1; i < indices.size(); ++i)
      require(indices[i - 1] < indices[i], "original index {} occurs twice", indices[i]);
    for (std::size_t i = planes_.points; i < planes_.lanes_up(planes_.points); ++i) {
      require(planes_.index(i) == kNoIndex, "unused lane {} has an index", i);
      for (int axis = 0; axis < planes_.dimension; ++axis)
        require(std::isnan(planes_.coordinate(i, axis)), "unused lane {} has a coordinate", i);
    }
  }

  void load(std::size_t i, T* x) const {
    for (int axis = 0; axis < planes_.dimension; ++axis) x[axis] = planes_.coordinate(i, axis);
  }

  void check_z_order() const {
    T p[kMaxDimension], q[kMaxDimension];
    for (std::size_t i = 1; i < planes_.points; ++i) {
      load(i - 1, p);
      load(i, q);
      require(!z_less(q, p, axes_), "points {} and {} are out of order", i - 1, i);
      require(z_less(p, q, axes_) || planes_.index(i - 1) < planes_.index(i),
              "equal points {} and {} are not ordered by index", i - 1, i);
    }
  }

  void check_plane_count() const {
    if (planes_.points == 0) return require(planes_.planes.empty(), "an empty tree has planes");
    require(!planes_.planes.empty() && planes_.planes.back().nodes == 1, "no root");
  }

  /// Nodes cover what lies below without gaps and stay within the size limits.
  void check_plane(int level) const {
    const Plane<T>& plane = planes_.planes[static_cast<std::size_t>(level)];
    const std::size_t below =
        level == 0 ? planes_.points : planes_.planes[static_cast<std::size_t>(level) - 1].nodes;
    std::size_t child = 0, point = 0;
    for (std::size_t node = 0; node < plane.nodes; ++node) {
      const IndexRange children = planes_.children(level, node),
                       points = planes_.points_of(level, node);
      require(children.begin == child && children.end > child, "node {} of plane {}: children",
              node, level);
      require(points.begin == point && points.end > point, "node {} of plane {}: points", node,
              level);
      check_size(level, node, points.size());
      check_box(level, node);
      child = children.end;
      point = points.end;
    }
    require(child == below && point == planes_.points, "plane {} does not cover the points", level);
    check_padding(level, plane);
  }

  void check_size(int level, std::size_t node, std::size_t size) const {
    const double base =
        planes_.builder == Builder::packed ? double{kLanes} : options_.max_leaf_size;
    const double factor = planes_.builder == Builder::packed ? double{kLanes} : options_.coarsening;
    require(static_cast<double>(size) <= base * std::pow(factor, level),
            "node {} of plane {} holds {} points", node, level, size);
  }

  /// Box and index range are exactly those of the points.
  void check_box(int level, std::size_t node) const {
    const Plane<T>& plane = planes_.planes[static_cast<std::size_t>(level)];
    auto bounds = Bounds<kAnyDimension, T>::empty();
    std::uint32_t smallest = kNoIndex, largest = 0;
    const IndexRange points = planes_.points_of(level, node);
    for (std::size_t i = points.begin; i < points.end; ++i) {
      T x[kMaxDimension];
      load(i, x);
      bounds.add(x, axes_);
      smallest = std::min(smallest, planes_.index(i));
      largest = std::max(largest, planes_.index(i));
    }
    for (int axis = 0; axis < planes_.dimension; ++axis)
      require(planes_.lower(plane, node, axis) == bounds.lo[axis] &&
                  planes_.upper(plane, node, axis) == bounds.hi[axis],
              "node {} of plane {}: the box is not tight on axis {}", node, level, axis);
    require(plane.smallest[node] == smallest && plane.largest[node] == largest,
            "node {} of plane {}: smallest or largest index", node, level);
  }

  void check_padding(int level, const Plane<T>& plane) const {
    for (std::size_t node = plane.nodes; node < planes_.lanes_up(plane.nodes); ++node) {
      for (int axis = 0; axis < planes_.dimension; ++axis)
        require(planes_.lower(plane, node, axis) > planes_.upper(plane, node, axis),
                "unused node {} of plane {} has a box", node, level);
      require(plane.smallest[node] == kNoIndex && plane.largest[node] == 0,
              "unused node {} of plane {} has indices", node, level);
    }
  }

  const Planes<T>& planes_;
  const TreeOptions& options_;
  Axes<kAnyDimension> axes_;
};

}  // namespace

template <class T>
void check_planes(const Planes<T>& planes, const TreeOptions& options) {
  Checker<T>(planes, options).run();
}

template void check_planes(const Planes<float>&, const TreeOptions&);
template void check_planes(const Planes<double>&, const TreeOptions&);

}  // namespace kith

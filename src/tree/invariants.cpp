#include "tree/invariants.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string_view>

#include "base/fail.hpp"
#include "geometry/z_order.hpp"
#include "parallel/grains.hpp"
#include "tree/kd.hpp"
#include "tree/kd_splits.hpp"

namespace kith {
namespace {

/// The invariants that searches rely on. `broken(part, detail)` must throw: `part` is the kind of
/// thing that is wrong, `detail` says where.
template <class T>
class Invariants {
 public:
  using Broken = FunctionRef<void(std::string_view part, const std::string& detail)>;

  Invariants(const TreeData<T>& data, std::size_t input_size, const Workers& workers, Broken broken)
      : planes_(data.planes),
        frame_(data.frame),
        axes_(data.planes.dimension),
        input_size_(input_size),
        workers_(workers),
        broken_(broken) {}

  void check() const {
    check_points();
    check_unused_points();
    check_indices();
    check_plane_count();
    for (std::size_t i = 0; i < planes_.planes.size(); ++i) {
      const int plane = static_cast<int>(i);
      check_children(plane);
      workers_.for_ranges(planes_.planes[i].nodes, kNodeGrain,
                          [&](std::size_t begin, std::size_t end) {
                            for (std::size_t node = begin; node < end; ++node)
                              check_node(plane, node);
                          });
      check_unused_nodes(plane);
    }
  }

 private:
  using Box = Bounds<kAnyDimension, T>;

  template <class... Args>
  void require(bool holds, std::string_view part, Pattern<sizeof...(Args)> pattern,
               const Args&... args) const {
    if (!holds) broken_(part, formatted(pattern, args...));
  }

  /// Finite, not -0.0, inside the box on periodic axes.
  bool is_coordinate(T x, int axis) const {
    const T side = frame_.side[axis];
    return std::isfinite(x) && !(x == 0 && std::signbit(x)) && (side == 0 || (x >= 0 && x <= side));
  }

  void check_points() const {
    workers_.for_ranges(
        planes_.points, kLanes * kNodeGrain, [&](std::size_t begin, std::size_t end) {
          for (std::size_t i = begin; i < end; ++i)
            for (int axis = 0; axis < axes_.count(); ++axis) {
              const T x = planes_.coordinate(i, axis);
              require(is_coordinate(x, axis), "coordinates", "point {} has coordinate {}", i, x);
            }
        });
  }

  void check_unused_points() const {
    for (std::size_t i = planes_.points; i < planes_.lanes_up(planes_.points); ++i) {
      require(planes_.index(i) == kNoIndex, "unused points", "unused lane {} has an index", i);
      for (int axis = 0; axis < axes_.count(); ++axis)
        require(std::isnan(planes_.coordinate(i, axis)), "unused points",
                "unused lane {} has a coordinate", i);
    }
  }

  /// Each names another point of the input: answers are written there.
  void check_indices() const {
    std::vector<std::atomic<std::uint64_t>> seen(range_count(input_size_, 64));
    workers_.for_ranges(
        planes_.points, kLanes * kNodeGrain, [&](std::size_t begin, std::size_t end) {
          for (std::size_t i = begin; i < end; ++i) {
            const std::uint32_t index = planes_.index(i);
            require(index < input_size_, "indices", "point {} has original index {} of {}", i,
                    index, input_size_);
            const std::uint64_t bit = std::uint64_t{1} << index % 64;
            // The second thread sees the bit: a single operation, and no other memory is involved.
            const std::uint64_t before = seen[index / 64].fetch_or(bit, std::memory_order_relaxed);
            require((before & bit) == 0, "indices", "original index {} occurs twice", index);
          }
        });
  }

  void check_plane_count() const {
    if (planes_.points == 0)
      return require(planes_.planes.empty(), "nodes", "an empty tree has planes");
    require(!planes_.planes.empty() && planes_.planes.back().nodes == 1, "nodes", "no root");
  }

  /// The nodes cover the nodes below, or the points, without gaps.
  void check_children(int plane) const {
    const Plane<T>& at = planes_.planes[static_cast<std::size_t>(plane)];
    const std::size_t below = plane == 0 ? planes_.points : (&at - 1)->nodes;
    if (planes_.is_implicit)
      return require(at.nodes == range_count(below, kLanes), "nodes", "plane {} has {} nodes",
                     plane, at.nodes);
    require(at.first[0] == 0 && at.first[at.nodes] == below, "nodes",
            "plane {} does not cover the plane below", plane);
    workers_.for_ranges(at.nodes, kNodeGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t node = begin; node < end; ++node)
        require(at.first[node] < at.first[node + 1], "nodes", "node {} of plane {} has no children",
                node, plane);
    });
    if (plane > 0) check_first_points(plane);
  }

  /// `first` ascends to the number of nodes below, so that all of it is within the plane below.
  void check_first_points(int plane) const {
    const Plane<T>& at = planes_.planes[static_cast<std::size_t>(plane)];
    const Plane<T>& below = *(&at - 1);
    const Array<std::uint32_t>& start = plane == 1 ? below.first : below.begin;
    workers_.for_ranges(at.nodes + 1, kNodeGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t node = begin; node < end; ++node)
        require(at.begin[node] == start[at.first[node]], "nodes",
                "node {} of plane {} begins at another point", node, plane);
    });
  }

  /// The box and the range of indices are those of the children.
  void check_node(int plane, std::size_t node) const {
    const Plane<T>& at = planes_.planes[static_cast<std::size_t>(plane)];
    const Plane<T>& below = plane == 0 ? at : *(&at - 1);
    Box box = Box::empty();
    std::uint32_t smallest = kNoIndex, largest = 0;
    const IndexRange children = planes_.children(plane, node);
    for (std::size_t child = children.begin; child < children.end; ++child) {
      box.add(plane == 0 ? box_of_point(child) : box_of_node(below, child), axes_);
      smallest = std::min(smallest, plane == 0 ? planes_.index(child) : below.smallest[child]);
      largest = std::max(largest, plane == 0 ? planes_.index(child) : below.largest[child]);
    }
    const Box stored = box_of_node(at, node);
    for (int axis = 0; axis < axes_.count(); ++axis)
      require(stored.lo[axis] == box.lo[axis] && stored.hi[axis] == box.hi[axis], "boxes",
              "node {} of plane {}: the box is not tight on axis {}", node, plane, axis);
    require(at.smallest[node] == smallest && at.largest[node] == largest, "boxes",
            "node {} of plane {}: smallest or largest index", node, plane);
  }

  Box box_of_point(std::size_t i) const {
    Box box;
    for (int axis = 0; axis < axes_.count(); ++axis)
      box.lo[axis] = box.hi[axis] = planes_.coordinate(i, axis);
    return box;
  }
  Box box_of_node(const Plane<T>& plane, std::size_t node) const {
    return box_of_lane<kAnyDimension, T>(planes_.chunk(plane, node / kLanes), node % kLanes, axes_);
  }

  void check_unused_nodes(int plane) const {
    const Plane<T>& at = planes_.planes[static_cast<std::size_t>(plane)];
    const Box empty = Box::empty();
    for (std::size_t node = at.nodes; node < planes_.lanes_up(at.nodes); ++node) {
      const Box box = box_of_node(at, node);
      for (int axis = 0; axis < axes_.count(); ++axis)
        require(box.lo[axis] == empty.lo[axis] && box.hi[axis] == empty.hi[axis], "unused nodes",
                "unused node {} of plane {} has a box", node, plane);
      require(at.smallest[node] == kNoIndex && at.largest[node] == 0, "unused nodes",
              "unused node {} of plane {} has indices", node, plane);
    }
  }

  const Planes<T>& planes_;
  const Frame<T>& frame_;
  Axes<kAnyDimension> axes_;
  std::size_t input_size_;
  const Workers& workers_;
  Broken broken_;
};

[[noreturn]] void fail_broken(const std::string& detail) {
  throw Error(ErrorCode::internal, "tree: broken invariant: " + detail);
}

template <class T>
void load(const Planes<T>& planes, std::size_t i, T* x) {
  for (int axis = 0; axis < planes.dimension; ++axis) x[axis] = planes.coordinate(i, axis);
}

/// Points ascend in z-order, equal ones by index.
template <class T>
void check_z_order(const Planes<T>& planes) {
  const Axes<kAnyDimension> axes(planes.dimension);
  T p[kMaxDimension], q[kMaxDimension];
  for (std::size_t i = 1; i < planes.points; ++i) {
    load(planes, i - 1, p);
    load(planes, i, q);
    if (z_less(q, p, axes)) fail_broken(formatted("points {} and {} are out of order", i - 1, i));
    if (!z_less(p, q, axes) && planes.index(i - 1) > planes.index(i))
      fail_broken(formatted("equal points {} and {} are not ordered by index", i - 1, i));
  }
}

/// In every split inside a node, all points of the lesser side come before all of the greater by
/// (coordinate, index), and the points of a block ascend by index.
template <class T>
void check_kd_order(const Planes<T>& planes, SplitAxis rule) {
  const KdSplits<T> splits(planes.view(), rule);
  const auto key = [&](std::size_t i, int axis) {
    return KdKey<T>{planes.coordinate(i, axis), planes.index(i)};
  };
  for (std::size_t plane = 1; plane < planes.planes.size(); ++plane)
    for (std::size_t node = 0; node < planes.planes[plane].nodes; ++node)
      splits.for_each(static_cast<int>(plane), node, [&](const KdSplit& split) {
        KdKey<T> most = key(split.points.begin, split.axis);
        for (std::size_t i = split.points.begin; i < split.boundary; ++i)
          most = std::max(most, key(i, split.axis));
        for (std::size_t i = split.boundary; i < split.points.end; ++i)
          if (key(i, split.axis) < most)
            fail_broken(formatted("node {} of plane {}: split {}", node, plane, split.place));
      });
  for (std::size_t i = 1; i < planes.points; ++i)
    if (i % kLanes != 0 && planes.index(i - 1) > planes.index(i))
      fail_broken(formatted("points {} and {} of a block are out of order", i - 1, i));
}

/// Nodes hold at most as many points as the options allow.
template <class T>
void check_sizes(const Planes<T>& planes, const TreeOptions& options) {
  double most = planes.is_implicit ? double{kLanes} : options.max_leaf_size;
  const double factor = planes.is_implicit ? double{kLanes} : options.coarsening;
  for (std::size_t plane = 0; plane < planes.planes.size(); ++plane, most *= factor)
    for (std::size_t node = 0; node < planes.planes[plane].nodes; ++node) {
      const std::size_t size = planes.points_of(static_cast<int>(plane), node).size();
      if (static_cast<double>(size) > most)
        fail_broken(formatted("node {} of plane {} holds {} points", node, plane, size));
    }
}

}  // namespace

template <class T>
void check_planes(const TreeData<T>& data, std::size_t input_size, const TreeOptions& options,
                  const Workers& workers) {
  Invariants<T>(data, input_size, workers, [](std::string_view, const std::string& detail) {
    fail_broken(detail);
  }).check();
  if (options.curve == Curve::z) check_z_order(data.planes);
  if (options.curve == Curve::kd) check_kd_order(data.planes, options.split_axis);
  check_sizes(data.planes, options);
}

template <class T>
void verify_planes(const TreeData<T>& data, std::size_t input_size, const std::string& name,
                   Workers& workers) {
  const Stage stage(workers, "verify", data.planes.points);
  Invariants<T>(data, input_size, workers, [&](std::string_view part, const std::string&) {
    fail(ErrorCode::io, "{}: damaged: impossible {}; make the file again", name, part);
  }).check();
}

template void check_planes(const TreeData<float>&, std::size_t, const TreeOptions&, const Workers&);
template void check_planes(const TreeData<double>&, std::size_t, const TreeOptions&,
                           const Workers&);
template void verify_planes(const TreeData<float>&, std::size_t, const std::string&, Workers&);
template void verify_planes(const TreeData<double>&, std::size_t, const std::string&, Workers&);

}  // namespace kith

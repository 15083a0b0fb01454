#include <atomic>
#include <cmath>
#include <string_view>

#include "base/fail.hpp"
#include "tree/saved.hpp"

namespace kith {
namespace {

constexpr std::size_t kGrain = std::size_t{1} << 12;  // nodes or blocks

template <class T>
class Verifier {
 public:
  Verifier(const TreeData<T>& data, std::size_t input_size, const std::string& name,
           const Workers& workers)
      : planes_(data.planes),
        frame_(data.frame),
        axes_(data.planes.dimension),
        input_size_(input_size),
        name_(name),
        workers_(workers) {}

  void run() const {
    check_points();
    check_indices();
    for (std::size_t i = 0; i < planes_.planes.size(); ++i) {
      const int level = static_cast<int>(i);
      if (planes_.builder == Builder::cells) check_children(level);
      workers_.for_ranges(planes_.planes[i].nodes, kGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t node = begin; node < end; ++node) check_node(level, node);
      });
      check_unused_nodes(level);
    }
  }

 private:
  using Box = Bounds<kAnyDimension, T>;

  void require(bool holds, std::string_view what) const {
    if (!holds)
      fail(ErrorCode::io, "{}: no tree of kith has such {}; make the file again", name_, what);
  }

  bool is_coordinate(T x, int axis) const {
    const T side = frame_.side[axis];
    return std::isfinite(x) && !(x == 0 && std::signbit(x)) && (side == 0 || (x >= 0 && x <= side));
  }

  void check_points() const {
    workers_.for_ranges(planes_.points, kLanes * kGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        for (int axis = 0; axis < axes_.count(); ++axis)
          require(is_coordinate(planes_.coordinate(i, axis), axis), "coordinates");
    });
    for (std::size_t i = planes_.points; i < planes_.lanes_up(planes_.points); ++i) {
      require(planes_.index(i) == kNoIndex, "unused points");
      for (int axis = 0; axis < axes_.count(); ++axis)
        require(std::isnan(planes_.coordinate(i, axis)), "unused points");
    }
  }

  /// Each names another point of the input: answers are written there.
  void check_indices() const {
    std::vector<std::atomic<std::uint64_t>> seen(range_count(input_size_, 64));
    workers_.for_ranges(planes_.points, kLanes * kGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const std::uint32_t index = planes_.index(i);
        require(index < input_size_, "indices");
        const std::uint64_t bit = std::uint64_t{1} << index % 64;
        // Whichever thread comes second sees the bit: one operation, no other memory is involved.
        const std::uint64_t before = seen[index / 64].fetch_or(bit, std::memory_order_relaxed);
        require((before & bit) == 0, "indices");
      }
    });
  }

  /// The nodes of a cells tree cover the plane below and the points without gaps.
  void check_children(int level) const {
    const Plane<T>& plane = planes_.planes[static_cast<std::size_t>(level)];
    const Plane<T>* lower = level == 0 ? nullptr : &plane - 1;
    const std::size_t below = lower ? lower->nodes : planes_.points;
    require(plane.first[0] == 0 && plane.first[plane.nodes] == below, "nodes");
    workers_.for_ranges(plane.nodes, kGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t node = begin; node < end; ++node)
        require(plane.first[node] < plane.first[node + 1], "nodes");
    });
    if (!lower) return;
    // `first` ascends to `below`, so that all of it is within the plane below.
    const Array<std::uint32_t>& start = level == 1 ? lower->first : lower->begin;
    workers_.for_ranges(plane.nodes + 1, kGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t node = begin; node < end; ++node)
        require(plane.begin[node] == start[plane.first[node]], "nodes");
    });
  }

  /// The box and the range of indices are those of the children.
  void check_node(int level, std::size_t node) const {
    const Plane<T>& plane = planes_.planes[static_cast<std::size_t>(level)];
    const Plane<T>& below = level == 0 ? plane : *(&plane - 1);
    Box box = Box::empty();
    std::uint32_t smallest = kNoIndex, largest = 0;
    const IndexRange children = planes_.children(level, node);
    for (std::size_t child = children.begin; child < children.end; ++child) {
      box.add(level == 0 ? box_of_point(child) : box_of_node(below, child), axes_);
      smallest = std::min(smallest, level == 0 ? planes_.index(child) : below.smallest[child]);
      largest = std::max(largest, level == 0 ? planes_.index(child) : below.largest[child]);
    }
    const Box stored = box_of_node(plane, node);
    for (int axis = 0; axis < axes_.count(); ++axis)
      require(stored.lo[axis] == box.lo[axis] && stored.hi[axis] == box.hi[axis], "boxes");
    require(plane.smallest[node] == smallest && plane.largest[node] == largest, "boxes");
  }

  Box box_of_point(std::size_t i) const {
    Box box;
    for (int axis = 0; axis < axes_.count(); ++axis)
      box.lo[axis] = box.hi[axis] = planes_.coordinate(i, axis);
    return box;
  }
  Box box_of_node(const Plane<T>& plane, std::size_t node) const {
    Box box;
    for (int axis = 0; axis < axes_.count(); ++axis) {
      box.lo[axis] = planes_.lower(plane, node, axis);
      box.hi[axis] = planes_.upper(plane, node, axis);
    }
    return box;
  }

  void check_unused_nodes(int level) const {
    const Plane<T>& plane = planes_.planes[static_cast<std::size_t>(level)];
    const Box empty = Box::empty();
    for (std::size_t node = plane.nodes; node < planes_.lanes_up(plane.nodes); ++node) {
      const Box box = box_of_node(plane, node);
      for (int axis = 0; axis < axes_.count(); ++axis)
        require(box.lo[axis] == empty.lo[axis] && box.hi[axis] == empty.hi[axis], "unused nodes");
      require(plane.smallest[node] == kNoIndex && plane.largest[node] == 0, "unused nodes");
    }
  }

  const Planes<T>& planes_;
  const Frame<T>& frame_;
  Axes<kAnyDimension> axes_;
  std::size_t input_size_;
  const std::string& name_;
  const Workers& workers_;
};

}  // namespace

template <class T>
void verify_planes(const TreeData<T>& data, std::size_t input_size, const std::string& name,
                   Workers& workers) {
  const Stage stage(workers, "verify", data.planes.points);
  Verifier<T>(data, input_size, name, workers).run();
}

template void verify_planes(const TreeData<float>&, std::size_t, const std::string&, Workers&);
template void verify_planes(const TreeData<double>&, std::size_t, const std::string&, Workers&);

}  // namespace kith

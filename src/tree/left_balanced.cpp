#include <algorithm>
#include <bit>

#include <kith/left_balanced.hpp>

#include "parallel/public_call.hpp"
#include "tree/kd.hpp"
#include "tree/tree_impl.hpp"

namespace kith {
namespace {

/// Nodes on the lesser side of the root of n >= 1 nodes: rows are full, the last from the left.
std::size_t lesser_nodes(std::size_t n) {
  const std::size_t full = std::bit_floor(n) - 1;  // nodes above the last row
  const std::size_t last = n - full;               // nodes in it
  return full / 2 + std::min(last, (full + 1) / 2);
}

template <class T>
class Layout {
 public:
  Layout(const PlanesView<T>& planes, SplitAxis rule, const Workers& workers)
      : planes_(planes), axes_(planes.any_axes()), rule_(rule), workers_(workers) {}

  LeftBalanced run() const {
    LeftBalanced result;
    result.index.resize(planes_.points);
    result.axis.resize(planes_.points);
    std::vector<std::uint32_t> positions(planes_.points);
    for (std::size_t i = 0; i < positions.size(); ++i) positions[i] = static_cast<std::uint32_t>(i);
    std::vector<Set> sets;
    if (planes_.points > 0) sets.push_back({0, {0, planes_.points}});
    for (int depth = 0; !sets.empty(); ++depth) {
      std::vector<Set> below(2 * sets.size());
      workers_.for_ranges(sets.size(), 64, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
          split(sets[i], depth, positions.data(), result, &below[2 * i]);
      });
      std::erase_if(below, [](const Set& set) { return set.points.size() == 0; });
      sets.swap(below);
    }
    return result;
  }

 private:
  struct Set {
    std::size_t node = 0;
    IndexRange points = {};  ///< among the positions
  };

  void split(const Set& set, int depth, std::uint32_t* positions, LeftBalanced& result,
             Set* below) const {
    workers_.check_cancelled();
    const auto [begin, end] = set.points;
    const int axis = axis_of(positions + begin, end - begin, depth);
    const std::size_t middle = begin + lesser_nodes(end - begin);
    const auto key = [&](std::uint32_t i) {
      return KdKey<T>{planes_.coordinate(i, axis), planes_.index(i)};
    };
    std::nth_element(positions + begin, positions + middle, positions + end,
                     [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
    result.index[set.node] = planes_.index(positions[middle]);
    result.axis[set.node] = static_cast<std::int8_t>(axis);
    below[0] = {2 * set.node + 1, {begin, middle}};
    below[1] = {2 * set.node + 2, {middle + 1, end}};
  }

  int axis_of(const std::uint32_t* positions, std::size_t n, int depth) const {
    if (rule_ == SplitAxis::cyclic) return depth % axes_.count();
    auto bounds = Bounds<kAnyDimension, T>::empty();
    T x[kMaxDimension];
    for (std::size_t i = 0; i < n; ++i) {
      planes_.load(positions[i], axes_, x);
      bounds.add(x, axes_);
    }
    if (rule_ == SplitAxis::widest) return widest_axis(bounds, axes_);
    VarianceSums<kAnyDimension, T> sums(bounds, axes_);
    for (std::size_t i = 0; i < n; ++i) {
      planes_.load(positions[i], axes_, x);
      sums.add(x);
    }
    return sums.axis();
  }

  PlanesView<T> planes_;
  Axes<kAnyDimension> axes_;
  SplitAxis rule_;
  const Workers& workers_;
};

}  // namespace

LeftBalanced left_balanced(const AnyTree& tree, SplitAxis split_axis, const Execution& execution) {
  return public_call("left_balanced", execution, [&](Workers& workers) {
    return impl_of(tree).visit([&]<class T>(const TreeData<T>& data) {
      return Layout<T>(data.planes.view(), split_axis, workers).run();
    });
  });
}

}  // namespace kith

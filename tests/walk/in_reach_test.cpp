// The leaves in reach of a box, and the walk that finds them, on trees of either builder.
#include "walk/in_reach.hpp"

#include <gtest/gtest.h>

#include <kith/tree.hpp>

#include "support/property.hpp"
#include "support/tree_kinds.hpp"
#include "tree/tree_impl.hpp"

namespace kith {
namespace {

using test::Draw;

template <class T>
AnyTree draw_tree(Draw& draw, int dimension) {
  const auto set = draw.point_set<T>(dimension, draw.size(3000));
  return Tree(set.view(), test::any_tree(draw, draw.box(dimension)));
}

template <class T>
Metric<kAnyDimension, T> metric_of(const TreeData<T>& data) {
  Metric<kAnyDimension, T> metric{Axes<kAnyDimension>(data.planes.dimension)};
  std::copy_n(data.frame.side, data.planes.dimension, metric.side);
  return metric;
}

template <class T>
void check_reach(Draw& draw) {
  const AnyTree tree = draw_tree<T>(draw, draw.one_of({1, 2, 3, 5}));
  const TreeData<T>& data = impl_of(tree).as<T>();
  const PlanesView<T> view = data.planes.view();
  if (view.points == 0) return;
  const auto metric = metric_of(data);
  const auto receiver = view.box(0, draw.below(view.plane(0).nodes), metric.axes);
  const T reach2 = static_cast<T>(draw.uniform() * draw.uniform());
  std::vector<std::size_t> found, expected;
  InReach search(view, metric, [&](std::size_t leaf) { found.push_back(leaf); });
  search.run(receiver, reach2);
  for (std::size_t leaf = 0; leaf < view.plane(0).nodes; ++leaf)
    if (metric.lower2(receiver, view.box(0, leaf, metric.axes)) <= reach2) expected.push_back(leaf);
  ASSERT_EQ(found, expected);
}

TEST(InReach, FloatLeavesEqualBruteForce) { test::for_cases(1000, check_reach<float>); }
TEST(InReach, DoubleLeavesEqualBruteForce) { test::for_cases(1000, check_reach<double>); }

/// Counts the points within reach by settling nodes that are inside as a whole.
template <class T>
struct Counter {
  const PlanesView<T>& view;
  Metric<kAnyDimension, T> metric;
  Bounds<kAnyDimension, T> center;
  T reach2;
  std::size_t count = 0, settled = 0;

  struct Ends {
    std::array<T, kLanes> lower, upper;
  };
  Ends look(int plane, std::size_t chunk) const {
    Ends ends{};
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const auto box = box_of_lane(view.chunk(plane, chunk, metric.axes), lane, metric.axes);
      ends.lower[lane] = metric.lower2(center, box);
      ends.upper[lane] = metric.upper2(center, box);
    }
    return ends;
  }
  Verdict verdict(const Ends& ends, std::size_t lane, int, std::size_t) const {
    if (ends.lower[lane] > reach2) return Verdict::drop;
    return ends.upper[lane] <= reach2 ? Verdict::settle : Verdict::keep;
  }
  void settle(int plane, std::size_t node) {
    count += view.points_of(plane, node).size();
    ++settled;
  }
  void leaf(std::size_t node, const Ends&, std::size_t) {
    const IndexRange points = view.points_of(0, node);
    for (std::size_t i = points.begin; i < points.end; ++i) {
      T x[kMaxDimension];
      view.load(i, metric.axes, x);
      count += metric.distance2(center.lo, x) <= reach2 ? 1 : 0;
    }
  }
};

template <class T>
void check_count(Draw& draw) {
  const AnyTree tree = draw_tree<T>(draw, draw.one_of({1, 2, 3}));
  const TreeData<T>& data = impl_of(tree).as<T>();
  const PlanesView<T> view = data.planes.view();
  if (view.points == 0) return;
  const auto metric = metric_of(data);
  T center[kMaxDimension];
  view.load(draw.below(view.points), metric.axes, center);
  auto at = Bounds<kAnyDimension, T>::empty();
  at.add(center, metric.axes);
  Counter<T> counter{view, metric, at, static_cast<T>(draw.uniform())};
  DepthFirst<T, Counter<T>>(view, counter).run();
  std::size_t expected = 0;
  for (std::size_t i = 0; i < view.points; ++i) {
    T x[kMaxDimension];
    view.load(i, metric.axes, x);
    expected += metric.distance2(center, x) <= counter.reach2 ? 1 : 0;
  }
  ASSERT_EQ(counter.count, expected);
}

TEST(DepthFirst, DropsKeepsAndSettlesFloats) { test::for_cases(1000, check_count<float>); }
TEST(DepthFirst, DropsKeepsAndSettlesDoubles) { test::for_cases(1000, check_count<double>); }

}  // namespace
}  // namespace kith

// The walk with the simplest judge, a fixed reach, on every SIMD target: each leaf of the receivers
// gets exactly the leaves of the sources that do not begin after it. That is also the list of what
// one rank imports from another.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "walk/walk_test.cpp"
#include <hwy/foreach_target.h>  // includes this file once per target

#include "walk/walk-inl.h"

#ifndef KITH_TESTS_WALK_WALK_TYPES  // the same for all targets
#define KITH_TESTS_WALK_WALK_TYPES
namespace kith {

/// Sources of each leaf of the receivers.
using LeafLists = std::vector<std::vector<std::uint32_t>>;

template <class T>
struct ReachScene {
  PlanesView<T> receivers, sources;
  const T* side;
  Candidate<T> reach;
};

}  // namespace kith
#endif

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

template <int D, class T>
struct FixedReach {
  Candidate<T> reach;
  LeafLists& lists;

  Candidate<T> limit() const { return reach; }
  template <bool Wrap>
  Candidate<T> bound(const Bounds<D, T>&, int, const InteractionList<T>&,
                     const Candidate<T>& limit) const {
    return limit;
  }
  bool wraps(const Bounds<D, T>&, const Candidate<T>&) const { return true; }
  template <bool Wrap>
  void leaf(std::size_t receiver, const InteractionList<T>& list, const Candidate<T>&) const {
    lists[receiver].assign(list.source.data(), list.source.data() + list.size);
  }
};

template <class T>
void list_leaves(const ReachScene<T>& scene, LeafLists& lists) {
  FixedReach<kAnyDimension, T> judge{scene.reach, lists};
  Walk<kAnyDimension, T, FixedReach<kAnyDimension, T>>(scene.receivers, scene.sources, scene.side,
                                                       judge)
      .run(scene.receivers.top(), 0);
}
void list_float_leaves(const ReachScene<float>& scene, LeafLists& lists) {
  list_leaves(scene, lists);
}
void list_double_leaves(const ReachScene<double>& scene, LeafLists& lists) {
  list_leaves(scene, lists);
}

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <gtest/gtest.h>

#include <kith/tree.hpp>

#include "geometry/distance.hpp"
#include "support/property.hpp"
#include "support/tree_kinds.hpp"
#include "tree/tree_impl.hpp"

namespace kith {
namespace {

using test::Draw;

HWY_EXPORT(list_float_leaves);
HWY_EXPORT(list_double_leaves);

void list_all(const ReachScene<float>& scene, LeafLists& lists) {
  HWY_DYNAMIC_DISPATCH(list_float_leaves)(scene, lists);
}
void list_all(const ReachScene<double>& scene, LeafLists& lists) {
  HWY_DYNAMIC_DISPATCH(list_double_leaves)(scene, lists);
}

template <class T>
void check_lists(Draw& draw) {
  const int dimension = draw.one_of({1, 2, 3, 5});
  const Box box = draw.box(dimension);
  const auto set = [&] { return draw.point_set<T>(dimension, draw.size(900)); };
  const auto receiving = set(), giving = set();
  const auto tree = [&](const auto& points) {
    return Tree(points.view(), test::any_tree(draw, box));
  };
  const AnyTree receivers = tree(receiving), sources = tree(giving);
  if (receivers.size() == 0 || sources.size() == 0) return;
  draw.target();
  const TreeData<T>& data = impl_of(sources).as<T>();
  ReachScene<T> scene{impl_of(receivers).as<T>().planes.view(),
                      data.planes.view(),
                      data.frame.side,
                      {static_cast<T>(draw.uniform() * draw.uniform()), kNoIndex}};
  if (draw.below(3) == 0)  // at a tie, or beyond everything
    scene.reach = draw.one_of<Candidate<T>>(
        {{0, static_cast<std::uint32_t>(draw.below(sources.input_size()))},
         {std::numeric_limits<T>::infinity(), kNoIndex}});
  LeafLists lists(scene.receivers.plane(0).nodes);
  list_all(scene, lists);
  Metric<kAnyDimension, T> metric{Axes<kAnyDimension>(dimension)};
  std::copy_n(scene.side, dimension, metric.side);
  const PlaneView<T>& leaves = scene.sources.plane(0);
  for (std::size_t i = 0; i < lists.size(); ++i) {
    const auto receiver = scene.receivers.box(0, i, metric.axes);
    std::vector<std::uint32_t> expected;
    for (std::size_t j = 0; j < leaves.nodes; ++j) {
      const T lower = metric.lower2(receiver, scene.sources.box(0, j, metric.axes));
      if (!(scene.reach < Candidate<T>{lower, leaves.smallest[j]}))
        expected.push_back(static_cast<std::uint32_t>(j));
    }
    ASSERT_EQ(lists[i], expected) << "receiver " << i;
  }
}

TEST(Walk, ListsOfFloatTreesEqualBruteForce) { test::for_cases(500, check_lists<float>); }
TEST(Walk, ListsOfDoubleTreesEqualBruteForce) { test::for_cases(500, check_lists<double>); }

}  // namespace
}  // namespace kith
#endif

// Linked and attached types against their definition.
#include <algorithm>
#include <random>

#include <kith/catalogue.hpp>

#include "geometry/distance.hpp"
#include "groups/support.hpp"
#include "support/expect_error.hpp"

namespace kith {
namespace {

using test::expect_error;
using test::to_vector;
using Labels = std::vector<std::int32_t>;
using Numbers = std::vector<std::int64_t>;
using TypedLine = std::vector<std::array<double, 1>>;

TEST(FofTypes, AttachedPointsFollowTheNearestLinkedOne) {
  //                      0    1    2    3     4     5
  const TypedLine stars = {{0.4}, {1.6}, {9}};  // attached, first in the order
  const TypedLine matter = {{0}, {2}, {2.5}};   // linked: {3}, {4, 5}
  const std::vector<TypedPoints> types = {{view(stars), Role::attached}, {view(matter)}};
  const Groups groups = fof(types, {.linking_length = 0.5, .keep_roots = true});
  EXPECT_EQ(to_vector(groups.label()), (Labels{1, 0, -1, 1, 0, 0}));
  EXPECT_EQ(to_vector(groups.root()), (Numbers{3, 4, -1, 3, 4, 4}));
  EXPECT_EQ(groups.sizes(), (Numbers{2, 1}));
  EXPECT_EQ(groups.lowest_members(), (Numbers{4, 3}));
  const Groups pairs = fof(types, {.linking_length = 0.5, .min_size = 2});
  EXPECT_EQ(to_vector(pairs.label()), (Labels{-1, 0, -1, -1, 0, 0}));
}

TEST(FofTypes, AttachedPointsDoNotBridgeGroups) {
  const TypedLine matter = {{0}, {1}}, gas = {{0.5}};
  const std::vector<TypedPoints> types = {{view(matter)}, {view(gas), Role::attached}};
  const Groups groups = fof(types, {.linking_length = 0.5});
  // Equally near to both: the lower index.
  EXPECT_EQ(to_vector(groups.label()), (Labels{0, 1, 0}));
  const Groups strict = fof(types, {.linking_length = 0.5, .strict = true});
  EXPECT_EQ(to_vector(strict.label()), (Labels{0, 1, -1}));
}

TEST(FofTypes, MembersAreAttachedPointsToo) {
  const TypedLine stars = {{0.4}, {1.6}, {9}}, matter = {{0}, {2}, {2.5}};
  const std::vector<TypedPoints> types = {{view(stars), Role::attached}, {view(matter)}};
  const Members of = members(fof(types, {.linking_length = 0.5}));
  EXPECT_EQ(of.order, (std::vector<std::uint32_t>{1, 4, 5, 0, 3, 2}));
  EXPECT_EQ(of.offset, (std::vector<std::size_t>{0, 3, 5}));
}

TEST(FofTypes, MeanSeparationCountsLinkedPoints) {
  const TypedLine matter = {{0}, {1}}, gas = {{0.5}, {0.6}, {0.7}};
  const std::vector<TypedPoints> types = {{view(matter)}, {view(gas), Role::attached}};
  EXPECT_EQ(fof(types, {.b = 0.5, .volume = 4}).linking_length(), 1.0);
}

TEST(FofTypes, BadTypesAreRefused) {
  const TypedLine matter = {{0}, {1}};
  const std::vector<std::array<float, 1>> single = {{0}};
  const FofOptions options{.linking_length = 1};
  expect_error(ErrorCode::invalid_argument, "none of 0 types is linked",
               [&] { fof(std::span<const TypedPoints>(), options); });
  const std::vector<TypedPoints> attached = {{view(matter), Role::attached}};
  expect_error(ErrorCode::invalid_argument, "none of 1 types is linked",
               [&] { fof(attached, options); });
  const std::vector<TypedPoints> mixed = {{view(matter)}, {view(single)}};
  expect_error(ErrorCode::invalid_argument, "type 1 differs from type 0 in dimension",
               [&] { fof(mixed, options); });
}

/// One set of points cut into types: linked ones as brute_fof has them, attached ones one by one.
template <class T>
void check_random_types(unsigned seed, const Box& box, bool is_strict) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<T> uniform(0, 1);
  std::vector<std::array<T, 3>> sets[4];
  for (auto& set : sets)
    for (auto n = random() % 120; n > 0; --n) {
      std::array<T, 3> x;
      // A coarse lattice: many equal distances.
      for (T& value : x) value = seed % 2 ? uniform(random) : static_cast<T>(random() % 12) / 12;
      set.push_back(x);
    }
  const std::vector<TypedPoints> types = {{view(sets[0]), Role::attached},
                                          {view(sets[1])},
                                          {view(sets[2]), Role::attached},
                                          {view(sets[3])}};
  FofOptions options{
      .box = box, .linking_length = seed % 2 ? 0.12 : 1 / 12.0, .min_size = 1 + seed % 3};
  options.strict = is_strict;
  options.keep_roots = true;
  const Groups groups = fof(types, options, {.threads = static_cast<int>(1 + seed % 2)});

  std::vector<std::array<T, 3>> linked = sets[1];
  linked.insert(linked.end(), sets[3].begin(), sets[3].end());
  const BruteGroups brute = brute_fof(view(linked), options);
  Metric<3, T> metric{Axes<3>(3)};
  for (int axis = 0; axis < 3; ++axis) metric.side[axis] = static_cast<T>(box.side(axis));
  const T length = static_cast<T>(options.linking_length), reach2 = length * length;
  auto expected = [&](const std::array<T, 3>& x) -> std::int32_t {
    std::size_t best = linked.size();
    T best2 = 0;
    for (std::size_t i = 0; i < linked.size(); ++i) {
      const T d2 = metric.distance2(x.data(), linked[i].data());
      const bool is_near = is_strict ? d2 < reach2 : d2 <= reach2;
      if (is_near && (best == linked.size() || d2 < best2)) {
        best = i;
        best2 = d2;
      }
    }
    return best == linked.size() ? -1 : brute.label[best];
  };
  Labels labels;
  for (const auto& x : sets[0]) labels.push_back(expected(x));
  labels.insert(labels.end(), brute.label.begin(),
                brute.label.begin() + static_cast<std::ptrdiff_t>(sets[1].size()));
  for (const auto& x : sets[2]) labels.push_back(expected(x));
  labels.insert(labels.end(), brute.label.begin() + static_cast<std::ptrdiff_t>(sets[1].size()),
                brute.label.end());
  ASSERT_EQ(to_vector(groups.label()), labels) << "seed " << seed;
  ASSERT_EQ(groups.sizes(), brute.size) << "seed " << seed;
}

TEST(FofTypes, EqualsTheDefinition) {
  for (unsigned seed = 0; seed < 60; ++seed)
    for (const bool is_strict : {false, true}) {
      check_random_types<float>(seed, Box::open(), is_strict);
      check_random_types<double>(seed, Box::periodic(1), is_strict);
      check_random_types<float>(seed, Box::periodic({1.0, 0.0, 1.0}), is_strict);
      if (HasFatalFailure()) return;
    }
}

}  // namespace
}  // namespace kith

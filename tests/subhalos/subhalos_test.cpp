// Bound subhalos against their definition, which visits every pair of members.
#include <array>
#include <cmath>
#include <ctime>
#include <gtest/gtest.h>

#include <kith/kith.hpp>

#include "subhalos/brute.hpp"
#include "support/property.hpp"

namespace kith {
namespace {

using test::Draw;
using test::ExactCases;
using test::for_cases;
using test::PointSet;

void expect_equal(const Subhalos& found, const std::vector<BruteSubhalo>& rows) {
  ExactCases::count();
  ASSERT_EQ(found.parent.size(), rows.size());
  ASSERT_EQ(found.host.size(), rows.size());
  for (std::size_t s = 0; s < rows.size(); ++s) {
    EXPECT_EQ(found.parent[s], rows[s].parent) << s;
    EXPECT_EQ(found.host[s], rows[s].host) << s;
    const auto members = found.members.of(s);
    EXPECT_EQ(std::vector(members.begin(), members.end()), rows[s].members) << s;
    const auto first =
        found.by_binding.begin() + static_cast<std::ptrdiff_t>(found.members.offset[s]);
    EXPECT_EQ(std::vector(first, first + static_cast<std::ptrdiff_t>(members.size())),
              rows[s].by_binding)
        << s;
    EXPECT_EQ(found.most_bound[s], rows[s].by_binding.front());
  }
}

/// Clumps in a clump, with speeds that some of them survive.
template <class T>
PointSet<T> clumps(Draw& draw, int dimension, std::size_t n) {
  const std::size_t count = 1 + draw.below(5);
  std::vector<double> at(count * static_cast<std::size_t>(dimension));
  for (double& x : at) x = 0.1 * draw.normal();
  std::size_t clump = 0;
  double size = 0;
  return test::make_set<T>("clumps", dimension, n, [&](auto, int axis) {
    if (axis == 0) {
      clump = draw.below(2 * count);
      size = clump < count ? 0.01 : 0.2;
    }
    const double middle =
        clump < count
            ? at[clump * static_cast<std::size_t>(dimension) + static_cast<std::size_t>(axis)]
            : 0;
    return 0.5 + middle + size * draw.normal();
  });
}

template <class T, SubhaloMethod kMethod>
void check_case(Draw& draw) {
  const int dimension = 1 + static_cast<int>(draw.below(3));
  const std::size_t n = draw.below(12) == 0 ? 270 + draw.below(150) : draw.size(150);
  const PointSet<T> set = draw.below(4) > 0 ? draw.thinned(clumps<T>(draw, dimension, n))
                                            : draw.point_set<T>(dimension, n);
  const PointSet<T> velocity = test::make_set<T>(
      "v", dimension, set.size(),
      [&, scale = draw.one_of({0.0, 0.1, 1.0})](auto, int) { return scale * draw.normal(); });
  std::vector<T> mass, heat;
  const bool has_mass = draw.below(2) == 0, has_heat = draw.below(4) == 0;
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (has_mass) mass.push_back(static_cast<T>(draw.below(8) == 0 ? 0 : draw.uniform()));
    if (has_heat) heat.push_back(static_cast<T>(0.1 * draw.uniform()));
  }
  const Box box = draw.box(dimension);
  SubhaloOptions options{.method = kMethod,
                         .box = box,
                         .velocity = velocity.view(),
                         .min_size = 1 + draw.below(draw.one_of({3, 20})),
                         .gravity = std::exp(4 * draw.normal()) / 100,
                         .softening = draw.one_of({0.0, 0.01, 0.3}),
                         .hubble_flow = draw.one_of({0.0, 0.0, 1.0}),
                         .density_neighbors = 2 + draw.below(40),
                         .link_neighbors = 1 + draw.below(20)};
  if (has_mass) options.mass = values(mass);
  if (has_heat) options.thermal_energy = values(heat);
  const Execution execution{.threads = draw.one_of({1, 2, 4})};
  const Members halos =
      members(fof(set.view(), {.box = box, .linking_length = draw.one_of({0.01, 0.05, 0.12})}));
  if (set.size() == 0) return;
  expect_equal(subhalos(set.view(), halos, options, execution),
               brute_subhalos(set.view(), halos, options));
}

TEST(Subfind, EqualsItsDefinitionFloat) {
  for_cases(250, check_case<float, SubhaloMethod::subfind>);
}
TEST(Subfind, EqualsItsDefinitionDouble) {
  for_cases(250, check_case<double, SubhaloMethod::subfind>);
}
TEST(PhaseSubhalos, EqualTheirDefinitionFloat) {
  for_cases(250, check_case<float, SubhaloMethod::phase>);
}
TEST(PhaseSubhalos, EqualTheirDefinitionDouble) {
  for_cases(250, check_case<double, SubhaloMethod::phase>);
}

/// Points of a bound sphere: n members of one halo.
struct Sphere {
  std::vector<std::array<double, 3>> x, v;

  explicit Sphere(std::size_t n, std::uint64_t seed = 1) {
    Draw draw(seed);
    for (std::size_t i = 0; i < n; ++i) {
      x.push_back({draw.normal(), draw.normal(), draw.normal()});
      v.push_back({0.25 * draw.normal(), 0.25 * draw.normal(), 0.25 * draw.normal()});
    }
  }
  Members halos() const {
    Members all{{}, {0, x.size()}};
    for (std::size_t i = 0; i < x.size(); ++i) all.order.push_back(static_cast<std::uint32_t>(i));
    return all;
  }
  SubhaloOptions options(SubhaloMethod method = SubhaloMethod::subfind) const {
    return {.method = method,
            .velocity = view(v),
            .mass = same_value(1 / static_cast<double>(x.size())),
            .gravity = 1,
            .softening = 0.05};
  }
};

class BoundSubhalos : public testing::TestWithParam<SubhaloMethod> {};
INSTANTIATE_TEST_SUITE_P(Methods, BoundSubhalos,
                         testing::Values(SubhaloMethod::subfind, SubhaloMethod::phase),
                         [](const auto& each) { return name(each.param); });

TEST_P(BoundSubhalos, HaveTheSameBitsOnAnyThreads) {
  const Sphere sphere(20000);
  const SubhaloOptions options = sphere.options(GetParam());
  const Subhalos one = subhalos(view(sphere.x), sphere.halos(), options, {.threads = 1});
  ASSERT_GT(one.parent.size(), 0u);
  for (const int threads : {2, 4}) {
    const Subhalos many = subhalos(view(sphere.x), sphere.halos(), options, {.threads = threads});
    EXPECT_EQ(one.members.order, many.members.order);
    EXPECT_EQ(one.by_binding, many.by_binding);
    EXPECT_EQ(one.host, many.host);
    EXPECT_EQ(one.catalogue.max_circular_velocity, many.catalogue.max_circular_velocity);
    ExactCases::count();
  }
}

/// A sphere with a third of its members in one place of phase space: how they are sorted by binding
/// depends on the last bits of potentials.
Sphere with_one_place(std::size_t n) {
  Sphere sphere(n);
  for (std::size_t i = 0; i < n; i += 3) {
    sphere.x[i] = {0.1, -0.7, 1 / 3.0};
    sphere.v[i] = {0.1, 0, 0};
  }
  return sphere;
}

TEST_P(BoundSubhalos, WithManyIdenticalPointsEqualTheirDefinition) {
  for (const double softening : {0.0, 0.05}) {
    const Sphere sphere = with_one_place(900);
    SubhaloOptions options = sphere.options(GetParam());
    options.softening = softening;
    const Subhalos found = subhalos(view(sphere.x), sphere.halos(), options);
    ASSERT_GT(found.parent.size(), 0u);
    expect_equal(found, brute_subhalos(view(sphere.x), sphere.halos(), options));
  }
}

TEST_P(BoundSubhalos, CostNoMoreWithIdenticalPoints) {
  const auto cost_of = [](const Sphere& sphere) {
    const std::clock_t begin = std::clock();
    (void)subhalos(view(sphere.x), sphere.halos(), sphere.options(GetParam()), {.threads = 1});
    return std::clock() - begin;
  };
  const Sphere sphere(40000);
  Sphere same(40000);
  same.x.assign(same.x.size(), {0.1, -0.7, 1 / 3.0});
  EXPECT_LT(cost_of(same), cost_of(sphere));
}

TEST_P(BoundSubhalos, KeepOnlyWhatIsBound) {
  Sphere sphere(1000);
  // A tenth of the members fly by.
  for (std::size_t i = 0; i < 100; ++i) sphere.v[i] = {20, 0, 0};
  const Subhalos found = subhalos(view(sphere.x), sphere.halos(), sphere.options(GetParam()));
  ASSERT_EQ(found.parent.size(), 1u);
  EXPECT_GT(found.members.of(0).size(), 700u);
  for (const std::uint32_t i : found.members.of(0)) EXPECT_GE(i, 100u);
  const std::vector<std::int32_t> label = subhalo_labels(found, sphere.x.size());
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(label[i], -1);
  EXPECT_EQ(label[static_cast<std::size_t>(found.most_bound[0])], 0);
  EXPECT_EQ(found.peak.size(), 3u);
  EXPECT_GT(found.catalogue.max_circular_velocity.at(0), 0);
}

TEST(Subfind, LeavesHotGasOut) {
  const Sphere sphere(1000);
  std::vector<double> heat(1000, 0);
  for (std::size_t i = 0; i < 50; ++i) heat[i] = 100;
  SubhaloOptions options = sphere.options();
  options.thermal_energy = values(heat);
  const Subhalos found = subhalos(view(sphere.x), sphere.halos(), options);
  ASSERT_EQ(found.parent.size(), 1u);
  for (const std::uint32_t i : found.members.of(0)) EXPECT_GE(i, 50u);
}

TEST(Subfind, RefusesWhatHasNoSense) {
  const Sphere sphere(50);
  const auto refuses = [&](auto change) {
    SubhaloOptions options = sphere.options();
    change(options);
    EXPECT_THROW(subhalos(view(sphere.x), sphere.halos(), options), Error);
  };
  refuses([](SubhaloOptions& o) { o.gravity = 0; });
  refuses([](SubhaloOptions& o) { o.gravity = -1; });
  refuses([](SubhaloOptions& o) { o.softening = -1; });
  refuses([](SubhaloOptions& o) { o.hubble_flow = std::nan(""); });
  refuses([](SubhaloOptions& o) { o.velocity = {}; });
  refuses([](SubhaloOptions& o) { o.density_neighbors = 1; });
  refuses([](SubhaloOptions& o) { o.link_neighbors = 0; });
  refuses([](SubhaloOptions& o) { o.min_size = 0; });
  refuses([](SubhaloOptions& o) { o.thermal_energy = same_value(-1); });
}

}  // namespace
}  // namespace kith

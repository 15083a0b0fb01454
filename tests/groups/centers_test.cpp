// Centers against their definitions, and against the mistakes that each kind avoids.
#include <algorithm>
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

#include <kith/kith.hpp>

#include "groups/octree.hpp"
#include "support/expect_error.hpp"
#include "support/property.hpp"

namespace kith {
namespace {

using test::Draw;
using test::for_cases;
using Point = std::array<double, 3>;

/// All points as one group, which need not be linked.
Members one_group(std::size_t n) {
  Members members;
  for (std::size_t i = 0; i < n; ++i) members.order.push_back(static_cast<std::uint32_t>(i));
  members.offset = {0, n};
  return members;
}

std::vector<Point> cloud(std::size_t n, const Point& center, double size, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(0, size);
  std::vector<Point> points(n);
  for (Point& x : points)
    for (std::size_t axis = 0; axis < 3; ++axis) x[axis] = center[axis] + normal(random);
  return points;
}

double distance(const std::vector<double>& center, const Point& to) {
  return std::hypot(center[0] - to[0], center[1] - to[1], center[2] - to[2]);
}

std::size_t brute_deepest(const std::vector<Point>& x, const std::vector<double>& mass,
                          double softening) {
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < x.size(); ++i) {
    double potential = 0;
    for (std::size_t j = 0; j < x.size(); ++j) {
      double r2 = softening * softening;
      for (std::size_t axis = 0; axis < 3; ++axis)
        r2 += (x[i][axis] - x[j][axis]) * (x[i][axis] - x[j][axis]);
      if (i != j) potential -= mass[j] / std::sqrt(r2);
    }
    if (!(potential < least)) continue;
    least = potential;
    best = i;
  }
  return best;
}

void expect_deepest(std::size_t n, unsigned seed, double softening) {
  // Halves, so that coordinates about the first member are exact.
  std::vector<Point> points = cloud(n, {0, 0, 0}, 40, seed);
  for (Point& x : points)
    for (double& each : x) each = std::round(each * 64) / 64;
  std::mt19937_64 random(seed);
  std::vector<double> mass(n);
  for (double& m : mass) m = 1 + static_cast<double>(random() % 3);
  const std::size_t best = brute_deepest(points, mass, softening);
  for (const int threads : {1, 2}) {
    const std::vector<double> found =
        centers(view(points), one_group(n), {.mass = values(mass), .softening = softening},
                {.threads = threads});
    for (std::size_t axis = 0; axis < 3; ++axis) EXPECT_EQ(found[axis], points[best][axis]) << n;
  }
}

TEST(Centers, OfPotentialAreTheDeepestMembers) {
  for_cases(40, [](Draw& draw) {
    expect_deepest(1 + draw.size(1024), static_cast<unsigned>(draw.seed),
                   draw.below(2) ? 1.0 : 0.25);
  });
}

TEST(Centers, OfLargeGroupsAreTheDeepestToo) {
  for (unsigned seed = 1; seed <= 3; ++seed) expect_deepest(1500 + 700 * seed, seed, 2);
}

/// Dense, thin and single bodies far from 0, in no useful order, so that boxes overlap. With the
/// largest softening, bounds are close to what they bound.
TEST(Octree, NoBodyLiesDeeperThanTheBoundOfItsNode) {
  for (const double softening : {0.0, 1e-6, 0.01, 1.0, 1000.0}) {
    SCOPED_TRACE(softening);
    std::vector<Point> points = cloud(2500, {1e4, -1e4, 0}, 1, 6);
    for (const Point& x : cloud(700, {1e4, -1e4 + 3, 0}, 0.01, 7)) points.push_back(x);
    for (const Point& x : cloud(13, {0, 0, 0}, 1e4, 8)) points.push_back(x);
    std::vector<double> x, mass;
    for (std::size_t i = 0; i < points.size(); ++i) {
      x.insert(x.end(), points[i].begin(), points[i].end());
      mass.push_back(static_cast<double>(i % 5));
    }
    const OctreeBranches branches(3, x, mass);
    const OctreeTop top(3, branches.nodes(3));
    const OctreeSum sum(3, softening, top, branches);
    constexpr std::size_t kBodies = kOctet * kOctet;  // of an octet of leaves
    for (std::size_t octet = 0; octet * kBodies < points.size(); ++octet) {
      double potential[kBodies] = {};
      sum.run(octet, potential);
      const double least = *std::min_element(potential, potential + kBodies);
      EXPECT_LT(least, 0);
      EXPECT_LE(sum.bound_of_octet(octet), least);
      EXPECT_LE(sum.bound_of_branch(octet / (kBranch / kBodies)), least);
    }
  }
}

/// A place whose coordinates, times masses, round.
TEST(Octree, BodiesInOnePlaceActFromThereButNotOnThemselves) {
  constexpr std::size_t kCount = 1000;
  constexpr double kSoftening = 0.25;
  std::vector<double> x, mass;
  double all = 0;
  for (std::size_t i = 0; i < kCount; ++i) {
    x.insert(x.end(), {0.1, -0.7, 1 / 3.0});
    mass.push_back(0.1 * static_cast<double>(1 + i % 3));
    all += mass.back();
  }
  const OctreeBranches branches(3, x, mass);
  const OctreeTop top(3, branches.nodes(3));
  const OctreeSum sum(3, kSoftening, top, branches);
  constexpr std::size_t kBodies = kOctet * kOctet;  // of an octet of leaves
  for (std::size_t octet = 0; octet * kBodies < kCount; ++octet) {
    double potential[kBodies] = {};
    sum.run(octet, potential);
    for (std::size_t i = octet * kBodies; i < std::min(kCount, (octet + 1) * kBodies); ++i)
      EXPECT_NEAR(potential[i % kBodies] * kSoftening, mass[i] - all, 1e-12 * all) << i;
  }
}

/// Ranks have the branches that theirs open; half of the bodies here are in one place.
TEST(Octree, SumsOverSomeBranchesHaveTheBitsOfThoseOverAll) {
  const std::vector<Point> near = cloud(4000, {0, 0, 0}, 1, 9);
  std::vector<double> x, mass(2 * near.size(), 0.1);
  for (const Point& at : near) x.insert(x.end(), at.begin(), at.end());
  for (std::size_t i = 0; i < near.size(); ++i) x.insert(x.end(), {0.1, -0.7, 1 / 3.0});
  const OctreeBranches all(3, x, mass);
  const OctreeTop top(3, all.nodes(3));
  const OctreeSum sum(3, 0.01, top, all);
  for (std::size_t receiver = 0; receiver < sum.branches(); ++receiver) {
    std::vector<std::uint64_t> here;
    OctreeOpening(3).each_open(top, receiver, [&](std::size_t b) { here.push_back(b); });
    std::vector<double> own;
    for (const std::uint64_t b : here) {
      const std::size_t begin = 3 * kBranch * b, end = std::min(x.size(), begin + 3 * kBranch);
      own.insert(own.end(), x.begin() + static_cast<std::ptrdiff_t>(begin),
                 x.begin() + static_cast<std::ptrdiff_t>(end));
    }
    const std::vector<double> weights(own.size() / 3, 0.1);
    const OctreeBranches some(3, own, weights);
    const OctreeSum part(3, 0.01, top, some, here);
    constexpr std::size_t kOctets = kBranch / (kOctet * kOctet);
    const auto slot =
        static_cast<std::size_t>(std::find(here.begin(), here.end(), receiver) - here.begin());
    ASSERT_LT(slot, here.size());
    // Of those in one place, only its own.
    const bool is_in_one_place = receiver > sum.branches() / 2;
    EXPECT_LE(here.size(), is_in_one_place ? sum.branches() / 2 + 2 : sum.branches());
    for (std::size_t octet = 0; octet < kOctets; ++octet) {
      if ((receiver * kOctets + octet) * kOctet * kOctet >= mass.size()) break;
      double potential[kOctet * kOctet] = {}, expected[kOctet * kOctet] = {};
      part.run(slot * kOctets + octet, potential);
      sum.run(receiver * kOctets + octet, expected);
      EXPECT_TRUE(std::equal(potential, potential + kOctet * kOctet, expected)) << receiver;
    }
  }
}

TEST(Centers, AreNotInASmallDenseClump) {
  const Point halo{0, 0, 0}, clump{8, 0, 0};
  std::vector<Point> points = cloud(2000, halo, 1, 1);
  for (const Point& x : cloud(60, clump, 0.01, 2)) points.push_back(x);
  const Tree tree(view(points));
  const std::vector<double> distances = kth_distance(tree, {.k = 16});
  const Members members = one_group(points.size());
  const auto densest =
      static_cast<std::size_t>(peak_members(members, values(distances), Peak::smallest).front());
  EXPECT_LT(distance({points[densest].begin(), points[densest].end()}, clump), 0.1);
  for (const CenterKind kind : {CenterKind::potential, CenterKind::shrinking})
    EXPECT_LT(distance(centers(view(points), members, {.kind = kind, .softening = 0.1}), halo),
              0.5);
}

TEST(Centers, OfABridgedPairAreInTheLargerOne) {
  const Point large{0, 0, 0}, small{6, 0, 0};
  std::vector<Point> points = cloud(900, large, 0.3, 1);
  for (const Point& x : cloud(700, small, 0.3, 2)) points.push_back(x);
  const Members members = one_group(points.size());
  EXPECT_GT(distance(centers(view(points), members, {.kind = CenterKind::mass}), large), 2);
  for (const CenterKind kind : {CenterKind::potential, CenterKind::shrinking})
    EXPECT_LT(distance(centers(view(points), members, {.kind = kind, .softening = 0.05}), large),
              0.2);
}

TEST(Centers, FollowTheChosenTypesAlone) {
  const Point dark{0, 0, 0}, gas{5, 0, 0};
  std::vector<Point> points = cloud(300, dark, 1, 1);
  std::vector<std::uint8_t> type(300, 1);
  for (const Point& x : cloud(900, gas, 0.1, 2)) points.push_back(x);
  type.resize(points.size(), 0);
  const Members members = one_group(points.size());
  for (const CenterKind kind : {CenterKind::mass, CenterKind::potential, CenterKind::shrinking}) {
    CenterOptions options{.type = type, .types = {1}, .kind = kind, .softening = 0.1};
    EXPECT_LT(distance(centers(view(points), members, options), dark), 1);
    options.types = {4};  // no such members: all decide
    EXPECT_GT(distance(centers(view(points), members, options), dark), 2);
  }
}

TEST(Centers, OfMassAreThoseOfTheCatalogue) {
  const std::vector<Point> points = cloud(500, {0.02, 0.5, 0.99}, 0.02, 3);
  const Box box = Box::periodic(1.0);
  const Members members = one_group(points.size());
  const std::vector<double> right = catalogue(view(points), members, {.box = box}).center;
  const std::vector<double> found =
      centers(view(points), members, {.box = box, .kind = CenterKind::mass});
  for (std::size_t axis = 0; axis < 3; ++axis) EXPECT_NEAR(found[axis], right[axis], 1e-14);
}

TEST(Centers, CrossTheEdgeOfTheBox) {
  std::vector<Point> points = cloud(400, {0, 0, 0}, 0.03, 4);
  const Members members = one_group(points.size());
  for (const CenterKind kind : {CenterKind::potential, CenterKind::shrinking}) {
    const CenterOptions options{.box = Box::periodic(1.0), .kind = kind, .softening = 0.01};
    const std::vector<double> found = centers(view(points), members, options);
    for (const double x : found) {
      EXPECT_TRUE(x >= 0 && x < 1);
      EXPECT_TRUE(x < 0.05 || x > 0.95) << x;
    }
  }
}

TEST(Centers, OfPointsInOnePlaceAreThere) {
  const std::vector<Point> points(3000, Point{1, 2, 3});
  for (const CenterKind kind : {CenterKind::mass, CenterKind::potential, CenterKind::shrinking})
    EXPECT_EQ(centers(view(points), one_group(3000), {.kind = kind, .softening = 1}),
              (std::vector<double>{1, 2, 3}));
}

TEST(Centers, RefuseWhatHasNoSense) {
  const std::vector<Point> points = cloud(20, {0, 0, 0}, 1, 5);
  const Members members = one_group(20);
  const std::vector<double> mass(19, 1.0);
  const auto refuses = [&](const CenterOptions& options, const char* words) {
    test::expect_error(ErrorCode::invalid_argument, words,
                       [&] { centers(view(points), members, options); });
  };
  refuses({.mass = values(mass)}, "mass");
  refuses({.softening = -1}, "softening");
  refuses({.types = {1}}, "types");
}

}  // namespace
}  // namespace kith

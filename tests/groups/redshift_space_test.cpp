// Friends of friends in redshift space, against its definition.
#include <cmath>
#include <random>

#include <kith/redshift_space.hpp>

#include "groups/support.hpp"
#include "support/expect_error.hpp"

namespace kith {
namespace {

using test::expect_error;
using test::to_vector;
using Labels = std::vector<std::int32_t>;

template <class T>
std::vector<std::array<T, 3>> cloud(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<std::array<T, 3>> points(n);
  for (auto& point : points)
    for (T& x : point) x = static_cast<T>(uniform(random));
  return points;
}

/// Components of all pairs that are friends, named by size, then by lowest member.
template <class Friends>
Labels components(std::size_t n, std::size_t min_size, Friends are_friends) {
  std::vector<std::size_t> root(n, n);
  std::vector<std::pair<std::size_t, std::size_t>> sets;  // size, lowest
  for (std::size_t first = 0; first < n; ++first) {
    if (root[first] < n) continue;
    std::vector<std::size_t> asking{first};
    root[first] = first;
    for (std::size_t next = 0; next < asking.size(); ++next)
      for (std::size_t j = 0; j < n; ++j)
        if (root[j] == n && are_friends(asking[next], j)) {
          root[j] = first;
          asking.push_back(j);
        }
    if (asking.size() >= min_size) sets.emplace_back(asking.size(), first);
  }
  std::stable_sort(sets.begin(), sets.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  Labels label(n, -1);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t g = 0; g < sets.size(); ++g)
      if (sets[g].second == root[i]) label[i] = static_cast<std::int32_t>(g);
  return label;
}

template <class T>
class RedshiftSpaceTest : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(RedshiftSpaceTest, Scalars);

TYPED_TEST(RedshiftSpaceTest, AnAxisIsSqueezed) {
  using T = TypeParam;
  for (const std::uint64_t seed : {1, 2, 3}) {
    const auto x = cloud<T>(400, seed);
    auto squeezed = x;
    for (auto& point : squeezed) point[1] = static_cast<T>(static_cast<double>(point[1]) / 3.7);
    const FofOptions options{.box = Box::periodic(1.0), .linking_length = 0.04, .min_size = 2};
    FofOptions other = options;
    other.box = Box::periodic({1.0, 1.0 / 3.7, 1.0});
    const Groups found =
        redshift_fof(view(x), options, {.line_of_sight = LineOfSight::y, .stretch = 3.7});
    EXPECT_EQ(to_vector(found.label()), to_vector(fof(view(squeezed), other).label()));
    EXPECT_EQ(found.linking_length(), static_cast<double>(static_cast<T>(0.04)));
  }
}

TYPED_TEST(RedshiftSpaceTest, MidpointsAreWhatTheDefinitionSays) {
  using T = TypeParam;
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    const auto x = cloud<T>(300, seed);
    const double stretch = seed % 2 == 0 ? 6.5 : 0.4;
    const std::vector<double> observer =
        seed < 3 ? std::vector<double>{} : std::vector<double>{0.5, 0.4, -2};
    const double length = static_cast<double>(static_cast<T>(0.05));
    const Labels right = components(x.size(), 2, [&](std::size_t i, std::size_t j) {
      double d2 = 0, s2 = 0, product = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        const double p = x[i][k], q = x[j][k], o = observer.empty() ? 0 : observer[k];
        const double d = p - q, s = (p - o) + (q - o);
        d2 += d * d;
        s2 += s * s;
        product += d * s;
      }
      const double along2 = product * product / s2;
      return (d2 - along2) + along2 / (stretch * stretch) <= length * length;
    });
    for (const int threads : {1, 3})
      EXPECT_EQ(
          to_vector(redshift_fof(view(x), {.linking_length = 0.05, .min_size = 2},
                                 {LineOfSight::midpoint, stretch, observer}, {.threads = threads})
                        .label()),
          right);
  }
}

TEST(RedshiftSpace, AStretchOfOneIsFof) {
  const auto x = cloud<double>(500, 7);
  const FofOptions options{.linking_length = 0.06, .min_size = 2};
  const auto right = to_vector(fof(view(x), options).label());
  for (const LineOfSight line : {LineOfSight::x, LineOfSight::z, LineOfSight::midpoint})
    EXPECT_EQ(to_vector(redshift_fof(view(x), options, {.line_of_sight = line}).label()), right);
}

TEST(RedshiftSpace, TheMeanSeparationIsThatOfTheRealVolume) {
  const auto x = cloud<float>(1000, 8);
  const Groups found = redshift_fof(view(x), {.box = Box::periodic(1.0), .b = 0.2},
                                    {.line_of_sight = LineOfSight::z, .stretch = 5});
  EXPECT_FLOAT_EQ(static_cast<float>(found.linking_length()), 0.02F);
}

TEST(RedshiftSpace, BadPointsAreDropped) {
  auto x = cloud<double>(100, 9);
  x[3][1] = std::nan("");
  const FofOptions options{.linking_length = 0.2, .non_finite = NonFinite::drop};
  for (const LineOfSight line : {LineOfSight::x, LineOfSight::midpoint})
    EXPECT_EQ(redshift_fof(view(x), options, {.line_of_sight = line}).label()[3], -1);
}

TEST(RedshiftSpace, OptionsThatMakeNoSenseAreRefused) {
  const auto x = cloud<float>(10, 10);
  const std::vector<std::array<float, 2>> flat(3);
  const FofOptions options{.linking_length = 0.1};
  const auto bad = ErrorCode::invalid_argument;
  expect_error(bad, "stretch = 0", [&] { redshift_fof(view(x), options, {.stretch = 0}); });
  expect_error(bad, "the line of sight is z", [&] { redshift_fof(view(flat), options, {}); });
  expect_error(bad, "open box", [&] {
    redshift_fof(view(x), {.box = Box::periodic(1.0), .linking_length = 0.1},
                 {.line_of_sight = LineOfSight::midpoint});
  });
  expect_error(bad, "an observer of 2", [&] {
    redshift_fof(view(x), options, {LineOfSight::midpoint, 1, {0, 0}});
  });
}

}  // namespace
}  // namespace kith

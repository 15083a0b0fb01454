// Neighbors, densities and counts of stored points are those of the same points in memory, for
// slabs of any size.
#include <set>

#include <kith/io/stored_neighbors.hpp>

#include "small_slabs.hpp"
#include "support/expect_error.hpp"
#include "support/folder.hpp"
#include "support/property.hpp"

namespace kith {
namespace {

using test::Draw;
using test::kDisk;
using test::SmallSlabs;

/// The bits, so that numbers that are none are equal as well.
template <class T>
std::vector<std::string> bits(std::span<const T> values) {
  std::vector<std::string> all;
  for (const T value : values) {
    std::ostringstream text;
    text << std::hexfloat << value;
    all.push_back(text.str());
  }
  return all;
}

template <class T>
void expect_same(const StoredNeighbors& stored, const Neighbors<T, std::int64_t>& near,
                 const Draw& draw) {
  ASSERT_EQ(stored.size(), near.size());
  ASSERT_EQ(stored.k(), near.k());
  std::vector<std::int64_t> index(near.size() * near.k());
  std::vector<T> distance(index.size());
  stored.read_index(0, index);
  stored.read_distance(0, distance);
  EXPECT_EQ(index, std::vector(near.indices(), near.indices() + index.size())) << draw.points;
  EXPECT_EQ(distance, std::vector(near.distances(), near.distances() + index.size()))
      << draw.points;
}

template <class Value>
std::vector<Value> values_of(const StoredNumbers<Value>& numbers) {
  std::vector<Value> values(numbers.size());
  numbers.read(0, values);
  return values;
}

struct Case {
  TreeOptions tree;
  Execution execution;
  KnnOptions knn;
};

Case draw_case(Draw& draw, int dimension, std::size_t points) {
  Case drawn{.tree = {.box = draw.box(dimension)},
             .execution = {.threads = draw.one_of({1, 2, 4})},
             .knn = {.k = 1 + draw.size(40), .exclude_self = draw.below(3) == 0}};
  if (draw.below(4) == 0) drawn.knn.k = points + draw.below(3);
  drawn.knn.k = std::max<std::size_t>(1, drawn.knn.k);
  if (draw.below(3) == 0) drawn.knn.max_radius = std::pow(10, -2 + 2 * draw.uniform());
  if (draw.below(8) == 0) drawn.knn.max_radius = 0;
  drawn.knn.strict = draw.below(3) == 0;
  return drawn;
}

template <class T>
void check_knn(Draw& draw) {
  const int dimension = 1 + static_cast<int>(draw.below(5));
  const auto set = draw.point_set<T>(dimension, 1 + draw.size(500));
  const Case drawn = draw_case(draw, dimension, set.size());
  const SmallSlabs small(1 + draw.size(300), 1 + draw.size(300), 1 + draw.size(300));
  const Tree<T> tree(set.view(), drawn.tree);
  const auto points = stored_points(set.view());
  expect_same(knn(*points, drawn.knn, drawn.tree, kDisk, drawn.execution),
              knn<T, std::int64_t>(tree, drawn.knn), draw);
}
TEST(StoredNeighbors, RowsOfFloatsAreThoseInMemory) { test::for_cases(400, check_knn<float>); }
TEST(StoredNeighbors, RowsOfDoublesAreThoseInMemory) { test::for_cases(200, check_knn<double>); }

/// Points with masses.
class Massive : public StoredPoints {
 public:
  Massive(const test::PointSet<float>& set, Draw& draw) : set_(set) {
    for (std::size_t i = 0; i < set.size(); ++i) mass.push_back(draw.uniform());
  }
  std::uint64_t size() const override { return set_.size(); }
  int dimension() const override { return set_.dimension; }
  Scalar scalar() const override { return Scalar::float32; }
  bool has(Field field) const override { return field == Field::position || field == Field::mass; }
  void read(Field, std::uint64_t begin, std::span<float> out) const override {
    std::copy_n(set_.row(begin), out.size(), out.data());
  }
  void read(Field, std::uint64_t, std::span<double>) const override {}
  void read_mass(std::uint64_t begin, std::span<double> out) const override {
    std::copy_n(mass.data() + begin, out.size(), out.data());
  }

  std::vector<double> mass;

 private:
  const test::PointSet<float>& set_;
};

void check_numbers(Draw& draw) {
  const int dimension = 1 + static_cast<int>(draw.below(3));
  const auto set = draw.point_set<float>(dimension, 1 + draw.size(500));
  const Case drawn = draw_case(draw, dimension, set.size());
  const SmallSlabs small(1 + draw.size(300), 1 + draw.size(300), 1 + draw.size(300));
  const Tree<float> tree(set.view(), drawn.tree);
  const Massive massive(set, draw);
  const auto points = stored_points(set.view());
  const auto expect_bits = [&](const StoredNumbers<double>& stored,
                               const std::vector<double>& expected) {
    EXPECT_EQ(bits<double>(values_of(stored)), bits<double>(expected)) << draw.points;
  };
  expect_bits(kth_distance(*points, drawn.knn, drawn.tree, kDisk, drawn.execution),
              kth_distance(tree, drawn.knn));
  expect_bits(mean_distance(*points, drawn.knn, drawn.tree, kDisk, drawn.execution),
              mean_distance(tree, drawn.knn));
  DensityOptions options{.k = drawn.knn.k,
                         .kernel = draw.one_of({SphKernel::cubic_spline, SphKernel::wendland_c2})};
  expect_bits(sph_density(*points, options, drawn.tree, kDisk, drawn.execution).density,
              sph_density(tree, options));
  const StoredDensity stored = sph_density(massive, options, drawn.tree, kDisk, drawn.execution);
  options.mass = massive.mass;
  expect_bits(stored.density, sph_density(tree, options));
  if (options.k <= set.size())
    expect_bits(stored.smoothing_length, kth_distance(tree, {.k = options.k}));
}
TEST(StoredNeighbors, NumbersAreThoseInMemory) { test::for_cases(300, check_numbers); }

template <class T>
void check_counts(Draw& draw) {
  const int dimension = 1 + static_cast<int>(draw.below(4));
  const auto set = draw.point_set<T>(dimension, 1 + draw.size(500));
  const Case drawn = draw_case(draw, dimension, set.size());
  RadiusOptions options{.radius = std::pow(10, -3 + 3 * draw.uniform()),
                        .strict = draw.below(2) == 0,
                        .exclude_self = draw.below(2) == 0};
  if (draw.below(8) == 0) options.radius = draw.one_of({0.0, 0.25, 1e31});
  const SmallSlabs small(1 + draw.size(300), 1 + draw.size(300), 1 + draw.size(300));
  const auto points = stored_points(set.view());
  EXPECT_EQ(values_of(radius_count(*points, options, drawn.tree, kDisk, drawn.execution)),
            radius_count(Tree<T>(set.view(), drawn.tree), options))
      << draw.points;
}
TEST(StoredNeighbors, CountsOfFloatsAreThoseInMemory) { test::for_cases(300, check_counts<float>); }
TEST(StoredNeighbors, CountsOfDoublesAreThoseInMemory) {
  test::for_cases(150, check_counts<double>);
}

void check_pairs(Draw& draw) {
  const int dimension = 1 + static_cast<int>(draw.below(3));
  const auto set = draw.point_set<float>(dimension, 1 + draw.size(400));
  const Case drawn = draw_case(draw, dimension, set.size());
  std::vector<double> radii{0, std::numeric_limits<double>::infinity()};
  while (draw.below(4) > 0) radii.push_back(std::pow(10, -3 + 3 * draw.uniform()));
  std::sort(radii.begin(), radii.end());
  const PairCountOptions options{
      .radii = radii, .cumulative = draw.below(2) == 0, .strict = draw.below(2) == 0};
  const SmallSlabs small(1 + draw.size(300), 1 + draw.size(300), 1 + draw.size(300));
  const Tree<float> tree(set.view(), drawn.tree);
  EXPECT_EQ(pair_counts(*stored_points(set.view()), options, drawn.tree, kDisk, drawn.execution),
            pair_counts(tree, tree, options))
      << draw.points;
}
TEST(StoredNeighbors, PairCountsAreThoseInMemory) { test::for_cases(150, check_pairs); }

PairBinning draw_bins(Draw& draw, int dimension) {
  PairBinning bins{.pi_max = 0.4 * draw.uniform() + 0.01,
                   .pi_bins = 1 + draw.size(5),
                   .mu_bins = 1 + draw.size(5),
                   .line_of_sight = draw.one_of({LineOfSight::x, LineOfSight::y, LineOfSight::z})};
  if (dimension == 3)
    bins.separation = draw.one_of({Separation::r, Separation::rp_pi, Separation::s_mu});
  std::set<double> edges{draw.below(2) == 0 ? 0.0 : 0.001, 0.45 * draw.uniform() + 0.01};
  while (draw.below(4) > 0) edges.insert(0.4 * draw.uniform());
  bins.edges.assign(edges.begin(), edges.end());
  return bins;
}

template <class T>
void check_histograms(Draw& draw) {
  const int dimension = 1 + static_cast<int>(draw.below(3));
  const auto set = draw.point_set<T>(dimension, 1 + draw.size(400));
  PairHistogramOptions options{.bins = draw_bins(draw, dimension), .box = draw.box(dimension)};
  if (!options.box.is_periodic() && dimension == 3 && draw.below(3) == 0)
    options.bins.line_of_sight = LineOfSight::midpoint;
  const SmallSlabs small(1 + draw.size(300), 1 + draw.size(300), 1 + draw.size(300));
  const auto points = stored_points(set.view());
  const auto expect_equal = [&](const PairHistogram& stored, const PairHistogram& expected) {
    EXPECT_EQ(stored.counts, expected.counts) << draw.points;
    EXPECT_EQ(stored.weight, expected.weight);
    EXPECT_EQ(stored.total, expected.total);
    EXPECT_EQ(stored.bins.size(), expected.bins.size());
  };
  expect_equal(pair_histogram(*points, options, kDisk, {.threads = draw.one_of({1, 2, 4})}),
               pair_histogram({.points = set.view()}, options));
  if (options.bins.line_of_sight == LineOfSight::midpoint) return;
  CorrelationOptions asked{.bins = options.bins, .box = Box::periodic(1)};
  if (asked.bins.separation == Separation::rp_pi) asked.statistic = Statistic::wp;
  if (asked.bins.separation == Separation::s_mu) asked.statistic = Statistic::multipoles;
  const Correlation stored = correlation(*points, asked, kDisk);
  const Correlation expected = correlation({.points = set.view()}, asked);
  EXPECT_EQ(bits<double>(stored.value), bits<double>(expected.value));
  EXPECT_EQ(bits<double>(stored.randoms_randoms.weight),
            bits<double>(expected.randoms_randoms.weight));
  expect_equal(stored.data_data, expected.data_data);
}
TEST(StoredNeighbors, HistogramsOfFloatsAreThoseInMemory) {
  test::for_cases(100, check_histograms<float>);
}
TEST(StoredNeighbors, HistogramsOfDoublesAreThoseInMemory) {
  test::for_cases(50, check_histograms<double>);
}

TEST(StoredNeighbors, ReadsRowsInAnyOrder) {
  std::vector<float> x;
  for (int i = 0; i < 500; ++i) x.push_back(static_cast<float>(i * 7919 % 500));
  const SmallSlabs small(40, 30);
  const StoredNeighbors near =
      knn(*stored_points(view(x.data(), x.size(), 1)), {.k = 2}, {}, kDisk);
  EXPECT_GT(near.disk().slabs, 10U);
  for (const std::uint64_t begin : {400, 0, 120, 120, 499, 3}) {
    std::vector<std::int32_t> index(2);
    std::vector<float> distance(2);
    near.read_index(begin, index);
    near.read_distance(begin, distance);
    EXPECT_EQ(index[0], static_cast<std::int32_t>(begin));
    EXPECT_EQ(distance, (std::vector<float>{0, 1}));
  }
}

TEST(StoredNeighbors, DropsPointsThatAreNotFinite) {
  constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> x{0, kNone, 0.2f, 5, kNone, 5.1f};
  const auto points = stored_points(view(x.data(), x.size(), 1));
  const TreeOptions drop{.non_finite = NonFinite::drop};
  const SmallSlabs small(2, 3);
  test::expect_error(ErrorCode::non_finite, "point 1 is nan",
                     [&] { knn(*points, {.k = 1}, {}, kDisk); });
  std::vector<std::int32_t> index(12);
  knn(*points, {.k = 2}, drop, kDisk).read_index(0, index);
  EXPECT_EQ(index, (std::vector<std::int32_t>{0, 2, -1, -1, 2, 0, 3, 5, -1, -1, 5, 3}));
  EXPECT_EQ(values_of(radius_count(*points, {.radius = 1}, drop, kDisk)),
            (std::vector<std::int64_t>{2, 0, 2, 2, 0, 2}));
}

/// As if the points were the last of more than 2^32.
TEST(StoredNeighbors, IndicesMayExceed32Bits) {
  struct Far {
    explicit Far(std::uint64_t first) { slabs::first_index = first; }
    ~Far() { slabs::first_index = 0; }
  };
  constexpr std::int64_t kFirst = std::int64_t{5} << 30;
  std::vector<float> x;
  for (int i = 0; i < 300; ++i) x.push_back(static_cast<float>(i * 7919 % 100));  // with ties
  const View<float> points = view(x.data(), x.size(), 1);
  const SmallSlabs small(30, 20, 10);
  const Far far(kFirst);
  const StoredNeighbors near = knn(*stored_points(points), {.k = 5}, {}, kDisk);
  std::vector<std::int64_t> index(1500);
  near.read_index(0, index);
  std::vector<std::int32_t> narrow(5);
  test::expect_error(ErrorCode::too_large, "do not fit 32-bit indices",
                     [&] { near.read_index(0, narrow); });
  for (std::int64_t& i : index) i -= kFirst;
  const auto expected = knn<float, std::int64_t>(Tree<float>(points), {.k = 5});
  EXPECT_EQ(index, std::vector(expected.indices(), expected.indices() + 1500));

  const StoredGroups groups = fof(*stored_points(points), {.linking_length = 0.5}, kDisk);
  EXPECT_EQ(groups.lowest_members()[0], kFirst);
}

TEST(StoredNeighbors, RefusesWhatCannotWork) {
  const std::vector<float> x(300, 1);
  const auto points = stored_points(view(x.data(), 100, 3));
  test::expect_error(ErrorCode::invalid_argument, "k = 0",
                     [&] { knn(*points, {.k = 0}, {}, kDisk); });
  test::expect_error(ErrorCode::invalid_argument, "p = 1 needs the points in memory",
                     [&] { knn(*points, {.k = 1, .p = 1}, {}, kDisk); });
  test::expect_error(ErrorCode::invalid_argument, "order of the input",
                     [&] { knn(*points, {.k = 1, .order = RowOrder::tree}, {}, kDisk); });
  test::expect_error(ErrorCode::out_of_memory, "at least",
                     [&] { knn(*points, {.k = 10000}, {}, {.max_memory = 60'000'000}); });
  test::expect_error(ErrorCode::invalid_argument, "radii need the points in memory", [&] {
    const std::vector<double> radii(100, 1);
    radius_count(*points, {.radii = radii}, {}, kDisk);
  });
  PairHistogramOptions pairs{.bins = {.edges = {0, 1}}, .mean_separation = true};
  test::expect_error(ErrorCode::invalid_argument, "mean separations, pairwise weights and angles",
                     [&] { pair_histogram(*points, pairs, kDisk); });
  pairs = {.bins = {.edges = {1, 0}}};
  test::expect_error(ErrorCode::invalid_argument, "edge 1 = 0 is not above",
                     [&] { pair_histogram(*points, pairs, kDisk); });
  test::expect_error(ErrorCode::invalid_argument, "axis 0 is open", [&] {
    correlation(*points, {.bins = {.edges = {0, 1}}}, kDisk);
  });
  for (const Box& box : {Box(), Box::periodic(1)})
    test::expect_error(ErrorCode::invalid_argument, "",
                       [&] { correlation({.points = view(x.data(), 100, 3)}, {.box = box}); });
  std::vector<double> some(2);
  const auto numbers = kth_distance(*points, {.k = 1}, {}, kDisk);
  test::expect_error(ErrorCode::invalid_argument, "2 values in rows of 1 from row 99, of 100",
                     [&] { numbers.read(99, some); });
  const CancelToken token;
  token.cancel();
  test::expect_error(ErrorCode::cancelled, "",
                     [&] { knn(*points, {.k = 1}, {}, kDisk, {.cancel = &token}); });
}

TEST(StoredNeighbors, NoPointsHaveNoRows) {
  const std::vector<float> none;
  const auto points = stored_points(view(none.data(), 0, 3));
  EXPECT_EQ(knn(*points, {.k = 3}, {}, kDisk).size(), 0U);
  EXPECT_EQ(radius_count(*points, {.radius = 1}, {}, kDisk).size(), 0U);
}

}  // namespace
}  // namespace kith

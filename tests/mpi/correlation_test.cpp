// Histograms of pairs and correlation functions over ranks: the bytes of one process, also of sums
// of weights.
#include <cstring>
#include <gtest/gtest.h>

#include <kith/kith.hpp>
#include <kith/mpi.hpp>

#include "mpi/scenes.hpp"
#include "support/expect_error.hpp"
#include "support/property.hpp"

namespace kith::test {
namespace {

template <class Value>
bool same_values(const std::vector<Value>& a, const std::vector<Value>& b) {  // NaN as well
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(Value)) == 0);
}

void expect_same_pairs(const PairHistogram& found, const PairHistogram& expected) {
  EXPECT_EQ(found.counts, expected.counts);
  EXPECT_TRUE(same_values(found.weight, expected.weight));
  EXPECT_TRUE(same_values(found.mean_separation, expected.mean_separation));
  EXPECT_TRUE(same_values(found.left_out, expected.left_out));
  EXPECT_TRUE(same_values(found.left_out_total, expected.left_out_total));
  EXPECT_TRUE(same_values(found.left_out_first, expected.left_out_first));
  EXPECT_TRUE(same_values(found.left_out_first_share, expected.left_out_first_share));
  EXPECT_TRUE(same_values<double>({found.total}, {expected.total}));
  EXPECT_EQ(found.is_weighted, expected.is_weighted);
}

void expect_same_pairs(const Correlation& found, const Correlation& expected) {
  EXPECT_TRUE(same_values(found.value, expected.value));
  EXPECT_TRUE(same_values(found.error, expected.error));
  EXPECT_TRUE(same_values(found.covariance, expected.covariance));
  EXPECT_TRUE(same_values(found.samples, expected.samples));
  expect_same_pairs(found.data_data, expected.data_data);
  expect_same_pairs(found.data_randoms, expected.data_randoms);
  expect_same_pairs(found.randoms_randoms, expected.randoms_randoms);
}

/// The columns of a case.
struct DrawnColumns {
  bool is_weighted;
  std::size_t regions, words;
};

/// Points of all ranks with columns, and the part of a rank. Sums of these weights are rounded.
template <class T>
struct SharedSample {
  Scene<T> scene;
  std::vector<double> weight;
  std::vector<std::int32_t> region;
  std::vector<std::uint64_t> bits;

  SharedSample(Draw& draw, const PointSet<T>& set, Deal deal, int ranks,
               const DrawnColumns& columns)
      : scene(set, dealt(set, deal, ranks, draw.random()), ranks) {
    for (std::size_t i = 0; i < set.size(); ++i) {
      if (columns.is_weighted) weight.push_back(draw.uniform() - 0.2);
      if (columns.regions > 0)
        region.push_back(static_cast<std::int32_t>(draw.below(columns.regions)));
      for (std::size_t k = 0; k < columns.words; ++k) bits.push_back(draw.random() & draw.random());
    }
  }
  PairSet all() const { return {scene.all.view(), weight, region, bits}; }
  PairSet part(int rank) const {
    const std::size_t from = scene.begin(rank), n = scene.part(rank).size;
    const auto share = [&]<class Value>(const std::vector<Value>& of, std::size_t width) {
      return of.empty() ? std::span<const Value>()
                        : std::span<const Value>(of).subspan(from * width, n * width);
    };
    const std::size_t words = scene.all.size() == 0 ? 0 : bits.size() / scene.all.size();
    return {scene.part(rank), share(weight, 1), share(region, 1), share(bits, words)};
  }
};

template <class T>
PointSet<T> draw_points(Draw& draw, int dimension, bool on_sphere) {
  const std::size_t n = draw.one_of({0, 1, 2, 60, 400, 1500});
  const auto shape = static_cast<Shape>(draw.below(static_cast<std::size_t>(Shape::count)));
  PointSet<T> set = scene_points<T>(shape, dimension, n, draw.random());
  for (std::size_t i = 0; on_sphere && i < n; ++i) {
    const auto at = [&](std::size_t axis) { return double{set.x[3 * i + axis]}; };
    const double length = std::hypot(at(0), at(1), at(2));
    for (std::size_t axis = 0; axis < 3; ++axis)
      set.x[3 * i + axis] = static_cast<T>(length > 0 ? at(axis) / length : axis == 0 ? 1 : 0);
  }
  return set;
}

PairBinning draw_bins(Draw& draw, int dimension) {
  PairBinning bins;
  if (dimension == 3)
    bins.separation = draw.one_of(
        {Separation::r, Separation::rp_pi, Separation::s_mu, Separation::theta, Separation::r});
  const double largest = draw.one_of({0.05, 0.3, 2.0});
  bins.edges = linear_edges(draw.below(2) ? 0 : largest / 10, largest, draw.one_of({1, 3, 14}));
  bins.pi_max = 0.4;
  bins.pi_bins = draw.one_of({1, 7});
  bins.mu_bins = 5;
  bins.line_of_sight = draw.one_of({LineOfSight::x, LineOfSight::z, LineOfSight::midpoint});
  return bins;
}

template <class T>
void check_histogram(MPI_Comm comm, std::uint64_t seed, int threads) {
  Draw draw(seed);
  const int rank = rank_of(comm), dimension = draw.one_of({2, 3, 3, 3});
  PairHistogramOptions options{.bins = draw_bins(draw, dimension)};
  const bool on_sphere = options.bins.separation == Separation::theta;
  if (!on_sphere && options.bins.line_of_sight != LineOfSight::midpoint)
    options.box = scene_box(static_cast<Space>(draw.below(3)), dimension);
  const DrawnColumns columns{draw.below(2) == 0, draw.one_of<std::size_t>({0, 0, 0, 1, 2, 9}),
                             draw.below(4) ? 0u : 1u};
  std::vector<double> table;
  options.regions = columns.regions;
  options.table.words = columns.words;
  for (std::size_t i = 0; i <= 64 * columns.words; ++i) table.push_back(draw.uniform());
  if (columns.words > 0) options.table.weight = table;
  options.mean_separation = draw.below(4) == 0;
  const auto deal = static_cast<Deal>(draw.below(static_cast<std::size_t>(Deal::count)));
  const SharedSample<T> sample(draw, draw_points<T>(draw, dimension, on_sphere), deal,
                               size_of(comm), columns);
  const Execution alone{.threads = 1}, together{.threads = threads};
  expect_same_pairs(mpi::pair_histogram(comm, sample.part(rank), options, together),
                    pair_histogram(sample.all(), options, alone));
  const SharedSample<T> other(draw, draw_points<T>(draw, dimension, on_sphere), Deal::random,
                              size_of(comm), columns);
  expect_same_pairs(
      mpi::pair_histogram(comm, sample.part(rank), other.part(rank), options, together),
      pair_histogram(sample.all(), other.all(), options, alone));
}

TEST(MpiPairHistogram, HasTheBytesOfOneProcess) {
  check_cases(20, []<class T>(MPI_Comm comm, std::uint64_t seed, int threads) {
    check_histogram<T>(comm, seed, threads);
  });
}

/// Regions given, or made by the tree.
template <class T>
void check_correlation(MPI_Comm comm, std::uint64_t seed, int threads) {
  Draw draw(seed);
  const int rank = rank_of(comm), ranks = size_of(comm);
  const bool has_regions = draw.below(2) == 0;
  CorrelationOptions options{.box = Box::periodic(1), .regions = draw.below(3) ? 5u : 0u};
  options.statistic = draw.one_of({Statistic::xi, Statistic::wp, Statistic::multipoles});
  options.bins.edges = linear_edges(0.01, 0.3, 6);
  options.bins.pi_max = 0.4;
  options.bins.pi_bins = 5;
  if (options.statistic == Statistic::wp) options.bins.separation = Separation::rp_pi;
  if (options.statistic == Statistic::multipoles) options.bins.separation = Separation::s_mu;
  options.mean_separation = draw.below(3) == 0;
  const DrawnColumns columns{draw.below(2) == 0, has_regions ? options.regions : 0, 0};
  const SharedSample<T> data(draw, scene_points<T>(Shape::clustered, 3, 700, seed), Deal::random,
                             ranks, columns);
  const SharedSample<T> randoms(draw, scene_points<T>(Shape::uniform, 3, 900, seed + 1),
                                Deal::some_empty, ranks, columns);
  const Execution alone{.threads = 1}, together{.threads = threads};
  expect_same_pairs(mpi::correlation(comm, data.part(rank), options, together),
                    correlation(data.all(), options, alone));
  expect_same_pairs(mpi::correlation(comm, data.part(rank), randoms.part(rank), options, together),
                    correlation(data.all(), randoms.all(), options, alone));
}

TEST(MpiCorrelation, HasTheBytesOfOneProcess) {
  check_cases(8, []<class T>(MPI_Comm comm, std::uint64_t seed, int threads) {
    check_correlation<T>(comm, seed, threads);
  });
}

TEST(MpiCorrelation, RegionsAreThoseOfOneProcess) {
  check_cases(4, []<class T>(MPI_Comm comm, std::uint64_t seed, int threads) {
    Draw draw(seed);
    const int rank = rank_of(comm);
    const SharedSample<T> sample(draw, scene_points<T>(Shape::clustered, 3, 500, seed),
                                 Deal::random, size_of(comm), {});
    const auto share = [&](const std::vector<std::int32_t>& all, const Scene<T>& of) {
      const auto from = all.begin() + static_cast<std::ptrdiff_t>(of.begin(rank));
      return std::vector<std::int32_t>(from,
                                       from + static_cast<std::ptrdiff_t>(of.part(rank).size));
    };
    const auto all = jackknife_regions(sample.scene.all.view(), 7);
    const auto own =
        mpi::jackknife_regions(comm, sample.scene.part(rank), 7, {}, {.threads = threads});
    EXPECT_EQ(own, share(all, sample.scene));
    const PointSet<T> others = scene_points<T>(Shape::uniform, 3, 50, seed + 9);
    EXPECT_EQ(mpi::nearest_regions(comm, sample.scene.part(rank), own, others.view()),
              nearest_regions(sample.scene.all.view(), all, others.view()));
  });
}

TEST(MpiCorrelation, RefusesColumnsOfSomeRanksAlone) {
  if (world_size() < 3) GTEST_SKIP() << "needs 3 ranks";
  on_ranks(3, [](MPI_Comm comm) {
    const PointSet<float> set = scene_points<float>(Shape::uniform, 3, 20, 1);
    const std::vector<double> ones(20, 1.0);
    const PairHistogramOptions options{.bins = {.edges = {0, 0.1}}};
    expect_error(ErrorCode::invalid_argument,
                 "rank 1 of 3: pair_histogram: 0 weights for the 20 points of this rank", [&] {
                   PairSet part{set.view()};
                   if (rank_of(comm) != 1) part.weight = ones;
                   mpi::pair_histogram(comm, part, options);
                 });
    const PairHistogram after = mpi::pair_histogram(comm, {set.view()}, options);
    EXPECT_EQ(after.total, 60.0 * 59);
  });
}

}  // namespace
}  // namespace kith::test

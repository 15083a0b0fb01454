// The sky over ranks: the bits of one process.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <span>
#include <vector>

#include <kith/kith.hpp>
#include <kith/mpi.hpp>

#include "mpi/refusals.hpp"
#include "mpi/world.hpp"
#include "support/property.hpp"

namespace kith::test {
namespace {

using mpi::sky::Positions;

/// Positions of all ranks: anywhere, in clumps, at poles, at equal places, and NaN; and the part of
/// this rank.
struct PlacesOnSky {
  PlacesOnSky(MPI_Comm comm, Draw& draw, std::size_t n, double unit, bool has_holes) {
    const std::size_t kind = draw.below(4), deal = draw.below(3);
    for (std::size_t i = 0; i < n; ++i) {
      double right = 360 * draw.uniform(), up = std::asin(2 * draw.uniform() - 1) * 180 / M_PI;
      if (kind == 1) right = 10 + 3 * draw.normal(), up = 40 + 2 * draw.normal();
      if (kind == 2) up = draw.below(2) == 0 ? 90 - 0.1 * draw.uniform() : -90;
      if (kind == 3) right = static_cast<double>(draw.below(4)) * 90, up = 0;
      if (has_holes && draw.below(9) == 0) right = std::numeric_limits<double>::quiet_NaN();
      ra.push_back(right * unit);
      dec.push_back(up * unit);
    }
    const auto ranks = static_cast<std::size_t>(size_of(comm));
    const auto rank = static_cast<std::size_t>(rank_of(comm));
    begin = deal == 0 ? n * rank / ranks : rank > ranks / 2 ? n : 0;
    end = deal == 0 ? n * (rank + 1) / ranks : rank < ranks / 2 ? 0 : n;
  }
  Positions all(Positions like = {}) const {
    like.ra = ra;
    like.dec = dec;
    return like;
  }
  Positions own(Positions like = {}) const {
    like.ra = std::span(ra).subspan(begin, end - begin);
    like.dec = std::span(dec).subspan(begin, end - begin);
    return like;
  }
  std::size_t size() const { return end - begin; }

  std::vector<double> ra, dec;
  std::size_t begin = 0, end = 0;
};

void expect_rows_of(const Neighbors<double, std::int64_t>& all,
                    const Neighbors<double, std::int64_t>& own, std::size_t begin,
                    std::size_t rows) {
  ASSERT_EQ(own.size(), rows);
  for (std::size_t i = 0; i < rows * own.k(); ++i) {
    ASSERT_EQ(own.indices()[i], all.indices()[begin * own.k() + i]);
    ASSERT_EQ(own.distances()[i], all.distances()[begin * own.k() + i]);
  }
}

void expect_lists_of(const NeighborLists<double, std::int64_t>& all,
                     const NeighborLists<double, std::int64_t>& own, std::size_t begin,
                     std::size_t rows) {
  ASSERT_EQ(own.size(), rows);
  for (std::size_t i = 0; i < rows; ++i) {
    const auto found = own[i], expected = all[begin + i];
    ASSERT_TRUE(std::equal(found.index.begin(), found.index.end(), expected.index.begin(),
                           expected.index.end()));
    ASSERT_TRUE(std::equal(found.distance.begin(), found.distance.end(), expected.distance.begin(),
                           expected.distance.end()));
  }
}

void expect_labels_of(const Groups& all, const mpi::Groups& own, const PlacesOnSky& places) {
  ASSERT_EQ(own.count(), all.count());
  EXPECT_EQ(own.linking_length(), all.linking_length());
  ASSERT_EQ(own.label().size(), places.size());
  for (std::size_t i = 0; i < places.size(); ++i)
    ASSERT_EQ(own.label()[i], all.label()[places.begin + i]);
}

void check_sky(MPI_Comm comm, std::uint64_t seed, int threads) {
  Draw draw(seed);
  const bool has_holes = draw.below(3) == 0, in_radians = draw.below(3) == 0;
  const double unit = in_radians ? M_PI / 180 * (1 - 1e-15) : 1;
  const PlacesOnSky places(comm, draw, draw.below(4) == 0 ? 1 + draw.below(20) : 400, unit,
                           has_holes);
  const PlacesOnSky others(comm, draw, draw.below(300), unit, has_holes);
  const Positions like{
      .unit = in_radians ? kith::sky::AngleUnit::radians : kith::sky::AngleUnit::degrees,
      .non_finite = has_holes ? NonFinite::drop : NonFinite::error};
  const Positions all = places.all(like), own = places.own(like);
  const Positions all_others = others.all(like), own_others = others.own(like);
  const Execution execution{.threads = threads}, alone{.threads = 1};
  const double angle = unit * draw.one_of({0.0, 0.5, 5.0, 90.0});

  const mpi::sky::KnnOptions nearest{.k = 1 + draw.below(6),
                                     .exclude_self = draw.below(2) == 0,
                                     .max_angle = draw.one_of({angle, mpi::sky::kNoLimit})};
  expect_rows_of(kith::sky::knn(all, nearest, alone), mpi::sky::knn(comm, own, nearest, execution),
                 places.begin, places.size());
  const mpi::sky::KnnOptions of_others{.k = nearest.k, .max_angle = nearest.max_angle};
  expect_rows_of(kith::sky::knn(all, all_others, of_others, alone),
                 mpi::sky::knn(comm, own, own_others, of_others, execution), others.begin,
                 others.size());
  const auto matches = kith::sky::match(all, all_others, nearest.max_angle, alone);
  const auto own_matches = mpi::sky::match(comm, own, own_others, nearest.max_angle, execution);
  ASSERT_EQ(own_matches.index.size(), places.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    ASSERT_EQ(own_matches.index[i], matches.index[places.begin + i]);
    ASSERT_EQ(own_matches.angle[i], matches.angle[places.begin + i]);
  }
  expect_lists_of(kith::sky::radius(all, angle, alone),
                  mpi::sky::radius(comm, own, angle, execution), places.begin, places.size());
  expect_lists_of(kith::sky::radius(all, all_others, angle, alone),
                  mpi::sky::radius(comm, own, own_others, angle, execution), others.begin,
                  others.size());
  const auto pairs = kith::sky::pairs(all, angle, alone);
  const auto own_pairs = mpi::sky::pairs(comm, own, angle, execution);
  const auto first = static_cast<std::size_t>(
      std::lower_bound(pairs.i.begin(), pairs.i.end(), static_cast<std::int64_t>(places.begin)) -
      pairs.i.begin());
  const auto last = static_cast<std::size_t>(
      std::lower_bound(pairs.i.begin(), pairs.i.end(), static_cast<std::int64_t>(places.end)) -
      pairs.i.begin());
  ASSERT_EQ(own_pairs.size(), last - first);
  for (std::size_t i = 0; i < own_pairs.size(); ++i) {
    ASSERT_EQ(own_pairs.i[i], pairs.i[first + i]);
    ASSERT_EQ(own_pairs.j[i], pairs.j[first + i]);
    ASSERT_EQ(own_pairs.distance[i], pairs.distance[first + i]);
  }
  const double link = unit * draw.one_of({0.5, 4.0});
  expect_labels_of(kith::sky::fof(all, link, 2, alone),
                   mpi::sky::fof(comm, own, link, 2, execution), places);
  const DbscanOptions options{.eps = link, .min_samples = 3};
  const kith::Clusters clusters = kith::sky::dbscan(all, options, alone);
  const mpi::Clusters own_clusters = mpi::sky::dbscan(comm, own, options, execution);
  expect_labels_of(clusters.groups(), own_clusters.groups, places);
  for (std::size_t i = 0; i < places.size(); ++i)
    ASSERT_EQ(own_clusters.is_core[i], clusters.is_core()[places.begin + i]);
  if (all.ra.size() < 8) return;
  const SpanningTree tree = kith::sky::spanning_tree(all, 3, alone),
                     of_ranks = mpi::sky::spanning_tree(comm, own, 3, execution);
  ASSERT_TRUE(std::ranges::equal(of_ranks.index(), tree.index()));
  ASSERT_EQ(of_ranks.length(), tree.length());
  const HdbscanOptions dense{.condense = {.min_cluster_size = 4}};
  const HdbscanClusters found = kith::sky::hdbscan(all, dense, alone),
                        of_rank = mpi::sky::hdbscan(comm, own, dense, execution);
  ASSERT_EQ(of_rank.stability, found.stability);
  for (std::size_t i = 0; i < places.size(); ++i) {
    ASSERT_EQ(of_rank.label[i], found.label[places.begin + i]);
    ASSERT_EQ(of_rank.probability[i], found.probability[places.begin + i]);
  }
}

TEST(MpiSky, HasTheBitsOfOneProcess) {
  check_cases(6, []<class T>(MPI_Comm comm, std::uint64_t seed, int threads) {
    check_sky(comm, seed, threads);
  });
}

TEST(MpiSky, WrongArguments) {
  for (const int ranks : at_most_all({1, 3}))
    on_ranks(ranks, [&](MPI_Comm comm) {
      const std::vector<double> ra{1, 2, 3}, dec{4, 5, 6}, beyond{4, 91, 6}, few{1},
          holes{1, std::numeric_limits<double>::quiet_NaN(), 2};
      const Positions right{.ra = ra, .dec = dec};
      const auto places = [&](const char* name, const Positions& wrong) {
        expect_refused(comm, {name, [&] { kith::sky::knn(wrong, {.k = 1}); },
                              [&](bool is_wrong) {
                                mpi::sky::knn(comm, is_wrong ? wrong : right, {.k = 1});
                              }});
        expect_refused(
            comm,
            {std::string("queries: ") + name, [&] { kith::sky::radius(right, wrong, 1); },
             [&](bool is_wrong) { mpi::sky::radius(comm, right, is_wrong ? wrong : right, 1); }});
      };
      places("beyond the pole", {.ra = ra, .dec = beyond});
      places("too few", {.ra = ra, .dec = few});
      places("NaN", {.ra = holes, .dec = dec});
      const auto angles = [&](const char* name, const std::function<void(double)>& alone,
                              const std::function<void(double)>& over_ranks) {
        for (const double angle : {-1.0, std::numeric_limits<double>::quiet_NaN()})
          expect_refused(comm, {name, [&] { alone(angle); },
                                [&](bool is_wrong) { over_ranks(is_wrong ? angle : 1); }});
      };
      angles(
          "radius", [&](double angle) { kith::sky::radius(right, angle); },
          [&](double angle) { mpi::sky::radius(comm, right, angle); });
      angles(
          "match", [&](double angle) { kith::sky::match(right, right, angle); },
          [&](double angle) { mpi::sky::match(comm, right, right, angle); });
      angles(
          "pairs", [&](double angle) { kith::sky::pairs(right, angle); },
          [&](double angle) { mpi::sky::pairs(comm, right, angle); });
      angles(
          "fof", [&](double angle) { kith::sky::fof(right, angle); },
          [&](double angle) { mpi::sky::fof(comm, right, angle); });
      angles(
          "dbscan", [&](double angle) { kith::sky::dbscan(right, {.eps = angle}); },
          [&](double angle) { mpi::sky::dbscan(comm, right, {.eps = angle}); });
      if (ranks == 1) return;
      Positions other = right;
      if (rank_of(comm) == 1) other.unit = kith::sky::AngleUnit::radians;
      EXPECT_NE(error_of([&] { mpi::sky::knn(comm, other, {.k = 1}); }), "no error");
    });
}

}  // namespace
}  // namespace kith::test

// Friends of friends over ranks: the labels of one process, in a number of rounds that grows as the
// logarithm of the graph.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <gtest/gtest.h>
#include <numeric>

#include <kith/kith.hpp>
#include <kith/mpi.hpp>

#include "mpi/scenes.hpp"
#include "support/property.hpp"

namespace kith::test {
namespace {

struct FofCase {
  Shape shape;
  Deal deal;
  Space space;
  int dimension;
  std::size_t n;
  bool is_kept;
  Names name;
  FofOptions options;
  TreeOptions tree;
  std::uint64_t seed;
};

FofCase draw_case(Draw& draw, int number) {
  FofCase c{};
  c.shape = static_cast<Shape>(number % static_cast<int>(Shape::count));
  c.space =
      static_cast<Space>(number / static_cast<int>(Shape::count) % static_cast<int>(Space::count));
  c.deal = static_cast<Deal>(draw.below(static_cast<std::size_t>(Deal::count)));
  c.dimension = 2 + static_cast<int>(draw.below(3));
  c.n = draw.below(4) == 0 ? draw.below(24) : 200 + draw.below(1500);
  c.is_kept = draw.below(3) == 0;
  c.name = Names::drawn(draw.below(8));
  c.tree.box = scene_box(c.space, c.dimension);
  // From single points over some groups to one of all.
  const double separation = std::pow(static_cast<double>(c.n + 1), -1.0 / c.dimension);
  c.options.linking_length = separation * draw.one_of({0.05, 0.3, 0.6, 0.9, 2.0});
  if (c.space == Space::periodic && draw.below(2) == 0) {
    c.options.linking_length = 0;
    c.options.b = draw.one_of({0.2, 0.7});
  }
  c.options.min_size = draw.one_of<std::size_t>({1, 2, 20});
  c.options.strict = draw.below(4) == 0;
  c.options.keep_roots = draw.below(2) == 0;
  if (draw.below(3) == 0) {
    c.tree.builder = Builder::cells;
    c.tree.max_leaf_size = 12;
  }
  c.seed = draw.random();
  return c;
}

/// The points that this rank has now, by place in the input of one process.
std::vector<std::size_t> places(const mpi::Domains& domains, const Names& name) {
  std::vector<std::size_t> result;
  for (const std::int64_t global : domains.global_index()) {
    result.push_back(name.place(global));
    EXPECT_EQ(name(result.back()), global);
  }
  return result;
}

void expect_group_rows(MPI_Comm comm, const Groups& reference, const mpi::Groups& groups,
                       const Names& name) {
  ASSERT_EQ(groups.count(), reference.count());
  EXPECT_EQ(groups.linking_length(), reference.linking_length());
  ASSERT_EQ(groups.sizes().size(), groups.lowest().size());
  for (std::size_t i = 0; i < groups.sizes().size(); ++i) {
    const std::size_t group = groups.first() + i;
    ASSERT_LT(group, reference.count());
    ASSERT_EQ(groups.sizes()[i], static_cast<std::int64_t>(reference.size(group)));
    ASSERT_EQ(groups.lowest()[i], name(reference.lowest(group)));
  }
  auto rows = static_cast<std::uint64_t>(groups.sizes().size());
  MPI_Allreduce(MPI_IN_PLACE, &rows, 1, MPI_UINT64_T, MPI_SUM, comm);
  EXPECT_EQ(rows, reference.count());
}

/// `place[i]`: where the point of row i is in the input of one process.
template <class Place>
void expect_labels(const Groups& reference, const mpi::Groups& groups, std::size_t n, Place place,
                   const Names& name) {
  ASSERT_EQ(groups.label().size(), n);
  ASSERT_EQ(groups.root().empty(), n == 0 || reference.root().empty());
  for (std::size_t i = 0; i < n; ++i) {
    ASSERT_EQ(groups.label()[i], reference.label()[place(i)]) << "point " << place(i);
    if (groups.root().empty()) continue;
    const std::int64_t root = reference.root()[place(i)];
    ASSERT_EQ(groups.root()[i], root < 0 ? -1 : name(static_cast<std::size_t>(root)));
  }
}

template <class T>
void check_case(MPI_Comm comm, const FofCase& c, int threads) {
  const int rank = rank_of(comm), ranks = size_of(comm);
  const PointSet<T> set = scene_points<T>(c.shape, c.dimension, c.n, c.seed);
  const Scene<T> scene(set, dealt(set, c.deal, ranks, c.seed), ranks);
  const std::size_t begin = scene.begin(rank);
  const PointsView part = scene.part(rank);
  const std::vector<std::int64_t> ids = c.name.ids(begin, part.size);
  const Execution execution{.threads = threads};
  const mpi::DomainOptions options{c.tree, ids, c.name.first_index()};
  const mpi::Domains domains = c.is_kept    ? mpi::Domains::keep(comm, part, options, execution)
                               : c.seed % 2 ? mpi::Domains::kd(comm, part, options, execution)
                                            : mpi::Domains::curve(comm, part, options, execution);
  const Groups reference =
      fof(AnyTree(scene.all.view(), c.tree, {.threads = 1}), c.options, {.threads = 1});

  const mpi::Groups groups = mpi::fof(domains, c.options, RowOrder::input, execution);
  expect_group_rows(comm, reference, groups, c.name);
  expect_labels(
      reference, groups, part.size, [&](std::size_t i) { return begin + i; }, c.name);

  const mpi::Groups own = mpi::fof(domains, c.options, RowOrder::tree, execution);
  const std::vector<std::size_t> place = places(domains, c.name);
  expect_labels(
      reference, own, place.size(), [&](std::size_t i) { return place[i]; }, c.name);
}

TEST(MpiFof, HasTheLabelsOfOneProcess) {
  check_cases(16, []<class T>(MPI_Comm comm, std::uint64_t seed, int threads) {
    Draw draw(seed);
    const FofCase c = draw_case(draw, static_cast<int>(seed));
    SCOPED_TRACE("shape " + std::to_string(static_cast<int>(c.shape)) + " deal " +
                 std::to_string(static_cast<int>(c.deal)) + " n " + std::to_string(c.n) + " d " +
                 std::to_string(c.dimension) + (c.is_kept ? " kept" : "") + " from " +
                 std::to_string(c.name.first));
    check_case<T>(comm, c, threads);
  });
}

// ---- groups that wind through all ranks

/// A line of points, cut into pieces that lie on random ranks.
struct Line {
  std::vector<double> x, y;
  std::vector<int> rank;
};

Line chain(int ranks, int pieces, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Line line;
  for (int piece = 0; piece < pieces; ++piece) {
    const int rank = static_cast<int>(random() % static_cast<unsigned>(ranks));
    for (int i = 0; i < 3; ++i) {
      line.x.push_back(3 * piece + i);
      line.y.push_back(0);
      line.rank.push_back(rank);
    }
  }
  return line;
}

/// Arms at distance 1, distributed by sectors: each turn passes all ranks.
Line spiral(int ranks, int turns) {
  Line line;
  for (double angle = 0; angle < turns * 2 * M_PI;) {
    const double r = 1 + angle / (2 * M_PI);
    line.x.push_back(r * std::cos(angle));
    line.y.push_back(r * std::sin(angle));
    line.rank.push_back(static_cast<int>(std::fmod(angle, 2 * M_PI) / (2 * M_PI) * ranks) % ranks);
    angle += 0.2 / r;
  }
  return line;
}

struct Rounds {
  std::uint64_t vertices = 0, hooking = 0, shortcutting = 0;
};

/// Checks that the line is one group, on the ranks where its pieces are.
Rounds link(MPI_Comm comm, const Line& line, double linking_length) {
  std::vector<double> mine;
  for (std::size_t i = 0; i < line.x.size(); ++i)
    if (line.rank[i] == rank_of(comm)) mine.insert(mine.end(), {line.x[i], line.y[i]});
  Statistics statistics;
  const Execution execution{.threads = 1, .statistics = &statistics};
  const auto domains =
      mpi::Domains::keep(comm, view(mine.data(), mine.size() / 2, 2), {}, execution);
  const auto groups =
      mpi::fof(domains, {.linking_length = linking_length}, RowOrder::input, execution);
  EXPECT_EQ(groups.count(), 1u);
  for (const std::int64_t label : groups.label()) EXPECT_EQ(label, 0);
  for (const std::int64_t size : groups.sizes())
    EXPECT_EQ(size, static_cast<std::int64_t>(line.x.size()));
  Rounds rounds{statistics.count("boundary sets"), statistics.count("hooking rounds"),
                statistics.count("shortcutting rounds")};
  MPI_Allreduce(MPI_IN_PLACE, &rounds.vertices, 1, MPI_UINT64_T, MPI_SUM, comm);
  if (rank_of(comm) == 0)
    std::printf("%d sets at edges: %d rounds of hooking, %d of shortcutting\n",
                static_cast<int>(rounds.vertices), static_cast<int>(rounds.hooking),
                static_cast<int>(rounds.shortcutting));
  return rounds;
}

void expect_logarithmic(const Rounds& rounds) {
  const auto log2 = static_cast<std::uint64_t>(std::bit_width(rounds.vertices));
  EXPECT_LE(rounds.hooking, log2) << rounds.vertices << " vertices";
  EXPECT_LE(rounds.shortcutting, 2 * log2 + 2) << rounds.vertices << " vertices";
}

TEST(MpiFof, FollowsAChainInALogarithmOfRounds) {
  on_ranks(std::min(5, world_size()), [&](MPI_Comm comm) {
    expect_logarithmic(link(comm, chain(size_of(comm), 100, 7), 1.0));
  });
  on_ranks(world_size(), [&](MPI_Comm comm) {
    expect_logarithmic(link(comm, chain(size_of(comm), size_of(comm), 3), 1.0));
    expect_logarithmic(link(comm, chain(size_of(comm), 3000, 7), 1.0));
  });
}

TEST(MpiFof, FollowsASpiralInALogarithmOfRounds) {
  on_ranks(world_size(),
           [&](MPI_Comm comm) { expect_logarithmic(link(comm, spiral(size_of(comm), 20), 0.5)); });
}

TEST(MpiFof, RefusesWhatOneProcessRefuses) {
  on_ranks(std::min(3, world_size()), [](MPI_Comm comm) {
    const std::vector<float> x(30, 0.5f);
    const auto domains = mpi::Domains::curve(comm, view(x.data(), 10, 3));
    EXPECT_THROW(mpi::fof(domains, {}), Error);
    EXPECT_THROW(mpi::fof(domains, {.b = 0.2}), Error);  // no volume
    EXPECT_THROW(mpi::fof(domains, {.box = Box::periodic(1), .linking_length = 1}), Error);
    const double length = rank_of(comm) == 0 ? 1 : 2;
    if (size_of(comm) > 1) {
      EXPECT_THROW(mpi::fof(domains, {.linking_length = length}), Error);
    }
    const auto groups = mpi::fof(comm, view(x.data(), 10, 3), {.linking_length = 1});
    EXPECT_EQ(groups.count(), 1u);
  });
}

}  // namespace
}  // namespace kith::test

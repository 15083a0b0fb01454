// Groups larger than the share of a rank: members, catalogues, centers and subhalos have the bits
// of one process, and no rank has more than its share.
#include <cmath>
#include <cstdio>
#include <gtest/gtest.h>

#include <kith/kith.hpp>
#include <kith/mpi.hpp>

#include "mpi/group_checks.hpp"

namespace kith::test {
namespace {

/// A giant of two thirds of all points, two groups of some blocks, and small ones. Points are
/// distributed in any order, so that every rank has some of each.
template <class T>
struct GiantScene {
  static constexpr double kLink = 0.01;

  /// From here on, seeds make clumps at random.
  static constexpr std::uint64_t kRandom = 1000;

  GiantScene(std::size_t n, int ranks, std::uint64_t seed)
      : draw(seed),
        set(seed < kRandom ? points(n) : clumps(n)),
        scene(set, dealt(set, Deal::random, ranks, seed), ranks),
        has(draw, 3, n) {}

  PointSet<T> points(std::size_t n) {
    return make_set<T>("giant", 3, n, [&](std::size_t i, int axis) {
      const double along = static_cast<double>(i) / static_cast<double>(n);
      if (i < 2 * n / 3) return axis == 0 ? 0.9 * along : 0.002 * draw.uniform();
      const std::size_t clump = i < 5 * n / 6 ? 1 : i < 11 * n / 12 ? 2 : 3 + i % 50;
      return 0.1 * static_cast<double>(axis + 1) + 0.015 * static_cast<double>(clump) +
             0.002 * draw.uniform();
    });
  }

  /// Balls and rods of any size, from one that has half of the points down to a few points; each in
  /// a separate cell.
  PointSet<T> clumps(std::size_t n) {
    std::vector<std::size_t> end;
    for (std::size_t at = 0; at < n; end.push_back(at)) {
      const double u = draw.uniform();
      const double most = static_cast<double>(n - at),
                   size = std::min(most, 1 + 0.6 * u * u * u * static_cast<double>(n));
      at += end.size() < 120 ? static_cast<std::size_t>(size) : n - at;
    }
    std::vector<double> extent;  // three for each clump
    for (std::size_t i = 0; i < 3 * end.size(); ++i)
      extent.push_back(draw.below(3) == 0 ? 0.15 : 0.002 + 0.03 * draw.uniform());
    return make_set<T>("clumps", 3, n, [&](std::size_t i, int axis) {
      const auto clump =
          static_cast<std::size_t>(std::upper_bound(end.begin(), end.end(), i) - end.begin());
      std::size_t cell = clump;
      for (int a = 0; a < axis; ++a) cell /= 5;
      return 0.01 + 0.2 * static_cast<double>(cell % 5) +
             extent[3 * clump + static_cast<std::size_t>(axis)] * draw.uniform();
    });
  }

  /// Streams along the giant, so that it has parts in phase space.
  const double* velocity(int rank) {
    if (stream.empty())
      for (std::size_t i = 0; i < scene.all.size(); ++i) {
        const double x = static_cast<double>(scene.all.row(i)[0]);
        for (int axis = 0; axis < 3; ++axis)
          stream.push_back(axis == 0 ? std::floor(20 * x) : 0.01 * draw.normal());
      }
    return stream.data() + 3 * scene.begin(rank);
  }

  Draw draw;
  PointSet<T> set;
  Scene<T> scene;
  Belongings<T> has;
  std::vector<double> stream;
};

template <class T>
struct GiantCase {
  GiantCase(MPI_Comm comm, std::size_t n, std::uint64_t seed, const Execution& with)
      : points(n),
        giant(n, size_of(comm), seed),
        execution(with),
        options{.box = seed % 2 == 0 ? Box::open() : Box::periodic(1.0),
                .linking_length = GiantScene<T>::kLink,
                .min_size = 2},
        reference(fof(giant.scene.all.view(), options, {.threads = 1})),
        part(giant.scene.part(rank_of(comm))),
        domains(mpi::Domains::curve(comm, part, {{.box = options.box}}, execution)),
        groups(mpi::fof(domains, options, RowOrder::input, execution)),
        whole(giant.has.part(0, n)),
        own(giant.has.part(giant.scene.begin(rank_of(comm)), part.size)) {
    whole.box = options.box;
  }

  std::size_t points;
  GiantScene<T> giant;
  Execution execution;
  FofOptions options;
  Groups reference;
  PointsView part;
  mpi::Domains domains;
  mpi::Groups groups;
  CatalogueOptions whole, own;  ///< of all points, of those of this rank
};

template <class T>
void check_catalogue(MPI_Comm comm, GiantCase<T>& c, const Execution& execution) {
  expect_rows(mpi::catalogue(c.domains, c.part, c.groups, c.own, execution),
              catalogue(c.giant.scene.all.view(), c.reference, c.whole, {.threads = 1}),
              c.groups.first());
  const mpi::Members members = mpi::members(c.domains, c.groups, execution);
  EXPECT_LE(members.index().size(), c.points / static_cast<std::size_t>(size_of(comm)) + 4096);
  expect_members(comm, members, kith::members(c.reference), c.giant.scene, execution);
}

/// About the centers of mass, a part of them on each rank.
template <class T>
void check_spheres(MPI_Comm comm, const GiantCase<T>& c, const Execution& execution) {
  const Catalogue rows =
      catalogue(c.giant.scene.all.view(), c.reference, {.box = c.options.box}, {.threads = 1});
  const AnyTree tree(c.giant.scene.all.view(), {.box = c.options.box}, {.threads = 1});
  const auto count = std::min<std::size_t>(rows.count(), 40);
  const std::span<const double> centers(rows.center.data(), 3 * count);
  const std::vector<double> guess(rows.mass.begin(),
                                  rows.mass.begin() + static_cast<std::ptrdiff_t>(count));
  const auto n = static_cast<double>(c.points);
  OverdensityOptions options{.density = {100 * n, 3 * n}, .mass = c.whole.mass};
  options.mass_guess = values(guess);
  const Overdensities all = overdensities(tree, centers, options, {.threads = 1});
  const auto share = [&](int rank) {
    return count * static_cast<std::size_t>(rank) / static_cast<std::size_t>(size_of(comm));
  };
  const std::size_t begin = share(rank_of(comm)), end = share(rank_of(comm) + 1);
  options.mass = c.own.mass;
  options.mass_guess = values(std::span(guess).subspan(begin, end - begin));
  const Overdensities own = mpi::overdensities(
      c.domains, centers.subspan(3 * begin, 3 * (end - begin)), options, execution);
  ASSERT_EQ(own.mass.size(), 2 * (end - begin));
  for (std::size_t i = 0; i < own.mass.size(); ++i) {
    const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
    ASSERT_TRUE(same(own.mass[i], all.mass[2 * begin + i]));
    ASSERT_TRUE(same(own.radius[i], all.radius[2 * begin + i]));
    ASSERT_EQ(own.size[i], all.size[2 * begin + i]);
  }
}

/// `parts`: subhalos that there are at least.
template <class T>
void check_halos(MPI_Comm comm, GiantCase<T>& c, std::size_t parts, const Execution& execution) {
  const kith::Members members = kith::members(c.reference);
  const auto own_velocity = view(c.giant.velocity(rank_of(comm)), c.part.size, 3);
  SubhaloOptions sub{.box = c.options.box,
                     .velocity = view(c.giant.velocity(0), c.points, 3),
                     .mass = c.whole.mass,
                     .linking_length = 0.25,
                     .min_size = 20};
  const Subhalos expected = subhalos(c.giant.scene.all.view(), members, sub, {.threads = 1});
  ASSERT_GE(expected.catalogue.count(), parts);
  sub.velocity = own_velocity;
  sub.mass = c.own.mass;
  expect_subhalos(comm, mpi::subhalos(c.domains, c.part, c.groups, sub, execution), expected);
  // Bound ones: halos that are cut are gathered.
  for (const SubhaloMethod method : {SubhaloMethod::subfind, SubhaloMethod::phase}) {
    SubhaloOptions bound{.method = method,
                         .box = c.options.box,
                         .velocity = view(c.giant.velocity(0), c.points, 3),
                         .mass = c.whole.mass,
                         .gravity = 10,
                         .softening = 0.001};
    const Subhalos bound_ones = subhalos(c.giant.scene.all.view(), members, bound, {.threads = 1});
    ASSERT_GE(bound_ones.catalogue.count(), 1u);
    bound.velocity = own_velocity;
    bound.mass = c.own.mass;
    expect_subhalos(comm, mpi::subhalos(c.domains, c.part, c.groups, bound, execution), bound_ones);
  }
  for (const CenterKind kind : {CenterKind::shrinking, CenterKind::mass, CenterKind::potential}) {
    CenterOptions center{.box = c.options.box, .mass = c.whole.mass, .type = c.whole.type};
    center.kind = kind;
    center.softening = 0.001;
    if (!center.type.empty()) center.types = {1, 2};
    const std::vector<double> all =
        centers(c.giant.scene.all.view(), members, center, {.threads = 1});
    center.mass = c.own.mass;
    center.type = c.own.type;
    expect_column("center", mpi::centers(c.domains, c.part, c.groups, center, execution), all,
                  c.groups.first(), c.groups.sizes().size(), c.groups.count());
  }
}

/// One group of all points: a ball with members without mass, or a ring whose members all lie
/// equally deep but for rounding, so that errors of the tree code decide. Half of the ball is in
/// one place. Few members have type 1, none type 7.
struct OneGroup {
  OneGroup(MPI_Comm comm, bool is_ring, std::size_t n)
      : draw(static_cast<std::uint64_t>(size_of(comm))),
        set(make_set<float>(
            "one", 3, n,
            [&](std::size_t i, int axis) {
              if (!is_ring) return i % 2 == 0 ? 0.51 : 0.5 + 0.02 * draw.normal();
              const double angle = 2 * M_PI * static_cast<double>(i) / static_cast<double>(n);
              return axis == 0 ? 0.3 * std::cos(angle) : axis == 1 ? 0.3 * std::sin(angle) : 0.0;
            })),
        scene(set, dealt(set, Deal::random, size_of(comm), 1), size_of(comm)),
        one(fof(scene.all.view(), link, {.threads = 1})),
        begin(scene.begin(rank_of(comm))),
        part(scene.part(rank_of(comm))),
        domains(mpi::Domains::curve(comm, part, {}, {.threads = 1})),
        groups(mpi::fof(domains, link, RowOrder::input, {.threads = 1})) {
    for (std::size_t i = 0; i < n; ++i) {
      mass.push_back(is_ring ? 1 : static_cast<double>(draw.below(3)));
      type.push_back(draw.below(50) == 0 ? 1 : 0);
    }
    for (std::size_t i = 0; i < 3 * n; ++i) velocity.push_back(draw.normal());
  }

  Draw draw;
  PointSet<float> set;
  Scene<float> scene;
  FofOptions link{.linking_length = 0.5};
  Groups one;
  std::size_t begin;
  PointsView part;
  mpi::Domains domains;
  mpi::Groups groups;
  std::vector<double> mass, velocity;
  std::vector<std::uint8_t> type;
};

void check_deepest(MPI_Comm comm, bool is_ring, std::size_t n, double softening) {
  const OneGroup g(comm, is_ring, n);
  ASSERT_EQ(g.one.count(), 1u);
  for (const std::vector<int>& types : {std::vector<int>{}, {1}, {7}}) {
    CenterOptions options{
        .mass = values(g.mass), .type = g.type, .types = types, .softening = softening};
    std::vector<double> all(3);
    if (rank_of(comm) == 0)
      all = centers(g.scene.all.view(), kith::members(g.one), options, {.threads = 1});
    MPI_Bcast(all.data(), 3, MPI_DOUBLE, 0, comm);
    options.mass = values(std::span<const double>(g.mass).subspan(g.begin, g.part.size));
    options.type = std::span<const std::uint8_t>(g.type).subspan(g.begin, g.part.size);
    expect_column("center", mpi::centers(g.domains, g.part, g.groups, options, {.threads = 2}), all,
                  g.groups.first(), g.groups.sizes().size(), g.groups.count());
  }
}

/// Other ranks wait while one of them searches.
void check_bound(MPI_Comm comm, SubhaloMethod method) {
  const OneGroup g(comm, false, 9000);
  ASSERT_EQ(g.one.count(), 1u);
  SubhaloOptions options{.method = method,
                         .velocity = view(g.velocity.data(), g.scene.all.size(), 3),
                         .mass = values(g.mass),
                         .gravity = 1e-5,
                         .softening = 0.001};
  const Subhalos all = subhalos(g.scene.all.view(), kith::members(g.one), options, {.threads = 1});
  ASSERT_GE(all.parent.size(), 1u);
  ASSERT_LT(all.members.offset.back(), g.scene.all.size());
  options.velocity = view(g.velocity.data() + 3 * g.begin, g.part.size, 3);
  options.mass = values(std::span<const double>(g.mass).subspan(g.begin, g.part.size));
  expect_subhalos(comm, mpi::subhalos(g.domains, g.part, g.groups, options, {.threads = 2}), all);
}

template <class Check>
void on_all_ranks(Check check) {
  for (const int ranks : rank_counts())
    on_ranks(ranks, [&](MPI_Comm comm) {
      SCOPED_TRACE("on " + std::to_string(ranks) + " ranks");
      check(comm, static_cast<std::uint64_t>(ranks));
    });
}

TEST(MpiGiant, CatalogueHasTheBitsOfOneProcess) {
  const auto check = []<class T>(MPI_Comm comm, std::uint64_t seed, const Execution& execution) {
    GiantCase<T> c(comm, 30000, seed, execution);
    ASSERT_GT(c.reference.size(0), c.points / 2);
    check_catalogue(comm, c, execution);
  };
  on_all_ranks([&](MPI_Comm comm, std::uint64_t seed) {
    check.template operator()<float>(comm, seed, {.threads = 1});
    check.template operator()<double>(comm, seed + 100, {.threads = 2});
  });
}

TEST(MpiGiant, SubhalosAndCentersHaveTheBitsOfOneProcess) {
  const auto check = []<class T>(MPI_Comm comm, std::uint64_t seed) {
    GiantCase<T> c(comm, 14000, seed, {.threads = 1});
    check_halos(comm, c, 9, {.threads = 1});
    check_spheres(comm, c, {.threads = 1});
  };
  on_all_ranks([&](MPI_Comm comm, std::uint64_t seed) {
    if (seed % 2 == 0)
      check.template operator()<float>(comm, seed);
    else
      check.template operator()<double>(comm, seed);
  });
}

/// Groups of many blocks at random, on all ranks; docs/development/campaigns.md says how to run it.
TEST(MpiGiant, DISABLED_Campaign) {
  const auto check = []<class T>(MPI_Comm comm, std::uint64_t seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    GiantCase<T> c(comm, 100000, seed, {.threads = 1});
    check_catalogue(comm, c, {.threads = 1});
    check_halos(comm, c, 0, {.threads = 1});
    check_spheres(comm, c, {.threads = 1});
    if (rank_of(comm) == 0)
      std::printf("seed %d: %zu groups, the largest of %zu\n", static_cast<int>(seed),
                  c.reference.count(), std::size_t{c.reference.size(0)});
  };
  const auto first =
      static_cast<std::uint64_t>(number_from("KITH_SEED", GiantScene<float>::kRandom));
  const auto cases = static_cast<std::uint64_t>(number_from("KITH_CASES", 1));
  for (std::uint64_t seed = first; seed < first + cases; ++seed)
    on_ranks(world_size(), [&](MPI_Comm comm) {
      if (seed % 2 == 0)
        check.template operator()<float>(comm, seed);
      else
        check.template operator()<double>(comm, seed);
    });
}

TEST(MpiGiant, BoundSubhalosOfAGroupOfAllPointsHaveTheBitsOfOneProcess) {
  for (const int ranks : at_most_all({2, 3, 7}))
    on_ranks(ranks, [](MPI_Comm comm) {
      check_bound(comm, SubhaloMethod::subfind);
      check_bound(comm, SubhaloMethod::phase);
    });
}

TEST(MpiGiant, DeepestMembersAreThoseOfOneProcess) {
  for (const int ranks : at_most_all({2, 5, 16}))
    on_ranks(ranks, [](MPI_Comm comm) {
      check_deepest(comm, true, 9000, 0.1);
      check_deepest(comm, false, 13000, 0.001);
    });
}

}  // namespace
}  // namespace kith::test

// Points of several types, centers, spheres and subhalos over ranks: the bits of one process.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

#include <kith/kith.hpp>
#include <kith/mpi.hpp>

#include "mpi/group_checks.hpp"
#include "support/property.hpp"

namespace kith::test {
namespace {

template <class Value>
bool are_same(const Value* a, const Value* b, std::size_t count) {
  return count == 0 || std::memcmp(a, b, count * sizeof(Value)) == 0;
}

/// Points of several types, each distributed in a different way.
template <class T>
struct TypedScene {
  std::vector<Scene<T>> type;
  std::vector<Role> role;
  PointSet<T> all;
  std::vector<std::size_t> first;  ///< of each type among all points

  TypedScene(Draw& draw, int dimension, int ranks) : all{"all", dimension, {}} {
    const std::size_t types = 1 + draw.below(3);
    const std::uint64_t seed = draw.random();
    for (std::size_t t = 0; t < types; ++t) {
      const auto deal = static_cast<Deal>(draw.below(static_cast<std::size_t>(Deal::count)));
      const PointSet<T> set =
          scene_points<T>(t % 2 == 0 ? Shape::clustered : Shape::uniform, dimension,
                          draw.below(5) == 0 ? draw.below(3) : 100 + draw.below(500), seed);
      type.emplace_back(set, dealt(set, deal, ranks, draw.random()), ranks);
      role.push_back(t == 0 || draw.below(2) == 0 ? Role::linked : Role::attached);
      first.push_back(all.size());
      all.x.insert(all.x.end(), type[t].all.x.begin(), type[t].all.x.end());
    }
    std::swap(role.front(), role[draw.below(types)]);
  }

  std::vector<TypedPoints> parts(int rank) const {
    std::vector<TypedPoints> parts;
    for (std::size_t t = 0; t < type.size(); ++t) parts.push_back({type[t].part(rank), role[t]});
    return parts;
  }
  std::vector<TypedPoints> whole() const {
    std::vector<TypedPoints> parts;
    for (std::size_t t = 0; t < type.size(); ++t) parts.push_back({type[t].all.view(), role[t]});
    return parts;
  }
  /// Places among all points of those that a rank has.
  std::vector<std::size_t> places(int rank) const {
    std::vector<std::size_t> places;
    for (std::size_t t = 0; t < type.size(); ++t)
      for (std::size_t i = 0; i < type[t].part(rank).size; ++i)
        places.push_back(first[t] + type[t].begin(rank) + i);
    return places;
  }
};

/// The rows of some points.
template <class Value>
std::vector<Value> chosen(const std::vector<Value>& values, const std::vector<std::size_t>& places,
                          std::size_t width = 1) {
  std::vector<Value> rows;
  for (const std::size_t place : places)
    for (std::size_t k = 0; k < width; ++k) rows.push_back(values[place * width + k]);
  return rows;
}

template <class T>
struct TypedCase {
  TypedCase(MPI_Comm comm, std::uint64_t seed)
      : draw(seed),
        dimension(2 + static_cast<int>(draw.below(2))),
        scene(draw, dimension, size_of(comm)) {
    const auto space = static_cast<Space>(draw.below(static_cast<std::size_t>(Space::count)));
    options.box = scene_box(space, dimension);
    options.linking_length = draw.one_of({0.01, 0.05, 0.1});
    options.min_size = draw.one_of<std::size_t>({1, 5});
    options.strict = draw.below(3) == 0;
    for (std::size_t i = 0; i < scene.all.size(); ++i) {
      mass.push_back(draw.uniform());
      for (int axis = 0; axis < dimension; ++axis) velocity.push_back(draw.normal());
    }
    for (std::size_t t = 0; t < scene.type.size(); ++t)
      type.resize(type.size() + scene.type[t].all.size(), static_cast<std::uint8_t>(t));
  }

  Draw draw;
  int dimension;
  TypedScene<T> scene;
  FofOptions options;
  std::vector<double> mass, velocity;
  std::vector<std::uint8_t> type;
};

template <class T>
void check_types(MPI_Comm comm, std::uint64_t seed, const Execution& execution) {
  TypedCase<T> c(comm, seed);
  const int rank = rank_of(comm);
  const auto d = static_cast<std::size_t>(c.dimension);
  const Groups reference = fof(c.scene.whole(), c.options, {.threads = 1});
  const kith::Members members = kith::members(reference);

  const mpi::Groups groups = mpi::fof(comm, c.scene.parts(rank), c.options, execution);
  const std::vector<std::size_t> places = c.scene.places(rank);
  ASSERT_EQ(groups.count(), reference.count());
  ASSERT_EQ(groups.label().size(), places.size());
  for (std::size_t i = 0; i < places.size(); ++i)
    ASSERT_EQ(groups.label()[i], reference.label()[places[i]]) << "point " << places[i];
  for (std::size_t g = 0; g < groups.sizes().size(); ++g) {
    ASSERT_EQ(groups.sizes()[g], static_cast<std::int64_t>(reference.size(groups.first() + g)));
    ASSERT_EQ(groups.lowest()[g], static_cast<std::int64_t>(reference.lowest(groups.first() + g)));
  }

  const std::vector<T> x = chosen(c.scene.all.x, places, d);
  const std::vector<double> mass = chosen(c.mass, places), v = chosen(c.velocity, places, d);
  const std::vector<std::uint8_t> type = chosen(c.type, places);
  const PointsView part = view(x.data(), places.size(), c.dimension), all = c.scene.all.view();
  const CenterOptions center{
      .box = c.options.box,
      .types = {0},
      .kind = c.draw.below(2) == 0 ? CenterKind::potential : CenterKind::shrinking,
      .softening = 0.01};
  CenterOptions whole_center = center, own_center = center;
  whole_center.mass = values(c.mass);
  whole_center.type = c.type;
  own_center.mass = values(mass);
  own_center.type = type;
  const std::vector<double> peaks = centers(all, members, whole_center, {.threads = 1});
  const std::vector<double> own_peaks = mpi::centers(part, groups, own_center, execution);
  expect_column("peak", own_peaks, peaks, groups.first(), groups.sizes().size(), groups.count());

  const Catalogue expected = catalogue(all, members,
                                       {.box = c.options.box,
                                        .mass = values(c.mass),
                                        .velocity = view(c.velocity.data(), all.size, c.dimension),
                                        .type = c.type,
                                        .peak = peaks},
                                       {.threads = 1});
  expect_rows(mpi::catalogue(part, groups,
                             {.mass = values(mass),
                              .velocity = view(v.data(), places.size(), c.dimension),
                              .type = type,
                              .peak = own_peaks},
                             execution),
              expected, groups.first());

  SubhaloOptions sub{.box = c.options.box,
                     .velocity = view(c.velocity.data(), all.size, c.dimension),
                     .mass = values(c.mass),
                     .linking_length = 0.5,
                     .min_size = 2};
  const Subhalos parts = subhalos(all, members, sub, {.threads = 1});
  sub.velocity = view(v.data(), places.size(), c.dimension);
  sub.mass = values(mass);
  expect_subhalos(comm, mpi::subhalos(part, groups, sub, execution), parts);

  if (c.dimension > 3 || c.draw.below(3) > 0) return;
  SubhaloOptions bound{.method = c.draw.one_of({SubhaloMethod::subfind, SubhaloMethod::phase}),
                       .box = c.options.box,
                       .velocity = view(c.velocity.data(), all.size, c.dimension),
                       .mass = values(c.mass),
                       .type = c.type,
                       .types = 5,
                       .min_size = 3,
                       .gravity = 10,
                       .softening = 0.01,
                       .density_neighbors = 8,
                       .link_neighbors = 5};
  const Subhalos expected_bound = subhalos(all, members, bound, {.threads = 1});
  bound.velocity = sub.velocity;
  bound.mass = sub.mass;
  bound.type = type;
  expect_subhalos(comm, mpi::subhalos(part, groups, bound, execution), expected_bound);
}

template <class T>
void check_spheres(MPI_Comm comm, std::uint64_t seed, const Execution& execution) {
  Draw draw(seed);
  const int rank = rank_of(comm), ranks = size_of(comm);
  const auto shape = static_cast<Shape>(draw.below(static_cast<std::size_t>(Shape::count)));
  const auto space = static_cast<Space>(draw.below(static_cast<std::size_t>(Space::count)));
  const auto deal = static_cast<Deal>(draw.below(static_cast<std::size_t>(Deal::count)));
  const int dimension = 2 + static_cast<int>(draw.below(2));
  const std::size_t n = draw.below(4) == 0 ? 1 + draw.below(5) : 300 + draw.below(700);
  const PointSet<T> set = scene_points<T>(shape, dimension, n, draw.random());
  const Scene<T> scene(set, dealt(set, deal, ranks, draw.random()), ranks);
  const Box box = scene_box(space, dimension);
  std::vector<double> mass, centers, within, guess;
  for (std::size_t i = 0; i < n; ++i) mass.push_back(draw.uniform());
  const std::size_t count = draw.below(20);
  for (std::size_t i = 0; i < count; ++i) {
    const T* row = scene.all.row(draw.below(n));
    for (int axis = 0; axis < dimension; ++axis)
      centers.push_back(draw.below(3) == 0 ? draw.uniform() : static_cast<double>(row[axis]));
    within.push_back(draw.one_of({0.01, 0.1, 1.0}));
    guess.push_back(draw.one_of({0.0, 1.0, 100.0}));
  }
  OverdensityOptions options{.density = {static_cast<double>(n), 20.0 * static_cast<double>(n)},
                             .mass = values(mass),
                             .within = values(within),
                             .mass_guess = values(guess)};
  const Overdensities expected =
      overdensities(AnyTree(scene.all.view(), {.box = box}), centers, options, {.threads = 1});

  // Each rank asks for some of the centers.
  const auto d = static_cast<std::size_t>(dimension);
  const std::size_t begin =
      count * static_cast<std::size_t>(rank) / static_cast<std::size_t>(ranks);
  const std::size_t end =
      count * static_cast<std::size_t>(rank + 1) / static_cast<std::size_t>(ranks);
  const PointsView part = scene.part(rank);
  options.mass = values(std::span<const double>(mass).subspan(scene.begin(rank), part.size));
  options.within = values(std::span<const double>(within).subspan(begin, end - begin));
  options.mass_guess = values(std::span<const double>(guess).subspan(begin, end - begin));
  const auto domains = mpi::Domains::curve(comm, part, {{.box = box}}, execution);
  const Overdensities own = mpi::overdensities(
      domains, std::span<const double>(centers).subspan(begin * d, (end - begin) * d), options,
      execution);
  ASSERT_EQ(own.mass.size(), (end - begin) * 2);
  EXPECT_TRUE(are_same(own.mass.data(), expected.mass.data() + begin * 2, own.mass.size()));
  EXPECT_TRUE(are_same(own.radius.data(), expected.radius.data() + begin * 2, own.mass.size()));
  EXPECT_TRUE(are_same(own.size.data(), expected.size.data() + begin * 2, own.mass.size()));
}

TEST(MpiHalos, OfSeveralTypesHaveTheBitsOfOneProcess) {
  check_cases(8, []<class T>(MPI_Comm comm, std::uint64_t seed, int threads) {
    check_types<T>(comm, seed, {.threads = threads});
  });
}

TEST(MpiHalos, SpheresHaveTheBitsOfOneProcess) {
  check_cases(8, []<class T>(MPI_Comm comm, std::uint64_t seed, int threads) {
    check_spheres<T>(comm, seed, {.threads = threads});
  });
}

/// As SWIFT tests its weak scaling: every rank adds the same universe, one box farther on. All
/// coordinates are multiples of 2^-16, so that copies are exact.
TEST(MpiHalos, OfReplicatedUniverseAreCopies) {
  on_ranks(std::min(8, world_size()), [](MPI_Comm comm) {
    const int copies = size_of(comm);
    PointSet<float> set = scene_points<float>(Shape::clustered, 3, 3000, 5);
    for (float& x : set.x) {
      x -= std::floor(x);
      x = std::floor(x * 65536) / 65536;
      if (x == 1) x = 0;
    }
    const FofOptions one{.box = Box::periodic(1), .linking_length = 0.02, .min_size = 5};
    const Groups reference = fof(set.view(), one, {.threads = 1});
    const Catalogue expected = catalogue(set.view(), reference, {.box = one.box}, {.threads = 1});
    ASSERT_GT(reference.count(), 5u);
    for (std::size_t i = 0; i < set.size(); ++i) set.x[3 * i] += static_cast<float>(rank_of(comm));
    FofOptions many = one;
    many.box = Box::periodic({static_cast<double>(copies), 1, 1});
    const auto domains = mpi::Domains::curve(comm, set.view(), {{.box = many.box}}, {.threads = 1});
    const auto groups = mpi::fof(domains, many, RowOrder::input, {.threads = 1});
    const Catalogue rows = mpi::catalogue(domains, set.view(), groups, {}, {.threads = 1});
    ASSERT_EQ(groups.count(), reference.count() * static_cast<std::size_t>(copies));
    // Equal sizes of the one universe stand by their copies here: sizes alone can be compared by
    // row.
    std::vector<std::size_t> sizes;
    for (std::size_t g = 0; g < reference.count(); ++g)
      sizes.insert(sizes.end(), static_cast<std::size_t>(copies), reference.size(g));
    for (std::size_t g = 0; g < rows.count(); ++g) {
      ASSERT_EQ(static_cast<std::size_t>(rows.size[g]), sizes[groups.first() + g]);
      // Somewhere in the one universe there is the same halo.
      bool is_copy = false;
      for (std::size_t e = 0; e < expected.count() && !is_copy; ++e) {
        is_copy = expected.size[e] == rows.size[g] &&
                  std::abs(expected.radius[e] - rows.radius[g]) < 1e-6;
        for (std::size_t axis = 0; axis < 3; ++axis) {
          const double apart = rows.center[3 * g + axis] - expected.center[3 * e + axis];
          is_copy = is_copy && std::abs(apart - std::round(apart)) < 1e-6;
        }
      }
      EXPECT_TRUE(is_copy) << "group " << groups.first() + g;
    }
  });
}

TEST(MpiHalos, RefuseWhatMakesNoSense) {
  on_ranks(std::min(2, world_size()), [](MPI_Comm comm) {
    const std::vector<float> x(30, 0.5f);
    const PointsView points = view(x.data(), 10, 3);
    const TypedPoints attached[] = {{points, Role::attached}};
    EXPECT_THROW(mpi::fof(comm, attached, {.linking_length = 1}), Error);
    const TypedPoints linked[] = {{points, Role::linked}};
    EXPECT_THROW(mpi::fof(comm, linked, {.linking_length = 1, .keep_roots = true}), Error);
    const auto domains = mpi::Domains::curve(comm, points);
    const auto groups = mpi::fof(domains, {.linking_length = 1});
    EXPECT_THROW(mpi::catalogue(points, groups), Error);  // they know of no domains
    EXPECT_THROW(mpi::overdensities(domains, std::vector<double>{1.0}, {.density = {1}}), Error);
    EXPECT_THROW(mpi::overdensities(domains, {}, {.density = {}}), Error);
  });
}

}  // namespace
}  // namespace kith::test

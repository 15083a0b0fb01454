// The catalogue over ranks: the rows of one process, bit for bit; and members with their payload.
#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>

#include <kith/kith.hpp>
#include <kith/mpi.hpp>

#include "mpi/scenes.hpp"
#include "support/property.hpp"

namespace kith::test {
namespace {

/// The rows of this rank against those of one process.
template <class Value>
void expect_column(const char* name, const std::vector<Value>& own, const std::vector<Value>& all,
                   std::uint64_t first, std::size_t rows, std::size_t count) {
  if (count == 0) return;
  const std::size_t width = all.size() / count;
  ASSERT_EQ(own.size(), rows * width) << name;
  if (own.empty()) return;
  EXPECT_EQ(std::memcmp(own.data(), all.data() + first * width, own.size() * sizeof(Value)), 0)
      << name;
}

void expect_rows(const Catalogue& own, const Catalogue& all, std::uint64_t first) {
  const auto same = [&](const char* name, auto column) {
    expect_column(name, own.*column, all.*column, first, own.count(), all.count());
  };
  EXPECT_EQ(own.dimension, all.dimension);
  EXPECT_EQ(own.types, all.types);
  same("size", &Catalogue::size);
  same("mass", &Catalogue::mass);
  same("type_size", &Catalogue::type_size);
  same("type_mass", &Catalogue::type_mass);
  same("center", &Catalogue::center);
  same("velocity", &Catalogue::velocity);
  same("radius", &Catalogue::radius);
  same("inertia_radius", &Catalogue::inertia_radius);
  same("velocity_dispersion", &Catalogue::velocity_dispersion);
  same("max_circular_velocity", &Catalogue::max_circular_velocity);
  same("angular_momentum", &Catalogue::angular_momentum);
  same("shape", &Catalogue::shape);
  same("axes", &Catalogue::axes);
  same("lower", &Catalogue::lower);
  same("upper", &Catalogue::upper);
  same("first", &Catalogue::first);
  same("spans", &Catalogue::spans);
  same("contaminating_size", &Catalogue::contaminating_size);
  same("contaminating_mass", &Catalogue::contaminating_mass);
}

/// What belongs to the points, as one process has it.
template <class T>
struct Belongings {
  PointSet<T> velocity;
  std::vector<float> mass;
  std::vector<std::uint8_t> type;

  Belongings(Draw& draw, int dimension, std::size_t n) {
    if (draw.below(3) > 0)
      velocity = make_set<T>("v", dimension, n, [&](auto, int) { return draw.normal(); });
    const bool has_mass = draw.below(3) > 0, has_types = draw.below(2) == 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (has_mass) mass.push_back(static_cast<float>(draw.uniform()));
      if (has_types) type.push_back(static_cast<std::uint8_t>(draw.below(4)));
    }
  }

  CatalogueOptions part(std::size_t begin, std::size_t size) const {
    CatalogueOptions options{.gravity = mass.empty() ? 0.0 : 43.0};
    if (!velocity.x.empty() && size > 0)
      options.velocity = view(velocity.row(begin), size, velocity.dimension);
    if (!mass.empty()) options.mass = values(std::span(mass).subspan(begin, size));
    if (!type.empty()) {
      options.type = std::span(type).subspan(begin, size);
      options.types = 5;
      options.contaminating_types = {2};
    }
    return options;
  }
};

template <class T>
void check_case(MPI_Comm comm, std::uint64_t seed, int threads) {
  Draw draw(seed);
  const int rank = rank_of(comm), ranks = size_of(comm);
  const auto shape = static_cast<Shape>(draw.below(static_cast<std::size_t>(Shape::count)));
  const auto space = static_cast<Space>(draw.below(static_cast<std::size_t>(Space::count)));
  const auto deal = static_cast<Deal>(draw.below(static_cast<std::size_t>(Deal::count)));
  const int dimension = 2 + static_cast<int>(draw.below(3));
  // Groups of several blocks of 4,096 members in some cases.
  const std::size_t n = draw.below(6) == 0 ? 10000 : draw.below(2000);
  const PointSet<T> set = scene_points<T>(shape, dimension, n, draw.random());
  const Scene<T> scene(set, dealt(set, deal, ranks, draw.random()), ranks);
  const Belongings<T> has(draw, dimension, n);
  const double separation = std::pow(static_cast<double>(n + 1), -1.0 / dimension);
  const FofOptions options{.box = scene_box(space, dimension),
                           .linking_length = separation * draw.one_of({0.3, 0.6, 0.9}),
                           .min_size = draw.one_of<std::size_t>({1, 5})};
  const Execution execution{.threads = threads};

  const Groups reference = fof(scene.all.view(), options, {.threads = 1});
  CatalogueOptions whole = has.part(0, n);
  whole.box = options.box;
  const Catalogue expected = catalogue(scene.all.view(), reference, whole, {.threads = 1});

  const PointsView part = scene.part(rank);
  const mpi::DomainOptions tree{{.box = options.box}};
  const auto domains = draw.below(3) == 0 ? mpi::Domains::keep(comm, part, tree, execution)
                                          : mpi::Domains::curve(comm, part, tree, execution);
  const auto groups = mpi::fof(domains, options, RowOrder::input, execution);
  expect_rows(
      mpi::catalogue(domains, part, groups, has.part(scene.begin(rank), part.size), execution),
      expected, groups.first());

  const mpi::Members members = mpi::members(domains, groups, execution);
  const kith::Members all = kith::members(reference);
  std::vector<std::int64_t> index(part.size);
  for (std::size_t i = 0; i < part.size; ++i)
    index[i] = static_cast<std::int64_t>(scene.begin(rank) + i);
  const auto carried = members.to_group_order(std::span<const std::int64_t>(index), execution);
  ASSERT_EQ(members.first(), groups.first());
  ASSERT_EQ(members.count(), groups.sizes().size());
  for (std::size_t g = 0; g < members.count(); ++g) {
    const auto own = members.of(g);
    const auto one = all.of(members.first() + g);
    ASSERT_TRUE(std::equal(own.begin(), own.end(), one.begin(), one.end())) << "group " << g;
  }
  EXPECT_TRUE(
      std::equal(carried.begin(), carried.end(), members.index().begin(), members.index().end()));
}

TEST(MpiCatalogue, HasTheBitsOfOneProcess) {
  check_cases(10, []<class T>(MPI_Comm comm, std::uint64_t seed, int threads) {
    check_case<T>(comm, seed, threads);
  });
}

TEST(MpiCatalogue, RefusesArraysThatDoNotFit) {
  on_ranks(std::min(3, world_size()), [](MPI_Comm comm) {
    const std::vector<float> x(30, 0.5f);
    const auto domains = mpi::Domains::curve(comm, view(x.data(), 10, 3));
    const auto groups = mpi::fof(domains, {.linking_length = 1});
    const std::vector<double> mass(rank_of(comm) == 0 ? 9 : 10, 1.0);
    EXPECT_THROW(mpi::catalogue(domains, view(x.data(), 10, 3), groups, {.mass = values(mass)}),
                 Error);
    EXPECT_THROW(mpi::catalogue(domains, view(x.data(), 9, 3), groups), Error);
    EXPECT_THROW(mpi::catalogue(domains, view(x.data(), 10, 3), groups, {.box = Box::periodic(1)}),
                 Error);
    const auto rows = mpi::catalogue(domains, view(x.data(), 10, 3), groups);
    EXPECT_EQ(rows.count(), groups.sizes().size());
  });
}

}  // namespace
}  // namespace kith::test

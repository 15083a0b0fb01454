// The catalogue over ranks: the rows of one process, bit for bit; and members with their payload.
#include <gtest/gtest.h>

#include <kith/kith.hpp>
#include <kith/mpi.hpp>

#include "mpi/group_checks.hpp"
#include "support/property.hpp"

namespace kith::test {
namespace {

template <class T>
void check_catalogue(MPI_Comm comm, std::uint64_t seed, int threads) {
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
  const Names name = Names::drawn(draw.below(8));
  const std::vector<std::int64_t> ids = name.ids(scene.begin(rank), part.size);
  const mpi::DomainOptions tree{{.box = options.box}, ids, name.first_index()};
  const auto domains = draw.below(3) == 0 ? mpi::Domains::keep(comm, part, tree, execution)
                                          : mpi::Domains::curve(comm, part, tree, execution);
  const auto groups = mpi::fof(domains, options, RowOrder::input, execution);
  Catalogue rows =
      mpi::catalogue(domains, part, groups, has.part(scene.begin(rank), part.size), execution);
  for (auto& lowest : rows.lowest) {
    const std::size_t place = name.place(lowest);
    EXPECT_EQ(name(place), lowest);
    lowest = static_cast<std::int64_t>(place);
  }
  expect_rows(rows, expected, groups.first());

  expect_members(comm, mpi::members(domains, groups, execution), kith::members(reference), scene,
                 execution, name);
}

TEST(MpiCatalogue, HasTheBitsOfOneProcess) {
  check_cases(10, []<class T>(MPI_Comm comm, std::uint64_t seed, int threads) {
    check_catalogue<T>(comm, seed, threads);
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

// Ranks that have a device each: the bits of one process on its CPU.
#include <cstring>

#include <kith/gpu.hpp>
#include <kith/kith.hpp>
#include <kith/mpi.hpp>

#include "gpu/support.hpp"
#include "mpi/scenes.hpp"
#include "support/catalogues.hpp"

namespace kith::test {
namespace {

class MpiDevices : public OnDevice {};

const Execution kOnDevice{.threads = 1, .device = "gpu"};

template <class T>
Scene<T> drawn_scene(Draw& draw, int dimension, MPI_Comm comm) {
  const auto shape = static_cast<Shape>(draw.below(static_cast<std::size_t>(Shape::count)));
  const auto deal = static_cast<Deal>(draw.below(static_cast<std::size_t>(Deal::count)));
  const auto set = scene_points<T>(shape, dimension, draw.below(6) ? 600 : 9000, draw.random());
  return {set, dealt(set, deal, size_of(comm), draw.random()), size_of(comm)};
}

template <class T>
void check_rows(const Neighbors<T, std::int64_t>& found, const Neighbors<T, std::int64_t>& expected,
                std::size_t first) {
  const std::size_t from = first * found.k(), values = found.size() * found.k();
  if (values == 0) return;
  EXPECT_EQ(std::memcmp(found.indices(), expected.indices() + from, values * sizeof(std::int64_t)),
            0);
  EXPECT_EQ(std::memcmp(found.distances(), expected.distances() + from, values * sizeof(T)), 0);
}

template <class T>
void check_neighbors(MPI_Comm comm, std::uint64_t seed) {
  Draw draw(seed);
  const int rank = rank_of(comm), dimension = 3;
  const Scene<T> scene = drawn_scene<T>(draw, dimension, comm);
  const auto space = static_cast<Space>(draw.below(static_cast<std::size_t>(Space::count)));
  TreeOptions tree{.box = scene_box(space, dimension)};
  if (draw.below(3) == 0) tree.builder = Builder::cells;
  KnnOptions options{.k = draw.one_of<std::size_t>({1, 4, 7}), .exclude_self = draw.below(2) == 0};
  if (draw.below(3) == 0) options.max_radius = 0.1;
  const AnyTree one(scene.all.view(), tree, {.threads = 1});
  const auto domains = mpi::Domains::curve(comm, scene.part(rank), {.tree = tree}, kOnDevice);
  check_rows<T>(mpi::knn<T>(domains, options, kOnDevice),
                knn<T, std::int64_t>(one, options, {.threads = 1}), scene.begin(rank));
  EXPECT_EQ(mpi::sph_density(domains, {.k = 8}, RowOrder::input, kOnDevice).size(),
            scene.part(rank).size);
  options.exclude_self = false;
  check_rows<T>(mpi::knn<T>(domains, scene.part(rank), options, kOnDevice),
                knn<T, std::int64_t>(one, scene.all.view(), options, {.threads = 1}),
                scene.begin(rank));
}

template <class T>
void check_groups(MPI_Comm comm, std::uint64_t seed) {
  Draw draw(seed);
  const int rank = rank_of(comm), dimension = 3;
  const Scene<T> scene = drawn_scene<T>(draw, dimension, comm);
  const auto space = static_cast<Space>(draw.below(static_cast<std::size_t>(Space::count)));
  const FofOptions options{.box = scene_box(space, dimension),
                           .linking_length = draw.one_of({0.01, 0.03, 0.1}),
                           .min_size = draw.one_of<std::size_t>({1, 3})};
  const kith::Groups expected = fof(scene.all.view(), options, {.threads = 1});
  const PointsView part = scene.part(rank);
  const auto domains = mpi::Domains::curve(comm, part, {{.box = options.box}}, kOnDevice);
  const auto groups = mpi::fof(domains, options, RowOrder::input, kOnDevice);
  ASSERT_EQ(groups.count(), expected.count());
  for (std::size_t i = 0; i < part.size; ++i)
    ASSERT_EQ(groups.label()[i], expected.label()[scene.begin(rank) + i]) << i;
  const Belongings<T> has(draw, dimension, scene.all.size());
  CatalogueOptions whole = has.part(0, scene.all.size());
  whole.box = options.box;
  expect_rows(
      mpi::catalogue(domains, part, groups, has.part(scene.begin(rank), part.size), kOnDevice),
      catalogue(scene.all.view(), expected, whole, {.threads = 1}), groups.first());
}

template <class Check>
void for_seeds(std::uint64_t count, Check check) {
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    check(MPI_COMM_WORLD, seed);
    quiet_barrier();
  }
}

TEST_F(MpiDevices, NeighborsHaveTheBitsOfOneProcess) {
  for_seeds(12, check_neighbors<float>);
  for_seeds(4, check_neighbors<double>);
}

TEST_F(MpiDevices, GroupsAndCataloguesHaveTheBitsOfOneProcess) {
  for_seeds(12, check_groups<float>);
  for_seeds(4, check_groups<double>);
}

/// With as many devices as ranks, each is used by one of them.
TEST_F(MpiDevices, EachRankHasItsOwn) {
  const auto all = gpu::devices();
  const std::vector<float> x(300, 0.5f);
  const auto domains = mpi::Domains::curve(MPI_COMM_WORLD, view(x.data(), 100, 3));
  const auto mine = static_cast<std::size_t>(world_rank()) % all.size();
  std::vector<std::uint64_t> before;
  for (const auto& device : all) before.push_back(gpu::traffic(device.name).launches);
  mpi::fof(domains, {.linking_length = 1}, RowOrder::input, kOnDevice);
  for (std::size_t i = 0; i < all.size(); ++i)
    EXPECT_EQ(gpu::traffic(all[i].name).launches > before[i], i == mine) << all[i].name;
}

TEST_F(MpiDevices, OthersAreRefused) {
  const std::vector<float> x(30, 0.5f);
  const auto domains = mpi::Domains::curve(MPI_COMM_WORLD, view(x.data(), 10, 3));
  const std::vector<double> radii = {0.1, 0.2};
  try {
    mpi::pair_counts(domains, domains, {.radii = radii}, kOnDevice);
    ADD_FAILURE() << "was found";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unavailable) << error.what();
  }
  EXPECT_THROW(mpi::fof(domains, {.linking_length = 1}, RowOrder::input, {.device = "gpu:99"}),
               Error);
  // A rank may name the CPU while others use devices.
  const Execution mixed{.threads = 1, .device = world_rank() == 0 ? "cpu" : "gpu"};
  EXPECT_EQ(mpi::fof(domains, {.linking_length = 1}, RowOrder::input, mixed).count(), 1u);
}

}  // namespace
}  // namespace kith::test

// DBSCAN over ranks: the labels and core points of one process.
#include <algorithm>
#include <gtest/gtest.h>

#include <kith/kith.hpp>
#include <kith/mpi.hpp>

#include "mpi/scenes.hpp"
#include "support/property.hpp"

namespace kith::test {
namespace {

DbscanOptions draw_dbscan(Draw& draw) {
  DbscanOptions options{.eps = std::pow(10.0, -2.5 + 2.5 * draw.uniform())};
  if (draw.below(4) == 0) options.eps = draw.one_of({0.125, 1e-40, 3.0});  // a grid; none; all
  options.min_samples = draw.one_of({1, 2, 3, 4, 9, 40});
  options.border = draw.one_of({Border::nearest, Border::sklearn, Border::none});
  options.border_links = draw.one_of({1, 1, 2, 3});
  return options;
}

std::vector<double> draw_sample_weights(Draw& draw, std::size_t n) {
  std::vector<double> weight;
  const std::size_t kind = draw.below(3);
  for (std::size_t i = 0; kind > 0 && i < n; ++i)
    weight.push_back(kind == 1 ? 0.1 * static_cast<double>(1 + draw.below(30))
                               : static_cast<double>(draw.below(9)) / 8 - 0.25);
  return weight;
}

template <class T>
void expect_clusters(const mpi::Clusters& found, const Clusters& expected, const Scene<T>& scene,
                     int rank, const Names& name) {
  const std::size_t begin = scene.begin(rank), count = scene.part(rank).size;
  const auto label = found.groups.label();
  ASSERT_EQ(label.size(), count);
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(found.is_core[i], expected.is_core()[begin + i]) << "point " << begin + i;
    ASSERT_EQ(label[i], expected.label()[begin + i]) << "point " << begin + i;
  }
  ASSERT_EQ(found.groups.count(), expected.count());
  EXPECT_EQ(found.groups.linking_length(), expected.groups().linking_length());
  const auto sizes = expected.sizes();
  for (std::size_t i = 0; i < found.groups.sizes().size(); ++i) {
    const std::size_t row = found.groups.first() + i;
    ASSERT_EQ(found.groups.sizes()[i], sizes[row]);
    ASSERT_EQ(found.groups.lowest()[i],
              name(static_cast<std::size_t>(expected.groups().lowest(row))));
  }
}

template <class T>
void check_clusters(MPI_Comm comm, std::uint64_t seed, int threads) {
  Draw draw(seed);
  const int rank = rank_of(comm), dimension = draw.one_of({1, 2, 3, 3, 4});
  const auto shape = static_cast<Shape>(draw.below(static_cast<std::size_t>(Shape::count)));
  const auto space = static_cast<Space>(draw.below(static_cast<std::size_t>(Space::count)));
  const auto deal = static_cast<Deal>(draw.below(static_cast<std::size_t>(Deal::count)));
  const std::size_t n = draw.below(6) == 0 ? draw.below(4) : draw.below(900);
  const PointSet<T> set = scene_points<T>(shape, dimension, n, seed);
  const Scene<T> scene(set, dealt(set, deal, size_of(comm), seed), size_of(comm));
  TreeOptions tree{.box = scene_box(space, dimension)};
  if (draw.below(4) == 0) tree.builder = Builder::cells;
  DbscanOptions options = draw_dbscan(draw), own = options;
  const std::vector<double> weight = draw_sample_weights(draw, n);
  const PointsView part = scene.part(rank);
  options.sample_weight = weight;
  if (!weight.empty())
    own.sample_weight = std::span<const double>(weight).subspan(scene.begin(rank), part.size);
  SCOPED_TRACE(testing::Message() << n << " points, eps " << options.eps << ", min_samples "
                                  << options.min_samples << ", border " << name(options.border)
                                  << ", links " << options.border_links << ", shape "
                                  << static_cast<int>(shape) << ", space "
                                  << static_cast<int>(space) << ", deal " << static_cast<int>(deal)
                                  << ", " << dimension << "-d, weights " << weight.size());
  const Names names = Names::drawn(draw.below(8));
  const std::vector<std::int64_t> ids = names.ids(scene.begin(rank), part.size);
  const mpi::DomainOptions domain_options{tree, ids, names.first_index()};
  const Execution together{.threads = threads};
  const auto domains = draw.below(3) == 0
                           ? mpi::Domains::keep(comm, part, domain_options, together)
                           : mpi::Domains::curve(comm, part, domain_options, together);
  const Clusters expected = dbscan(AnyTree(scene.all.view(), tree), options, {.threads = 1});
  expect_clusters(mpi::dbscan(domains, own, RowOrder::input, together), expected, scene, rank,
                  names);
  const mpi::Clusters in_tree = mpi::dbscan(domains, own, RowOrder::tree, together);
  const auto index = domains.global_index();
  for (std::size_t i = 0; i < index.size(); ++i) {
    const std::size_t place = names.place(index[i]);
    ASSERT_EQ(in_tree.groups.label()[i], expected.label()[place]);
    ASSERT_EQ(in_tree.is_core[i], expected.is_core()[place]);
  }
}

TEST(MpiDbscan, HasTheClustersOfOneProcess) {
  check_cases(24, []<class T>(MPI_Comm comm, std::uint64_t seed, int threads) {
    check_clusters<T>(comm, seed, threads);
  });
}

/// One cluster through all ranks, with border points between its pieces.
TEST(MpiDbscan, AClusterWindsThroughAllRanks) {
  on_ranks(std::min(16, world_size()), [](MPI_Comm comm) {
    const int rank = rank_of(comm), ranks = size_of(comm);
    PointSet<double> line{"line", 2, {}};
    for (std::size_t i = 0; i < 3000; ++i) {
      line.x.push_back(1e-3 * static_cast<double>(i));
      line.x.push_back(i % 10 == 5 ? 8e-4 : 0);
    }
    const Scene<double> scene(line, dealt(line, Deal::random, ranks, 5), ranks);
    for (const Border border : {Border::nearest, Border::sklearn, Border::none}) {
      const DbscanOptions options{.eps = 1.4e-3, .min_samples = 3, .border = border};
      expect_clusters(mpi::dbscan(comm, scene.part(rank), options),
                      dbscan(scene.all.view(), options), scene, rank, {});
    }
  });
}

TEST(MpiDbscan, DroppedPointsAreInNoCluster) {
  on_ranks(std::min(3, world_size()), [](MPI_Comm comm) {
    PointSet<float> set = scene_points<float>(Shape::clustered, 3, 200, 3);
    set.x[3 * 100] = std::numeric_limits<float>::quiet_NaN();
    const Scene<float> scene(set, dealt(set, Deal::even, size_of(comm), 1), size_of(comm));
    const DbscanOptions options{.eps = 0.05, .non_finite = NonFinite::drop};
    expect_clusters(mpi::dbscan(comm, scene.part(rank_of(comm)), options),
                    dbscan(scene.all.view(), options), scene, rank_of(comm), {});
  });
}

}  // namespace
}  // namespace kith::test

// k nearest neighbors over ranks: the bytes of one process.
#include <cstring>
#include <gtest/gtest.h>

#include <kith/kith.hpp>
#include <kith/mpi.hpp>

#include "mpi/scenes.hpp"
#include "support/property.hpp"

namespace kith::test {
namespace {

struct KnnCase {
  Shape shape;
  Deal deal;
  Space space;
  int dimension;
  std::size_t n, queries;
  bool is_kept;
  Names name;
  KnnOptions options;
  TreeOptions tree;
  int threads;
  std::uint64_t seed;
};

KnnCase draw_case(int number, int threads) {
  std::mt19937_64 random(static_cast<std::uint64_t>(number) * 977 + 5);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  KnnCase c{};
  c.shape = static_cast<Shape>(number % static_cast<int>(Shape::count));
  c.space =
      static_cast<Space>(number / static_cast<int>(Shape::count) % static_cast<int>(Space::count));
  c.deal = static_cast<Deal>(below(static_cast<int>(Deal::count)));
  c.dimension = 2 + below(3);
  c.n = static_cast<std::size_t>(below(4) == 0 ? below(24) : 200 + below(400));
  c.queries = static_cast<std::size_t>(below(3) == 0 ? below(4) : below(200));
  c.is_kept = below(3) == 0;
  c.name = Names::drawn(static_cast<std::size_t>(below(8)));
  c.options.k = static_cast<std::size_t>(1 + below(below(3) == 0 ? 40 : 12));
  c.options.exclude_self = below(2) == 0;
  if (below(3) == 0) c.options.max_radius = 0.02 + 0.02 * below(10);
  c.options.strict = below(4) == 0;
  c.tree.box = scene_box(c.space, c.dimension);
  if (below(3) == 0) {
    c.tree.builder = Builder::cells;
    c.tree.max_leaf_size = 12;
  }
  c.threads = threads;
  c.seed = random();
  c.options.p = scene_norm(random() % 8);
  return c;
}

std::string words(const KnnCase& c) {
  return "shape " + std::to_string(static_cast<int>(c.shape)) + " deal " +
         std::to_string(static_cast<int>(c.deal)) + " n " + std::to_string(c.n) + " d " +
         std::to_string(c.dimension) + " k " + std::to_string(c.options.k) + " p " +
         std::to_string(c.options.p) + (c.is_kept ? " kept" : "") + (c.name.step ? " ids" : "") +
         " from " + std::to_string(c.name.first);
}

/// Rows of the reference against rows of this rank; `name` turns an index into a global one.
template <class T, class Reference, class Name>
void expect_row(const Reference& reference, std::size_t i, const Neighbors<T, std::int64_t>& rows,
                std::size_t j, const Name& name) {
  const std::size_t k = rows.k();
  for (std::size_t n = 0; n < k; ++n) {
    const std::int64_t index = reference.index(i)[n];
    ASSERT_EQ(rows.index(j)[n], index < 0 ? -1 : name(static_cast<std::size_t>(index)))
        << "row " << i << ", neighbor " << n;
  }
  ASSERT_EQ(std::memcmp(rows.distance(j).data(), reference.distance(i).data(), k * sizeof(T)), 0)
      << "row " << i;
}

template <class T>
void check_case(MPI_Comm comm, const KnnCase& c) {
  const int rank = rank_of(comm), ranks = size_of(comm);
  const PointSet<T> set = scene_points<T>(c.shape, c.dimension, c.n, c.seed);
  const Scene<T> scene(set, dealt(set, c.deal, ranks, c.seed), ranks);
  const std::size_t begin = scene.begin(rank);
  const PointsView part = scene.part(rank);
  const Names& name = c.name;
  const std::vector<std::int64_t> ids = name.ids(begin, part.size);
  const mpi::DomainOptions options{c.tree, ids, name.first_index()};
  const Execution execution{.threads = c.threads};
  const mpi::Domains domains = c.is_kept    ? mpi::Domains::keep(comm, part, options, execution)
                               : c.seed % 2 ? mpi::Domains::kd(comm, part, options, execution)
                                            : mpi::Domains::curve(comm, part, options, execution);
  EXPECT_EQ(domains.total(), scene.all.size());

  const AnyTree tree(scene.all.view(), c.tree, {.threads = 1});
  const auto reference = knn<T>(tree, c.options, {.threads = 1});

  KnnOptions knn_options = c.options;
  const auto rows = mpi::knn<T>(domains, knn_options, execution);
  ASSERT_EQ(rows.size(), part.size);
  for (std::size_t i = 0; i < part.size; ++i) expect_row(reference, begin + i, rows, i, name);

  knn_options.order = RowOrder::tree;
  const auto own = mpi::knn<T>(domains, knn_options, execution);
  const std::vector<std::int64_t> global = domains.global_index();
  ASSERT_EQ(own.size(), global.size());
  for (std::size_t i = 0; i < own.size(); ++i) {
    const std::size_t place = name.place(global[i]);
    ASSERT_EQ(global[i], name(place));
    expect_row(reference, place, own, i, name);
  }

  // Other points, some on each rank.
  KnnOptions query_options = c.options;
  query_options.exclude_self = false;
  const PointSet<T> queries =
      scene_points<T>(Shape::uniform, c.dimension, c.queries, c.seed + static_cast<unsigned>(rank));
  const auto asked = mpi::knn<T>(domains, queries.view(), query_options, execution);
  const auto expected = knn<T>(tree, queries.view(), query_options, {.threads = 1});
  ASSERT_EQ(asked.size(), queries.size());
  for (std::size_t i = 0; i < queries.size(); ++i) expect_row(expected, i, asked, i, name);
}

TEST(MpiKnn, HasTheBytesOfOneProcess) {
  check_cases(24, []<class T>(MPI_Comm comm, std::uint64_t seed, int threads) {
    const KnnCase c = draw_case(static_cast<int>(seed), threads);
    SCOPED_TRACE(words(c));
    check_case<T>(comm, c);
  });
}

}  // namespace
}  // namespace kith::test

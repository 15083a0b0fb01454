// Lists, counts, densities and pairs over ranks: the bytes of one process.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <gtest/gtest.h>

#include <kith/kith.hpp>
#include <kith/mpi.hpp>

#include "mpi/scenes.hpp"
#include "support/property.hpp"

namespace kith::test {
namespace {

template <class Value>
bool same_bytes(const std::vector<Value>& a, const Value* b) {
  return a.empty() || std::memcmp(a.data(), b, a.size() * sizeof(Value)) == 0;
}

template <class T>
struct Setting {
  Scene<T> scene;
  int rank, ranks;
  TreeOptions options;
  Names name;
  AnyTree tree;
  mpi::Domains domains;
  Execution execution;
  std::size_t begin, count;

  Setting(MPI_Comm comm, const PointSet<T>& set, const std::vector<int>& deal,
          TreeOptions tree_options, bool is_kept, const Names& names, int threads)
      : scene(set, deal, size_of(comm)),
        rank(rank_of(comm)),
        ranks(size_of(comm)),
        options(tree_options),
        name(names),
        tree(scene.all.view(), tree_options, {.threads = 1}),
        domains(made(comm, is_kept, threads)),
        execution{.threads = threads},
        begin(scene.begin(rank)),
        count(scene.part(rank).size) {}

  mpi::Domains made(MPI_Comm comm, bool is_kept, int threads) const {
    const PointsView part = scene.part(rank);
    const std::vector<std::int64_t> ids = name.ids(scene.begin(rank), part.size);
    const mpi::DomainOptions domain_options{options, ids, name.first_index()};
    const Execution on{.threads = threads};
    if (is_kept) return mpi::Domains::keep(comm, part, domain_options, on);
    return scene.all.size() % 2 ? mpi::Domains::kd(comm, part, domain_options, on)
                                : mpi::Domains::curve(comm, part, domain_options, on);
  }
  /// A list of this rank beside that of one process.
  bool is_same(std::span<const std::int64_t> own, std::span<const std::int64_t> all) const {
    return std::equal(
        own.begin(), own.end(), all.begin(), all.end(),
        [&](std::int64_t a, std::int64_t b) { return a == name(static_cast<std::size_t>(b)); });
  }
};

template <class T>
void check_radius(const Setting<T>& s, Draw& draw) {
  RadiusOptions options{.radius = 0.3 * draw.uniform(),
                        .strict = draw.below(2) == 0,
                        .exclude_self = draw.below(2) == 0,
                        .max_neighbors = draw.below(2) ? 0 : draw.below(20),
                        .p = scene_norm(draw.below(8))};
  std::vector<double> radii, mine;
  if (draw.below(3) == 0) {
    for (std::size_t i = 0; i < s.scene.all.size(); ++i) radii.push_back(0.2 * draw.uniform());
    mine.assign(radii.begin() + static_cast<std::ptrdiff_t>(s.begin),
                radii.begin() + static_cast<std::ptrdiff_t>(s.begin + s.count));
    options.radius = 0;
  }
  RadiusOptions own = options;
  options.radii = radii;
  own.radii = mine;
  const auto counts = radius_count(s.tree, options, {.threads = 1});
  const auto found = mpi::radius_count(s.domains, own, RowOrder::input, s.execution);
  EXPECT_TRUE(found.size() == s.count && same_bytes(found, counts.data() + s.begin));
  const auto lists = radius<T, std::int64_t>(s.tree, options, {.threads = 1});
  const auto got = mpi::radius<T>(s.domains, own, RowOrder::input, s.execution);
  EXPECT_EQ(got.truncated(), lists.truncated());
  for (std::size_t i = 0; i < s.count; ++i) {
    ASSERT_TRUE(s.is_same(got.index(i), lists.index(s.begin + i))) << "row " << s.begin + i;
    const auto x = got.distance(i), y = lists.distance(s.begin + i);
    ASSERT_TRUE(std::equal(x.begin(), x.end(), y.begin(), y.end())) << "row " << s.begin + i;
  }
}

template <class T>
void check_queries(const Setting<T>& s, Draw& draw, std::uint64_t seed) {
  const RadiusOptions options{.radius = 0.2 * draw.uniform(), .p = scene_norm(draw.below(8))};
  const std::size_t n = draw.below(60);
  const PointSet<T> queries = scene_points<T>(Shape::uniform, s.scene.all.dimension, n,
                                              seed + static_cast<unsigned>(s.rank));
  const auto lists = radius<T, std::int64_t>(s.tree, queries.view(), options, {.threads = 1});
  const auto got = mpi::radius<T>(s.domains, queries.view(), options, s.execution);
  const auto counts = mpi::radius_count(s.domains, queries.view(), options, s.execution);
  for (std::size_t i = 0; i < n; ++i) {
    ASSERT_TRUE(s.is_same(got.index(i), lists.index(i))) << "query " << i;
    ASSERT_EQ(counts[i], static_cast<std::int64_t>(lists.index(i).size())) << "query " << i;
  }
}

template <class T>
void check_numbers(const Setting<T>& s, Draw& draw) {
  KnnOptions options{.k = 1 + draw.below(20), .exclude_self = draw.below(2) == 0};
  if (draw.below(3) == 0) options.max_radius = 0.2 * draw.uniform();
  options.p = scene_norm(draw.below(8));
  const auto kth = mpi::kth_distance(s.domains, options, s.execution);
  EXPECT_TRUE(same_bytes(kth, kth_distance(s.tree, options, {.threads = 1}).data() + s.begin));
  const auto mean = mpi::mean_distance(s.domains, options, s.execution);
  EXPECT_TRUE(same_bytes(mean, mean_distance(s.tree, options, {.threads = 1}).data() + s.begin));
  std::vector<double> mass;
  for (std::size_t i = 0; i < s.scene.all.size(); ++i) mass.push_back(draw.uniform());
  DensityOptions all{.k = options.k}, mine{.k = options.k};
  if (draw.below(2)) {
    all.mass = mass;
    mine.mass = std::span<const double>(mass).subspan(s.begin, s.count);
  }
  if (s.scene.all.dimension > 3) return;
  const auto density = mpi::sph_density(s.domains, mine, RowOrder::input, s.execution);
  EXPECT_TRUE(same_bytes(density, sph_density(s.tree, all, {.threads = 1}).data() + s.begin));
}

template <class T>
void check_visits(const Setting<T>& s, std::size_t k, double p) {
  const auto rows = knn<T, std::int64_t>(s.tree, {.k = k, .p = p}, {.threads = 1});
  std::atomic<std::size_t> visits{0}, wrong{0};
  mpi::for_each_neighborhood<T>(
      s.domains, {.k = k, .p = p},
      [&](const mpi::Neighborhood<T>& at) {
        ++visits;
        const std::size_t row = s.name.place(at.i), n = at.index.size();
        if (n != std::min(k, s.scene.all.size()) ||
            !s.is_same(at.index, rows.index(row).first(n)) ||
            std::memcmp(at.distance.data(), rows.distance(row).data(), n * sizeof(T)) != 0)
          ++wrong;
      },
      s.execution);
  EXPECT_EQ(visits, s.domains.size());
  EXPECT_EQ(wrong, 0u);
}

template <class T>
void check_pairs(const Setting<T>& s, MPI_Comm comm, Draw& draw) {
  std::vector<double> radii{0.05, 0.1 * draw.uniform() + 0.05, 0.2, 0.3};
  std::sort(radii.begin(), radii.end());
  if (draw.below(2)) radii.push_back(std::numeric_limits<double>::infinity());
  const PairCountOptions options{
      .radii = radii, .cumulative = draw.below(2) == 0, .p = scene_norm(draw.below(8))};
  EXPECT_EQ(mpi::pair_counts(s.domains, s.domains, options, s.execution),
            pair_counts(s.tree, s.tree, options, {.threads = 1}));
  const PointSet<T> other = scene_points<T>(Shape::uniform, s.scene.all.dimension, 150, 77);
  const Scene<T> second(other, dealt(other, Deal::random, s.ranks, 3), s.ranks);
  const AnyTree others(second.all.view(), s.options, {.threads = 1});
  if (others.scale_exponent() != s.tree.scale_exponent()) return;
  const auto apart = mpi::Domains::curve(comm, second.part(s.rank), {s.options}, s.execution);
  EXPECT_EQ(mpi::pair_counts(s.domains, apart, options, s.execution),
            pair_counts(s.tree, others, options, {.threads = 1}));
}

template <class T>
void check_neighbors(MPI_Comm comm, std::uint64_t seed, int threads) {
  Draw draw(seed);
  const int dimension = 2 + static_cast<int>(draw.below(3));
  const auto shape = static_cast<Shape>(draw.below(static_cast<std::size_t>(Shape::count)));
  const auto space = static_cast<Space>(draw.below(static_cast<std::size_t>(Space::count)));
  const auto deal = static_cast<Deal>(draw.below(static_cast<std::size_t>(Deal::count)));
  const PointSet<T> set = scene_points<T>(shape, dimension, 2 + draw.below(400), seed);
  TreeOptions options{.box = scene_box(space, dimension)};
  if (draw.below(3) == 0) options.builder = Builder::cells;
  const Setting<T> setting(comm, set, dealt(set, deal, size_of(comm), seed), options,
                           draw.below(3) == 0, Names::drawn(draw.below(8)), threads);
  check_radius(setting, draw);
  check_queries(setting, draw, seed);
  check_numbers(setting, draw);
  const std::size_t k = 1 + draw.below(12);
  check_visits(setting, k, scene_norm(draw.below(8)));
  check_pairs(setting, comm, draw);
}

/// Powers of small differences vanish, and those of large ones are infinite: many keys are equal,
/// and the points of a ball lie farther out than its radius.
template <class T>
void check_vanishing_powers(MPI_Comm comm, double p, double size) {
  PointSet<T> set = scene_points<T>(Shape::uniform, 3, 300, 9);
  for (T& x : set.x) x = static_cast<T>(double{x} * size);
  const Setting<T> s(comm, set, dealt(set, Deal::random, size_of(comm), 4), {}, false,
                     Names::drawn(0), 1);
  const KnnOptions nearest{.k = 7, .p = p};
  const auto rows = mpi::knn<T>(s.domains, nearest, s.execution);
  const auto all = knn<T, std::int64_t>(s.tree, nearest, {.threads = 1});
  for (std::size_t i = 0; i < s.count; ++i)
    ASSERT_TRUE(s.is_same(rows.index(i), all.index(s.begin + i))) << "p " << p << ", point " << i;
  for (const double radius : {0.0, 0.02 * size, 0.2 * size}) {
    const RadiusOptions options{.radius = radius, .p = p};
    const auto counts = mpi::radius_count(s.domains, options, RowOrder::input, s.execution);
    const auto one = radius_count(s.tree, options, {.threads = 1});
    for (std::size_t i = 0; i < s.count; ++i)
      ASSERT_EQ(counts[i], one[s.begin + i]) << "p " << p << ", radius " << radius;
  }
}

TEST(MpiNeighbors, ArrangedByPowersThatVanish) {
  if (world_size() < 2) GTEST_SKIP() << "needs 2 ranks";
  on_ranks(std::min(5, world_size()), [](MPI_Comm comm) {
    check_vanishing_powers<double>(comm, 100, 2e-3);   // differences to the 100th are 0
    check_vanishing_powers<double>(comm, 100.5, 5e3);  // infinite
    check_vanishing_powers<double>(comm, 16, 1e-20);
    check_vanishing_powers<float>(comm, 120, 1e-3);
  });
}

TEST(MpiNeighbors, HaveTheBytesOfOneProcess) {
  check_cases(12, []<class T>(MPI_Comm comm, std::uint64_t seed, int threads) {
    check_neighbors<T>(comm, seed, threads);
  });
}

}  // namespace
}  // namespace kith::test

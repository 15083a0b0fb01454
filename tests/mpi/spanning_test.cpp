// Spanning trees, hierarchies and HDBSCAN* over ranks: the bits of one process.
#include <algorithm>
#include <gtest/gtest.h>
#include <optional>

#include <kith/kith.hpp>
#include <kith/mpi.hpp>

#include "mpi/scenes.hpp"
#include "support/property.hpp"

namespace kith::test {
namespace {

std::vector<double> draw_positive_weights(Draw& draw, std::size_t n) {
  std::vector<double> weight;
  const std::size_t kind = draw.below(3);
  for (std::size_t i = 0; kind > 0 && i < n; ++i)
    weight.push_back(kind == 1 ? 0.1 * static_cast<double>(1 + draw.below(30))
                               : static_cast<double>(1 + draw.below(4)));
  return weight;
}

void expect_tree(const SpanningTree& found, const SpanningTree& expected) {
  ASSERT_EQ(found.size(), expected.size());
  ASSERT_EQ(found.input_size(), expected.input_size());
  for (std::size_t i = 0; i < 2 * expected.size(); ++i)
    ASSERT_EQ(found.index()[i], expected.index()[i]) << "edge " << i / 2;
  ASSERT_EQ(found.length(), expected.length());
  EXPECT_EQ(found.bytes(), expected.bytes());  // with dropped points, weights and core distances
}

void expect_hierarchy(const Hierarchy& found, const Hierarchy& expected) {
  ASSERT_EQ(found.linkage(), expected.linkage());
  ASSERT_EQ(found.input_size(), expected.input_size());
}

void expect_rows(const HdbscanClusters& found, const HdbscanClusters& expected, std::size_t begin,
                 std::size_t count, int rank) {
  ASSERT_EQ(found.label.size(), count);
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(found.label[i], expected.label[begin + i]) << "point " << begin + i;
    ASSERT_EQ(found.probability[i], expected.probability[begin + i]) << "point " << begin + i;
    ASSERT_EQ(found.outlier_score[i], expected.outlier_score[begin + i]) << "point " << begin + i;
  }
  EXPECT_EQ(found.selected, expected.selected);
  EXPECT_EQ(found.stability, expected.stability);
  EXPECT_EQ(found.selection_epsilon, expected.selection_epsilon);
  const CondensedTree &own = found.condensed_tree, &all = expected.condensed_tree;
  if (rank != 0) {
    EXPECT_EQ(own.rows(), 0u);
    return;
  }
  EXPECT_EQ(own.parent, all.parent);
  EXPECT_EQ(own.child, all.child);
  EXPECT_EQ(own.lambda, all.lambda);
  EXPECT_EQ(own.size, all.size);
  EXPECT_EQ(own.weight, all.weight);
}

CondenseOptions draw_condensing(Draw& draw) {
  CondenseOptions options;
  options.min_cluster_size = draw.one_of<std::size_t>({2, 3, 5, 12});
  if (draw.below(6) == 0) options.min_cluster_weight = 3.5;
  if (draw.below(3) == 0) options.selection = ClusterSelection::leaf;
  if (draw.below(4) == 0) options.selection_epsilon = 0.05;
  options.allow_single_cluster = draw.below(3) == 0;
  if (draw.below(5) == 0) options.max_cluster_size = 40;
  return options;
}

/// Points of one process and their ranks; and all that a case draws.
template <class T>
struct SpanningCase {
  SpanningCase(MPI_Comm comm, Draw& draw, std::uint64_t seed)
      : dimension(draw.one_of({1, 2, 3, 3, 4, 6, 8})),
        shape(static_cast<Shape>(draw.below(static_cast<std::size_t>(Shape::count)))),
        space(static_cast<Space>(draw.below(static_cast<std::size_t>(Space::count)))),
        deal(static_cast<Deal>(draw.below(static_cast<std::size_t>(Deal::count)))),
        n(draw.below(6) == 0 ? draw.below(4) : draw.below(700)),
        set(scene_points<T>(shape, dimension, n, seed)),
        scene(set, dealt(set, deal, size_of(comm), seed), size_of(comm)),
        tree{.box = scene_box(space, dimension)},
        weight(draw_positive_weights(draw, n)),
        part(scene.part(rank_of(comm))),
        begin(scene.begin(rank_of(comm))),
        first_index(draw.below(4) == 0 ? std::int64_t{1} << 33 : 0) {
    if (draw.below(4) == 0) tree.builder = Builder::cells;
    if (!weight.empty()) own_weight = std::span<const double>(weight).subspan(begin, part.size);
  }

  std::string text() const {
    return std::to_string(n) + " points, shape " + std::to_string(static_cast<int>(shape)) +
           ", space " + std::to_string(static_cast<int>(space)) + ", deal " +
           std::to_string(static_cast<int>(deal)) + ", " + std::to_string(dimension) +
           "-d, weights " + std::to_string(weight.size());
  }

  mpi::Domains domains(MPI_Comm comm, Draw& draw, const Execution& together) const {
    const mpi::DomainOptions options{.tree = tree, .first_index = first_index};
    switch (draw.below(4)) {
      case 0: return mpi::Domains::keep(comm, part, options, together);
      case 1: return mpi::Domains::kd(comm, part, options, together);
      default: return mpi::Domains::curve(comm, part, options, together);
    }
  }

  int dimension;
  Shape shape;
  Space space;
  Deal deal;
  std::size_t n;
  PointSet<T> set;
  Scene<T> scene;
  TreeOptions tree;
  std::vector<double> weight;
  PointsView part;
  std::size_t begin;
  std::int64_t first_index;
  std::span<const double> own_weight;
};

template <class T>
void check_spanning(MPI_Comm comm, std::uint64_t seed, int threads) {
  Draw draw(seed);
  const SpanningCase<T> scene(comm, draw, seed);
  double most = static_cast<double>(scene.n);
  if (!scene.weight.empty()) most = 0;
  for (const double one : scene.weight) most += 0.99 * one;
  SpanningTreeOptions options{.core_k = draw.one_of<std::size_t>({1, 1, 2, 5, 20, 60})};
  if (static_cast<double>(options.core_k) > most) options.core_k = 1;
  if (most < 1 && !scene.weight.empty()) return;
  SCOPED_TRACE(scene.text() + ", core_k " + std::to_string(options.core_k));
  const Execution together{.threads = threads};
  const mpi::Domains domains = scene.domains(comm, draw, together);
  SpanningTreeOptions own = options;
  options.sample_weight = scene.weight;
  own.sample_weight = scene.own_weight;
  const AnyTree tree(scene.scene.all.view(), scene.tree);
  const SpanningTree expected = spanning_tree(tree, options, {.threads = 1});
  expect_tree(mpi::spanning_tree(domains, own, together), expected);
  expect_hierarchy(mpi::hierarchy(domains, own, together), hierarchy(expected));
}

TEST(MpiSpanningTree, IsThatOfOneProcess) {
  check_cases(40, []<class T>(MPI_Comm comm, std::uint64_t seed, int threads) {
    check_spanning<T>(comm, seed, threads);
  });
}

template <class T>
void check_hdbscan(MPI_Comm comm, std::uint64_t seed, int threads) {
  Draw draw(seed);
  const SpanningCase<T> scene(comm, draw, seed);
  HdbscanOptions options{.condense = draw_condensing(draw)};
  options.min_samples = draw.one_of<std::size_t>({0, 1, 2, 5});
  if (scene.n > 0 && scene.n < 12) options.min_samples = 1;
  SCOPED_TRACE(scene.text() + ", min_samples " + std::to_string(options.min_samples));
  const Execution together{.threads = threads};
  const mpi::Domains domains = scene.domains(comm, draw, together);
  HdbscanOptions own = options;
  options.sample_weight = scene.weight;
  own.sample_weight = scene.own_weight;
  const AnyTree tree(scene.scene.all.view(), scene.tree);
  std::optional<HdbscanClusters> expected;
  try {
    expected = hdbscan(tree, options, {.threads = 1});
  } catch (const Error&) {  // the weights of a few points
    EXPECT_THROW(mpi::hdbscan(domains, own, RowOrder::input, together), Error);
    return;
  }
  expect_rows(mpi::hdbscan(domains, own, RowOrder::input, together), *expected, scene.begin,
              scene.part.size, rank_of(comm));
  const HdbscanClusters in_tree = mpi::hdbscan(domains, own, RowOrder::tree, together);
  const auto index = domains.global_index();
  ASSERT_EQ(in_tree.label.size(), index.size());
  for (std::size_t i = 0; i < index.size(); ++i) {
    const auto place = static_cast<std::size_t>(index[i] - scene.first_index);
    ASSERT_EQ(in_tree.label[i], expected->label[place]);
    ASSERT_EQ(in_tree.probability[i], expected->probability[place]);
    ASSERT_EQ(in_tree.outlier_score[i], expected->outlier_score[place]);
  }
}

TEST(MpiHdbscan, HasTheClustersOfOneProcess) {
  check_cases(24, []<class T>(MPI_Comm comm, std::uint64_t seed, int threads) {
    check_hdbscan<T>(comm, seed, threads);
  });
}

/// A tree of several thousand points: rounds of questions, far from all points on one rank.
TEST(MpiSpanningTree, OfManyPoints) {
  for (const int ranks : at_most_all({2, 3, 7, 16}))
    on_ranks(ranks, [](MPI_Comm comm) {
      for (const Shape shape : {Shape::uniform, Shape::clustered, Shape::two_far_clusters}) {
        const PointSet<float> set = scene_points<float>(shape, 3, 20000, 11);
        const Scene<float> scene(set, dealt(set, Deal::even, size_of(comm), 1), size_of(comm));
        for (const std::size_t core_k : {1, 6}) {
          SCOPED_TRACE(testing::Message() << static_cast<int>(shape) << ", core_k " << core_k);
          const SpanningTreeOptions options{.core_k = core_k};
          expect_tree(mpi::spanning_tree(comm, scene.part(rank_of(comm)), options, {.threads = 1}),
                      spanning_tree(scene.all.view(), options, {.threads = 1}));
        }
      }
    });
}

/// A line that winds through all ranks: every edge is between two of them.
TEST(MpiSpanningTree, OfALineThroughAllRanks) {
  on_ranks(std::min(16, world_size()), [](MPI_Comm comm) {
    PointSet<double> line{"line", 2, {}};
    for (std::size_t i = 0; i < 2000; ++i) {
      line.x.push_back(1e-3 * static_cast<double>(i));
      line.x.push_back(i % 10 == 5 ? 8e-4 : 0);
    }
    const Scene<double> scene(line, dealt(line, Deal::random, size_of(comm), 5), size_of(comm));
    for (const SpanningTreeOptions& options :
         {SpanningTreeOptions{}, SpanningTreeOptions{.core_k = 4}}) {
      const SpanningTree expected = spanning_tree(scene.all.view(), options);
      const PointsView part = scene.part(rank_of(comm));
      expect_tree(mpi::spanning_tree(comm, part, options), expected);
      expect_tree(mpi::spanning_tree(mpi::Domains::keep(comm, part), options), expected);
    }
  });
}

TEST(MpiSpanningTree, DroppedPointsAreInNoTree) {
  on_ranks(std::min(3, world_size()), [](MPI_Comm comm) {
    constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
    for (const std::size_t live : {0, 1, 2, 60}) {
      PointSet<float> set = scene_points<float>(Shape::clustered, 3, 70, 3);
      for (std::size_t i = live; i < 70; ++i) set.x[3 * ((i * 13 + 5) % 70)] = kNaN;
      const Scene<float> scene(set, dealt(set, Deal::even, size_of(comm), 1), size_of(comm));
      const PointsView part = scene.part(rank_of(comm));
      const SpanningTreeOptions options{.non_finite = NonFinite::drop};
      expect_tree(mpi::spanning_tree(comm, part, options),
                  spanning_tree(scene.all.view(), options));
      const HdbscanOptions clusters{.min_samples = 1, .non_finite = NonFinite::drop};
      expect_rows(mpi::hdbscan(comm, part, clusters), hdbscan(scene.all.view(), clusters),
                  scene.begin(rank_of(comm)), part.size, rank_of(comm));
    }
  });
}

/// The calls of a hierarchy are those of one process; groups are those of fof over ranks.
TEST(MpiHierarchy, HasTheGroupsOfAllLengths) {
  on_ranks(std::min(3, world_size()), [](MPI_Comm comm) {
    const PointSet<float> set = scene_points<float>(Shape::clustered, 3, 900, 8);
    const Scene<float> scene(set, dealt(set, Deal::random, size_of(comm), 2), size_of(comm));
    const int rank = rank_of(comm);
    const mpi::Domains domains = mpi::Domains::curve(comm, scene.part(rank));
    const Hierarchy all = mpi::hierarchy(domains);
    const std::vector<double> lengths{0.001, 0.01, 0.03, 0.2};
    for (const double length : lengths) {
      const FofOptions options{.linking_length = length, .min_size = 3};
      const Groups groups = all.groups(options);
      const mpi::Groups linked = mpi::fof(domains, options);
      ASSERT_EQ(groups.count(), linked.count());
      for (std::size_t i = 0; i < scene.part(rank).size; ++i)
        ASSERT_EQ(groups.label()[scene.begin(rank) + i], linked.label()[i]);
    }
    const Hierarchy alone = hierarchy(scene.all.view());
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      EXPECT_EQ(all.count(lengths, 3)[i].groups, alone.count(lengths, 3)[i].groups);
      EXPECT_EQ(all.count(lengths, 3)[i].largest, alone.count(lengths, 3)[i].largest);
    }
  });
}

/// More samples than points, of all ranks or of one process.
TEST(MpiSpanningTree, RefusesMoreSamplesThanPointsAndIds) {
  for (const int ranks : at_most_all({1, 3}))
    on_ranks(ranks, [&](MPI_Comm comm) {
      constexpr std::size_t kPoints = 60;
      const PointSet<float> set = scene_points<float>(Shape::uniform, 3, kPoints, 5);
      const mpi::Domains domains = mpi::Domains::curve(comm, set.view());
      const std::vector<double> ones(kPoints, 1.0);
      const std::size_t most = kPoints * static_cast<std::size_t>(ranks);
      EXPECT_NO_THROW(mpi::spanning_tree(domains, {.core_k = most}));
      EXPECT_THROW(mpi::spanning_tree(domains, {.core_k = most + 1}), Error);
      EXPECT_THROW(mpi::hdbscan(domains, {.min_samples = most + 1}), Error);
      const SpanningTreeOptions weighted{.core_k = most + 1, .sample_weight = ones};
      EXPECT_THROW(mpi::spanning_tree(domains, weighted), Error);
      // Edges name rows, not ids.
      std::vector<std::int64_t> ids(kPoints);
      for (std::size_t i = 0; i < ids.size(); ++i)
        ids[i] = static_cast<std::int64_t>(
            10 * (i * static_cast<std::size_t>(ranks) + static_cast<std::size_t>(rank_of(comm))));
      const auto named = mpi::Domains::curve(comm, set.view(), {.ids = ids});
      EXPECT_THROW(mpi::spanning_tree(named), Error);
      EXPECT_THROW(mpi::hdbscan(named), Error);
      EXPECT_NO_THROW(mpi::hdbscan(domains));
    });
}

TEST(MpiSpanningTree, IsCancelled) {
  on_ranks(std::min(3, world_size()), [](MPI_Comm comm) {
    const PointSet<float> set = scene_points<float>(Shape::uniform, 3, 4000, 8);
    const mpi::Domains domains = mpi::Domains::curve(comm, set.view());
    CancelToken cancel;
    cancel.cancel();
    const Execution execution{.cancel = &cancel};
    EXPECT_THROW(mpi::spanning_tree(domains, {.core_k = 3}, execution), Error);
    EXPECT_THROW(mpi::hierarchy(domains, {}, execution), Error);
    EXPECT_THROW(mpi::hdbscan(domains, {}, RowOrder::input, execution), Error);
    EXPECT_NO_THROW(mpi::spanning_tree(domains));
  });
}

}  // namespace
}  // namespace kith::test

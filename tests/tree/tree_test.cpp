// The tree as its users see it: invariants on the degenerate table, bad input, determinism,
// execution.
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <thread>

#include <kith/kith.hpp>

#include "geometry/z_order.hpp"
#include "support/point_sets.hpp"
#include "support/processor_clock.hpp"

namespace kith {
namespace {

using test::PointSet;
using Points = std::vector<std::array<float, 3>>;

Points uniform_points(std::size_t n) {
  Points points(n);
  std::uint32_t state = 1;
  for (auto& point : points)
    for (float& x : point)
      x = static_cast<float>((state = state * 1664525u + 1013904223u) >> 8) / 16777216.f;
  return points;
}

template <class F>
Error error_of(F f) {
  try {
    f();
  } catch (const Error& error) {
    return error;
  }
  return Error(ErrorCode::internal, "nothing was thrown");
}

std::vector<TreeOptions> all_builds() {
  return {{.builder = Builder::packed},
          {.builder = Builder::packed, .curve = Curve::hilbert},
          {.builder = Builder::packed, .curve = Curve::z},
          {.curve = Curve::kd},
          {.curve = Curve::kd, .split_axis = SplitAxis::cyclic},
          {.curve = Curve::kd, .split_axis = SplitAxis::variance},
          {.builder = Builder::cells},
          {.builder = Builder::cells, .max_leaf_size = 1, .coarsening = 2},
          {.builder = Builder::cells, .max_leaf_size = 5, .coarsening = 3, .max_volume_ratio = 0}};
}

template <class T>
void check_degenerate_tree(int dimension) {
  for (const PointSet<T>& set : test::degenerate_sets<T>(dimension))
    for (const TreeOptions& build : all_builds())
      for (const double side : {0.0, 0.8}) {
        SCOPED_TRACE(set.name + " in " + std::to_string(dimension) + "-D");
        TreeOptions options = build;
        options.box = Box::periodic(side);
        const Tree tree(set.view(), options, {.threads = 2});
        tree.check();
        ASSERT_EQ(tree.size(), set.size());
        std::vector<std::int64_t> order = tree.order();
        std::sort(order.begin(), order.end());
        for (std::size_t i = 0; i < order.size(); ++i)
          ASSERT_EQ(order[i], static_cast<std::int64_t>(i));
      }
}

TEST(Tree, HoldsItsInvariantsOnTheDegenerateTable) {
  for (const int dimension : {1, 2, 3, 4, 32}) {
    check_degenerate_tree<float>(dimension);
    check_degenerate_tree<double>(dimension);
  }
}

TEST(Tree, ManyIdenticalPointsAreCutByCount) {
  const Points points(10000, {0.5f, 0.5f, 0.5f});
  const Tree tree(view(points), {.builder = Builder::cells});
  tree.check();
  EXPECT_EQ(tree.nodes(0), (10000 + 47) / 48u);
}

/// The definition of the leaf borders: between neighbors whose smallest common cell holds more
/// points than allowed, counted over all points of the set.
std::vector<std::size_t> borders_by_definition(const PointSet<float>& set, const AnyTree& tree,
                                               std::size_t limit) {
  const Axes<kAnyDimension> axes(set.dimension);
  const std::vector<std::int64_t> order = tree.order();
  auto level = [&](std::size_t i, std::size_t j) {
    return z_level(set.row(static_cast<std::size_t>(order[i])),
                   set.row(static_cast<std::size_t>(order[j])), axes);
  };
  std::vector<std::size_t> borders{0};
  for (std::size_t i = 1; i < order.size(); ++i) {
    std::size_t inside = 0;
    for (std::size_t j = 0; j < order.size(); ++j) inside += level(i, j) <= level(i - 1, i) ? 1 : 0;
    if (inside > limit) borders.push_back(i);
  }
  return borders;
}

TEST(Tree, LeavesAreTheLargestMortonCells) {
  for (const int dimension : {1, 2, 3})
    for (const auto& set : test::random_sets<float>(dimension, 300, 3)) {
      if (set.name != "uniform" && set.name != "clustered" && set.name != "negative" &&
          set.name != "mixed signs")
        continue;  // no scale, no identical points: the definition above is enough
      for (const std::size_t limit : {1, 6, 48}) {
        const Tree tree(set.view(), {.builder = Builder::cells,
                                     .max_leaf_size = static_cast<int>(limit),
                                     .max_volume_ratio = 0});
        std::vector<std::size_t> borders;
        for (std::size_t i = 0; i < tree.nodes(0); ++i) borders.push_back(tree.node(0, i).begin);
        ASSERT_EQ(borders, borders_by_definition(set, tree, limit)) << set.name << " " << limit;
      }
    }
}

TEST(Tree, MortonCellsHoldTheirNodesAndDoNotOverlap) {
  for (const auto& set : test::random_sets<float>(2, 500, 6)) {
    if (set.name != "uniform" && set.name != "clustered" && set.name != "negative") continue;
    const Tree tree(set.view(), {.builder = Builder::cells, .max_leaf_size = 4});
    std::vector<Cell> cells;
    for (std::size_t i = 0; i < tree.nodes(0); ++i) {
      const Node node = tree.node(0, i);
      const Cell cell = tree.cell(0, i);
      double volume = 1;
      for (std::size_t axis = 0; axis < 2; ++axis) {
        ASSERT_LE(cell.lower[axis], node.lower[axis]) << set.name;
        ASSERT_GE(cell.upper[axis], node.upper[axis]) << set.name;
        volume *= cell.upper[axis] - cell.lower[axis];
      }
      ASSERT_EQ(volume, node.end - node.begin == 1 ? 0 : std::ldexp(1.0, cell.level)) << set.name;
      cells.push_back(cell);
    }
    for (std::size_t i = 0; i < cells.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        bool are_apart = false;
        for (std::size_t axis = 0; axis < 2; ++axis)
          are_apart |= cells[i].lower[axis] >= cells[j].upper[axis] ||
                       cells[j].lower[axis] >= cells[i].upper[axis];
        ASSERT_TRUE(are_apart) << set.name << " " << i << " " << j;
      }
  }
}

TEST(Tree, CellsFarFromTheBulkAreSplitByVolume) {
  const auto sets = test::random_sets<float>(3, 20000, 4);
  const auto& normal = sets[3];
  ASSERT_EQ(normal.name, "mixed signs");
  auto largest_diagonal = [&](double ratio) {
    const Tree tree(normal.view(), {.builder = Builder::cells, .max_volume_ratio = ratio});
    tree.check();
    double most = 0;
    for (std::size_t i = 0; i < tree.nodes(0); ++i) {
      const Node node = tree.node(0, i);
      double d2 = 0;
      for (std::size_t axis = 0; axis < 3; ++axis)
        d2 += std::pow(node.upper[axis] - node.lower[axis], 2);
      most = std::max(most, std::sqrt(d2));
    }
    return most;
  };
  EXPECT_LT(largest_diagonal(2), 0.7 * largest_diagonal(0));
}

TEST(Tree, CopiesAreTheSameForAnyNumberOfThreads) {
  const Points points = uniform_points(30000);
  for (const TreeOptions& options : all_builds()) {
    const Tree reference(view(points), options, {.threads = 1});
    for (const int threads : {2, 3, 8, 16}) {
      const Tree tree(view(points), options, {.threads = threads});
      ASSERT_EQ(tree.order(), reference.order());
      ASSERT_EQ(tree.planes(), reference.planes());
      for (int plane = 0; plane < tree.planes(); ++plane) {
        ASSERT_EQ(tree.nodes(plane), reference.nodes(plane));
        for (std::size_t i = 0; i < tree.nodes(plane); i += 17) {
          ASSERT_EQ(tree.node(plane, i).lower, reference.node(plane, i).lower);
          ASSERT_EQ(tree.node(plane, i).begin, reference.node(plane, i).begin);
        }
      }
    }
  }
}

TEST(Tree, WrapsIntoThePeriodicBox) {
  const Points points{{-0.25f, 0.5f, 7.75f}, {1.0f, 1.5f, -3.0f}, {0.f, -0.f, 0.999f}};
  const Tree tree(view(points), {.box = Box::periodic({1, 0, 1})});
  const std::vector<double> x = tree.coordinates();
  const std::vector<std::int64_t> order = tree.order();
  const float expected[3][3] = {{0.75f, 0.5f, 0.75f}, {0, 1.5f, 0}, {0, 0, 0.999f}};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t axis = 0; axis < 3; ++axis)
      EXPECT_EQ(x[3 * i + axis], static_cast<double>(expected[order[i]][axis]));
}

TEST(Tree, KeepsTheFrameOfABoxWithOrigin) {
  const Points points{{-0.5f, -0.25f, 0.25f}, {0.5f, 0.75f, 0.f}};
  const Tree tree(view(points), {.box = Box::periodic(1).with_origin(-0.5)});
  const std::vector<double> x = tree.coordinates();
  const std::vector<std::int64_t> order = tree.order();
  const double expected[2][3] = {{-0.5, -0.25, 0.25}, {-0.5, -0.25, 0}};
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t axis = 0; axis < 3; ++axis)
      EXPECT_EQ(x[3 * i + axis], expected[order[i]][axis]);
}

TEST(Tree, ScalesDataOfExtremeSize) {
  for (const float size : {1e30f, 1e-30f, 1e-44f}) {
    Points points = uniform_points(500);
    for (auto& point : points)
      for (float& x : point) x *= size;
    const Tree tree(view(points));
    tree.check();
    EXPECT_NE(tree.scale_exponent(), 0) << size;
    const std::vector<double> x = tree.coordinates();
    const std::vector<std::int64_t> order = tree.order();
    for (std::size_t i = 0; i < points.size(); ++i)  // powers of two come back exactly
      ASSERT_EQ(x[3 * i], static_cast<double>(points[static_cast<std::size_t>(order[i])][0]));
  }
  EXPECT_EQ(Tree(view(uniform_points(10))).scale_exponent(), 0);
}

TEST(Tree, RefusesNonFinitePointsByName) {
  Points points = uniform_points(1000);
  points[700][1] = std::numeric_limits<float>::infinity();
  points[300][2] = std::numeric_limits<float>::quiet_NaN();
  const Error error = error_of([&] { Tree tree(view(points)); });
  EXPECT_EQ(error.code(), ErrorCode::non_finite);
  EXPECT_NE(std::string(error.what()).find("coordinate 2 of point 300"), std::string::npos)
      << error.what();
  EXPECT_NE(std::string(error.what()).find("2 of 1000"), std::string::npos) << error.what();
}

TEST(Tree, DropsNonFinitePointsOnRequest) {
  Points points = uniform_points(5000);
  std::vector<std::int64_t> live;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (i % 7 == 3)
      points[i][i % 3] = std::numeric_limits<float>::quiet_NaN();
    else
      live.push_back(static_cast<std::int64_t>(i));
  for (TreeOptions options : all_builds()) {
    options.non_finite = NonFinite::drop;
    const Tree tree(view(points), options);
    tree.check();
    EXPECT_EQ(tree.input_size(), points.size());
    std::vector<std::int64_t> order = tree.order();
    std::sort(order.begin(), order.end());
    EXPECT_EQ(order, live);
  }
  for (auto& point : points) point[0] = std::numeric_limits<float>::infinity();
  EXPECT_EQ(Tree(view(points), {.non_finite = NonFinite::drop}).size(), 0u);
}

TEST(Tree, RefusesBadArguments) {
  const float x[66] = {};
  auto code = [&](PointsView points, const TreeOptions& options, const Execution& execution = {}) {
    return error_of([&] { AnyTree tree(points, options, execution); }).code();
  };
  EXPECT_EQ(code(view(x, 1, 33), {}), ErrorCode::invalid_argument);
  EXPECT_EQ(code(view(x, 1, 0), {}), ErrorCode::invalid_argument);
  EXPECT_EQ(code(view(x, 2, 3, 2), {}), ErrorCode::invalid_argument);
  EXPECT_EQ(code(view<float>(nullptr, 5, 3), {}), ErrorCode::invalid_argument);
  EXPECT_EQ(code(view(x, std::size_t{1} << 33, 3), {}), ErrorCode::too_large);
  EXPECT_EQ(code(view(x, 3, 3), {.box = Box::periodic({1, 1})}), ErrorCode::invalid_argument);
  EXPECT_EQ(code(view(x, 3, 3), {.box = Box::periodic(1e300)}), ErrorCode::invalid_argument);
  EXPECT_EQ(code(view(x, 3, 3), {.builder = Builder::cells, .curve = Curve::hilbert}),
            ErrorCode::invalid_argument);
  EXPECT_EQ(code(view(x, 3, 3), {.builder = Builder::cells, .curve = Curve::kd}),
            ErrorCode::invalid_argument);
  EXPECT_EQ(code(view(x, 3, 3), {.builder = Builder::cells, .max_leaf_size = 0}),
            ErrorCode::invalid_argument);
  EXPECT_EQ(code(view(x, 3, 3), {.builder = Builder::cells, .coarsening = 1}),
            ErrorCode::invalid_argument);
  EXPECT_EQ(code(view(x, 3, 3), {.builder = Builder::cells, .max_volume_ratio = NAN}),
            ErrorCode::invalid_argument);
  EXPECT_EQ(code(view(x, 3, 3), {}, {.threads = -1}), ErrorCode::invalid_argument);
  EXPECT_EQ(error_of([] { Box::periodic(-1); }).code(), ErrorCode::invalid_argument);
}

TEST(Tree, CurveIsChosenByDimension) {
  const float x[40] = {};
  const auto chosen = [&](int dimension, const TreeOptions& options) {
    return Tree(view(x, 4, dimension), options).options().curve;
  };
  EXPECT_EQ(chosen(1, {}), Curve::z);
  for (const int dimension : {2, 3}) EXPECT_EQ(chosen(dimension, {}), Curve::hilbert);
  for (const int dimension : {4, 5, 10}) {
    EXPECT_EQ(chosen(dimension, {}), Curve::kd);
    EXPECT_EQ(chosen(dimension, {.builder = Builder::cells}), Curve::z);
    EXPECT_EQ(chosen(dimension, {.curve = Curve::hilbert}), Curve::hilbert);
  }
}

TEST(Tree, EmptySetsAreTrees) {
  const Tree tree{view(Points())};
  EXPECT_EQ(tree.size(), 0u);
  EXPECT_EQ(tree.planes(), 0);
  EXPECT_TRUE(tree.order().empty());
  EXPECT_EQ(error_of([&] { tree.nodes(0); }).code(), ErrorCode::invalid_argument);
}

TEST(Tree, StridedRowsAreReadInPlace) {
  const Points points = uniform_points(2000);
  std::vector<float> rows;
  for (const auto& p : points) rows.insert(rows.end(), {p[0], p[1], p[2], -1e9f, 7.f});
  EXPECT_EQ(Tree(view(rows.data(), points.size(), 3, 5)).order(), Tree(view(points)).order());
}

TEST(Tree, ReportsProgressAndStages) {
  const Points points = uniform_points(200000);
  Statistics statistics;
  std::vector<std::string> stages;
  const Execution execution{.threads = 2,
                            .progress =
                                [&](const Progress& progress) {
                                  EXPECT_LE(progress.done, progress.total);
                                  if (stages.empty() || stages.back() != progress.stage)
                                    stages.emplace_back(progress.stage);
                                },
                            .statistics = &statistics};
  const Tree tree(view(points), {}, execution);
  EXPECT_EQ(stages, (std::vector<std::string>{"check", "order", "planes"}));
  EXPECT_GT(statistics.seconds("order"), 0);
}

TEST(Tree, StopsWhenCancelled) {
  const Points points = uniform_points(3000000);
  const CancelToken cancel;
  cancel.cancel();
  EXPECT_EQ(error_of([&] { Tree tree(view(points), {}, {.cancel = &cancel}); }).code(),
            ErrorCode::cancelled);
  const CancelToken later;
  std::thread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    later.cancel();
  });
  const auto start = test::ProcessorClock::now();
  for (int round = 0; round < 100; ++round)
    if (error_of([&] { Tree tree(view(points), {}, {.threads = 1, .cancel = &later}); }).code() ==
        ErrorCode::cancelled)
      break;
  stopper.join();
  EXPECT_LT(test::ProcessorClock::now() - start, std::chrono::seconds(10));
}

TEST(Tree, MemoryStaysWithinTheEstimate) {
  const Points points = uniform_points(300000);
  for (const TreeOptions& options :
       {TreeOptions{}, TreeOptions{.curve = Curve::z}, TreeOptions{.curve = Curve::kd},
        TreeOptions{.builder = Builder::cells}}) {
    const Tree tree(view(points), options);
    const MemoryEstimate estimate = estimate_memory(points.size(), 3, Scalar::float32, options);
    const std::size_t huge_pages = std::size_t{8} << 21;  // arrays are rounded up to 2 MiB
    EXPECT_LE(tree.memory(), estimate.kept + huge_pages);
    EXPECT_GE(tree.memory(), estimate.kept / 2);
    EXPECT_LE(estimate.peak, 40 * points.size());
  }
}

TEST(Tree, WorkspaceKeepsMemoryForTheNextCall) {
  const Points points = uniform_points(300000);
  const Workspace workspace;
  EXPECT_EQ(workspace.bytes_kept(), 0u);
  const auto order = Tree(view(points), {}, {.workspace = &workspace}).order();
  const std::size_t kept = workspace.bytes_kept();
  EXPECT_GT(kept, 0u);
  EXPECT_EQ(Tree(view(points), {}, {.workspace = &workspace}).order(), order);
  EXPECT_EQ(workspace.bytes_kept(), kept);
}

}  // namespace
}  // namespace kith

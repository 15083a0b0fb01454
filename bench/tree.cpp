// The stages of building a tree, one by one, for uniform points in 3-D.
//
//   build/release/bench/bench_tree --benchmark_filter=1000000/1
//
// Arguments: points / threads. "first" benches take fresh memory each time; all others reuse a
// workspace.
#include <benchmark/benchmark.h>
#include <random>
#include <vector>

#include <kith/kith.hpp>

#include "geometry/grid.hpp"
#include "geometry/hilbert.hpp"
#include "tree/builders.hpp"
#include "tree/input.hpp"
#include "tree/order.hpp"

namespace kith {
namespace {

const std::vector<float>& uniform_points(std::size_t n) {
  static std::vector<float> points;
  if (points.size() != 3 * n) {
    points.resize(3 * n);
    std::mt19937_64 random(1);
    for (float& x : points) x = static_cast<float>(random() >> 40) / 16777216.f;
  }
  return points;
}

/// A call's surroundings: points, threads, memory that is kept.
struct Setting {
  explicit Setting(const benchmark::State& state)
      : size(static_cast<std::size_t>(state.range(0))),
        points(view(uniform_points(size).data(), size, 3)),
        execution{.threads = static_cast<int>(state.range(1)), .workspace = &workspace},
        workers(execution) {}
  std::size_t size;
  PointsView points;
  Workspace workspace;
  Execution execution;
  Workers workers;

  Input<float> input() { return read_input<float>(points, Box::open(), NonFinite::error, workers); }
  Planes<float> ordered(Curve curve) {
    Planes<float> planes;
    order_points(input(), {curve}, workers, planes);
    return planes;
  }
};

void per_point(benchmark::State& state) {
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void check(benchmark::State& state) {
  Setting setting(state);
  for (auto _ : state) benchmark::DoNotOptimize(setting.input());
  per_point(state);
}

/// The first 12 bits of every point's place on the curve, as the scatter computes them.
template <template <int, class> class Grid>
void keys(benchmark::State& state) {
  Setting setting(state);
  const Input<float> input = setting.input();
  const auto& tables = Grid<3, float>::kIsExact ? CurveTables<3>::z() : CurveTables<3>::hilbert();
  Bounds<3, float> bounds;
  std::copy_n(input.bounds.lo, 3, bounds.lo);
  std::copy_n(input.bounds.hi, 3, bounds.hi);
  const Grid<3, float> grid(bounds, 10, Axes<3>(3));
  for (auto _ : state)
    setting.workers.for_ranges(setting.size, 1 << 16, [&](std::size_t begin, std::size_t end) {
      std::uint32_t sum = 0;
      for (std::size_t i = begin; i < end; ++i) {
        float x[3];
        input.load(i, Axes<3>(3), x);
        std::array<std::uint32_t, 3> cell;
        for (int axis = 0; axis < 3; ++axis)
          cell[static_cast<std::size_t>(axis)] =
              static_cast<std::uint32_t>(grid(x[axis], axis)) >> 6;
        sum += tables.top[tables.morton(cell)];
      }
      benchmark::DoNotOptimize(sum);
    });
  per_point(state);
}

/// Keys, scatter and sort together.
template <Curve curve>
void order(benchmark::State& state) {
  Setting setting(state);
  const Input<float> input = setting.input();
  for (auto _ : state) {
    Planes<float> planes;
    order_points(input, {curve}, setting.workers, planes);
    benchmark::DoNotOptimize(planes.blocks.data());
  }
  per_point(state);
}

/// Boxes of all planes.
void packed_planes(benchmark::State& state) {
  Setting setting(state);
  Planes<float> planes = setting.ordered(Curve::hilbert);
  for (auto _ : state) {
    planes.planes.clear();
    build_packed(setting.workers, planes);
  }
  per_point(state);
}

/// Gap levels, borders and boxes of all planes.
void cells_planes(benchmark::State& state) {
  Setting setting(state);
  Planes<float> planes = setting.ordered(Curve::z);
  for (auto _ : state) {
    planes.planes.clear();
    build_cells({.builder = Builder::cells}, setting.workers, planes);
  }
  per_point(state);
}

template <Builder builder>
void tree(benchmark::State& state) {
  Setting setting(state);
  for (auto _ : state)
    benchmark::DoNotOptimize(
        AnyTree(setting.points, {.builder = builder}, setting.execution).size());
  per_point(state);
}

template <Builder builder>
void tree_first(benchmark::State& state) {
  Setting setting(state);
  setting.execution.workspace = nullptr;
  for (auto _ : state)
    benchmark::DoNotOptimize(
        AnyTree(setting.points, {.builder = builder}, setting.execution).size());
  per_point(state);
}

void sizes(benchmark::internal::Benchmark* bench) {
  bench->ArgsProduct({{1000000}, {1, 2}})->Unit(benchmark::kMillisecond)->UseRealTime();
}

BENCHMARK(check)->Apply(sizes);
BENCHMARK(keys<EqualCells>)->Apply(sizes);
BENCHMARK(keys<DigitCells>)->Apply(sizes);
BENCHMARK(order<Curve::hilbert>)->Apply(sizes);
BENCHMARK(order<Curve::z>)->Apply(sizes);
BENCHMARK(packed_planes)->Apply(sizes);
BENCHMARK(cells_planes)->Apply(sizes);
BENCHMARK(tree<Builder::packed>)->Apply(sizes);
BENCHMARK(tree<Builder::cells>)->Apply(sizes);
BENCHMARK(tree_first<Builder::packed>)->Apply(sizes);
BENCHMARK(tree_first<Builder::cells>)->Apply(sizes);
// Time per point from 10^5 to 10^8.
BENCHMARK(tree<Builder::packed>)
    ->ArgsProduct({{100000, 1000000, 10000000, 100000000}, {1}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace kith

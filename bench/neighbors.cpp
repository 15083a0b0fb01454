// The stages of a search, separated by calls that leave some of them out, for uniform points in
// 3-D.
//
//   build/release/bench/bench_neighbors --benchmark_filter=knn_into/1000000/16/1
//
// Arguments: points / k / threads. The tree is built outside the time, and memory is kept in a
// workspace unless the name says otherwise: knn_into less kth_distance is the cost of the rows,
// kth_distance less radius_count that of selecting, knn less knn_into that of fresh memory.
#include <benchmark/benchmark.h>
#include <cmath>
#include <cstdint>
#include <vector>

#include <kith/kith.hpp>
#include <kith/sample.hpp>

namespace {

struct Setting {
  explicit Setting(const benchmark::State& state)
      : size(static_cast<std::size_t>(state.range(0))),
        k(static_cast<std::size_t>(state.range(1))),
        execution{.threads = static_cast<int>(state.range(2)), .workspace = &workspace},
        points(kith::sample::uniform({.n = size, .dimension = 3})),
        tree(points.view(), {}, execution) {}
  std::size_t size, k;
  kith::Workspace workspace;
  kith::Execution execution;
  kith::sample::Points points;
  kith::AnyTree tree;

  /// Of the ball that holds k points on the average.
  double radius() const {
    return std::cbrt(3.0 / (4 * 3.141592653589793) * static_cast<double>(k) /
                     static_cast<double>(size));
  }
};

void per_query(benchmark::State& state) {
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void knn_into(benchmark::State& state) {
  const Setting setting(state);
  std::vector<std::int32_t> index(setting.size * setting.k);
  std::vector<float> distance(setting.size * setting.k);
  for (auto _ : state)
    kith::knn_into<float, std::int32_t>(setting.tree, {.k = setting.k},
                                        {index.data(), distance.data(), setting.size},
                                        setting.execution);
  per_query(state);
}

void knn(benchmark::State& state) {
  Setting setting(state);
  setting.execution.workspace = nullptr;
  for (auto _ : state)
    benchmark::DoNotOptimize(
        kith::knn<float>(setting.tree, {.k = setting.k}, setting.execution).size());
  per_query(state);
}

void knn_by_walk(benchmark::State& state) {
  const Setting setting(state);
  for (auto _ : state) {
    const auto near = kith::knn<float>(
        setting.tree, {.k = setting.k, .method = kith::KnnMethod::walk}, setting.execution);
    benchmark::DoNotOptimize(near.size());
  }
  per_query(state);
}

void kth_distance(benchmark::State& state) {
  const Setting setting(state);
  for (auto _ : state)
    benchmark::DoNotOptimize(
        kith::kth_distance(setting.tree, {.k = setting.k}, setting.execution).data());
  per_query(state);
}

void sph_density(benchmark::State& state) {
  const Setting setting(state);
  for (auto _ : state)
    benchmark::DoNotOptimize(
        kith::sph_density(setting.tree, {.k = setting.k}, setting.execution).data());
  per_query(state);
}

void radius_count(benchmark::State& state) {
  const Setting setting(state);
  for (auto _ : state)
    benchmark::DoNotOptimize(
        kith::radius_count(setting.tree, {.radius = setting.radius()}, setting.execution).data());
  per_query(state);
}

template <bool Sorted>
void radius(benchmark::State& state) {
  const Setting setting(state);
  for (auto _ : state) {
    const auto lists = kith::radius<float>(
        setting.tree, {.radius = setting.radius(), .sorted = Sorted}, setting.execution);
    benchmark::DoNotOptimize(lists.total());
  }
  per_query(state);
}

/// From a loop, through one searcher.
void one_at_a_time(benchmark::State& state) {
  const Setting setting(state);
  kith::KnnSearcher<float, std::int32_t> search(setting.tree, {.k = setting.k});
  std::vector<std::int32_t> index(setting.k);
  std::vector<float> distance(setting.k);
  std::size_t i = 0;
  for (auto _ : state) {
    search(setting.points.coordinates.data() + 3 * i, index.data(), distance.data());
    i = (i + 7919) % setting.size;
  }
  state.SetItemsProcessed(state.iterations());
}

void tasks(benchmark::internal::Benchmark* bench) {
  for (const int k : {1, 16, 64})
    for (const int threads : {1, 2}) bench->Args({1'000'000, k, threads});
  bench->Unit(benchmark::kMillisecond)->UseRealTime();
}

BENCHMARK(knn_into)->Apply(tasks);
BENCHMARK(knn)->Apply(tasks);
BENCHMARK(knn_by_walk)->Args({1'000'000, 16, 1})->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(kth_distance)->Apply(tasks);
BENCHMARK(sph_density)->Apply(tasks);
BENCHMARK(radius_count)->Apply(tasks);
BENCHMARK_TEMPLATE(radius, false)->Apply(tasks);
BENCHMARK_TEMPLATE(radius, true)->Apply(tasks);
BENCHMARK(one_at_a_time)->Args({1'000'000, 16, 1})->Unit(benchmark::kMicrosecond);

}  // namespace

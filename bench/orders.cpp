// The measurements behind Curve::automatic: building and searching in Hilbert order, in the cells
// of z-order and in kd order, over kinds of data and dimensions, on one thread. Prints a table of
// milliseconds.
//
//   bench_orders [SCALE [KIND]]   SCALE times the numbers of points; one kind of data instead of
//   all
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <kith/kith.hpp>

namespace {

using namespace kith;

/// A point of a fractal: of 2^d parts, each half as wide, some are empty at every scale.
double fractal(std::mt19937_64& random, double& choice, int axis) {
  if (axis == 0) choice = static_cast<double>(random() % 2);
  double x = 0;
  for (int bit = 1; bit <= 20; ++bit)
    x += (axis == 0 || random() % 3 > 0 ? static_cast<double>(random() % 2) : choice) *
         std::ldexp(1.0, -bit);
  return x;
}

std::vector<float> points_of(const std::string& kind, int d, std::size_t n) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform;
  std::normal_distribution<double> normal;
  const auto width = static_cast<std::size_t>(d);
  std::vector<double> center(64 * width);
  for (double& c : center) c = uniform(random);
  std::vector<float> x(n * width);
  double choice = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t axis = 0; axis < width; ++axis) {
      double value = uniform(random);
      if (kind == "clustered") value = center[i % 64 * width + axis] + 0.01 * normal(random);
      if (kind == "elongated" && axis == 0) value *= 1000;
      if (kind == "fractal") value = fractal(random, choice, static_cast<int>(axis));
      x[i * width + axis] = static_cast<float>(value);
    }
  return x;
}

constexpr std::size_t kOrders = 3;
using Times = std::array<double, kOrders>;  ///< milliseconds: Hilbert, cells of z-order, kd

/// The best of some rounds. The orders take turns, so that a busy machine is fair to all.
Times times_of(const std::function<void(std::size_t)>& run) {
  Times best;
  best.fill(1e30);
  double spent = 0;
  for (int round = 0; round < 9 && (round < 3 || spent < 400); ++round)
    for (std::size_t order = 0; order < kOrders; ++order) {
      const auto start = std::chrono::steady_clock::now();
      run(order);
      const double time =
          1e3 * std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      best[order] = std::min(best[order], time);
      spent += time;
    }
  return best;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void print(const Times& times) {
  const int digits = times[0] < 1 ? 2 : 1;
  std::printf(" | %.*f / %.*f / %.*f", digits, times[0], digits, times[1], digits, times[2]);
  std::fflush(stdout);
}

void show(const std::string& kind, int d, std::size_t n) {
  const std::vector<float> x = points_of(kind, d, n);
  const PointsView points = view(x.data(), n, d);
  const Execution one{.threads = 1};
  const std::array<TreeOptions, kOrders> options{TreeOptions{.curve = Curve::hilbert},
                                                 TreeOptions{.builder = Builder::cells},
                                                 TreeOptions{.curve = Curve::kd}};
  std::vector<AnyTree> trees;
  for (const TreeOptions& each : options) trees.emplace_back(points, each);
  const double reach = median(kth_distance(trees[0], {.k = 32})),
               length = median(kth_distance(trees[0], {.k = 2}));
  std::printf("| %s | %d", kind.c_str(), d);
  print(times_of([&](std::size_t order) { AnyTree(points, options[order], one); }));
  for (const std::size_t k : {1, 16, 64})
    print(times_of([&](std::size_t order) { knn<float>(trees[order], {.k = k}, one); }));
  print(times_of([&](std::size_t order) { radius_count(trees[order], {.radius = reach}, one); }));
  print(times_of([&](std::size_t order) { fof(trees[order], {.linking_length = length}, one); }));
  std::printf(" |\n");
}

/// Fewer where a search visits many of them.
std::size_t points_in(int d) { return d <= 3 ? 100000 : d == 4 ? 40000 : d <= 6 ? 20000 : 10000; }

}  // namespace

int main(int argc, char** argv) {
  const double scale = argc > 1 ? std::atof(argv[1]) : 1;
  std::printf("| points | d | build | k = 1 | k = 16 | k = 64 | radius | fof |\n");
  std::printf("|---|---|---|---|---|---|---|---|\n");
  for (const std::string kind : {"uniform", "clustered", "elongated", "fractal"})
    for (int d = 2; d <= 10; ++d)
      if (argc <= 2 || kind == argv[2])
        show(kind, d, static_cast<std::size_t>(scale * static_cast<double>(points_in(d))));
}

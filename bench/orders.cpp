// What Curve::automatic is decided by: building and searching in Hilbert order, in the cells of
// z-order and in kd order, over kinds of data and dimensions, on one thread. Prints a table of
// milliseconds.
//
//   bench_orders [SCALE]   times the numbers of points
#include <algorithm>
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

double milliseconds(const std::function<void()>& run) {
  double best = 1e30, spent = 0;
  for (int round = 0; round < 5 && (round < 2 || spent < 100); ++round) {
    const auto start = std::chrono::steady_clock::now();
    run();
    const double time =
        1e3 * std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    best = std::min(best, time);
    spent += time;
  }
  return best;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void show(const std::string& kind, int d, std::size_t n) {
  const std::vector<float> x = points_of(kind, d, n);
  const PointsView points = view(x.data(), n, d);
  const Execution one{.threads = 1};
  const Tree first(points);
  const double reach = median(kth_distance(first, {.k = 32})),
               length = median(kth_distance(first, {.k = 2}));
  const std::pair<const char*, TreeOptions> orders[] = {{"hilbert", {.curve = Curve::hilbert}},
                                                        {"z cells", {.builder = Builder::cells}},
                                                        {"kd", {.curve = Curve::kd}}};
  for (const auto& [name, options] : orders) {
    const double build = milliseconds([&] { Tree(points, options, one); });
    const Tree tree(points, options);
    const auto near = [&](std::size_t k) {
      return milliseconds([&] { knn(tree, {.k = k}, one); });
    };
    std::printf("| %s | %d | %s | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f |\n", kind.c_str(), d,
                name, build, near(1), near(16), near(64),
                milliseconds([&] { radius_count(tree, {.radius = reach}, one); }),
                milliseconds([&] { fof(tree, {.linking_length = length}, one); }));
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const double scale = argc > 1 ? std::atof(argv[1]) : 1;
  std::printf("| points | d | order | build | k = 1 | k = 16 | k = 64 | radius | fof |\n");
  std::printf("|---|---|---|---|---|---|---|---|---|\n");
  for (const char* kind : {"uniform", "clustered", "elongated", "fractal"})
    for (const int d : {2, 3, 4, 6, 8, 10})
      show(kind, d,
           static_cast<std::size_t>(scale * (d <= 3   ? 100000
                                             : d == 4 ? 40000
                                             : d == 6 ? 10000
                                                      : 4000)));
}

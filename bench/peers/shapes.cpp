// kith's part of bench/peers/shapes.py: difficult point sets, see tests/support/shapes.hpp.
//
//   bench_shapes_peers points SET N float|double FILE.npy
//   bench_shapes_peers time SET N float|double TASK...     prints one line of JSON per task
//
// TASK: a number k of neighbors, `radius` (how many are within a radius that holds 16 on the
// average) or `fof` (linking length: a radius that holds 2). Times are tree and task on one thread,
// the best of three; ns per point.
#include "support/shapes.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <kith/io.hpp>
#include <kith/kith.hpp>

namespace {

template <class T>
struct Points {
  std::vector<T> x;
  std::size_t size() const { return x.size() / 3; }
  kith::PointsView view() const { return kith::view(x.data(), size(), 3); }

  /// The radius within which a point has `count` others on average, estimated from 64 points.
  double radius(std::size_t count) const {
    std::vector<double> distances;
    const std::size_t step = std::max<std::size_t>(1, size() / 64);
    std::size_t asked = 0;
    for (std::size_t i = 0; i < size(); i += step, ++asked)
      for (std::size_t j = 0; j < size(); ++j)
        if (i != j)
          distances.push_back(std::hypot(double(x[3 * i]) - double(x[3 * j]),
                                         double(x[3 * i + 1]) - double(x[3 * j + 1]),
                                         double(x[3 * i + 2]) - double(x[3 * j + 2])));
    const auto nth = distances.begin() + std::ptrdiff_t(asked * count);
    std::nth_element(distances.begin(), nth, distances.end());
    return *nth;
  }
};

template <class T>
double run_task(const Points<T>& points, const std::string& task, double radius,
                kith::Statistics& statistics) {
  const kith::Workspace workspace;
  const kith::Execution execution{.threads = 1, .statistics = &statistics, .workspace = &workspace};
  if (task == "fof")
    return double(kith::fof(points.view(), {.linking_length = radius}, execution).count());
  const kith::AnyTree tree(points.view(), {}, execution);
  double sum = 0;
  if (task == "radius") {
    for (const auto count : kith::radius_count(tree, {.radius = radius}, execution))
      sum += double(count);
  } else {
    const auto near = kith::knn<T>(tree, {.k = std::size_t(std::atoi(task.c_str()))}, execution);
    for (std::size_t i = 0; i < near.size(); ++i) sum += double(near.distance(i).back());
  }
  return sum;
}

template <class T>
void time_task(const Points<T>& points, const std::string& task) {
  const double radius = task == "fof" ? points.radius(2) : task == "radius" ? points.radius(16) : 0;
  double best = 1e30, check = 0;
  kith::Statistics statistics;
  for (int round = 0; round < 3; ++round) {
    const auto start = std::chrono::steady_clock::now();
    statistics = {};
    check = run_task(points, task, radius, statistics);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    best = std::min(best, seconds.count());
  }
  std::printf("{\"task\": \"%s\", \"ns\": %.1f, \"radius\": %.17g, \"check\": %.9g", task.c_str(),
              1e9 * best / double(points.size()), radius, check);
  for (const auto& count : statistics.counts)
    std::printf(", \"%s\": %llu", count.name.c_str(), static_cast<unsigned long long>(count.value));
  std::printf("}\n");
}

template <class T>
int run(int count, char** arguments) {
  const std::string what = arguments[1];
  const auto made =
      kith::test::Shapes(static_cast<std::size_t>(std::atof(arguments[3]))).make(arguments[2]);
  const Points<T> points{{made.begin(), made.end()}};
  if (points.x.empty()) return 2;
  if (what == "points")
    kith::write_snapshot(arguments[5], {.position = points.view()});
  else
    for (int i = 5; i < count; ++i) time_task(points, arguments[i]);
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 6) return 2;
  try {
    return std::string(arguments[4]) == "float" ? run<float>(count, arguments)
                                                : run<double>(count, arguments);
  } catch (const kith::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

// kd-trees of kith and of nanoflann over the same points in 2-D, in turns, in one process; kith's
// on inputs that are hard for selection, and searches in kd order beside those in Hilbert order.
// Prints one JSON object a line.
//
//   bench_kd_peers POINTS ROUNDS
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <nanoflann.hpp>
#include <random>
#include <string>
#include <vector>

#include <kith/kith.hpp>

namespace {

using Points = std::vector<double>;

/// The points as nanoflann wants to see them.
struct Cloud {
  const Points& x;
  std::size_t kdtree_get_point_count() const { return x.size() / 2; }
  double kdtree_get_pt(std::size_t i, std::size_t axis) const { return x[2 * i + axis]; }
  template <class Box>
  bool kdtree_get_bbox(Box&) const {
    return false;
  }
};

using PeerTree =
    nanoflann::KDTreeSingleIndexAdaptor<nanoflann::L2_Simple_Adaptor<double, Cloud>, Cloud, 2>;

struct Task {
  std::string name;
  int threads;
  std::function<void()> run;
  double best = 1e30;
};

double seconds_of(const std::function<void()>& run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void measure(std::vector<Task> tasks, std::size_t n, int rounds) {
  for (int round = 0; round < rounds; ++round)
    for (Task& task : tasks) task.best = std::min(task.best, seconds_of(task.run));
  for (const Task& task : tasks)
    std::printf("{\"task\": \"%s\", \"points\": %zu, \"threads\": %d, \"best\": %.6f}\n",
                task.name.c_str(), n, task.threads, task.best);
  std::fflush(stdout);
}

/// McIlroy's sequence against a median of three, for either coordinate.
Points median_killer(std::size_t n) {
  Points x(2 * n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t half = n / 2;
    const double value =
        static_cast<double>(i < half ? (i % 2 ? half + i : i + 1) : 2 * (i - half));
    x[2 * i] = x[2 * i + 1] = value;
  }
  return x;
}

Points points_of(const std::string& kind, std::size_t n) {
  if (kind == "median-killer") return median_killer(n);
  std::mt19937_64 random(1);
  const auto uniform = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  const auto side = static_cast<std::size_t>(std::sqrt(static_cast<double>(n))) + 1;
  Points x(2 * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t axis = 0; axis < 2; ++axis) {
      const double at = static_cast<double>(i);
      double value = uniform();
      if (kind == "all equal" || (kind == "half equal" && i % 2 == 0)) value = 0.25;
      if (kind == "grid") value = static_cast<double>(axis == 0 ? i / side : i % side);
      if (kind == "sorted") value = at;
      if (kind == "organ pipe") value = std::min(at, static_cast<double>(n) - at);
      x[2 * i + axis] = value;
    }
  return x;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace kith;
  const std::size_t n = argc > 1 ? static_cast<std::size_t>(std::atof(argv[1])) : 1000000;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 5;
  Workspace workspace;
  const auto build = [&](const Points& x, Curve curve, int threads) {
    return [&, curve, threads] {
      Tree(view(x.data(), x.size() / 2, 2), {.curve = curve},
           {.threads = threads, .workspace = &workspace});
    };
  };
  const Points uniform = points_of("uniform", n);
  const Cloud cloud{uniform};
  measure({{"kith kd", 1, build(uniform, Curve::kd, 1)},
           {"kith kd", 2, build(uniform, Curve::kd, 2)},
           {"kith hilbert", 1, build(uniform, Curve::hilbert, 1)},
           {"nanoflann, leaf 10", 1,
            [&] {
              PeerTree tree(2, cloud, nanoflann::KDTreeSingleIndexAdaptorParams(10));
              tree.buildIndex();
            }}},
          n, rounds);
  for (const char* kind :
       {"all equal", "half equal", "grid", "sorted", "organ pipe", "median-killer"}) {
    const Points x = points_of(kind, n);
    measure({{std::string("kith kd, ") + kind, 1, build(x, Curve::kd, 1)}}, n, rounds);
  }
  std::vector<float> solid(3 * n);
  std::mt19937_64 random(2);
  for (float& value : solid) value = static_cast<float>(random() >> 40) / 16777216.f;
  const Tree hilbert(view(solid.data(), n, 3)), kd(view(solid.data(), n, 3), {.curve = Curve::kd});
  measure({{"knn in 3-D, k = 16, hilbert", 1, [&] { knn(hilbert, {.k = 16}, {.threads = 1}); }},
           {"knn in 3-D, k = 16, kd", 1, [&] { knn(kd, {.k = 16}, {.threads = 1}); }}},
          n, std::min(rounds, 3));
}

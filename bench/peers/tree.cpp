// Builds the trees of kith and of nanoflann over the same uniform points, in turns, in one process,
// and prints one JSON object a line: what, points, threads, seconds of the first call, of the best
// of several.
//
//   bench_tree_peers POINTS ROUNDS
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <nanoflann.hpp>
#include <random>
#include <string>
#include <vector>

#include <kith/kith.hpp>

#include "peers/memory.hpp"

namespace {

/// The points as nanoflann wants to see them.
struct Cloud {
  const std::vector<float>& x;
  std::size_t kdtree_get_point_count() const { return x.size() / 3; }
  float kdtree_get_pt(std::size_t i, std::size_t axis) const { return x[3 * i + axis]; }
  template <class Box>
  bool kdtree_get_bbox(Box&) const {
    return false;
  }
};

using PeerTree =
    nanoflann::KDTreeSingleIndexAdaptor<nanoflann::L2_Simple_Adaptor<float, Cloud>, Cloud, 3>;

struct Task {
  std::string name;
  int threads;
  std::function<void()> run;
  double first = 0, best = 1e30;
};

double seconds_of(const std::function<void()>& run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t n = argc > 1 ? static_cast<std::size_t>(std::atof(argv[1])) : 1000000;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 5;
  std::vector<float> x(3 * n);
  std::mt19937_64 random(1);
  for (float& value : x) value = static_cast<float>(random() >> 40) / 16777216.f;
  const kith::PointsView points = kith::view(x.data(), n, 3);
  const Cloud cloud{x};

  const std::size_t before = peers::peak_memory();
  kith::AnyTree(points, {}, {.threads = 1});
  const std::size_t peak = peers::peak_memory() - before;

  kith::Workspace workspace;
  auto build = [&](kith::Builder builder, int threads) {
    return [&, builder, threads] {
      kith::AnyTree(points, {.builder = builder}, {.threads = threads, .workspace = &workspace});
    };
  };
  std::vector<Task> tasks{
      {"kith packed", 1, build(kith::Builder::packed, 1)},
      {"kith packed", 2, build(kith::Builder::packed, 2)},
      {"kith cells", 1, build(kith::Builder::cells, 1)},
      {"kith cells", 2, build(kith::Builder::cells, 2)},
      {"nanoflann", 1,
       [&] {
         PeerTree tree(3, cloud, nanoflann::KDTreeSingleIndexAdaptorParams(16));
         tree.buildIndex();
       }},
  };
  for (int round = 0; round < rounds; ++round)
    for (Task& task : tasks) {
      const double seconds = seconds_of(task.run);
      if (round == 0) task.first = seconds;
      task.best = std::min(task.best, seconds);
    }
  for (const Task& task : tasks)
    std::printf(
        "{\"task\": \"%s\", \"points\": %zu, \"threads\": %d, \"first\": %.6f, \"best\": %.6f}\n",
        task.name.c_str(), n, task.threads, task.first, task.best);
  std::printf(
      "{\"task\": \"kith packed, peak bytes per point\", \"points\": %zu, \"threads\": 1, "
      "\"value\": %.1f}\n",
      n, static_cast<double>(peak) / static_cast<double>(n));
}

// The tree of many random points: build it, print its planes, time it.
//
//   points along a curve   . . . . . . . . . . . . . . . .  ...
//   plane 0: leaves       |_______________|_______________| ...   8 points each
//   plane 1               |_______________________________  ...   8 nodes each
//   ...                   one root
//
// Usage: tree [number of points]
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include <kith/kith.hpp>

namespace {

using Points = std::vector<std::array<float, 3>>;

/// Uniform in the unit cube, the same on every machine.
Points random_points(std::size_t count) {
  std::mt19937 random(1);
  Points points(count);
  for (auto& point : points)
    for (float& x : point) x = static_cast<float>(random() >> 8) * 0x1p-24F;
  return points;
}

/// The mean length of a side of the boxes in one plane.
double mean_side(const kith::AnyTree& tree, int plane) {
  double sum = 0;
  for (std::size_t i = 0; i < tree.nodes(plane); ++i) {
    const kith::Node node = tree.node(plane, i);
    for (std::size_t axis = 0; axis < node.lower.size(); ++axis)
      sum += node.upper[axis] - node.lower[axis];
  }
  return sum / static_cast<double>(tree.nodes(plane)) / tree.dimension();
}

void describe(const kith::AnyTree& tree) {
  std::printf("%d planes, %.1f bytes per point:\n", tree.planes(),
              static_cast<double>(tree.memory()) / static_cast<double>(tree.size()));
  for (int plane = tree.planes() - 1; plane >= 0; --plane)
    std::printf("  plane %d: %7zu nodes, mean side %.4f\n", plane, tree.nodes(plane),
                mean_side(tree, plane));
}

/// Seconds of one build.
double seconds_to_build(const Points& points, const kith::TreeOptions& options,
                        const kith::Execution& execution) {
  const auto start = std::chrono::steady_clock::now();
  const kith::Tree tree(points, options, execution);
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
  return passed.count();
}

void time_builds(const Points& points, const kith::TreeOptions& options) {
  // The first call takes fresh memory from the system; a workspace keeps it for those that follow.
  const kith::Workspace workspace;
  const kith::Execution execution{.workspace = &workspace};
  const double first = seconds_to_build(points, options, execution);
  double best = first;
  for (int round = 0; round < 5; ++round)
    best = std::min(best, seconds_to_build(points, options, execution));
  std::printf("first build: %.1f ms\n", 1e3 * first);
  std::printf("best of 5 with its memory kept: %.1f ms, %.1f million points per second\n",
              1e3 * best, 1e-6 * static_cast<double>(points.size()) / best);
}

void run(std::size_t count) {
  const Points points = random_points(count);
  const kith::TreeOptions options{.box = kith::Box::periodic(1.0)};
  std::printf("kith %s: %zu random points in a periodic unit cube\n", KITH_VERSION, count);
  time_builds(points, options);
  const kith::Tree tree(points, options);
  describe(tree);
  tree.check();
  std::printf("every invariant of the tree holds\n");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000000);
  } catch (const kith::Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}

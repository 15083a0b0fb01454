// kith's part of bench/peers/norms.py: other norms, numbers of pairs, saved trees.
//
//   bench_norms_peers points N FILE.npy            writes the points of all tasks
//   bench_norms_peers knn N K P THREADS            tree and k nearest neighbors
//   bench_norms_peers pairs N P THREADS WEIGHTED   numbers of pairs at ten radii
//   bench_norms_peers file N FILE                  saving and loading, two threads
//
// Prints one line of JSON; times are the best of three.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <kith/io.hpp>
#include <kith/kith.hpp>
#include <kith/sample.hpp>

namespace {

double best_time(const std::function<void()>& call) {
  double best = 1e30;
  for (int round = 0; round < 3; ++round) {
    const auto start = std::chrono::steady_clock::now();
    call();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    best = std::min(best, seconds.count());
  }
  return best;
}

/// In double, as scipy has them.
struct Points {
  std::vector<double> x;
  std::size_t size() const { return x.size() / 3; }
  kith::PointsView view() const { return kith::view(x.data(), size(), 3); }
};

Points points_of(const char* n) {
  const auto points = kith::sample::uniform({.n = static_cast<std::size_t>(std::atof(n))});
  return {{points.coordinates.begin(), points.coordinates.end()}};
}

std::vector<double> ten_radii() {
  std::vector<double> radii;
  for (int i = 1; i <= 10; ++i) radii.push_back(0.01 * i);
  return radii;
}

void time_knn(char** arguments) {
  const auto points = points_of(arguments[0]);
  const kith::KnnOptions options{.k = static_cast<std::size_t>(std::atoi(arguments[1])),
                                 .p = std::strtod(arguments[2], nullptr)};
  const kith::Workspace workspace;
  const kith::Execution execution{.threads = std::atoi(arguments[3]), .workspace = &workspace};
  double sum = 0;
  const double seconds = best_time([&] {
    const kith::AnyTree tree(points.view(), {}, execution);
    const auto near = kith::knn<double>(tree, options, execution);
    sum = 0;
    for (std::size_t i = 0; i < near.size(); ++i) sum += near.distance(i).back();
  });
  std::printf("{\"seconds\": %.4f, \"check\": [%.9g]}\n", seconds, sum);
}

void time_pairs(char** arguments) {
  const auto points = points_of(arguments[0]);
  const auto radii = ten_radii();
  const kith::PairCountOptions options{.radii = radii, .p = std::strtod(arguments[1], nullptr)};
  const kith::Execution execution{.threads = std::atoi(arguments[2])};
  const bool is_weighted = std::atoi(arguments[3]) != 0;
  const std::vector<double> weights(points.size(), 0.5);
  const kith::AnyTree tree(points.view(), {}, execution);
  std::vector<double> counts;
  const double seconds = best_time([&] {
    if (is_weighted) {
      counts = kith::weighted_pair_counts(tree, tree, {weights, weights}, options, execution);
    } else {
      const auto whole = kith::pair_counts(tree, tree, options, execution);
      counts.assign(whole.begin(), whole.end());
    }
  });
  std::printf("{\"seconds\": %.4f, \"check\": [", seconds);
  for (std::size_t i = 0; i < counts.size(); ++i) std::printf("%s%.17g", i ? ", " : "", counts[i]);
  std::printf("]}\n");
}

void time_file(char** arguments) {
  const auto points = points_of(arguments[0]);
  const std::string path = arguments[1];
  const kith::Execution execution{.threads = 2};
  const double build = best_time([&] { kith::AnyTree(points.view(), {}, execution); });
  const kith::AnyTree tree(points.view(), {}, execution);
  const double save = best_time([&] { kith::save(tree, path, execution); });
  const double load = best_time([&] { kith::load(path, {}, execution); });
  const double trust = best_time([&] { kith::load(path, {.verify = false}, execution); });
  std::printf(
      "{\"build\": %.4f, \"save\": %.4f, \"load\": %.4f, \"unverified\": %.6f, \"bytes\": %zu}\n",
      build, save, load, trust, kith::saved_size(tree));
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view what = count > 1 ? arguments[1] : "";
  try {
    if (what == "points" && count == 4)
      kith::write_snapshot(arguments[3], {.position = points_of(arguments[2]).view()});
    else if (what == "knn" && count == 6)
      time_knn(arguments + 2);
    else if (what == "pairs" && count == 6)
      time_pairs(arguments + 2);
    else if (what == "file" && count == 4)
      time_file(arguments + 2);
    else
      return 2;
  } catch (const kith::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

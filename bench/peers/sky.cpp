// kith's part of bench/peers/sky.py: neighbors, matches and clusters on the sky.
//
//   bench_sky_peers points N FILE SEED           writes ra and dec of all tasks: raw doubles, ra
//   first bench_sky_peers match FILE OTHERS THREADS    the nearest of OTHERS for each of FILE
//   bench_sky_peers knn FILE K THREADS
//   bench_sky_peers hdbscan FILE THREADS         min_cluster_size 20, min_samples 5
//
// Prints one line of JSON; times are of CPU and wall, the best of three (hdbscan: of one).
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <numbers>
#include <string_view>
#include <vector>

#include <kith/kith.hpp>
#include <kith/sample.hpp>

#include "peers/memory.hpp"

namespace {

struct Times {
  double wall = 1e30, cpu = 1e30;
};

Times best_of(int rounds, const std::function<void()>& call) {
  Times best;
  for (int round = 0; round < rounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    const std::clock_t ticks = std::clock();
    call();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    best.wall = std::min(best.wall, seconds.count());
    best.cpu = std::min(best.cpu, static_cast<double>(std::clock() - ticks) / CLOCKS_PER_SEC);
  }
  return best;
}

/// Half of them uniform, half in 1,000 clumps of a degree.
void write_points(char** arguments) {
  const auto n = static_cast<std::size_t>(std::atof(arguments[0]));
  const auto uniform =
      kith::sample::uniform({.n = n, .seed = static_cast<std::uint64_t>(std::atoll(arguments[2]))});
  std::vector<double> rows(2 * n);
  for (std::size_t i = 0; i < n; ++i) {
    const float* x = uniform.coordinates.data() + 3 * i;
    rows[i] = 360.0 * x[0];
    rows[n + i] = std::asin(2.0 * x[1] - 1) * 180 / std::numbers::pi;
    if (i % 2 == 0) continue;
    const float* center = uniform.coordinates.data() + 3 * (2 * (i % 1000));
    rows[i] = 360.0 * center[0] + x[0];
    rows[n + i] = 80 * (2.0 * center[1] - 1) + x[1];
  }
  std::FILE* file = std::fopen(arguments[1], "wb");
  if (!file) std::exit(1);
  std::fwrite(rows.data(), sizeof(double), rows.size(), file);
  std::fclose(file);
}

struct Catalogue {
  explicit Catalogue(const char* path) {
    std::FILE* file = std::fopen(path, "rb");
    if (!file) std::exit(1);
    double row = 0;
    while (std::fread(&row, sizeof row, 1, file) == 1) rows.push_back(row);
    std::fclose(file);
  }
  kith::sky::Positions positions() const {
    const std::span<const double> all(rows);
    return {.ra = all.first(rows.size() / 2), .dec = all.last(rows.size() / 2)};
  }
  std::vector<double> rows;
};

void print(const Times& times, double check) {
  std::printf("{\"seconds\": %.4f, \"cpu\": %.4f, \"check\": %.12g, \"memory\": %zu}\n", times.wall,
              times.cpu, check, peers::peak_memory());
}

void time_match(char** arguments) {
  const Catalogue first(arguments[0]), second(arguments[1]);
  const kith::Workspace workspace;
  const kith::Execution execution{.threads = std::atoi(arguments[2]), .workspace = &workspace};
  double sum = 0;
  const Times times = best_of(3, [&] {
    const auto found =
        kith::sky::match(first.positions(), second.positions(), kith::sky::kNoLimit, execution);
    sum = 0;
    for (const double angle : found.angle) sum += angle;
  });
  print(times, sum);
}

void time_knn(char** arguments) {
  const Catalogue all(arguments[0]);
  const kith::sky::KnnOptions options{.k = static_cast<std::size_t>(std::atoi(arguments[1]))};
  const kith::Workspace workspace;
  const kith::Execution execution{.threads = std::atoi(arguments[2]), .workspace = &workspace};
  double sum = 0;
  const Times times = best_of(3, [&] {
    const auto near = kith::sky::knn(all.positions(), options, execution);
    sum = 0;
    for (std::size_t i = 0; i < near.size(); ++i) sum += near.distance(i).back();
  });
  print(times, sum);
}

void time_hdbscan(char** arguments) {
  const Catalogue all(arguments[0]);
  const kith::Execution execution{.threads = std::atoi(arguments[1])};
  std::size_t clusters = 0;
  const Times times = best_of(1, [&] {
    clusters =
        kith::sky::hdbscan(all.positions(),
                           {.min_samples = 5, .condense = {.min_cluster_size = 20}}, execution)
            .count();
  });
  print(times, static_cast<double>(clusters));
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view what = count > 1 ? arguments[1] : "";
  try {
    if (what == "points" && count == 5)
      write_points(arguments + 2);
    else if (what == "match" && count == 5)
      time_match(arguments + 2);
    else if (what == "knn" && count == 5)
      time_knn(arguments + 2);
    else if (what == "hdbscan" && count == 4)
      time_hdbscan(arguments + 2);
    else
      return 2;
  } catch (const kith::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

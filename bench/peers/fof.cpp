// Friends of friends on one set of points, stage by stage, best of several runs in one process.
//
//   bench_fof_peers SET LENGTH THREADS RUNS [open] [cells] [tree] [workspace] [shuffle] [min=SIZE]
//   [labels=FILE]
//
//   bench_fof_peers sample N FILE    writes the positions of a universe of N^3 particles with side
//   N
//
// SET is a file of raw float32 triples with its periodic side, FILE:SIDE, or one of the sets below
// with its number of points, such as ball:1e6; these measure lengths in linking lengths and take
// LENGTH = 1 and `open`. cells: the cells tree. tree: the tree is built once, outside the time.
// labels: written as int32.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <kith/kith.hpp>
#include <kith/sample.hpp>

#include "peers/memory.hpp"

namespace {

using Rows = std::vector<float>;

std::mt19937_64 random_bits(1);
double unit() { return static_cast<double>(random_bits() >> 11) * 0x1p-53; }

void add(Rows& rows, double x, double y, double z) {
  for (const double value : {x, y, z}) rows.push_back(static_cast<float>(value));
}

/// On a sphere of radius r around a point.
void add_at_radius(Rows& rows, double r, double center) {
  const double z = 2 * unit() - 1, angle = 6.283185307179586 * unit(),
               across = std::sqrt(1 - z * z);
  add(rows, center + r * across * std::cos(angle), center + r * across * std::sin(angle),
      center + r * z);
}

Rows cube(std::size_t n, double side) {
  Rows rows;
  for (std::size_t i = 0; i < n; ++i) add(rows, side * unit(), side * unit(), side * unit());
  return rows;
}

/// n points at the radius that `radius` gives for a number in [0, 1).
Rows sphere(std::size_t n, const std::function<double(double)>& radius) {
  Rows rows;
  for (std::size_t i = 0; i < n; ++i) add_at_radius(rows, radius(unit()), 10);
  return rows;
}

/// Two tilted planes that are not quite a linking length apart.
Rows sheets(std::size_t n) {
  Rows rows;
  const double side = std::sqrt(static_cast<double>(n)) * 0.02;
  for (std::size_t i = 0; i < n; ++i) {
    // Along (2, 2, 1) / 3 and (-2, 1, 2) / 3, away from them along (1, -2, 2) / 3.
    const double u = side * unit() / 3, v = side * unit() / 3, w = i % 2 ? 1.0001 / 3 : 0.0;
    add(rows, 2 * u - 2 * v + w, 2 * u + v - 2 * w, u + 2 * v + 2 * w);
  }
  return rows;
}

Rows lattice(std::size_t n, double step) {
  Rows rows;
  const auto m = static_cast<std::size_t>(std::cbrt(static_cast<double>(n)));
  for (std::size_t i = 0; i < m * m * m; ++i)
    add(rows, step * static_cast<double>(i % m), step * static_cast<double>(i / m % m),
        step * static_cast<double>(i / m / m));
  return rows;
}

const std::map<std::string, std::function<Rows(std::size_t)>> kSets = {
    {"uniform",
     [](std::size_t n) { return cube(n, std::cbrt(static_cast<double>(n)) * 5); }},  // b = 0.2
    {"cube2", [](std::size_t n) { return cube(n, 2); }},
    {"cube10", [](std::size_t n) { return cube(n, 10); }},
    {"cube1e3", [](std::size_t n) { return cube(n, 1e3); }},
    {"cube1e5", [](std::size_t n) { return cube(n, 1e5); }},
    {"cube1e7", [](std::size_t n) { return cube(n, 1e7); }},
    {"ball0.4",
     [](std::size_t n) { return sphere(n, [](double u) { return 0.4 * std::cbrt(u); }); }},
    {"ball3", [](std::size_t n) { return sphere(n, [](double u) { return 3 * std::cbrt(u); }); }},
    {"halo",
     [](std::size_t n) { return sphere(n, [](double u) { return 4 * std::pow(u, 2 / 3.); }); }},
    {"cusp", [](std::size_t n) { return sphere(n, [](double u) { return 20 * u * u; }); }},
    {"shells",
     [](std::size_t n) { return sphere(n, [](double u) { return u < 0.5 ? 3 : 4.002; }); }},
    {"sheets", sheets},
    {"lattice1", [](std::size_t n) { return lattice(n, 1); }},
    {"lattice1.0001", [](std::size_t n) { return lattice(n, 1.0001); }},
    {"equal", [](std::size_t n) { return Rows(3 * n, 1); }},
    {"outlier",
     [](std::size_t n) {
       Rows rows = cube(n - 1, 1e-3);
       add(rows, 1e4, 1e4, 1e4);
       return rows;
     }},
};

Rows read(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (!file) throw std::runtime_error("cannot read " + path);
  std::fseek(file, 0, SEEK_END);
  Rows rows(static_cast<std::size_t>(std::ftell(file)) / sizeof(float));
  std::rewind(file);
  if (std::fread(rows.data(), sizeof(float), rows.size(), file) != rows.size()) rows.clear();
  std::fclose(file);
  return rows;
}

void shuffle(Rows& rows) {
  for (std::size_t i = rows.size() / 3; i-- > 1;)
    std::swap_ranges(&rows[3 * i], &rows[3 * i] + 3, &rows[3 * (random_bits() % (i + 1))]);
}

struct Task {
  Rows rows;
  kith::FofOptions options;
  int runs = 5;
  bool keeps_tree = false;
  bool keeps_memory = false;
  kith::TreeOptions tree;
  std::string labels;
};

Task parse(int argc, char** argv) {
  Task task;
  const std::string set = argv[1];
  const std::size_t colon = set.rfind(':');
  const auto known = kSets.find(set.substr(0, colon));
  const double number = std::atof(set.c_str() + colon + 1);
  if (known != kSets.end()) {
    task.rows = known->second(static_cast<std::size_t>(number));
  } else {
    task.rows = read(set.substr(0, colon));
    task.options.box = kith::Box::periodic(number);
  }
  task.options.linking_length = std::atof(argv[2]);
  task.runs = std::atoi(argv[4]);
  for (int i = 5; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "open") task.options.box = {};
    if (word == "cells") task.tree.builder = kith::Builder::cells;
    if (word == "workspace") task.keeps_memory = true;
    if (word == "tree") task.keeps_tree = true;
    if (word == "shuffle") shuffle(task.rows);
    if (word.starts_with("min=")) task.options.min_size = std::stoul(word.substr(4));
    if (word.starts_with("labels=")) task.labels = word.substr(7);
  }
  task.tree.box = task.options.box;
  return task;
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Of all threads: unlike the time that passed, it does not count other programs on a busy machine.
double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void run(const Task& task, int threads) {
  const kith::PointsView points = kith::view(task.rows.data(), task.rows.size() / 3, 3);
  const std::size_t before = peers::peak_memory();
  const kith::Workspace workspace;
  const kith::AnyTree built(task.keeps_tree ? points : kith::view(task.rows.data(), 0, 3),
                            task.tree, {.threads = threads});
  kith::Statistics best;
  double seconds = 1e30, first = 0, cpu = 1e30;
  std::size_t groups = 0, largest = 0;
  for (int i = 0; i < task.runs; ++i) {
    kith::Statistics statistics;
    const kith::Execution execution{.threads = threads,
                                    .statistics = &statistics,
                                    .workspace = task.keeps_memory ? &workspace : nullptr};
    const double start = now(), cpu_start = cpu_seconds();
    const kith::AnyTree tree =
        task.keeps_tree ? built : kith::AnyTree(points, task.tree, execution);
    const kith::Groups result = kith::fof(tree, task.options, execution);
    const double time = now() - start;
    cpu = std::min(cpu, cpu_seconds() - cpu_start);
    if (i == 0) first = time;
    if (time < seconds) best = statistics;
    seconds = std::min(seconds, time);
    groups = result.count();
    largest = groups > 0 ? result.size(0) : 0;
    if (!task.labels.empty() && i == 0) {
      std::FILE* file = std::fopen(task.labels.c_str(), "wb");
      std::fwrite(result.label().data(), 4, result.label().size(), file);
      std::fclose(file);
    }
  }
  std::printf("{\"points\": %zu, \"threads\": %d, \"first\": %.4f, \"best\": %.4f, \"cpu\": %.4f",
              points.size, threads, first, seconds, cpu);
  for (const auto& stage : best.stages)
    std::printf(", \"%s\": %.4f", stage.name.c_str(), stage.seconds);
  std::printf(
      ", \"groups\": %zu, \"largest\": %zu, \"bytes_per_point\": %.1f}\n", groups, largest,
      static_cast<double>(peers::peak_memory() - before) / static_cast<double>(points.size));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4 && std::string(argv[1]) == "sample") {
    const auto universe = kith::sample::cosmology({.n = std::atoi(argv[2])});
    std::FILE* file = std::fopen(argv[3], "wb");
    if (!file) return 1;
    std::fwrite(universe.position.data(), sizeof(float), universe.position.size(), file);
    return std::fclose(file);
  }
  if (argc < 5) {
    std::fprintf(stderr, "see the top of bench/peers/fof.cpp\n");
    return 2;
  }
  try {
    run(parse(argc, argv), std::atoi(argv[3]));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

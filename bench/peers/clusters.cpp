// Clusters of one set of points, best of several runs in one process.
//
//   bench_clusters_peers FILE DIMENSION THREADS RUNS CALL [OUTPUT]
//
// FILE holds raw float64 rows, which are read as float64, or as float32 if CALL ends in "32". CALL:
// tree, fof:LENGTH, dbscan:EPS, spanning_tree:CORE_K, hierarchy, hdbscan:MIN_CLUSTER_SIZE. OUTPUT
// receives labels (int32) or edges (uint32 pairs). Prints one line of JSON.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include <kith/kith.hpp>

namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
/// Of all threads: unlike the time that passed, it does not count other programs on a busy machine.
double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

std::vector<double> read(const char* path) {
  std::FILE* file = std::fopen(path, "rb");
  if (!file) throw std::runtime_error(std::string("cannot read ") + path);
  std::fseek(file, 0, SEEK_END);
  std::vector<double> rows(static_cast<std::size_t>(std::ftell(file)) / sizeof(double));
  std::rewind(file);
  if (std::fread(rows.data(), sizeof(double), rows.size(), file) != rows.size()) rows.clear();
  std::fclose(file);
  return rows;
}

void write(const char* path, const void* data, std::size_t bytes) {
  if (!path) return;
  std::FILE* file = std::fopen(path, "wb");
  std::fwrite(data, 1, bytes, file);
  std::fclose(file);
}

/// Runs a call once; returns the number of its results.
std::size_t run(const std::string& call, double value, const kith::PointsView& points,
                const kith::Execution& execution, const char* output) {
  if (call == "tree") return kith::AnyTree(points, {}, execution).size();
  if (call == "fof") {
    const kith::Groups groups =
        kith::fof(points, {.linking_length = value, .min_size = 2}, execution);
    write(output, groups.label().data(), 4 * groups.label().size());
    return groups.count();
  }
  if (call == "dbscan") {
    const kith::Clusters clusters =
        kith::dbscan(points, {.eps = value, .border = kith::Border::sklearn}, execution);
    write(output, clusters.label().data(), 4 * clusters.label().size());
    return clusters.count();
  }
  if (call == "spanning_tree") {
    const auto core_k = static_cast<std::size_t>(value);
    const kith::SpanningTree tree = kith::spanning_tree(points, {.core_k = core_k}, execution);
    write(output, tree.index().data(), 4 * tree.index().size());
    return tree.size();
  }
  if (call == "hierarchy") return kith::hierarchy(points, {}, execution).size();
  const kith::HdbscanClusters clusters = kith::hdbscan(
      points, {.condense = {.min_cluster_size = static_cast<std::size_t>(value)}}, execution);
  write(output, clusters.label.data(), 4 * clusters.label.size());
  return clusters.count();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 6) {
    std::fprintf(stderr, "see the top of bench/peers/clusters.cpp\n");
    return 2;
  }
  try {
    const std::vector<double> rows = read(argv[1]);
    const int dimension = std::atoi(argv[2]), threads = std::atoi(argv[3]);
    std::string call = argv[5];
    const bool is_float = call.ends_with("32");
    if (is_float) call.resize(call.size() - 2);
    const std::size_t colon = std::min(call.find(':'), call.size());
    const double value = colon < call.size() ? std::atof(call.c_str() + colon + 1) : 0;
    const std::vector<float> floats(rows.begin(), rows.end());
    const std::size_t n = rows.size() / static_cast<std::size_t>(dimension);
    const kith::PointsView points = is_float
                                        ? kith::PointsView(kith::view(floats.data(), n, dimension))
                                        : kith::view(rows.data(), n, dimension);
    double best = 1e30, cpu = 1e30;
    std::size_t found = 0;
    kith::Statistics stages;
    for (int i = 0; i < std::atoi(argv[4]); ++i) {
      kith::Statistics statistics;
      const kith::Execution execution{.threads = threads, .statistics = &statistics};
      const double start = now(), cpu_start = cpu_seconds();
      found = run(call.substr(0, colon), value, points, execution,
                  i == 0 && argc > 6 ? argv[6] : nullptr);
      const double time = now() - start;
      if (time < best) stages = statistics;
      best = std::min(best, time);
      cpu = std::min(cpu, cpu_seconds() - cpu_start);
    }
    std::printf("{\"points\": %zu, \"threads\": %d, \"best\": %.4f, \"cpu\": %.4f, \"found\": %zu",
                n, threads, best, cpu, found);
    for (const auto& stage : stages.stages)
      std::printf(", \"%s\": %.4f", stage.name.c_str(), stage.seconds);
    std::printf("}\n");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

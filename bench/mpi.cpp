// Neighbors and groups over ranks beside one process: domains, then k nearest neighbors, friends of
// friends or a halo catalogue, with the time of each stage, the traffic and the memory of a rank.
//
//   mpirun -n 2 build/release/bench/bench_mpi [POINTS = 10000000] [K = 16] [ROUNDS = 3] [far]
//   mpirun -n 2 build/release/bench/bench_mpi universe.hdf5 fof|halos|tree|hdbscan [ROUNDS = 3]
//   mpirun -n 8 build/release/bench/bench_mpi POINTS K|fof|halos|tree|hdbscan row [clustered]
//   mpirun -n 8 build/release/bench/bench_mpi universe.hdf5 fof|halos copies
//   build/release/bench/bench_mpi POINTS K alone
//
// POINTS are uniform, those of all ranks together, or a snapshot. With `fof` in the place of K,
// groups with b = 0.2 in tree order; with `halos`, groups in the order of the input and their
// catalogue with velocities; with `tree`, the minimum spanning tree; with `hdbscan`, clusters of at
// least 5 points. Rank 0 also runs one process alone, with as many threads as there are
// ranks. Times are the best of the rounds; memory is kept between them. With `row`, one row of a
// table: the most bytes that a rank sends, and its memory, in one round. With `copies`, such a row
// for N^3 ranks of which each has the whole snapshot, side by side in a box N times as large. With
// `alone`, the memory of one process and one thread for that many points. With `far`, global
// indices over ranks begin at 2^33.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <sched.h>
#include <string>
#include <sys/resource.h>
#include <thread>
#include <time.h>
#include <vector>

#include <kith/io.hpp>
#include <kith/kith.hpp>
#include <kith/mpi.hpp>

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Of all threads of this process.
double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

/// Waits without taking the CPU of who works.
void quiet_barrier() {
  MPI_Request request;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  for (int is_done = 0; MPI_Test(&request, &is_done, MPI_STATUS_IGNORE), !is_done;)
    std::this_thread::sleep_for(std::chrono::microseconds(200));
}

/// A number in [0, 1) that belongs to (i, axis).
double number(std::size_t i, std::size_t axis) {
  std::uint64_t state = (i * 8 + axis + 1) * 0x9e3779b97f4a7c15;
  state = (state ^ state >> 30) * 0xbf58476d1ce4e5b9;
  state = (state ^ state >> 27) * 0x94d049bb133111eb;
  return static_cast<double>((state ^ state >> 31) >> 11) * 0x1p-53;
}

/// Points [begin, end) of the whole set; each is drawn by itself. Clustered: 1,000 clumps, dense in
/// the middle.
std::vector<float> drawn(std::size_t begin, std::size_t end, bool is_clustered) {
  std::vector<float> x;
  x.reserve(3 * (end - begin));
  for (std::size_t i = begin; i < end; ++i) {
    const double radius = 0.03 * std::pow(number(i, 3), 2);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double center = number(i % 1000 + (std::size_t{1} << 50), axis);
      const double value = number(i, axis);
      x.push_back(static_cast<float>(is_clustered ? center + radius * (2 * value - 1) : value));
    }
  }
  return x;
}

std::uint64_t sum_of(const kith::Statistics& statistics, const std::string& end) {
  std::uint64_t sum = 0;
  for (const auto& count : statistics.counts)
    if (count.name.ends_with(end)) sum += count.value;
  return sum;
}

struct Times {
  double domains = 1e30, search = 1e30, catalogue = 0;
  double cpu = 0;               ///< of this rank
  std::uint64_t groups = 0;     ///< of all ranks
  kith::Statistics statistics;  ///< of the best round
  double total() const { return domains + search + catalogue; }
};

/// The largest numbers of all ranks, as a row of a table.
void print_row(int ranks, std::size_t points, const Times& times, double memory) {
  const char* names[] = {"bytes sent", "messages sent", "rounds", "collective bytes"};
  double most[7] = {};
  for (std::size_t i = 0; i < 4; ++i)
    most[i] = static_cast<double>(sum_of(times.statistics, names[i]));
  most[4] = static_cast<double>(times.statistics.count("ghosts"));
  most[5] = memory;
  most[6] = times.cpu;
  // The memory of groups at the edges, for each point that arrived there.
  double edge[2] = {most[4], 0};
  for (const char* part : {"ghosts", "components", "labels"})
    edge[1] += static_cast<double>(times.statistics.count(std::string(part) + ": bytes sent"));
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Reduce(rank == 0 ? MPI_IN_PLACE : most, most, 7, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  MPI_Reduce(rank == 0 ? MPI_IN_PLACE : edge, edge, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    std::printf(
        "| %d | %zu | %.2f MB | %.0f | %.0f | %.1f kB | %.0f | %.0f MB | cpu %.2f s | groups %llu "
        "| %.0f bytes per point at the edges |\n",
        ranks, points, most[0] / 1e6, most[1], most[2], most[3] / 1e3, most[4], most[5], most[6],
        static_cast<unsigned long long>(times.groups), edge[0] > 0 ? edge[1] / edge[0] : 0.0);
}

/// The best of several rounds of some calls; search(made, execution, times) may note a part of its
/// time.
template <class Domains, class Search>
Times measured(int rounds, int threads, Domains domains, Search search) {
  Times best;
  const kith::Workspace workspace;
  for (int round = 0; round < rounds; ++round) {
    Times times;
    const kith::Execution execution{
        .threads = threads, .statistics = &times.statistics, .workspace = &workspace};
    const double cpu = cpu_seconds();
    auto start = Clock::now();
    const auto made = domains(execution);
    times.domains = seconds_since(start);
    start = Clock::now();
    search(made, execution, times);
    times.search = seconds_since(start) - times.catalogue;
    times.cpu = cpu_seconds() - cpu;
    if (times.total() < best.total()) best = times;
  }
  return best;
}

void print(const char* title, const Times& times) {
  std::printf("%s: %.3f s (tree or domains %.3f, search %.3f, catalogue %.3f), CPU %.3f s\n", title,
              times.total(), times.domains, times.search, times.catalogue, times.cpu);
  for (const auto& stage : times.statistics.stages)
    std::printf("  %-22s %8.1f ms\n", stage.name.c_str(), stage.seconds * 1e3);
  for (const auto& count : times.statistics.counts)
    std::printf("  %-44s %14llu\n", count.name.c_str(),
                static_cast<unsigned long long>(count.value));
}

/// Points of a rank or of all.
struct Particles {
  std::vector<float> x, v;

  kith::PointsView points() const { return kith::view(x.data(), x.size() / 3, 3); }
  kith::PointsView velocity() const { return kith::view(v.data(), v.size() / 3, 3); }
};

/// The options that the arguments give.
struct Job {
  std::optional<kith::Snapshot> snapshot;
  std::size_t n = 10000000;
  kith::TreeOptions tree;
  kith::KnnOptions knn{.k = 16, .order = kith::RowOrder::tree};
  kith::FofOptions fof{.b = 0.2, .min_size = 20};
  bool is_fof = false, is_halos = false, is_tree = false, is_hdbscan = false;
  bool is_row = false, is_alone = false, is_clustered = false, is_copied = false;
  int rounds = 3;
  std::int64_t first_index = 0;

  Job(int argc, char** argv) {
    const auto argument = [&](int i) { return std::string(i < argc ? argv[i] : ""); };
    if (argument(1).find('.') != std::string::npos) {
      snapshot.emplace(argument(1));
      n = snapshot->size();
      tree.box = fof.box = snapshot->info().box;
    } else if (argc > 1) {
      n = static_cast<std::size_t>(std::strtod(argv[1], nullptr));
      fof.volume = 1;
    }
    is_halos = argument(2) == "halos";
    is_fof = is_halos || argument(2) == "fof";
    is_tree = argument(2) == "tree";
    is_hdbscan = argument(2) == "hdbscan";
    if (argc > 2 && !is_fof && !is_tree && !is_hdbscan)
      knn.k = static_cast<std::size_t>(std::atoi(argv[2]));
    is_copied = argument(3) == "copies";
    is_row = is_copied || argument(3) == "row";
    is_clustered = argument(4) == "clustered";
    if (argument(4) == "far") first_index = std::int64_t{1} << 33;
    is_alone = argument(3) == "alone";
    if (argc > 3) rounds = is_row || is_alone ? 1 : std::atoi(argv[3]);
  }

  Particles particles(std::size_t begin, std::size_t end) const {
    if (!snapshot) return {drawn(begin, end, is_clustered), std::vector<float>(3 * (end - begin))};
    Particles read{std::vector<float>(3 * (end - begin)), std::vector<float>(3 * (end - begin))};
    snapshot->read(kith::Field::position, begin, std::span<float>(read.x));
    if (is_halos) snapshot->read(kith::Field::velocity, begin, std::span<float>(read.v));
    return read;
  }

  /// The whole snapshot in a unit box, at the place of this rank. Coordinates are multiples of
  /// 2^-16, so that all copies are exact.
  Particles copied(int rank, int ranks) {
    const int side = static_cast<int>(std::lround(std::cbrt(ranks)));
    const int place[] = {rank % side, rank / side % side, rank / side / side};
    const double length = tree.box.side(0);
    Particles copy = particles(0, n);
    for (std::size_t i = 0; i < copy.x.size(); ++i) {
      const double x = std::floor(copy.x[i] / length * 65536) / 65536;
      copy.x[i] = static_cast<float>(x - std::floor(x) + place[i % 3]);
    }
    tree.box = fof.box = kith::Box::periodic(side);
    n *= static_cast<std::size_t>(ranks);
    return copy;
  }
};

Times over_ranks(const Job& job, const Particles& mine) {
  return measured(
      job.rounds, 0,
      [&](const kith::Execution& execution) {
        quiet_barrier();
        return kith::mpi::Domains::curve(MPI_COMM_WORLD, mine.points(),
                                         {.tree = job.tree, .first_index = job.first_index},
                                         execution);
      },
      [&](const kith::mpi::Domains& domains, const kith::Execution& execution, Times& times) {
        if (job.is_halos) {
          const auto groups = kith::mpi::fof(domains, job.fof, kith::RowOrder::input, execution);
          const auto start = Clock::now();
          kith::mpi::catalogue(domains, mine.points(), groups, {.velocity = mine.velocity()},
                               execution);
          quiet_barrier();
          times.catalogue = seconds_since(start);
          times.groups = groups.count();
        } else if (job.is_fof) {
          times.groups = kith::mpi::fof(domains, job.fof, kith::RowOrder::tree, execution).count();
        } else if (job.is_tree) {
          times.groups = kith::mpi::spanning_tree(domains, {}, execution).size();
        } else if (job.is_hdbscan) {
          times.groups = kith::mpi::hdbscan(domains, {}, kith::RowOrder::input, execution).count();
        } else {
          kith::mpi::knn(domains, job.knn, execution);
        }
        quiet_barrier();
      });
}

/// Launchers bind ranks to cores; one process has those of all ranks.
void use_all_cpus() {
  cpu_set_t all;
  std::memset(&all, 0xff, sizeof all);
  sched_setaffinity(0, sizeof all, &all);
}

Times in_one_process(const Job& job, const Particles& all, int threads) {
  return measured(
      job.rounds, threads,
      [&](const kith::Execution& execution) {
        return kith::AnyTree(all.points(), job.tree, execution);
      },
      [&](const kith::AnyTree& tree, const kith::Execution& execution, Times& times) {
        if (job.is_fof) {
          const auto groups = kith::fof(tree, job.fof, execution);
          const auto start = Clock::now();
          if (job.is_halos)
            kith::catalogue(all.points(), groups, {.box = job.tree.box, .velocity = all.velocity()},
                            execution);
          times.catalogue = seconds_since(start);
          times.groups = groups.count();
        } else if (job.is_tree) {
          times.groups = kith::spanning_tree(tree, {}, execution).size();
        } else if (job.is_hdbscan) {
          times.groups = kith::hdbscan(tree, {}, execution).count();
        } else {
          kith::knn<float, std::int64_t>(tree, job.knn, execution);
        }
      });
}

}  // namespace

int main(int argc, char** argv) {
  int level = 0, rank = 0, ranks = 1;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  Job job(argc, argv);
  const auto r = static_cast<std::size_t>(rank), count = static_cast<std::size_t>(ranks);
  const Particles mine = job.is_copied ? job.copied(rank, ranks)
                                       : job.particles(job.n * r / count, job.n * (r + 1) / count);
  const double before = peak_megabytes();
  const Times times = job.is_alone ? in_one_process(job, mine, 1) : over_ranks(job, mine);
  const double memory = peak_megabytes() - before;
  if (job.is_row) {
    print_row(ranks, job.n, times, memory);
  } else if (job.is_alone) {
    std::printf("memory of one process beyond its input: %.0f MB\n", memory);
  } else if (rank == 0) {
    std::printf("%zu points\n", job.n);
    print("over ranks, rank 0", times);
    std::printf("  memory of rank 0 beyond its input: %.0f MB\n", memory);
    const Particles all = job.particles(0, job.n);
    const double alone = peak_megabytes();
    use_all_cpus();
    const Times one = in_one_process(job, all, ranks);
    print("one process", one);
    std::printf("  memory beyond the start: %.0f MB\n", peak_megabytes() - alone);
    std::printf("ratio: %.2f (domains %.2f, search %.2f, catalogue %.2f); groups %llu and %llu\n",
                times.total() / one.total(), times.domains / one.domains, times.search / one.search,
                job.is_halos ? times.catalogue / one.catalogue : 0.0,
                static_cast<unsigned long long>(times.groups),
                static_cast<unsigned long long>(one.groups));
  }
  quiet_barrier();
  MPI_Finalize();
}

// Distributed kd-trees: times of Domains::kd and Domains::curve over uniform points in 2-D, and of
// the nearest neighbors on both. Rank 0 prints a row of a table; with a file, the points are
// written there with their ranks before and after, and the splits, for pictures.
//
//   mpirun -n RANKS bench_kd_domains POINTS [FILE]      POINTS: of all ranks
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <vector>

#include <kith/mpi.hpp>

namespace {

using namespace kith;

/// The best of three, of the slowest rank.
double milliseconds(const std::function<void()>& run) {
  double best = 1e30;
  for (int round = 0; round < 3; ++round) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    run();
    double time = 1e3 * (MPI_Wtime() - start);
    MPI_Allreduce(MPI_IN_PLACE, &time, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    best = std::min(best, time);
  }
  return best;
}

/// Lines "point x y before after" and "split begin middle end axis value".
void write(const char* path, const mpi::Domains& domains, std::size_t given) {
  const std::vector<std::int64_t> before(given, domains.rank());
  const auto origin = domains.to_tree_order(std::span<const std::int64_t>(before));
  const std::vector<double> x = domains.coordinates();
  for (int rank = 0; rank < domains.ranks(); ++rank) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank != domains.rank()) continue;
    std::FILE* file = std::fopen(path, rank == 0 ? "w" : "a");
    if (!file) MPI_Abort(MPI_COMM_WORLD, 1);
    if (rank == 0)
      for (const mpi::DomainSplit& s : domains.splits())
        std::fprintf(file, "split %d %d %d %d %.17g\n", s.begin, s.middle, s.end, s.axis, s.value);
    for (std::size_t i = 0; i < domains.size(); ++i)
      std::fprintf(file, "point %.17g %.17g %lld %d\n", x[2 * i], x[2 * i + 1],
                   static_cast<long long>(origin[i]), rank);
    std::fclose(file);
  }
}

}  // namespace

int main(int argc, char** argv) {
  int level = 0, rank = 0, ranks = 1;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const std::size_t total = argc > 1 ? static_cast<std::size_t>(std::atof(argv[1])) : 1000000;
  const std::size_t n = total / static_cast<std::size_t>(ranks);
  std::vector<double> x(2 * n);
  std::mt19937_64 random(static_cast<std::uint64_t>(rank) + 1);
  for (double& value : x) value = static_cast<double>(random() >> 11) * 0x1p-53;
  const PointsView points = view(x.data(), n, 2);
  const Execution one{.threads = 1};
  {
    const mpi::Domains kd = mpi::Domains::kd(MPI_COMM_WORLD, points, {}, one),
                       curve = mpi::Domains::curve(MPI_COMM_WORLD, points, {}, one);
    if (argc > 2) write(argv[2], kd, n);
    const double times[] = {
        milliseconds([&] { mpi::Domains::kd(MPI_COMM_WORLD, points, {}, one); }),
        milliseconds([&] { mpi::Domains::curve(MPI_COMM_WORLD, points, {}, one); }),
        milliseconds([&] { mpi::knn<double>(kd, {.k = 16}, one); }),
        milliseconds([&] { mpi::knn<double>(curve, {.k = 16}, one); })};
    if (rank == 0)
      std::printf("| %d | %zu | %.0f | %.0f | %.0f | %.0f |\n", ranks,
                  n * static_cast<std::size_t>(ranks), times[0], times[1], times[2], times[3]);
  }
  MPI_Finalize();
}

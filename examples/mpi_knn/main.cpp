// Neighbors over four ranks, each of which has one row of a grid.
//
//      12  13  14  15     rank 3 gave these
//       8   9  10  11     rank 2
//       4   5   6   7     rank 1
//       0   1   2   3     rank 0
//
// Points are numbered rank by rank. The library deals them out anew: each rank gets a square. Rows
// come back to the rank that gave the point.
#include <array>
#include <cstdio>
#include <mpi.h>
#include <string>
#include <vector>

#include <kith/mpi.hpp>

namespace {

int rank_of_world() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

/// Prints the lines of all ranks in order.
void print(const std::string& lines) {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  char mine[200] = "";
  lines.copy(mine, sizeof mine - 1);
  std::vector<char> all(sizeof mine * static_cast<std::size_t>(ranks));
  MPI_Gather(mine, sizeof mine, MPI_CHAR, all.data(), sizeof mine, MPI_CHAR, 0, MPI_COMM_WORLD);
  for (std::size_t i = 0; rank_of_world() == 0 && i < all.size(); i += sizeof mine)
    std::printf("%s", all.data() + i);
}

void run() {
  const int rank = rank_of_world();
  std::vector<std::array<float, 2>> points;
  for (int i = 0; i < 4; ++i) points.push_back({static_cast<float>(i), static_cast<float>(rank)});

  const auto domains = kith::mpi::Domains::curve(MPI_COMM_WORLD, kith::view(points));
  std::string lines = "rank " + std::to_string(rank) + " now has";
  for (const std::int64_t i : domains.global_index()) lines += " " + std::to_string(i);
  print(lines + "\n");

  const auto near = kith::mpi::knn(domains, {.k = 3, .exclude_self = true});
  lines = "rank " + std::to_string(rank) + ": nearest to its first point";
  for (const std::int64_t i : near.index(0)) lines += " " + std::to_string(i);
  print(lines + "\n");

  const std::array<double, 2> radii = {1, 1.5};
  const auto pairs = kith::mpi::pair_counts(domains, domains, {.radii = radii});
  if (rank == 0)
    for (std::size_t i = 0; i < radii.size(); ++i)
      std::printf("pairs within %.1f: %lld\n", radii[i], static_cast<long long>(pairs[i]));
}

}  // namespace

int main(int argc, char** argv) {
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  int result = 0;
  try {
    run();
  } catch (const kith::Error& error) {  // the same on all ranks
    if (rank_of_world() == 0) std::fprintf(stderr, "%s\n", error.what());
    result = 1;
  }
  MPI_Finalize();
  return result;
}

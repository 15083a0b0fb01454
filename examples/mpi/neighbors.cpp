// Neighbors over ranks: each rank passes one row of a grid.
//
//       8   9  10  11     rank 2 gives these
//       4   5   6   7     rank 1
//       0   1   2   3     rank 0
//
// Points are numbered rank by rank. The program is that of docs/mpi.md.
#include <array>
#include <cstdio>
#include <mpi.h>
#include <vector>

#include <kith/mpi.hpp>

int main(int argc, char** argv) {
  int level = 0, rank = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<std::array<float, 2>> x(4);  // this rank's points: any part of them, even none
  for (std::size_t i = 0; i < 4; ++i)
    x[i] = {1.1f * static_cast<float>(i), static_cast<float>(rank)};
  const auto near = kith::mpi::knn(MPI_COMM_WORLD, kith::view(x), {.k = 4, .exclude_self = true});
  for (std::size_t i = 0; rank == 0 && i < x.size(); ++i) {  // rows are in the order of x
    std::printf("point %zu:", i);
    for (std::size_t n = 0; n < near.k(); ++n)
      std::printf("  %lld at %.2f", static_cast<long long>(near.index(i)[n]), near.distance(i)[n]);
    std::printf("\n");
  }
  MPI_Finalize();
}

/* Groups and densities of points that are spread over the ranks of MPI, from a program in C.
 *
 *       rank 0            rank 1            rank 2
 *    o o o                o o o             o o o      three friends on each rank
 *
 *    o-o-o-o-o-o-o-o-o-o--o-o-o-o-o-o-...-o-o-o-o-o    one group through all ranks
 *
 * Run it with mpirun -n 3. */
#include <kith/kith_mpi.h>
#include <mpi.h>
#include <stdio.h>

enum { kLine = 10, kFriends = 3, kPoints = kLine + kFriends, kMostRanks = 64 };

/* The arrays of a simulation: a particle is a struct with more than a position. */
typedef struct particle {
  float position[3], velocity[3];
} particle;

static void place(particle* p, int rank) {
  for (int i = 0; i < kPoints; ++i) {
    p[i] = (particle){{0}, {0}};
    p[i].position[0] = (float)rank + (i < kLine ? 0.1f * (float)i : 0.1f * (float)(i - kLine));
    p[i].position[1] = i < kLine ? 0.0f : 5.0f;
  }
}

static int failed(const char* call) {
  fprintf(stderr, "%s: %s\n", call, kith_mpi_error());
  MPI_Finalize();
  return 1;
}

int main(int argc, char** argv) {
  int level, rank, ranks;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);

  particle p[kPoints];
  place(p, rank);
  kith_mpi_points points = {0};
  points.data = p[0].position;
  points.size = kPoints;
  points.dimension = 3;
  points.stride = sizeof(particle) / sizeof(float);
  points.keep = 1; /* this rank's particles are near each other: leave them here */

  int64_t label[kPoints];
  kith_mpi_fof_options options = {0};
  options.linking_length = 0.11;
  options.wants_rows = 1;
  kith_mpi_groups groups;
  if (kith_mpi_fof(MPI_COMM_WORLD, &points, &options, label, &groups)) return failed("fof");

  double density[kPoints];
  kith_mpi_density_options how = {0};
  how.k = 3;
  if (kith_mpi_density(MPI_COMM_WORLD, &points, &how, density)) return failed("density");

  /* Rank 0 speaks. The row of group 0, the largest, is on the rank that begins with it. */
  double mine[4] = {(double)label[0], (double)label[kLine], density[kLine + 1],
                    groups.rows > 0 && groups.first == 0 ? (double)groups.sizes[0] : 0};
  double all[4 * kMostRanks];
  MPI_Gather(mine, 4, MPI_DOUBLE, all, 4, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    double largest = 0;
    for (int r = 0; r < ranks; ++r) largest += all[4 * r + 3];
    printf("%d groups, the largest of %.0f points\n", (int)groups.count, largest);
    for (int r = 0; r < ranks; ++r)
      printf("rank %d: the line is group %.0f, the friends are group %.0f, density %.0f\n", r,
             all[4 * r], all[4 * r + 1], all[4 * r + 2]);
  }
  kith_mpi_free(&groups);
  MPI_Finalize();
  return 0;
}

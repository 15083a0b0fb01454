/* A simulation in C that looks for its halos while it runs. nbody.f90 and nbody.py are the same in Fortran
 * and in Python: the same numbers to the last bit, the same halos.
 *
 *    . . . . . . . .          . . . . . . .
 *    . O . O . O . O   -->     .:O::O::O::O.        light particles fall toward heavy bodies on a line
 *    . . . . . . . .          . . . . . . .
 *       |     |                   |    |             ranks: slabs across the line
 *
 * Every few steps each rank hands its own array to kith, which writes labels and takes little memory
 * meanwhile: 62 bytes for each particle (estimate_fof_memory in C++), and some buffers. In the end one halo
 * goes through all ranks and has more particles than a rank.
 *
 * Run it with mpirun -n 3. */
#include <kith/kith_mpi.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kAll = 600000, kBodies = 24, kSteps = 12, kBetweenLooks = 4, kBytes = 62 };
static const double kStep = 0.05, kMass = 0.018, kSoft2 = 0.0036, kLink = 0.007, kBuffers = 6e6;

typedef struct particle {
  double x[3], v[3];
} particle;

/* The generator of Lehmer: the same numbers in every language. */
static double drawn(void) {
  static int64_t state = 20;
  state = state * 48271 % 2147483647;
  return (double)state / 2147483647;
}

static void kick(particle* p, double time) {
  double a[3] = {0, 0, 0};
  for (int b = 0; b < kBodies; ++b) {
    const double dx = (b - 5.5) / 12 - p->x[0], dy = 0.5 - p->x[1], dz = 0.5 - p->x[2];
    const double r2 = dx * dx + dy * dy + dz * dz + kSoft2;
    const double pull = kMass / (r2 * sqrt(r2));
    a[0] += pull * dx;
    a[1] += pull * dy;
    a[2] += pull * dz;
  }
  for (int axis = 0; axis < 3; ++axis) p->v[axis] += time * a[axis];
}

static void leap(particle* p) {
  kick(p, kStep / 2);
  for (int axis = 0; axis < 3; ++axis) p->x[axis] += kStep * p->v[axis];
  kick(p, kStep / 2);
}

/* Memory of this process, in bytes. */
static double memory(const char* name) {
  FILE* file = fopen("/proc/self/status", "r");
  char line[200];
  double kilobytes = 0;
  while (file && fgets(line, sizeof line, file))
    if (strncmp(line, name, strlen(name)) == 0) kilobytes = strtod(line + strlen(name), NULL);
  if (file) fclose(file);
  return 1024 * kilobytes;
}

static void forget_peak(void) {
  FILE* file = fopen("/proc/self/clear_refs", "w");
  if (!file) return;
  fputs("5", file);
  fclose(file);
}

/* The groups of these particles. */
static void find(const particle* p, int64_t count, int64_t* label, kith_mpi_groups* groups) {
  kith_mpi_points points = {0};
  points.data = p[0].x;
  points.size = (size_t)count;
  points.dimension = 3;
  points.is_double = 1;
  points.stride = sizeof(particle) / sizeof(double);
  points.keep = 1; /* my particles are a part of space already */
  points.threads = 1;
  kith_mpi_fof_options options = {0};
  options.linking_length = kLink;
  options.min_size = 20;
  options.wants_rows = 1;
  if (kith_mpi_fof(MPI_COMM_WORLD, &points, &options, label, groups) == 0) return;
  fprintf(stderr, "fof: %s\n", kith_mpi_error());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Says what there is at this step; returns the bytes that it took for each particle, beyond buffers. */
static double look(int step, const particle* p, int64_t count, int64_t* label, int rank) {
  kith_mpi_groups groups;
  const double before = memory("VmRSS:");
  forget_peak();
  find(p, count, label, &groups);
  const double taken = memory("VmHWM:") - before - kBuffers;
  int64_t largest = groups.rows > 0 && groups.first == 0 ? groups.sizes[0] : 0;
  MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0)
    printf("step %2d: %4d halos, the largest of %6d particles\n", step, (int)groups.count, (int)largest);
  kith_mpi_free(&groups);
  return taken / (double)count;
}

int main(int argc, char** argv) {
  int level, rank, ranks;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  particle* p = malloc(kAll * sizeof(particle));
  int64_t count = 0, *label = calloc(kAll, sizeof(int64_t));
  for (int i = 0; i < kAll; ++i) {
    particle one = {{drawn(), 0, 0}, {0, 0, 0}};
    one.x[1] = drawn();
    one.x[2] = drawn();
    if ((int)(one.x[0] * ranks) == rank) p[count++] = one;
  }
  kith_mpi_groups groups; /* the first call also makes the tables that last */
  find(p, 1000, label, &groups);
  kith_mpi_free(&groups);
  double most = 0;
  for (int step = 0; step <= kSteps; ++step) {
    if (step % kBetweenLooks == 0) most = fmax(most, look(step, p, count, label, rank));
    for (int64_t i = 0; i < count; ++i) leap(&p[i]);
  }
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) printf("at most %d bytes per particle: %s\n", kBytes, most <= kBytes ? "yes" : "no");
  free(p);
  free(label);
  MPI_Finalize();
  return 0;
}

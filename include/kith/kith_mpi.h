/* Neighbors and groups over MPI ranks for programs in C and Fortran, on the arrays of a simulation.
 * Every call is collective, with the same options on all ranks. Results have the bytes of one
 * process and are written to the caller's memory. C++ programs can use <kith/mpi.hpp>, which has
 * more functions.
 *
 * Structs filled with zeros select the default options:
 *   kith_mpi_points points = {0};
 *
 * Calls return 0, or an error number that is the same on all ranks; kith_mpi_error() then returns
 * the message. MPI must have been started with MPI_THREAD_FUNNELED or more. */
#ifndef KITH_KITH_MPI_H
#define KITH_KITH_MPI_H

/* NOLINTBEGIN(modernize-*, readability-identifier-naming): this is C. */
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#include <kith/export.hpp>

#ifdef __cplusplus
extern "C" {
#endif

/* The points of this rank and their box. */
typedef struct kith_mpi_points {
  const void* data;     /* float, or double if is_double */
  size_t size;          /* points; a rank may have none */
  int dimension;        /* on all ranks */
  int is_double;        /* on all ranks */
  ptrdiff_t stride;     /* numbers from one point to the next; 0 = dimension */
  const double* box;    /* the period of each axis, 0 = open; null = all open */
  const double* origin; /* the lower corner; null = 0 */
  const int64_t* ids;   /* numbers that decide ties; null = by rank and place */
  int keep;             /* 1: ranks are parts of space already, points stay where they are */
  int drop;             /* 1: leave out points that are not finite, else an error */
  int threads;          /* of each rank; 0 = CPUs of the node divided by its ranks */
  int (*stop)(void);    /* asked every few milliseconds on the calling thread; not 0: the call ends
                           with an error on all ranks; null = never */
} kith_mpi_points;

typedef struct kith_mpi_fof_options {
  double linking_length; /* this, or b times the mean separation: */
  double b;
  double mean_separation; /* 0 = from the volume */
  double volume;          /* 0 = that of the periodic box */
  uint64_t min_size;      /* smaller groups get the label -1; 0 = 1 */
  int strict;             /* friends if nearer than the linking length, else also at it */
  int wants_rows;         /* 1: fill sizes and lowest of the result */
} kith_mpi_fof_options;

typedef struct kith_mpi_groups {
  uint64_t count;  /* of all ranks */
  uint64_t first;  /* this rank has the rows of groups first, first + 1, ... */
  uint64_t rows;   /* their number */
  int64_t* sizes;  /* points of each; released by kith_mpi_free */
  int64_t* lowest; /* the lowest global index in each; released by kith_mpi_free */
  double linking_length;
} kith_mpi_groups;

/* label[i]: the group of point i, by falling size, or -1. groups may be null. */
KITH_API int kith_mpi_fof(MPI_Comm comm, const kith_mpi_points* points,
                          const kith_mpi_fof_options* options, int64_t* label,
                          kith_mpi_groups* groups);
KITH_API void kith_mpi_free(kith_mpi_groups* groups);

typedef struct kith_mpi_density_options {
  size_t k;           /* neighbors; 0 = 32 */
  int is_wendland;    /* 1: Wendland's C2 kernel, else the cubic spline */
  const double* mass; /* one for each point, on all ranks or on none; null = 1 */
} kith_mpi_density_options;

KITH_API int kith_mpi_density(MPI_Comm comm, const kith_mpi_points* points,
                              const kith_mpi_density_options* options, double* density);

typedef struct kith_mpi_knn_options {
  size_t k;
  int exclude_self;
  int strict;        /* nearer than max_radius, else also at it */
  double max_radius; /* 0 = none, */
  int is_limited;    /* unless this is 1: max_radius counts, also if it is 0 */
} kith_mpi_knn_options;

/* index[i * k ...]: the global indices of the neighbors of point i, or -1; distance has the
 * same layout, in the type of the points. */
KITH_API int kith_mpi_knn(MPI_Comm comm, const kith_mpi_points* points,
                          const kith_mpi_knn_options* options, int64_t* index, void* distance);

typedef struct kith_mpi_halo_options {
  kith_mpi_fof_options fof;
  const void* velocity; /* packed rows, on all ranks or on none */
  const double* mass;   /* one for each point, on all ranks or on none; null = 1 */
  double gravity;       /* Newton's constant, for circular velocities; 0 = none */
  int velocity_type;    /* 0: that of the points, 1: float, 2: double */
} kith_mpi_halo_options;

/* A column of the catalogue: `width` numbers for each row of this rank. A rank without rows may have
 * columns that the others lack. */
typedef struct kith_mpi_column {
  const char* name; /* as in C++: size, mass, center, ... */
  const void* data;
  size_t width;
  int type; /* 0: double, 1: int64_t, 2: uint8_t */
} kith_mpi_column;

typedef struct kith_mpi_halos {
  kith_mpi_groups groups;
  const kith_mpi_column* column;
  size_t columns;
  void* memory; /* of the columns */
} kith_mpi_halos;

/* Groups and their catalogue, of which each rank gets some rows. kith_mpi_free_halos gives the
 * memory back. */
KITH_API int kith_mpi_find_halos(MPI_Comm comm, const kith_mpi_points* points,
                                 const kith_mpi_halo_options* options, int64_t* label,
                                 kith_mpi_halos* halos);
KITH_API void kith_mpi_free_halos(kith_mpi_halos* halos);

/* The same with a handle of Fortran. */
KITH_API int kith_mpi_find_halos_f(MPI_Fint comm, const kith_mpi_points* points,
                                   const kith_mpi_halo_options* options, int64_t* label,
                                   kith_mpi_halos* halos);
KITH_API int kith_mpi_fof_f(MPI_Fint comm, const kith_mpi_points* points,
                            const kith_mpi_fof_options* options, int64_t* label,
                            kith_mpi_groups* groups);
KITH_API int kith_mpi_density_f(MPI_Fint comm, const kith_mpi_points* points,
                                const kith_mpi_density_options* options, double* density);
KITH_API int kith_mpi_knn_f(MPI_Fint comm, const kith_mpi_points* points,
                            const kith_mpi_knn_options* options, int64_t* index, void* distance);

/* The message of the last call of this thread that failed; valid until the next one. */
KITH_API const char* kith_mpi_error(void);

#ifdef __cplusplus
}
#endif
/* NOLINTEND(modernize-*, readability-identifier-naming) */

#endif

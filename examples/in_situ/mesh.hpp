// Gravity on a mesh that is cut into slabs: each rank has some planes of constant x.
//
//    rank 0        rank 1        rank 2
//   | | | | |     | | | | |     | | | | |      planes of cells, n in all
//           +-------^   ^---------+            cells that stick out go to the neighbor
//
// A rank needs at least two planes. All sums run in a fixed order: the same number of ranks gives
// the same universe.
#pragma once

#include <complex>
#include <cstddef>
#include <mpi.h>
#include <vector>

/// The planes of each rank.
struct Slabs {
  int n, rank, ranks;

  int begin(int of) const { return n * of / ranks; }
  int begin() const { return begin(rank); }
  int count() const { return begin(rank + 1) - begin(rank); }
  int owner(int plane) const { return ((plane + 1) * ranks - 1) / n; }
  int above() const { return (rank + 1) % ranks; }
  int below() const { return (rank + ranks - 1) % ranks; }
  std::size_t plane() const { return static_cast<std::size_t>(n) * static_cast<std::size_t>(n); }
};

class SlabMesh {
 public:
  SlabMesh(int n, double side, MPI_Comm comm);

  const Slabs& slabs() const { return slabs_; }
  int owner(float x) const { return slabs_.owner(cell(x)); }

  /// Makes the potential psi of these particles and those of all other ranks, where the Laplacian
  /// of psi is `strength` times the density contrast. Positions are rows of three floats, `stride`
  /// floats apart, in this rank's slab.
  void make_potential(const float* position, std::size_t count, std::size_t stride, double strength,
                      double particles);
  /// Minus the slope of psi at a place in this rank's slab.
  void force(const float* position, double* result) const;

 private:
  struct Share;
  int cell(float x) const;
  Share share(float x) const;
  double& at(int plane, int y, int z) {
    return cells_[(static_cast<std::size_t>(plane) * static_cast<std::size_t>(slabs_.n) +
                   static_cast<std::size_t>(y)) *
                      static_cast<std::size_t>(slabs_.n) +
                  static_cast<std::size_t>(z)];
  }
  double at(int plane, int y, int z) const { return const_cast<SlabMesh*>(this)->at(plane, y, z); }
  int wrapped(int i) const { return (i + slabs_.n) % slabs_.n; }

  void send_planes(int from, int to, int planes, int rank_to, int rank_from);
  void solve(double strength, double mean);
  /// From slabs of x, [x][y][z], to slabs of y, [y][z][x], or back.
  std::vector<std::complex<double>> transposed(const std::vector<std::complex<double>>& from,
                                               bool is_back) const;

  Slabs slabs_;
  double side_;
  MPI_Comm comm_;
  std::vector<double> cells_;  ///< one plane below the slab's own, two above
};

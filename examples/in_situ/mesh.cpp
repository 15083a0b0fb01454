#include "mesh.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace {

using Complex = std::complex<double>;

/// In place, of a power of two; sign -1 there, +1 back, without a factor.
void transform(Complex* x, std::size_t n, int sign) {
  for (std::size_t i = 1, j = 0; i < n; ++i) {
    std::size_t bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(x[i], x[j]);
  }
  for (std::size_t length = 2; length <= n; length <<= 1)
    for (std::size_t k = 0; k < length / 2; ++k) {
      const double angle =
          sign * 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(length);
      const Complex turn(std::cos(angle), std::sin(angle));
      for (std::size_t i = k; i < n; i += length) {
        const Complex other = turn * x[i + length / 2];
        x[i + length / 2] = x[i] - other;
        x[i] += other;
      }
    }
}

/// Along both axes of an n x n plane.
void transform_plane(Complex* plane, std::size_t n, int sign) {
  std::vector<Complex> column(n);
  for (std::size_t y = 0; y < n; ++y) transform(plane + y * n, n, sign);
  for (std::size_t z = 0; z < n; ++z) {
    for (std::size_t y = 0; y < n; ++y) column[y] = plane[y * n + z];
    transform(column.data(), n, sign);
    for (std::size_t y = 0; y < n; ++y) plane[y * n + z] = column[y];
  }
}

double wave_number(std::size_t i, std::size_t n) {
  return i <= n / 2 ? static_cast<double>(i) : static_cast<double>(i) - static_cast<double>(n);
}

}  // namespace

/// A coordinate lies between two cells; of_upper is the weight of the upper one.
struct SlabMesh::Share {
  int lower;
  double of_upper;
};

SlabMesh::SlabMesh(int n, double side, MPI_Comm comm) : slabs_{n, 0, 1}, side_(side), comm_(comm) {
  MPI_Comm_rank(comm, &slabs_.rank);
  MPI_Comm_size(comm, &slabs_.ranks);
  cells_.resize(static_cast<std::size_t>(slabs_.count() + 3) * slabs_.plane());
}

int SlabMesh::cell(float x) const {
  return std::min(slabs_.n - 1, static_cast<int>(static_cast<double>(x) / side_ * slabs_.n));
}

SlabMesh::Share SlabMesh::share(float x) const {
  const int lower = cell(x);
  return {lower, static_cast<double>(x) / side_ * slabs_.n - lower};
}

/// Planes [from, from + planes) of this rank become [to, to + planes) of another one.
void SlabMesh::send_planes(int from, int to, int planes, int rank_to, int rank_from) {
  const auto count = static_cast<int>(slabs_.plane()) * planes;
  std::vector<double> out(&at(from, 0, 0), &at(from, 0, 0) + count);
  MPI_Sendrecv(out.data(), count, MPI_DOUBLE, rank_to, 0, &at(to, 0, 0), count, MPI_DOUBLE,
               rank_from, 0, comm_, MPI_STATUS_IGNORE);
}

void SlabMesh::make_potential(const float* position, std::size_t count, std::size_t stride,
                              double strength, double particles) {
  std::fill(cells_.begin(), cells_.end(), 0.0);
  for (std::size_t i = 0; i < count; ++i) {
    const float* p = position + i * stride;
    const Share x = share(p[0]), y = share(p[1]), z = share(p[2]);
    for (int corner = 0; corner < 8; ++corner) {
      const int dx = corner >> 2, dy = corner >> 1 & 1, dz = corner & 1;
      at(1 + x.lower - slabs_.begin() + dx, wrapped(y.lower + dy), wrapped(z.lower + dz)) +=
          (dx ? x.of_upper : 1 - x.of_upper) * (dy ? y.of_upper : 1 - y.of_upper) *
          (dz ? z.of_upper : 1 - z.of_upper);
    }
  }
  // The plane above the slab belongs to the next rank, which receives it in the spare plane below
  // its slab.
  const int last = 1 + slabs_.count();
  send_planes(last, 0, 1, slabs_.above(), slabs_.below());
  for (std::size_t i = 0; i < slabs_.plane(); ++i) cells_[slabs_.plane() + i] += cells_[i];
  solve(strength, particles / std::pow(slabs_.n, 3));
  send_planes(last - 1, 0, 1, slabs_.above(), slabs_.below());
  send_planes(1, last, 2, slabs_.below(), slabs_.above());
}

void SlabMesh::solve(double strength, double mean) {
  const auto n = static_cast<std::size_t>(slabs_.n);
  const std::size_t plane = slabs_.plane(), planes = static_cast<std::size_t>(slabs_.count());
  std::vector<Complex> waves(planes * plane);
  for (std::size_t i = 0; i < waves.size(); ++i) waves[i] = cells_[plane + i] / mean - 1;
  for (std::size_t x = 0; x < planes; ++x) transform_plane(&waves[x * plane], n, -1);
  waves = transposed(waves, false);
  const double unit = 2 * std::numbers::pi / side_;
  for (std::size_t y = 0; y < planes; ++y)
    for (std::size_t z = 0; z < n; ++z) {
      Complex* column = &waves[(y * n + z) * n];
      const double ky = wave_number(y + static_cast<std::size_t>(slabs_.begin()), n),
                   kz = wave_number(z, n);
      transform(column, n, -1);
      for (std::size_t x = 0; x < n; ++x) {
        const double kx = wave_number(x, n), k2 = (kx * kx + ky * ky + kz * kz) * unit * unit;
        column[x] *= k2 > 0 ? -strength / (k2 * std::pow(static_cast<double>(n), 3)) : 0;
      }
      transform(column, n, +1);
    }
  waves = transposed(waves, true);
  for (std::size_t x = 0; x < planes; ++x) transform_plane(&waves[x * plane], n, +1);
  for (std::size_t i = 0; i < waves.size(); ++i) cells_[plane + i] = waves[i].real();
}

/// Each rank has a block for each other one: where a slab of x and a slab of y meet.
std::vector<Complex> SlabMesh::transposed(const std::vector<Complex>& from, bool is_back) const {
  const auto n = static_cast<std::size_t>(slabs_.n);
  const auto mine = static_cast<std::size_t>(slabs_.count());
  const auto first = [&](int rank) { return static_cast<std::size_t>(slabs_.begin(rank)); };
  std::vector<Complex> out(from.size()), in(from.size()), result(from.size());
  std::vector<int> counts, offsets;
  std::size_t next = 0;
  for (int r = 0; r < slabs_.ranks; ++r) {
    const std::size_t begin = first(r), end = first(r + 1);
    offsets.push_back(static_cast<int>(2 * next));
    for (std::size_t own = 0; own < mine; ++own)
      for (std::size_t other = begin; other < end; ++other)
        for (std::size_t z = 0; z < n; ++z)
          out[next++] = is_back ? from[(own * n + z) * n + other] : from[(own * n + other) * n + z];
    counts.push_back(static_cast<int>(2 * next) - offsets.back());
  }
  MPI_Alltoallv(out.data(), counts.data(), offsets.data(), MPI_DOUBLE, in.data(), counts.data(),
                offsets.data(), MPI_DOUBLE, comm_);
  next = 0;
  for (int r = 0; r < slabs_.ranks; ++r)
    for (std::size_t other = first(r); other < first(r + 1); ++other)
      for (std::size_t own = 0; own < mine; ++own)
        for (std::size_t z = 0; z < n; ++z)
          result[is_back ? (own * n + other) * n + z : (own * n + z) * n + other] = in[next++];
  return result;
}

void SlabMesh::force(const float* position, double* result) const {
  const Share x = share(position[0]), y = share(position[1]), z = share(position[2]);
  std::fill_n(result, 3, 0.0);
  const double per_length = slabs_.n / (2 * side_);
  for (int corner = 0; corner < 8; ++corner) {
    const int dx = corner >> 2, dy = corner >> 1 & 1, dz = corner & 1;
    const double weight = (dx ? x.of_upper : 1 - x.of_upper) * (dy ? y.of_upper : 1 - y.of_upper) *
                          (dz ? z.of_upper : 1 - z.of_upper) * per_length;
    const int i = 1 + x.lower - slabs_.begin() + dx, j = wrapped(y.lower + dy),
              k = wrapped(z.lower + dz);
    result[0] -= weight * (at(i + 1, j, k) - at(i - 1, j, k));
    result[1] -= weight * (at(i, wrapped(j + 1), k) - at(i, wrapped(j - 1), k));
    result[2] -= weight * (at(i, j, wrapped(k + 1)) - at(i, j, wrapped(k - 1)));
  }
}

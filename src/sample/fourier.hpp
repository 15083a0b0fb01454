// Three-dimensional real Fourier transforms in place, on a cubic mesh, in parallel.
//
// Each transform is a set of one-dimensional ones, each computed by one thread: the bits do not
// depend on the number of threads. Planes (the last two axes) stay in a core's cache while both
// their passes run; the first axis is gathered in bundles of columns, so that memory moves in whole
// cache lines.
#pragma once

#include <complex>
#include <cstddef>
#include <memory>

#include "base/array.hpp"
#include "base/function_ref.hpp"
#include "parallel/workers.hpp"

namespace kith::sample {

/// A periodic mesh of n^3 numbers; rows are padded so that the n / 2 + 1 complex amplitudes of a
/// row fit.
class Mesh {
 public:
  Mesh(int n, std::shared_ptr<Workspace::Pool> pool)
      : n_(static_cast<std::size_t>(n)), values_(n_ * n_ * 2 * modes(), std::move(pool)) {}

  std::size_t n() const { return n_; }
  std::size_t modes() const { return n_ / 2 + 1; }  ///< complex amplitudes in a row
  std::size_t row_length() const { return 2 * modes(); }
  std::size_t size() const { return values_.size(); }  ///< with the padding
  float* data() const { return values_.data(); }
  float* row(std::size_t i, std::size_t j) const { return data() + (i * n_ + j) * row_length(); }
  std::complex<float>* amplitudes(std::size_t i, std::size_t j) const {
    return reinterpret_cast<std::complex<float>*>(row(i, j));  // an array of pairs, by the standard
  }

 private:
  std::size_t n_;
  Array<float> values_;
};

/// The wave number of amplitude i of an axis with n cells: 0, 1, ... n / 2, ... -2, -1.
inline int wave_number(std::size_t i, std::size_t n) {
  return static_cast<int>(i) - (2 * i > n ? static_cast<int>(n) : 0);
}

class Fourier {
 public:
  Fourier(int n, const Workers& workers);
  ~Fourier();

  /// Makes the amplitudes `to` of the wave vectors (x, y, z) for all x, in the order of
  /// wave_number, from the amplitudes `from`.
  using Kernel =
      FunctionRef<void(int y, int z, const std::complex<float>* from, std::complex<float>* to)>;

  /// Unnormalized sums with exp(-ikx), and back with exp(+ikx): forward and backward multiply by
  /// n^3. Each advances the workers' stage by 2 n, convolve by 3 n.
  void forward(const Mesh& mesh) const;
  void backward(const Mesh& mesh) const;
  /// Forward, kernel, backward; the first axis is transformed both ways in one visit.
  void convolve(const Mesh& mesh, Kernel kernel) const;

 private:
  struct Plans;
  using Column = FunctionRef<void(std::size_t y, std::size_t z, std::complex<float>* in,
                                  std::complex<float>* out)>;
  void planes_forward(const Mesh& mesh) const;
  void planes_backward(const Mesh& mesh) const;
  void for_columns(const Mesh& mesh, Column visit) const;

  const Workers& workers_;
  std::unique_ptr<Plans> plans_;
};

}  // namespace kith::sample

// One-dimensional complex Fourier transforms of any length, with the same bits on every machine.
//
// No library promises that: they are compiled to round as is fastest on each kind of machine (fused
// multiply-add, sums in another order), and take sines from the C library. A sample must not depend
// on either.
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

namespace kith::sample {

/// The sums of n numbers times exp(-2 pi i j k / n), or exp(+2 pi i j k / n) backward;
/// unnormalized. Threads may share it.
class LineTransform {
 public:
  enum class Direction { forward, backward };
  using Complex = std::complex<float>;

  LineTransform(std::size_t n, Direction direction);
  /// `in` and `out` do not overlap.
  void run(const Complex* in, Complex* out) const;

 private:
  /// A stage of the decimation: `radix` transforms of length `part` become one.
  struct Stage {
    std::size_t radix;
    std::size_t part;
  };

  void transform(std::size_t depth, std::size_t stride, const Complex* in, Complex* out) const;
  void combine2(std::size_t part, std::size_t stride, Complex* out) const;
  void combine3(std::size_t part, std::size_t stride, Complex* out) const;
  void combine4(std::size_t part, std::size_t stride, Complex* out) const;
  void combine_any(Stage stage, std::size_t stride, Complex* out) const;

  std::vector<Complex> roots_;  ///< exp(-+ 2 pi i j / n)
  std::vector<Stage> stages_;   ///< the whole transform first
  Direction direction_;
};

}  // namespace kith::sample

// Random numbers that are a function of (seed, stream, index): the n-th point does not depend on
// the points before it, so any number of threads draws the same sample.
#pragma once

#include <cmath>
#include <cstdint>

#include "base/philox.hpp"
#include "sample/elementary.hpp"

namespace kith::sample {

using Block = PhiloxBlock;
using kith::philox;

/// The use of the numbers: samples of different kinds share no numbers under one seed.
enum class Stream : std::uint32_t { points = 0, shapes = 1, modes = 2 };

/// The random numbers of one item, one after the other; up to 2^24 blocks of four.
class Random {
 public:
  Random(std::uint64_t seed, Stream stream, std::uint64_t index)
      : seed_(seed),
        counter_{static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32), 0,
                 static_cast<std::uint32_t>(stream)} {}

  /// Uniform in (0, 1): never 0 nor 1, so that logarithms and quantiles are finite.
  double uniform() { return (next() + 0.5) * 0x1p-32; }

  /// Normal with mean 0 and variance 1 (Box-Muller, both of a pair are used).
  double normal() {
    if (has_spare_) {
      has_spare_ = false;
      return spare_;
    }
    const double radius = std::sqrt(-2 * natural_log(uniform()));
    const CirclePoint point = circle_point(uniform());
    spare_ = radius * point.sine;
    has_spare_ = true;
    return radius * point.cosine;
  }

 private:
  std::uint32_t next() {
    if (used_ == 4) {
      block_ = philox(counter_, seed_);
      ++counter_[2];
      used_ = 0;
    }
    return block_[used_++];
  }

  std::uint64_t seed_;
  Block counter_;
  Block block_{};
  std::size_t used_ = 4;
  double spare_ = 0;
  bool has_spare_ = false;
};

}  // namespace kith::sample

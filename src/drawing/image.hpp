// Gray images: numbers on a grid of pixels, and smoothing that follows the data.
#pragma once

#include <cstddef>
#include <vector>

#include "parallel/workers.hpp"

namespace kith::io {

struct Image {
  std::size_t width = 0;
  std::size_t height = 0;
  bool wraps_x = false;  ///< the right edge continues at the left one
  bool wraps_y = false;
  std::vector<float> values;  ///< row by row

  float* row(std::size_t y) { return values.data() + y * width; }
  const float* row(std::size_t y) const { return values.data() + y * width; }
};

/// Convolution with a Gaussian of standard deviation `sigma` pixels; beyond an edge that does not
/// wrap there is nothing.
Image blurred(const Image& image, double sigma, const Workers& workers);

/// Each pixel averaged over the smallest Gaussian that holds `enough` of the image's sum, up to a
/// twelfth of the image: peaks stay sharp where there is much, and grain goes where there is
/// little. Advances the workers' stage by smoothing_work().
Image smoothed(const Image& counts, double enough, const Workers& workers);
std::uint64_t smoothing_work(const Image& counts);

}  // namespace kith::io

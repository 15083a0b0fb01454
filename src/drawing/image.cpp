#include "drawing/image.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace kith::io {
namespace {

constexpr double kFirstSigma = 0.7;  // pixels
constexpr double kRatio = std::numbers::sqrt2;

/// Half a Gaussian, center first, out to 3 sigma; the whole sums to 1.
std::vector<float> half_gaussian(double sigma) {
  const auto reach = static_cast<std::size_t>(std::ceil(3 * sigma));
  std::vector<double> weight(reach + 1);
  double sum = 0;
  for (std::size_t i = 0; i <= reach; ++i) {
    const double x = static_cast<double>(i) / sigma;
    weight[i] = std::exp(-0.5 * x * x);
    sum += i == 0 ? weight[i] : 2 * weight[i];
  }
  std::vector<float> result(reach + 1);
  std::transform(weight.begin(), weight.end(), result.begin(),
                 [&](double w) { return static_cast<float>(w / sum); });
  return result;
}

/// Element `i + offset` of an axis of length n: wrapped, or n for "nothing there".
std::size_t neighbor(std::size_t i, std::ptrdiff_t offset, std::size_t n, bool wraps) {
  const auto length = static_cast<std::ptrdiff_t>(n);
  const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(i) + offset;
  if (at >= 0 && at < length) return static_cast<std::size_t>(at);
  return wraps ? static_cast<std::size_t>((at % length + length) % length) : n;
}

/// A row with `reach` more numbers on both sides: wrapped around, or zeros.
std::vector<float> padded(const float* row, std::size_t n, std::size_t reach, bool wraps) {
  std::vector<float> result(n + 2 * reach);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::size_t from =
        neighbor(0, static_cast<std::ptrdiff_t>(i) - static_cast<std::ptrdiff_t>(reach), n, wraps);
    result[i] = from < n ? row[from] : 0;
  }
  return result;
}

void blur_rows(const Image& from, const std::vector<float>& weight, const Workers& workers,
               Image& to) {
  const std::size_t reach = weight.size() - 1;
  workers.for_each(from.height, [&](std::size_t y) {
    const std::vector<float> line = padded(from.row(y), from.width, reach, from.wraps_x);
    float* out = to.row(y);
    for (std::size_t x = 0; x < from.width; ++x) out[x] = weight[0] * line[x + reach];
    for (std::size_t w = 1; w <= reach; ++w)
      for (std::size_t x = 0; x < from.width; ++x)
        out[x] += weight[w] * (line[x + reach - w] + line[x + reach + w]);
  });
}

void blur_columns(const Image& from, const std::vector<float>& weight, const Workers& workers,
                  Image& to) {
  const auto reach = static_cast<std::ptrdiff_t>(weight.size()) - 1;
  workers.for_each(from.height, [&](std::size_t y) {
    float* out = to.row(y);
    std::fill_n(out, from.width, 0.0F);
    for (std::ptrdiff_t w = -reach; w <= reach; ++w) {
      const std::size_t other = neighbor(y, w, from.height, from.wraps_y);
      if (other == from.height) continue;
      const float factor = weight[static_cast<std::size_t>(std::abs(w))];
      const float* in = from.row(other);
      for (std::size_t x = 0; x < from.width; ++x) out[x] += factor * in[x];
    }
  });
}

int level_count(const Image& image) {
  const double largest = static_cast<double>(std::max(image.width, image.height)) / 12;
  int levels = 1;
  for (double sigma = kFirstSigma; sigma * kRatio <= largest; sigma *= kRatio) ++levels;
  return levels;
}

/// The sum that a Gaussian of this width gathers at a pixel of this density.
float gathered_sum(double sigma, float density) {
  return static_cast<float>(4 * std::numbers::pi * sigma * sigma) * density;
}

}  // namespace

Image blurred(const Image& image, double sigma, const Workers& workers) {
  const std::vector<float> weight = half_gaussian(sigma);
  Image rows = image;
  blur_rows(image, weight, workers, rows);
  Image result = image;
  blur_columns(rows, weight, workers, result);
  return result;
}

Image smoothed(const Image& counts, double enough, const Workers& workers) {
  const auto goal = static_cast<float>(enough);
  double sigma = kFirstSigma;
  Image fine = blurred(counts, sigma, workers);
  Image result = fine;
  std::vector<char> is_done(counts.values.size(), 0);
  for (std::size_t i = 0; i < is_done.size(); ++i)
    is_done[i] = gathered_sum(sigma, fine.values[i]) >= goal ? 1 : 0;
  workers.advance(1);
  const int levels = level_count(counts);
  for (int level = 1; level < levels; ++level) {
    if (std::find(is_done.begin(), is_done.end(), 0) == is_done.end()) {
      workers.advance(static_cast<std::uint64_t>(levels - level));  // the widest ones take longest
      break;
    }
    const double wider = sigma * kRatio;
    Image coarse =
        blurred(fine, std::sqrt(wider * wider - sigma * sigma), workers);  // variances add up
    workers.for_each(counts.height, [&](std::size_t y) {
      for (std::size_t i = y * counts.width; i < (y + 1) * counts.width; ++i) {
        if (is_done[i]) continue;
        const float before = gathered_sum(sigma, fine.values[i]);
        const float now = gathered_sum(wider, coarse.values[i]);
        is_done[i] = now >= goal ? 1 : 0;
        // The width at which just enough is gathered lies between the two: no step shows.
        const float part = is_done[i] && now > before ? (goal - before) / (now - before) : 1;
        result.values[i] = fine.values[i] + part * (coarse.values[i] - fine.values[i]);
      }
    });
    fine = std::move(coarse);
    sigma = wider;
    workers.advance(1);
  }
  return result;
}

std::uint64_t smoothing_work(const Image& counts) {
  return static_cast<std::uint64_t>(level_count(counts));
}

}  // namespace kith::io

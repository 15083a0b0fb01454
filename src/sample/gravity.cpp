#include "sample/gravity.hpp"

#include <atomic>
#include <cmath>
#include <cstring>
#include <numbers>
#include <vector>

#include "base/fail.hpp"
#include "parallel/grains.hpp"
#include "sample/elementary.hpp"
#include "sample/wrap.hpp"

namespace kith::sample {
namespace {

/// The part of a weight that goes to the upper cell, rounded; the rest goes to the lower one, so
/// that the parts always sum to the whole.
std::uint32_t upper_part(std::uint32_t weight, float of_upper) {
  return static_cast<std::uint32_t>(std::lrint(static_cast<float>(weight) * of_upper));
}

/// Adds integers: the sum of whole numbers does not depend on the order of the threads, and nothing
/// else is read before the loop has ended; so relaxed.
void add(std::uint32_t& cell, std::uint32_t weight) {
  std::atomic_ref(cell).fetch_add(weight, std::memory_order_relaxed);
}

void add_along_row(std::uint32_t* row, const Share& z, std::uint32_t weight) {
  const std::uint32_t upper = upper_part(weight, z.of_upper);
  add(row[z.lower], weight - upper);
  add(row[z.upper], upper);
}

/// The contribution of one axis to a force: the places of the six cells around a coordinate, the
/// cloud-in-cell weights of the middle two, and those of all six for a slope.
struct Stencil {
  std::size_t place[6];
  float weight[2];
  float slope[6];

  Stencil(const Share& share, std::size_t n, std::size_t stride) {
    std::size_t cell = share.lower >= 2 ? share.lower - 2 : share.lower + n - 2;
    for (std::size_t& each : place) {
      each = cell * stride;
      cell = cell + 1 < n ? cell + 1 : 0;  // a division here took a third of the time of `pull`
    }
    weight[0] = 1 - share.of_upper;
    weight[1] = share.of_upper;
    constexpr float kDifference[] = {0, 1.0F / 12, -8.0F / 12, 0, 8.0F / 12, -1.0F / 12, 0};
    for (std::size_t o = 0; o < 6; ++o)
      slope[o] = weight[0] * kDifference[o + 1] + weight[1] * kDifference[o];
  }
};

/// The slope of the potential along the first axis given, in units per cell.
float slope_along(const Stencil& axis, const Stencil& other1, const Stencil& other2,
                  const float* potential) {
  float sum = 0;
  for (std::size_t b = 0; b < 2; ++b)
    for (std::size_t c = 0; c < 2; ++c) {
      const float* line = potential + other1.place[2 + b] + other2.place[2 + c];
      float along = 0;
      for (std::size_t o = 0; o < 6; ++o) along += axis.slope[o] * line[axis.place[o]];
      sum += other1.weight[b] * other2.weight[c] * along;
    }
  return sum;
}

/// One over the window of cloud-in-cell along one axis, by wave number: the smoothing is undone
/// once, not twice for the two ways, because twice made waves of a third of the particles'
/// resolution grow by a tenth too much in power (n = 32, mesh = 64), against a fiftieth too little.
std::vector<float> sharpening(std::size_t n) {
  std::vector<float> result(n / 2 + 1, 1.0F);
  for (std::size_t k = 1; k < result.size(); ++k) {
    const double x = std::numbers::pi * static_cast<double>(k) / static_cast<double>(n);
    const double sinc = sine(x) / x;
    result[k] = static_cast<float>(1 / (sinc * sinc));
  }
  return result;
}

/// Where the mesh lies, in cells: such that the particles' first grid falls between cells, not on
/// them. A particle that leaves the center of a cell spreads to the side that it moves to, in
/// proportion to the size of its step, which is not a linear response: with the centers on the
/// grid, small waves grew at up to twice their rate (mesh = 2 n).
float mesh_offset(const Cosmology& options) {
  const double first = 0.5 * options.mesh / options.n;
  const double offset = 0.5 - first;
  return static_cast<float>(offset - std::floor(offset));
}

}  // namespace

Gravity::Gravity(const Cosmology& options, const Workers& workers)
    : options_(options),
      workers_(workers),
      particles_(static_cast<std::size_t>(options.n) * static_cast<std::size_t>(options.n) *
                 static_cast<std::size_t>(options.n)),
      axis_{static_cast<std::size_t>(options.mesh), static_cast<float>(options.mesh / options.side),
            mesh_offset(options)},
      mesh_(options.mesh, workers.pool()),
      fourier_(options.mesh, workers),
      window_(sharpening(mesh_.n())) {}

void Gravity::step(const StepFactors& factors, float* position, float* momentum) const {
  make_potential(deposit(position));
  pull(factors, position, momentum);
}

/// Spreads the particles in units of 2^-bits and returns the bits: as many as can be without
/// overflow of a cell, which is detected as a sum that is too small.
int Gravity::deposit(const float* position) const {
  for (int bits = 20; bits >= 0; bits -= 4)
    if (spread(position, bits) == std::uint64_t{particles_} << bits) return bits;
  fail(ErrorCode::too_large,
       "cosmology: more than {} of {} particles in one cell of the force mesh; use a "
       "finer mesh than {}",
       std::uint32_t(-1), particles_, mesh_.n());
}

/// Returns the sum over all cells.
std::uint64_t Gravity::spread(const float* position, int bits) const {
  auto* cells = reinterpret_cast<std::uint32_t*>(mesh_.data());
  const std::size_t n = mesh_.n();
  const std::size_t row = mesh_.row_length();
  const std::size_t plane = n * row;
  workers_.for_each(
      n, [&](std::size_t i) { std::memset(cells + i * plane, 0, plane * sizeof(float)); });
  workers_.for_ranges(particles_, kHeavyPointGrain, [&](std::size_t begin, std::size_t end) {
    for (const float* p = position + 3 * begin; p < position + 3 * end; p += 3) {
      const Share x = axis_.share(p[0]);
      const Share y = axis_.share(p[1]);
      const Share z = axis_.share(p[2]);
      const std::uint32_t whole = std::uint32_t{1} << bits;
      const std::uint32_t upper = upper_part(whole, x.of_upper);
      const std::uint32_t lower_upper = upper_part(whole - upper, y.of_upper);
      const std::uint32_t upper_upper = upper_part(upper, y.of_upper);
      add_along_row(cells + (x.lower * n + y.lower) * row, z, whole - upper - lower_upper);
      add_along_row(cells + (x.lower * n + y.upper) * row, z, lower_upper);
      add_along_row(cells + (x.upper * n + y.lower) * row, z, upper - upper_upper);
      add_along_row(cells + (x.upper * n + y.upper) * row, z, upper_upper);
    }
  });
  return reduce(
      workers_, n, 1, std::uint64_t{0},
      [&](std::size_t i, std::size_t) {
        std::uint64_t sum = 0;
        for (std::size_t c = i * plane; c < (i + 1) * plane; ++c) {
          std::uint32_t count = 0;
          std::memcpy(&count, mesh_.data() + c, sizeof count);  // the same bytes, another type
          sum += count;
          mesh_.data()[c] = static_cast<float>(count);
        }
        return sum;
      },
      [](std::uint64_t a, std::uint64_t b) { return a + b; });
}

void Gravity::make_potential(int bits) const {
  const std::size_t n = mesh_.n();
  const double unit = options_.side / (2 * std::numbers::pi);
  const double mass =
      static_cast<double>(particles_) * static_cast<double>(std::uint32_t{1} << bits);
  const auto factor = static_cast<float>(-1.5 * options_.omega_m * unit * unit / mass);
  fourier_.convolve(
      mesh_, [&](int y, int z, const std::complex<float>* from, std::complex<float>* to) {
        const float across = factor * window_[static_cast<std::size_t>(std::abs(y))] *
                             window_[static_cast<std::size_t>(z)];
        for (std::size_t i = 0; i < n; ++i) {
          const int x = wave_number(i, n);
          const int square = x * x + y * y + z * z;
          const float green = across * window_[static_cast<std::size_t>(std::abs(x))] /
                              static_cast<float>(square == 0 ? 1 : square);
          to[i] = square == 0 ? 0 : from[i] * green;
        }
      });
}

void Gravity::pull(const StepFactors& factors, float* position, float* momentum) const {
  const std::size_t n = mesh_.n();
  const std::size_t row = mesh_.row_length();
  const float* potential = mesh_.data();
  const auto kick = static_cast<float>(-factors.kick * axis_.cells_per_length);
  const auto drift = static_cast<float>(factors.drift);
  const auto side = static_cast<float>(options_.side);
  workers_.for_ranges(particles_, kHeavyPointGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = 3 * begin; i < 3 * end; i += 3) {
      const Stencil x(axis_.share(position[i]), n, n * row);
      const Stencil y(axis_.share(position[i + 1]), n, row);
      const Stencil z(axis_.share(position[i + 2]), n, 1);
      const float slope[3] = {slope_along(x, y, z, potential), slope_along(y, z, x, potential),
                              slope_along(z, x, y, potential)};
      for (std::size_t axis = 0; axis < 3; ++axis) {
        momentum[i + axis] += kick * slope[axis];
        position[i + axis] = wrapped(position[i + axis] + drift * momentum[i + axis], side);
      }
    }
  });
}

}  // namespace kith::sample

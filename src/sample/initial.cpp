#include "sample/initial.hpp"

#include <cmath>
#include <numbers>
#include <optional>
#include <utility>
#include <vector>

#include "sample/random.hpp"
#include "sample/wrap.hpp"

namespace kith::sample {
namespace {

using Complex = std::complex<float>;

/// A wave vector in units of 2 pi / side.
struct Wave {
  int axis[3];
  int square() const { return axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]; }
  Wave opposite() const { return {{-axis[0], -axis[1], -axis[2]}}; }
};

/// Of k and -k, the one that gets random numbers; the other is its complex conjugate.
bool is_leading(const Wave& wave) {
  for (int axis : {2, 1, 0})
    if (wave.axis[axis] != 0) return wave.axis[axis] > 0;
  return true;
}

/// A complex number with Gaussian parts and a mean square of 1, a function of seed and wave alone.
std::complex<double> noise(std::uint64_t seed, const Wave& wave) {
  if (!is_leading(wave)) return std::conj(noise(seed, wave.opposite()));
  std::uint64_t index = 0;
  for (const int k : wave.axis) index = (index << 21) | static_cast<std::uint64_t>(k + (1 << 20));
  Random random(seed, Stream::modes, index);
  const double real = random.normal();
  const double imaginary = random.normal();
  return std::numbers::sqrt2 / 2 * std::complex<double>(real, imaginary);
}

/// visit(wave, amplitude&) for every amplitude of a mesh.
template <class Visit>
void for_waves(const Mesh& mesh, const Workers& workers, Visit visit) {
  const std::size_t n = mesh.n();
  workers.for_each(n, [&](std::size_t x) {
    for (std::size_t y = 0; y < n; ++y)
      for (std::size_t z = 0; z < mesh.modes(); ++z)
        visit(Wave{{wave_number(x, n), wave_number(y, n), static_cast<int>(z)}},
              mesh.amplitudes(x, y)[z]);
    workers.advance(1);
  });
}

bool is_at_edge(const Wave& wave, int n) {
  for (const int k : wave.axis)
    if (2 * std::abs(k) == n) return true;
  return false;
}

/// The rms amplitude of waves by the square of their wave number.
std::vector<float> amplitudes_by_square(const Cosmology& options) {
  const PowerSpectrum spectrum(options);
  const double volume = options.side * options.side * options.side;
  const int half = options.n / 2;
  std::vector<float> amplitude(static_cast<std::size_t>(3 * half * half + 1));
  for (std::size_t square = 1; square < amplitude.size(); ++square) {
    const double k = 2 * std::numbers::pi / options.side * std::sqrt(static_cast<double>(square));
    amplitude[square] = static_cast<float>(std::sqrt(spectrum(k) / volume));
  }
  return amplitude;
}

/// Loops over the numbers of two or three meshes at once, padding included.
template <class Body>
void for_cells(const Mesh& mesh, const Workers& workers, Body body) {
  const std::size_t plane = mesh.n() * mesh.row_length();
  workers.for_each(mesh.n(), [&](std::size_t x) {
    for (std::size_t i = x * plane; i < (x + 1) * plane; ++i) body(i);
    workers.advance(1);
  });
}

/// The fields of one set of initial conditions, and the two meshes that they are worked out in.
class Displacement {
 public:
  Displacement(const Cosmology& options, const Workers& workers)
      : options_(options),
        workers_(workers),
        fourier_(options.n, workers),
        first_(linear_field(options, workers)),
        a_(options.n, workers.pool()),
        b_(options.n, workers.pool()) {
    if (options.order == 2) make_second();
  }

  /// Adds d1 s1 + d2 s2 to every position and sets every momentum to p1 s1 + p2 s2, along one axis.
  void apply(int axis, const Growth& growth, float* position, float* momentum) const {
    displace(first_, axis, a_);
    if (second_) displace(*second_, axis, b_);
    const std::size_t n = a_.n();
    workers_.for_each(n, [&](std::size_t x) {
      for (std::size_t y = 0; y < n; ++y)
        for (std::size_t z = 0; z < n; ++z) {
          const double s1 = a_.row(x, y)[z];
          const double s2 = second_ ? -b_.row(x, y)[z] : 0;
          const std::size_t i = ((x * n + y) * n + z) * 3 + static_cast<std::size_t>(axis);
          const double moved = position[i] + growth.d1 * s1 + growth.d2 * s2;
          position[i] = wrapped(static_cast<float>(moved), static_cast<float>(options_.side));
          momentum[i] = static_cast<float>(growth.p1 * s1 + growth.p2 * s2);
        }
      workers_.advance(1);
    });
  }

 private:
  /// The displacement of a field: i k / k^2 times its amplitudes.
  void displace(const Mesh& field, int axis, const Mesh& out) const {
    const auto unit = static_cast<float>(options_.side / (2 * std::numbers::pi));
    filter(field, out, [&](const Wave& wave, Complex amplitude) {
      const float factor =
          unit * static_cast<float>(wave.axis[axis]) / static_cast<float>(wave.square());
      return Complex(-factor * amplitude.imag(), factor * amplitude.real());
    });
  }

  /// The second derivatives of the first-order potential.
  void derive(int axis1, int axis2, const Mesh& out) const {
    filter(first_, out, [&](const Wave& wave, Complex amplitude) {
      return amplitude * (static_cast<float>(wave.axis[axis1] * wave.axis[axis2]) /
                          static_cast<float>(wave.square()));
    });
  }

  template <class Factor>
  void filter(const Mesh& field, const Mesh& out, Factor factor) const {
    for_waves(out, workers_, [&](const Wave& wave, Complex& amplitude) {
      const bool is_kept = wave.square() != 0 && !is_at_edge(wave, options_.n);
      const std::ptrdiff_t place = &amplitude - out.amplitudes(0, 0);
      amplitude = is_kept ? factor(wave, field.amplitudes(0, 0)[place]) : Complex(0);
    });
    fourier_.backward(out);
  }

  /// The source of the second order: the sum of the 2 x 2 principal minors of the matrix of
  /// derivatives.
  void make_second() {
    second_.emplace(options_.n, workers_.pool());
    float* sum = second_->data();
    const float* a = a_.data();
    const float* b = b_.data();
    derive(0, 0, a_);
    derive(1, 1, b_);
    for_cells(a_, workers_, [&](std::size_t i) {
      sum[i] = a[i] * b[i];
      a_.data()[i] += b[i];
    });
    derive(2, 2, b_);
    for_cells(a_, workers_, [&](std::size_t i) { sum[i] += a[i] * b[i]; });
    for (const auto& [axis1, axis2] : {std::pair(0, 1), std::pair(0, 2), std::pair(1, 2)}) {
      derive(axis1, axis2, b_);
      for_cells(a_, workers_, [&](std::size_t i) { sum[i] -= b[i] * b[i]; });
    }
    fourier_.forward(*second_);
    const float scale = 1 / (static_cast<float>(a_.n()) * static_cast<float>(a_.n() * a_.n()));
    for_cells(*second_, workers_, [&](std::size_t i) { sum[i] *= scale; });
  }

  const Cosmology& options_;
  const Workers& workers_;
  Fourier fourier_;
  Mesh first_;
  Mesh a_;
  Mesh b_;
  std::optional<Mesh> second_;
};

void place_on_grid(const Cosmology& options, const Workers& workers, float* position) {
  const auto n = static_cast<std::size_t>(options.n);
  const double cell = options.side / options.n;
  workers.for_each(n, [&](std::size_t x) {
    float* row = position + x * n * n * 3;
    for (std::size_t y = 0; y < n; ++y)
      for (std::size_t z = 0; z < n; ++z)
        for (const std::size_t i : {x, y, z})
          *row++ = static_cast<float>((static_cast<double>(i) + 0.5) * cell);
  });
}

}  // namespace

Mesh linear_field(const Cosmology& options, const Workers& workers) {
  Mesh mesh(options.n, workers.pool());
  const std::vector<float> rms = amplitudes_by_square(options);
  for_waves(mesh, workers, [&](const Wave& wave, Complex& amplitude) {
    if (is_at_edge(wave, options.n)) {
      amplitude = 0;
      return;
    }
    const std::complex<double> gauss = noise(options.seed, wave);
    const double size = rms[static_cast<std::size_t>(wave.square())];
    amplitude = {static_cast<float>(size * gauss.real()), static_cast<float>(size * gauss.imag())};
  });
  return mesh;
}

void place_particles(const Cosmology& options, const Growth& growth, const Workers& workers,
                     float* position, float* momentum) {
  const Displacement displacement(options, workers);
  place_on_grid(options, workers, position);
  for (int axis = 0; axis < 3; ++axis) displacement.apply(axis, growth, position, momentum);
}

std::uint64_t placing_work(const Cosmology& options) {
  // In passes over the mesh: a filter with its transform is 3, a loop over cells 1.
  const int passes = options.order == 2 ? 1 + 6 * 3 + 5 + 2 + 1 + 3 * (2 * 3 + 1) : 1 + 3 * (3 + 1);
  return static_cast<std::uint64_t>(passes) * static_cast<std::uint64_t>(options.n);
}

}  // namespace kith::sample

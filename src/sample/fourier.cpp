#include "sample/fourier.hpp"

#include <vector>

#include "sample/line_transform.hpp"

namespace kith::sample {
namespace {

using Complex = std::complex<float>;

/// Columns that are gathered together: 8 complex numbers are one cache line. 16 were the fastest of
/// 4, 8, 16, 32 on a mesh of 256^3.
constexpr std::size_t kBundle = 16;

/// Buffers of one task.
struct Scratch {
  explicit Scratch(std::size_t n) : in(n * kBundle), out(n * kBundle) {}
  std::vector<Complex> in;
  std::vector<Complex> out;
};

/// Two real rows as one complex transform: symmetry separates the amplitudes of the sum a + i b.
void rows_forward(const LineTransform& plan, std::size_t n, float* a, float* b, Scratch& scratch) {
  for (std::size_t z = 0; z < n; ++z) scratch.in[z] = {a[z], b[z]};
  plan.run(scratch.in.data(), scratch.out.data());
  for (std::size_t k = 0; k <= n / 2; ++k) {
    const Complex plus = scratch.out[k];
    const Complex minus = std::conj(scratch.out[k == 0 ? 0 : n - k]);
    const Complex sum = 0.5F * (plus + minus);
    const Complex difference = 0.5F * (plus - minus);
    a[2 * k] = sum.real();
    a[2 * k + 1] = sum.imag();
    b[2 * k] = difference.imag();
    b[2 * k + 1] = -difference.real();
  }
}

/// The inverse of rows_forward. Amplitude 0, and n / 2 for even n, count as real.
void rows_backward(const LineTransform& plan, std::size_t n, float* a, float* b, Scratch& scratch) {
  for (std::size_t k = 0; k <= n / 2; ++k) {
    const bool is_real = k == 0 || 2 * k == n;
    const Complex from_a(a[2 * k], is_real ? 0 : a[2 * k + 1]);
    const Complex from_b(b[2 * k], is_real ? 0 : b[2 * k + 1]);
    scratch.in[k] = {from_a.real() - from_b.imag(), from_a.imag() + from_b.real()};
    if (!is_real)
      scratch.in[n - k] = {from_a.real() + from_b.imag(), from_b.real() - from_a.imag()};
  }
  plan.run(scratch.in.data(), scratch.out.data());
  for (std::size_t z = 0; z < n; ++z) {
    a[z] = scratch.out[z].real();
    b[z] = scratch.out[z].imag();
  }
}

/// Calls transform(row, next row) for the rows of plane i, two by two; the last of an odd number
/// goes with a row of zeros.
template <class Transform>
void for_row_pairs(const Mesh& mesh, std::size_t i, Transform transform) {
  const std::size_t n = mesh.n();
  for (std::size_t j = 0; j + 1 < n; j += 2) transform(mesh.row(i, j), mesh.row(i, j + 1));
  if (n % 2 == 0) return;
  std::vector<float> zeros(mesh.row_length());
  transform(mesh.row(i, n - 1), zeros.data());
}

/// Bundles of columns, `stride` complex numbers from one element to the next, to the scratch and
/// back.
void gather(const Complex* first, std::size_t stride, std::size_t width, std::size_t n,
            Scratch& scratch) {
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t c = 0; c < width; ++c) scratch.in[c * n + i] = first[i * stride + c];
}

void scatter(const Scratch& scratch, std::size_t stride, std::size_t width, std::size_t n,
             Complex* first) {
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t c = 0; c < width; ++c) first[i * stride + c] = scratch.out[c * n + i];
}

/// The middle axis of one plane.
void columns_of_plane(const LineTransform& plan, const Mesh& mesh, std::size_t i,
                      Scratch& scratch) {
  const std::size_t n = mesh.n();
  for (std::size_t z = 0; z < mesh.modes(); z += kBundle) {
    const std::size_t width = std::min(kBundle, mesh.modes() - z);
    Complex* first = mesh.amplitudes(i, 0) + z;
    gather(first, mesh.modes(), width, n, scratch);
    for (std::size_t c = 0; c < width; ++c) plan.run(&scratch.in[c * n], &scratch.out[c * n]);
    scatter(scratch, mesh.modes(), width, n, first);
  }
}

}  // namespace

struct Fourier::Plans {
  explicit Plans(std::size_t n)
      : forward(n, LineTransform::Direction::forward),
        backward(n, LineTransform::Direction::backward) {}
  LineTransform forward;
  LineTransform backward;
};

Fourier::Fourier(int n, const Workers& workers)
    : workers_(workers), plans_(std::make_unique<Plans>(static_cast<std::size_t>(n))) {}

Fourier::~Fourier() = default;

void Fourier::planes_forward(const Mesh& mesh) const {
  workers_.for_each(mesh.n(), [&](std::size_t i) {
    Scratch scratch(mesh.n());
    for_row_pairs(mesh, i, [&](float* a, float* b) {
      rows_forward(plans_->forward, mesh.n(), a, b, scratch);
    });
    columns_of_plane(plans_->forward, mesh, i, scratch);
    workers_.advance(1);
  });
}

void Fourier::planes_backward(const Mesh& mesh) const {
  workers_.for_each(mesh.n(), [&](std::size_t i) {
    Scratch scratch(mesh.n());
    columns_of_plane(plans_->backward, mesh, i, scratch);
    for_row_pairs(mesh, i, [&](float* a, float* b) {
      rows_backward(plans_->backward, mesh.n(), a, b, scratch);
    });
    workers_.advance(1);
  });
}

void Fourier::for_columns(const Mesh& mesh, Column visit) const {
  const std::size_t n = mesh.n();
  const std::size_t stride = n * mesh.modes();
  workers_.for_each(n, [&](std::size_t j) {
    Scratch scratch(n);
    for (std::size_t z = 0; z < mesh.modes(); z += kBundle) {
      const std::size_t width = std::min(kBundle, mesh.modes() - z);
      Complex* first = mesh.amplitudes(0, j) + z;
      gather(first, stride, width, n, scratch);
      for (std::size_t c = 0; c < width; ++c)
        visit(j, z + c, &scratch.in[c * n], &scratch.out[c * n]);
      scatter(scratch, stride, width, n, first);
    }
    workers_.advance(1);
  });
}

void Fourier::forward(const Mesh& mesh) const {
  planes_forward(mesh);
  for_columns(mesh, [&](std::size_t, std::size_t, Complex* in, Complex* out) {
    plans_->forward.run(in, out);
  });
}

void Fourier::backward(const Mesh& mesh) const {
  for_columns(mesh, [&](std::size_t, std::size_t, Complex* in, Complex* out) {
    plans_->backward.run(in, out);
  });
  planes_backward(mesh);
}

void Fourier::convolve(const Mesh& mesh, Kernel kernel) const {
  const std::size_t n = mesh.n();
  planes_forward(mesh);
  for_columns(mesh, [&](std::size_t y, std::size_t z, Complex* in, Complex* out) {
    plans_->forward.run(in, out);
    kernel(wave_number(y, n), static_cast<int>(z), out, in);
    plans_->backward.run(in, out);
  });
  planes_backward(mesh);
}

}  // namespace kith::sample

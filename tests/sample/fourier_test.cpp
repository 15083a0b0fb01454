// Transforms against the sum that defines them.
#include "sample/fourier.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

#include "sample/random.hpp"

namespace kith::sample {
namespace {

using Complex = std::complex<double>;

Mesh noise_mesh(int n) {
  Mesh mesh(n, nullptr);
  for (std::size_t i = 0; i < mesh.size(); ++i)
    mesh.data()[i] = static_cast<float>(Random(1, Stream::points, i).normal());
  return mesh;
}

Complex sum_for(const Mesh& mesh, int kx, int ky, int kz) {
  Complex sum = 0;
  const std::size_t n = mesh.n();
  for (std::size_t x = 0; x < n; ++x)
    for (std::size_t y = 0; y < n; ++y)
      for (std::size_t z = 0; z < n; ++z) {
        const double turns = (double(x) * kx + double(y) * ky + double(z) * kz) / double(n);
        sum += double{mesh.row(x, y)[z]} * std::polar(1.0, -2 * std::numbers::pi * turns);
      }
  return sum;
}

TEST(Fourier, ForwardIsTheDefiningSumForEvenAndOddSizes) {
  for (const int n : {4, 5, 6, 7, 10}) {
    const Execution execution{.threads = 2};
    const Workers workers(execution);
    const Mesh before = noise_mesh(n);
    const Mesh mesh = noise_mesh(n);
    Fourier(n, workers).forward(mesh);
    for (std::size_t x = 0; x < mesh.n(); ++x)
      for (std::size_t y = 0; y < mesh.n(); ++y)
        for (std::size_t z = 0; z < mesh.modes(); ++z) {
          const Complex expected = sum_for(before, wave_number(x, mesh.n()),
                                           wave_number(y, mesh.n()), static_cast<int>(z));
          ASSERT_NEAR(std::abs(Complex(mesh.amplitudes(x, y)[z]) - expected), 0, 2e-4)
              << n << ": " << x << " " << y << " " << z;
        }
  }
}

TEST(Fourier, BackwardUndoesForwardUpToTheNumberOfCells) {
  for (const int n : {4, 9, 32, 40}) {
    const Execution execution{.threads = 2};
    const Workers workers(execution);
    const Mesh before = noise_mesh(n);
    const Mesh mesh = noise_mesh(n);
    const Fourier fourier(n, workers);
    fourier.forward(mesh);
    fourier.backward(mesh);
    for (std::size_t x = 0; x < mesh.n(); ++x)
      for (std::size_t z = 0; z < mesh.n(); ++z)
        ASSERT_NEAR(mesh.row(x, x)[z] / std::pow(n, 3), before.row(x, x)[z], 1e-5) << n;
  }
}

TEST(Fourier, ConvolveHandsEachColumnItsWaveNumbers) {
  constexpr int kN = 12;
  const Execution execution{.threads = 2};
  const Workers workers(execution);
  const Fourier fourier(kN, workers);
  const auto factor = [](int x, int y, int z) {
    return 1.0F / static_cast<float>(1 + x * x + 2 * y * y + 3 * z * z);
  };
  const Mesh expected = noise_mesh(kN);
  fourier.forward(expected);
  for (std::size_t x = 0; x < kN; ++x)
    for (std::size_t y = 0; y < kN; ++y)
      for (std::size_t z = 0; z < expected.modes(); ++z)
        expected.amplitudes(x, y)[z] *=
            factor(wave_number(x, kN), wave_number(y, kN), static_cast<int>(z));
  fourier.backward(expected);
  const Mesh mesh = noise_mesh(kN);
  fourier.convolve(mesh,
                   [&](int y, int z, const std::complex<float>* from, std::complex<float>* to) {
                     for (std::size_t x = 0; x < kN; ++x)
                       to[x] = from[x] * factor(wave_number(x, kN), y, z);
                   });
  for (std::size_t x = 0; x < kN; ++x)
    for (std::size_t y = 0; y < kN; ++y)
      for (std::size_t z = 0; z < kN; ++z) ASSERT_EQ(mesh.row(x, y)[z], expected.row(x, y)[z]);
}

TEST(Fourier, WaveNumbersGoUpThenDown) {
  EXPECT_EQ(wave_number(0, 8), 0);
  EXPECT_EQ(wave_number(4, 8), 4);
  EXPECT_EQ(wave_number(5, 8), -3);
  EXPECT_EQ(wave_number(3, 7), 3);
  EXPECT_EQ(wave_number(4, 7), -3);
}

}  // namespace
}  // namespace kith::sample

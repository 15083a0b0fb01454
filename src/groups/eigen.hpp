// Eigenvalues and eigenvectors of a small symmetric matrix, by Jacobi's rotations: unconditionally
// stable, and accurate also for the small eigenvalues of flat or thin groups.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

namespace kith {

struct Eigen {
  std::vector<double> values;  ///< falling
  std::vector<double>
      vectors;  ///< one after the other, of unit length; the largest component is positive
};

class JacobiSolver {
 public:
  /// `matrix`: row by row, symmetric.
  JacobiSolver(std::vector<double> matrix, std::size_t d)
      : d_(d), matrix_(std::move(matrix)), basis_(d * d, 0) {
    for (std::size_t i = 0; i < d; ++i) basis_[i * d + i] = 1;
  }

  Eigen solve() {
    constexpr int kMaxSweeps = 60;  // convergence is quadratic: ten are plenty
    for (int sweep = 0; sweep < kMaxSweeps && rotate_all(); ++sweep) {
    }
    return sorted();
  }

 private:
  double& a(std::size_t i, std::size_t j) { return matrix_[i * d_ + j]; }

  /// One sweep over all elements off the diagonal; false when all of them are negligible.
  bool rotate_all() {
    bool has_rotated = false;
    for (std::size_t p = 0; p + 1 < d_; ++p)
      for (std::size_t q = p + 1; q < d_; ++q) {
        const double limit = 1e-17 * std::sqrt(std::abs(a(p, p)) * std::abs(a(q, q)));
        if (std::abs(a(p, q)) <= limit || a(p, q) == 0) continue;
        rotate(p, q);
        has_rotated = true;
      }
    return has_rotated;
  }

  void rotate(std::size_t p, std::size_t q) {
    const double theta = (a(q, q) - a(p, p)) / (2 * a(p, q));
    const double t = std::copysign(1.0, theta) / (std::abs(theta) + std::sqrt(theta * theta + 1));
    const double c = 1 / std::sqrt(t * t + 1), s = t * c;
    for (std::size_t i = 0; i < d_; ++i) turn(a(i, p), a(i, q), c, s);
    for (std::size_t i = 0; i < d_; ++i) turn(a(p, i), a(q, i), c, s);
    a(p, q) = a(q, p) = 0;
    for (std::size_t i = 0; i < d_; ++i) turn(basis_[i * d_ + p], basis_[i * d_ + q], c, s);
  }

  static void turn(double& x, double& y, double c, double s) {
    const double old = x;
    x = c * old - s * y;
    y = s * old + c * y;
  }

  Eigen sorted() {
    std::vector<std::size_t> order(d_);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t i, std::size_t j) { return a(i, i) > a(j, j); });
    Eigen eigen;
    for (const std::size_t column : order) {
      eigen.values.push_back(std::max(0.0, a(column, column)));
      std::size_t largest = 0;
      for (std::size_t i = 1; i < d_; ++i)
        if (std::abs(basis_[i * d_ + column]) > std::abs(basis_[largest * d_ + column]))
          largest = i;
      const double sign = basis_[largest * d_ + column] < 0 ? -1 : 1;
      for (std::size_t i = 0; i < d_; ++i) eigen.vectors.push_back(sign * basis_[i * d_ + column]);
    }
    return eigen;
  }

  std::size_t d_;
  std::vector<double> matrix_, basis_;
};

}  // namespace kith

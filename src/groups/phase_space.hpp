// Phase space of a halo: positions about the first member and velocities, each about their mean and
// in units of their scale. Sums run over blocks of members, as those of the catalogue do.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include <kith/halos.hpp>

#include "groups/columns.hpp"
#include "groups/sums.hpp"

namespace kith {

/// What is subtracted from the 2 d columns, and what positions and velocities are divided by.
struct PhaseUnits {
  std::vector<double> mean;
  double position = 0, velocity = 0;
};

class PhaseSpace {
 public:
  PhaseSpace(const PointsView& points, const SubhaloOptions& options)
      : position_(points),
        velocity_(options.velocity),
        options_(options),
        d_(static_cast<std::size_t>(points.dimension)) {}

  std::size_t width() const { return 2 * d_; }

  /// As it is given; `origin`: the position of the halo's first member.
  void put(std::size_t member, const std::vector<double>& origin, double* row) const {
    for (std::size_t axis = 0; axis < d_; ++axis) {
      const int a = static_cast<int>(axis);
      const double dx = position_(member, a) - origin[axis], side = options_.box.side(a);
      row[axis] = side > 0 ? minimum_image(dx, side, 1 / side) : dx;
      row[d_ + axis] = velocity_(member, a);
    }
  }

  /// Adds up the columns of a block of rows.
  std::vector<double> sums(std::span<const double> rows) const {
    std::vector<double> sum(width());
    for (std::size_t at = 0; at < rows.size(); at += width())
      for (std::size_t column = 0; column < width(); ++column) sum[column] += rows[at + column];
    return sum;
  }

  /// Of positions and velocities about the mean.
  std::vector<double> squares(std::span<const double> rows, const std::vector<double>& mean) const {
    std::vector<double> square(2);
    for (std::size_t column = 0; column < width(); ++column)
      for (std::size_t at = column; at < rows.size(); at += width()) {
        const double x = rows[at] - mean[column];
        square[column / d_] += x * x;
      }
    return square;
  }

  /// `count`: of the halo's members.
  PhaseUnits units(std::vector<double> mean, const std::vector<double>& squares,
                   std::size_t count) const {
    const auto scale = [&](double given, double square) {
      return given == 0 ? std::sqrt(square / static_cast<double>(count)) : given;
    };
    return {std::move(mean), scale(options_.position_scale, squares[0]),
            scale(options_.velocity_scale, squares[1])};
  }

  void scale(std::span<double> rows, const PhaseUnits& units) const {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::size_t column = i % width();
      const double by = column < d_ ? units.position : units.velocity;
      rows[i] = by > 0 ? (rows[i] - units.mean[column]) / by : 0;
    }
  }

 private:
  RowReader position_, velocity_;
  const SubhaloOptions& options_;
  std::size_t d_;
};

}  // namespace kith

// The density of SPH of one row of pairs and its derivatives, through h too: for one process and
// for ranks.
//
// rho = A sum_j m_j W(r_j / h) with A = factor / h^d, so
//   drho/dr_j = A m_j W' / h,   drho/dh = -(A / h) (d sum m W + sum m W' q),   drho/dm_j = A W.
// h is the distance of the last neighbor: its derivative adds to that pair's.
#pragma once

#include <cmath>

#include "gradients/pair_gradient.hpp"
#include "groups/columns.hpp"
#include "neighbors/sph_kernel.hpp"

namespace kith {

/// The kernel sum of one row of pairs.
template <int D, class T>
class RowDensity {
 public:
  RowDensity(const PairRow<D, T>& row, const KernelShape& kernel, const ValueReader& mass)
      : row_(row), kernel_(kernel) {
    last_ = row.end;
    while (last_ > row.begin && row.neighbor(last_ - 1) < 0) --last_;
    if (last_ == row.begin) return;
    h_ = distance(last_ - 1);
    scale_ = kernel.factor() / std::pow(h_, kernel.dimension);
    for (std::size_t pair = row.begin; pair < last_; ++pair) {
      const double q = this->q(pair), m = mass(static_cast<std::size_t>(row.neighbor(pair)));
      sum_ += kernel.value(q) * m;
      slopes_ += kernel.slope(q) * m * q;
    }
  }

  std::size_t last() const { return last_; }  ///< past the last pair that there is
  bool is_empty() const { return last_ == row_.begin; }
  bool is_smooth() const { return !is_empty() && h_ > 0; }
  double value() const { return kernel_.factor() * sum_ / std::pow(h_, kernel_.dimension); }

  /// The derivative by the distance of a pair.
  double slope(std::size_t pair, double mass) const {
    const double own = scale_ / h_ * mass * kernel_.slope(q(pair));
    if (pair + 1 != last_) return own;
    return own - scale_ / h_ * (kernel_.dimension * sum_ + slopes_);
  }
  /// The derivative by the mass of a pair's point.
  double weight(std::size_t pair) const { return scale_ * kernel_.value(q(pair)); }

 private:
  double distance(std::size_t pair) const {
    const auto d = static_cast<std::size_t>(row_.metric.axes.count());
    const T d2 = row_.metric.distance2(
        row_.places.queries + row_.row * d,
        row_.places.points + static_cast<std::size_t>(row_.neighbor(pair)) * d);
    return static_cast<double>(std::sqrt(d2) * row_.places.unscale);
  }
  double q(std::size_t pair) const { return h_ > 0 ? distance(pair) / h_ : 0; }

  const PairRow<D, T>& row_;
  const KernelShape& kernel_;
  std::size_t last_ = 0;
  double h_ = 0, scale_ = 0, sum_ = 0, slopes_ = 0;
};

/// The vectors of PairGradientSum for the derivative of the density; one cotangent for each row.
template <class T>
auto density_vectors(const KernelShape& kernel, const ValueReader& mass, const double* cotangent) {
  return [&kernel, &mass, cotangent]<int D>(const PairRow<D, T>& row, T* vectors) {
    const Axes<D> axes = row.metric.axes;
    const auto d = static_cast<std::size_t>(axes.count());
    const RowDensity density(row, kernel, mass);
    std::fill_n(vectors, (row.end - row.begin) * d, T(0));
    if (!density.is_smooth()) return;
    T between[kAxisRoom<D>];
    for (std::size_t pair = row.begin; pair < density.last(); ++pair) {
      const std::int64_t neighbor = row.neighbor(pair);
      row.displacement(neighbor, between);
      const double factor = cotangent[row.row] *
                            density.slope(pair, mass(static_cast<std::size_t>(neighbor))) *
                            inverse_length(between, axes);
      for (std::size_t axis = 0; axis < d; ++axis)
        vectors[(pair - row.begin) * d + axis] =
            static_cast<T>(factor * static_cast<double>(between[axis]));
    }
  };
}

/// The change of the density of a row; tangents may be null.
template <int D, class T>
double density_tangent(const PairRow<D, T>& row, const KernelShape& kernel, const ValueReader& mass,
                       const T* points, const double* mass_tangent) {
  const Axes<D> axes = row.metric.axes;
  const auto d = static_cast<std::size_t>(axes.count());
  const RowDensity density(row, kernel, mass);
  if (!density.is_smooth()) return 0;
  double sum = 0;
  T between[kAxisRoom<D>];
  for (std::size_t pair = row.begin; pair < density.last(); ++pair) {
    const auto neighbor = static_cast<std::size_t>(row.neighbor(pair));
    if (mass_tangent) sum += density.weight(pair) * mass_tangent[neighbor];
    if (!points) continue;
    row.displacement(row.neighbor(pair), between);
    double along = 0;
    for (std::size_t axis = 0; axis < d; ++axis)
      along +=
          static_cast<double>(between[axis]) * (static_cast<double>(points[neighbor * d + axis]) -
                                                static_cast<double>(points[row.row * d + axis]));
    sum += density.slope(pair, mass(neighbor)) * along * inverse_length(between, axes);
  }
  return sum;
}

/// Adds the sums of weights by mass, one number a pair, to those of the first `targets` points.
template <class T>
void add_mass_vjp(const PairPlaces<T>& places, const KernelShape& kernel, const ValueReader& mass,
                  const double* cotangent, std::size_t targets, double* out,
                  const Workers& workers) {
  const Axes<kAnyDimension> one(1);
  Transpose<kAnyDimension, double> transpose(workers, targets, one, out);
  std::vector<std::uint32_t> target;
  std::vector<double> value;
  const Metric<kAnyDimension, T> metric = places.metric(Axes<kAnyDimension>(kernel.dimension));
  for_row_batches(places.lists, transpose.kBatch, [&](std::size_t first, std::size_t last) {
    const std::size_t start = places.lists.begin(first);
    target.assign(places.lists.begin(last) - start, kNoTarget);
    value.resize(target.size());
    workers.for_ranges(last - first, kRowGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = first + begin; i < first + end; ++i) {
        const PairRow<kAnyDimension, T> row{i, places.lists.begin(i), places.lists.begin(i + 1),
                                            places, metric};
        const RowDensity density(row, kernel, mass);
        if (!density.is_smooth()) continue;
        for (std::size_t pair = row.begin; pair < density.last(); ++pair) {
          target[pair - start] = static_cast<std::uint32_t>(row.neighbor(pair));
          value[pair - start] = cotangent[i] * density.weight(pair);
        }
      }
    });
    transpose.add(target.size(), target.data(), value.data());
  });
}

}  // namespace kith

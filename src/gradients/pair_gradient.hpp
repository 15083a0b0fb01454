// The loop that all products over lists share: each pair contributes a vector to its point and the
// opposite one to its query.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "gradients/places.hpp"
#include "parallel/grains.hpp"
#include "parallel/transpose.hpp"

namespace kith {

/// Rows of a batch of lists of k.
inline std::size_t batch_rows(std::size_t k, std::size_t most) {
  return std::max<std::size_t>(1, most / std::max<std::size_t>(1, k));
}

/// Calls body(first row, last row) for batches of rows that have at most `most` pairs together, or
/// are one row. `first`: the number of the first row among those of all ranks; lists of k have the
/// same batches on any number of ranks.
template <class Body>
void for_row_batches(const ListsView& lists, std::size_t most, Body body, std::uint64_t first = 0) {
  for (std::size_t begin = 0; begin < lists.rows;) {
    std::size_t end = begin + 1;
    if (lists.offset.empty()) {
      const std::size_t batch = batch_rows(lists.k, most);
      end = begin + batch - static_cast<std::size_t>((first + begin) % batch);
    } else {
      while (end < lists.rows && lists.begin(end + 1) - lists.begin(begin) <= most) ++end;
    }
    end = std::min(end, lists.rows);
    body(begin, end);
    begin = end;
  }
}

/// A row of pairs and what a visitor needs of it.
template <int D, class T>
struct PairRow {
  std::size_t row, begin, end;
  const PairPlaces<T>& places;
  const Metric<D, T>& metric;

  std::int64_t neighbor(std::size_t pair) const { return neighbor_of(places.lists, pair); }

  /// Neighbor minus query, in the frame.
  void displacement(std::int64_t neighbor, T* out) const {
    const auto d = static_cast<std::size_t>(metric.axes.count());
    metric.displacement(places.points + static_cast<std::size_t>(neighbor) * d,
                        places.queries + row * d, out);
  }
};

inline constexpr std::size_t kRowGrain = 256;

/// Calls body(row) for all rows, concurrently.
template <class T, class Body>
void for_each_row(const PairPlaces<T>& places, int dimension, const Workers& workers, Body body) {
  with_dimension(dimension, [&]<int D>() {
    const Metric<D, T> metric = places.metric(Axes<D>(dimension));
    workers.for_ranges(places.rows, kRowGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t row = begin; row < end; ++row)
        body(PairRow<D, T>{row, places.lists.begin(row), places.lists.begin(row + 1), places,
                           metric});
    });
  });
}

/// Contributions of the rows of other ranks to points of this one, in the order of all rows. Those
/// of rows before the ones here come first: `before` of them from batches before the first batch
/// here, then `beside` from that batch.
template <class T>
struct Contributions {
  std::span<const std::uint32_t> target = {};
  const T* value = nullptr;
  std::size_t before = 0, beside = 0;
};

/// Sums of vectors over pairs, by point and by query.
template <class T>
class PairGradientSum {
 public:
  PairGradientSum(const PairPlaces<T>& places, int dimension, const Workers& workers)
      : PairGradientSum(places, dimension, workers, places.size) {}
  /// Sums for the first `targets` points alone.
  PairGradientSum(const PairPlaces<T>& places, int dimension, const Workers& workers,
                  std::size_t targets)
      : places_(places),
        d_(static_cast<std::size_t>(dimension)),
        workers_(workers),
        targets_(targets),
        points_(targets * d_, 0.0),
        queries_(places.has_own_queries ? places.rows * d_ : 0, 0.0) {}

  /// `each(row, vectors)` writes a vector for every pair of the row: D numbers each, in the order
  /// of the pairs. Vectors of pairs without a neighbor are not read. `first`: the number of the
  /// first row among those of all ranks.
  template <class Each>
  void add(Each each, std::uint64_t first = 0, const Contributions<T>& others = {}) {
    with_dimension(static_cast<int>(d_), [&]<int D>() { add_of<D>(each, first, others); });
  }

  void write(PairGradient<T> out) const {
    write(points_, out.points);
    write(queries_, out.queries);
  }

 private:
  template <int D, class Each>
  void add_of(Each& each, std::uint64_t first_row, const Contributions<T>& others) {
    const Axes<D> axes(static_cast<int>(d_));
    const Metric<D, T> metric = places_.metric(axes);
    Transpose<D, T> transpose(workers_, targets_, axes, points_.data());
    std::size_t taken = 0;
    const auto take = [&](std::size_t end) {
      for (; taken < end; taken = std::min(end, taken + transpose.kBatch))
        transpose.add(std::min(end - taken, transpose.kBatch), others.target.data() + taken,
                      others.value + taken * d_);
    };
    double* own = places_.has_own_queries ? queries_.data() : points_.data();
    take(others.before);
    const auto batch = [&](std::size_t first, std::size_t last) {
      const std::size_t start = places_.lists.begin(first);
      const std::size_t count = places_.lists.begin(last) - start;
      target_.resize(std::max(target_.size(), count));
      value_.resize(std::max(value_.size(), count * d_));
      workers_.for_ranges(last - first, kRowGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t row = first + begin; row < first + end; ++row) {
          const PairRow<D, T> pairs{row, places_.lists.begin(row), places_.lists.begin(row + 1),
                                    places_, metric};
          T* vectors = value_.data() + (pairs.begin - start) * d_;
          each(pairs, vectors);
          finish_row(pairs, axes, vectors, target_.data() + (pairs.begin - start), own + row * d_);
        }
      });
      take(others.before + others.beside);
      transpose.add(count, target_.data(), value_.data());
      workers_.advance(last - first);
    };
    for_row_batches(places_.lists, transpose.kBatch, batch, first_row);
    take(others.target.size());
  }

  /// Notes the targets and takes the vectors from the query.
  template <int D>
  void finish_row(const PairRow<D, T>& pairs, Axes<D> axes, const T* vectors, std::uint32_t* target,
                  double* own) const {
    double sum[kAxisRoom<D>] = {};
    for (std::size_t pair = pairs.begin; pair < pairs.end; ++pair, vectors += axes.count()) {
      const std::int64_t neighbor = pairs.neighbor(pair);
      *target++ = neighbor < 0 ? kNoTarget : static_cast<std::uint32_t>(neighbor);
      if (neighbor < 0) continue;
      for (int axis = 0; axis < axes.count(); ++axis)
        sum[axis] += static_cast<double>(vectors[axis]);
    }
    for (int axis = 0; axis < axes.count(); ++axis) own[axis] -= sum[axis];
  }

  void write(const std::vector<double>& sum, T* out) const {
    if (!out) return;
    workers_.for_ranges(sum.size(), kPointGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) out[i] = static_cast<T>(sum[i]);
    });
  }

  const PairPlaces<T>& places_;
  std::size_t d_;
  const Workers& workers_;
  std::size_t targets_;
  std::vector<double> points_, queries_;
  std::vector<std::uint32_t> target_;
  std::vector<T> value_;
};

}  // namespace kith

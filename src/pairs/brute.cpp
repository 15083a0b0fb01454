#include "pairs/brute.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>
#include <utility>

#include "base/float_environment.hpp"
#include "neighbors/limits.hpp"
#include "tree/input.hpp"

namespace kith {
namespace {

template <class T>
struct PairRows {
  Input<T> input;
  std::vector<T> x;
  int dimension;

  PairRows(const PointsView& view, const Box& box)
      : input(read_input<T>(view, box, NonFinite::error, Workers(Execution{.threads = 1}))),
        dimension(view.dimension) {
    T row[kMaxDimension];
    for (std::size_t i = 0; i < input.size; ++i) {
      input.load(i, Axes<kAnyDimension>(dimension), row);
      x.insert(x.end(), row, row + dimension);
    }
  }
  const T* row(std::size_t i) const { return x.data() + i * static_cast<std::size_t>(dimension); }
};

/// The two coordinates of a pair: the first squared.
template <class T>
struct Coordinates {
  const PairBinning& bins;
  const Frame<T>& frame;
  int dimension;

  T gap(const T* p, const T* q, int axis) const {
    const T dx = std::abs(p[axis] - q[axis]), side = frame.side[axis];
    return side > 0 ? std::min(dx, side - dx) : dx;
  }
  static T square(T x) { return x * x; }
  static T angle(T pi2, T s2) { return s2 == 0 ? T(0) : std::sqrt(pi2 / s2); }

  std::pair<T, T> operator()(const T* p, const T* q) const {
    const bool is_plain = bins.separation == Separation::r || bins.separation == Separation::theta;
    if (!is_plain && bins.line_of_sight == LineOfSight::midpoint) return from_middle(p, q);
    const int along = is_plain ? -1 : static_cast<int>(bins.line_of_sight);
    T across2 = 0;
    for (int axis = 0; axis < dimension; ++axis)
      if (axis != along) across2 += square(gap(p, q, axis));
    if (is_plain) return {across2, T(0)};
    const T pi = gap(p, q, along);
    if (bins.separation == Separation::rp_pi) return {across2, pi};
    const T s2 = across2 + square(pi);
    return {s2, angle(square(pi), s2)};
  }

  std::pair<T, T> from_middle(const T* p, const T* q) const {
    T s2 = 0, product = 0, l2 = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const T s = q[axis] - p[axis], l = q[axis] + p[axis];
      s2 += square(s);
      product += s * l;
      l2 += square(l);
    }
    const T pi2 = l2 == 0 ? T(0) : square(product) / l2;
    if (bins.separation == Separation::s_mu) return {s2, angle(pi2, s2)};
    return {std::max(s2 - pi2, T(0)), std::sqrt(pi2)};
  }
};

/// The bin of a pair, or none: -1.
template <class T>
struct Binning {
  const PairBinning& bins;
  std::vector<T> limits;
  T end = 1;

  Binning(const PairBinning& of, const Frame<T>& frame) : bins(of) {
    for (const double edge : bins.edges)
      limits.push_back(limit2(bins.separation == Separation::theta
                                  ? 2 * std::sin(edge * (std::numbers::pi / 180) / 2)
                                  : edge,
                              true, frame));
    if (bins.separation == Separation::rp_pi)
      end = std::ldexp(static_cast<T>(bins.pi_max), frame.exponent);
  }

  std::ptrdiff_t operator()(T first, T second) const {
    std::ptrdiff_t i = -1;
    for (const T limit : limits) i += limit < first ? 1 : 0;
    if (i < 0 || i >= static_cast<std::ptrdiff_t>(bins.first())) return -1;
    const auto count = static_cast<std::ptrdiff_t>(bins.second());
    std::ptrdiff_t j = 0;
    while (j < count && second >= static_cast<T>(j + 1) * end / static_cast<T>(count)) ++j;
    if (bins.separation == Separation::s_mu) j = std::min(j, count - 1);
    if (bins.separation != Separation::rp_pi && bins.separation != Separation::s_mu) j = 0;
    return j == count ? -1 : i * count + j;
  }
};

double weight_of(const PairSet& a, std::size_t i, const PairSet& b, std::size_t j,
                 const PairWeightTable& table) {
  const double product =
      (a.weight.empty() ? 1 : a.weight[i]) * (b.weight.empty() ? 1 : b.weight[j]);
  if (table.words == 0) return product;
  int shared = 0;
  for (std::size_t k = 0; k < table.words; ++k)
    shared += std::popcount(a.bits[i * table.words + k] & b.bits[j * table.words + k]);
  return product * table.weight[static_cast<std::size_t>(shared)];
}

}  // namespace

template <class T>
std::vector<double> brute_pair_histogram(const PairSet& points, const PairSet* others,
                                         const PairHistogramOptions& options,
                                         std::vector<double>* lengths) {
  const FloatEnvironment environment;
  PairRows<T> from(points.points, options.box);
  const PairRows<T> to(others ? others->points : points.points, options.box);
  const Frame<T>& frame = to.input.frame;
  Frame<T> change;
  change.exponent = frame.exponent - from.input.frame.exponent;
  if (change.exponent != 0)
    for (T& x : from.x) x = change.scaled(x);
  const Coordinates<T> place{options.bins, frame, from.dimension};
  const Binning<T> bin_of(options.bins, frame);
  std::vector<double> result(options.bins.size());
  if (lengths) lengths->assign(result.size(), 0);
  for (std::size_t i = 0; i < from.input.size; ++i)
    for (std::size_t j = 0; j < to.input.size; ++j) {
      if (!others && i == j) continue;
      const auto [first, second] = place(from.row(i), to.row(j));
      const std::ptrdiff_t bin = bin_of(first, second);
      if (bin < 0) continue;
      const double w = weight_of(points, i, others ? *others : points, j, options.table);
      result[static_cast<std::size_t>(bin)] += w;
      if (lengths)
        (*lengths)[static_cast<std::size_t>(bin)] +=
            w * std::ldexp(std::sqrt(static_cast<double>(first)), -frame.exponent);
    }
  return result;
}

template std::vector<double> brute_pair_histogram<float>(const PairSet&, const PairSet*,
                                                         const PairHistogramOptions&,
                                                         std::vector<double>*);
template std::vector<double> brute_pair_histogram<double>(const PairSet&, const PairSet*,
                                                          const PairHistogramOptions&,
                                                          std::vector<double>*);

}  // namespace kith

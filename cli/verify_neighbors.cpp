// Neighbours and densities against brute force.
#include <fmt/format.h>
#include <numbers>

#include <kith/density.hpp>

#include "brute.hpp"
#include "verify.hpp"

namespace kith::cli {
namespace {

template <class T>
struct Near {
  T distance2;
  std::size_t index;
  bool operator<(const Near& other) const {
    return distance2 < other.distance2 || (distance2 == other.distance2 && index < other.index);
  }
};

/// Everything within limit2, in order; only the first k if k > 0.
template <class T>
std::vector<Near<T>> neighbors_of(const BruteForce<T>& brute, std::size_t i, T limit2,
                                  bool exclude_self, std::size_t k) {
  std::vector<Near<T>> all;
  T bound = limit2;
  for (std::size_t j = 0; j < brute.size(); ++j) {
    const T d2 = brute.distance2(i, j);
    if (!(d2 <= bound) || (exclude_self && j == i)) continue;
    all.push_back({d2, j});
    // Now and then, what cannot be among the first k goes.
    if (k > 0 && all.size() >= 4 * k + 64) {
      std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(k), all.end());
      all.resize(k);
      bound = std::max_element(all.begin(), all.end())->distance2;
    }
  }
  std::sort(all.begin(), all.end());
  if (k > 0 && all.size() > k) all.resize(k);
  return all;
}

/// A row of a result beside what it is to be; rows longer than that end in -1 and infinity.
template <class T>
std::string compare(const BruteForce<T>& brute, std::size_t i, const std::vector<Near<T>>& expected,
                    const std::vector<std::int64_t>& index, const std::vector<double>& distance) {
  for (std::size_t rank = 0; rank < index.size(); ++rank) {
    const bool is_there = rank < expected.size();
    const std::int64_t right = is_there ? static_cast<std::int64_t>(expected[rank].index) : -1;
    const double far = is_there ? double{brute.distance(expected[rank].distance2)}
                                : std::numeric_limits<double>::infinity();
    if (index[rank] != right)
      return fmt::format("neighbor {} of point {} is {}, not {}", rank, i, right, index[rank]);
    if (distance[rank] != far)
      return fmt::format("neighbor {} of point {} is at {}, not {}", rank, i, far, distance[rank]);
  }
  if (expected.size() > index.size())
    return fmt::format("point {} has {} neighbors, not {}", i, expected.size(), index.size());
  return "";
}

double kernel(SphKernel kind, double q, int dimension) {
  const double p = 1 - q;
  if (kind == SphKernel::cubic_spline) return q < 0.5 ? 1 - 6 * q * q * (1 - q) : 2 * p * p * p;
  return dimension == 1 ? p * p * p * (1 + 3 * q) : p * p * p * p * (1 + 4 * q);
}

double normalisation(SphKernel kind, int dimension) {
  constexpr double pi = std::numbers::pi;
  const bool is_spline = kind == SphKernel::cubic_spline;
  if (dimension == 1) return is_spline ? 4.0 / 3 : 1.25;
  if (dimension == 2) return is_spline ? 40 / (7 * pi) : 7 / pi;
  return is_spline ? 8 / pi : 21 / (2 * pi);
}

/// The kernel that the result names; a word that nobody knows is never taken for another.
SphKernel kernel_named(const std::string& word) {
  for (const SphKernel kind : {SphKernel::cubic_spline, SphKernel::wendland_c2})
    if (word == name(kind)) return kind;
  throw Mismatch(fmt::format("the kernel {} is not known; there are {} and {}", printable(word),
                             name(SphKernel::cubic_spline), name(SphKernel::wendland_c2)));
}

void check_shape(const ResultFile& result, const std::string& name, std::size_t rows) {
  if (result.rows(name) != rows)
    throw Mismatch(fmt::format("{} has {} rows for {} points", name, result.rows(name), rows));
}

}  // namespace

void verify_knn(Verification& v) {
  const std::size_t n = v.input.size();
  for (const char* array : {"index", "distance"}) check_shape(v.result, array, n);
  if (v.result.width("index") != v.about().k)
    throw Mismatch(
        fmt::format("rows of {} neighbors, not {}", v.result.width("index"), v.about().k));
  Numbers positions = v.input.positions(v.session.execution());
  const auto chosen = draw(n, v.sample_size(static_cast<double>(n)), v.random);
  const double limit =
      v.about().max_radius > 0 ? v.about().max_radius : std::numeric_limits<double>::infinity();
  with_brute_force(v.input, positions, [&](const auto& brute) {
    const auto limit2 =
        v.about().max_radius > 0
            ? brute.limit2(limit, v.about().strict)
            : std::numeric_limits<std::decay_t<decltype(brute.limit2(0, false))>>::infinity();
    const std::string complaint =
        first_complaint("checking", chosen.size(), v.session.execution(), [&](std::size_t s) {
          const std::size_t i = chosen[s];
          return compare(brute, i,
                         neighbors_of(brute, i, limit2, v.about().exclude_self, v.about().k),
                         v.result.integers("index", i, 1), v.result.numbers("distance", i, 1));
        });
    v.settle(fmt::format("the {} nearest neighbors and their distances of {}", v.about().k,
                         counted(chosen.size(), "point", "points")),
             complaint);
  });
}

void verify_radius(Verification& v) {
  const std::size_t n = v.input.size();
  check_shape(v.result, "offset", n + 1);
  const std::vector<std::int64_t> offset = v.result.integers("offset");
  for (std::size_t i = 0; i < n; ++i)
    if (offset[i] > offset[i + 1] || offset[i] < 0)
      throw Mismatch(fmt::format("offset {} is {} and the next {}", i, offset[i], offset[i + 1]));
  for (const char* array : {"index", "distance"})
    check_shape(v.result, array, static_cast<std::size_t>(offset[n]));
  Numbers positions = v.input.positions(v.session.execution());
  const auto chosen = draw(n, v.sample_size(static_cast<double>(n)), v.random);
  with_brute_force(v.input, positions, [&](const auto& brute) {
    const auto limit2 = brute.limit2(v.about().radius, v.about().strict);
    const std::string complaint =
        first_complaint("checking", chosen.size(), v.session.execution(), [&](std::size_t s) {
          const std::size_t i = chosen[s];
          const auto begin = static_cast<std::size_t>(offset[i]);
          const auto count = static_cast<std::size_t>(offset[i + 1]) - begin;
          return compare(brute, i, neighbors_of(brute, i, limit2, v.about().exclude_self, 0),
                         v.result.integers("index", begin, count),
                         v.result.numbers("distance", begin, count));
        });
    v.settle(fmt::format("all neighbors within {:g} and their distances of {}", v.about().radius,
                         counted(chosen.size(), "point", "points")),
             complaint);
  });
}

void verify_density(Verification& v) {
  constexpr double kTolerance = 1e-12;  // sums in another order
  const std::size_t n = v.input.size();
  check_shape(v.result, "density", n);
  Numbers positions = v.input.positions(v.session.execution());
  const Numbers masses = v.input.masses(v.session.execution());
  const ValuesView mass = v.input.mass_values(masses);
  const auto chosen = draw(n, v.sample_size(static_cast<double>(n)), v.random);
  const int dimension = v.about().dimension;
  const SphKernel kind = kernel_named(v.about().kernel);
  const double factor = normalisation(kind, dimension);
  with_brute_force(v.input, positions, [&](const auto& brute) {
    using T = std::decay_t<decltype(brute.limit2(0, false))>;
    const std::string complaint =
        first_complaint("checking", chosen.size(), v.session.execution(), [&](std::size_t s) {
          const std::size_t i = chosen[s];
          const auto near =
              neighbors_of(brute, i, std::numeric_limits<T>::infinity(), false, v.about().k);
          const double h = near.empty() ? 0 : double{brute.distance(near.back().distance2)};
          double sum = 0;
          for (const auto& each : near) {
            const double q = h > 0 ? double{brute.distance(each.distance2)} / h : 0;
            sum += kernel(kind, q, dimension) *
                   (mass.data ? masses[each.index] : mass.same);
          }
          const double right = factor * sum / std::pow(h, dimension);
          const double found = v.result.numbers("density", i, 1)[0];
          const bool is_same = right == found || std::abs(found - right) <= kTolerance * right ||
                               (std::isnan(right) && std::isnan(found));
          return is_same ? std::string()
                         : fmt::format("the density at point {} is {}, not {}", i, right, found);
        });
    v.settle(fmt::format("the densities at {}, to one part in 10^12",
                         counted(chosen.size(), "point", "points")),
             complaint);
  });
}

}  // namespace kith::cli

#include "subhalos/brute.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/float_environment.hpp"
#include "groups/brute_points.hpp"
#include "groups/property_columns.hpp"
#include "neighbors/sph_kernel.hpp"
#include "subhalos/brute_halo.hpp"

namespace kith {
namespace {

/// Distances of members, as a tree of them has them.
class Distances {
 public:
  explicit Distances(const BruteHalo& halo)
      : rows_(rows_of(halo)),
        points_(view(rows_.data(), halo.size(), static_cast<int>(halo.d)), Box::open(),
                NonFinite::error) {}

  double squared(std::size_t i, std::size_t j) const { return points_.distance2(i, j); }
  double operator()(std::size_t i, std::size_t j) const {
    return std::ldexp(std::sqrt(squared(i, j)), -points_.frame().exponent);
  }
  /// All members by their distance from one, ties by index.
  List nearest(std::size_t from) const {
    List order(points_.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return squared(from, a) < squared(from, b);
    });
    return order;
  }

 private:
  static std::vector<double> rows_of(const BruteHalo& halo) {
    std::vector<double> rows;
    for (const auto& place : halo.x) rows.insert(rows.end(), place.begin(), place.end());
    return rows;
  }

  std::vector<double> rows_;
  BrutePoints<double> points_;
};

/// From the nearest neighbors of a member, itself among them.
double density_of(const BruteHalo& halo, const Distances& distance, std::uint32_t member,
                  const List& near) {
  const KernelShape kernel{SphKernel::cubic_spline, static_cast<int>(halo.d)};
  const double h = distance(member, near.back());
  double sum = 0;
  for (const std::uint32_t i : near) {
    sum += kernel.value(h > 0 ? distance(member, i) / h : 0) * halo.mass[i];
  }
  return sum > 0 ? kernel.factor() * sum / std::pow(h, kernel.dimension) : 0;
}

/// Regions are lists of members; candidates are what they were when they met larger ones.
class BruteCandidates {
 public:
  std::vector<List> found;

  BruteCandidates(const BruteHalo& halo, const BindingRules& rules) {
    const std::size_t n = halo.size();
    const Distances distance(halo);
    std::vector<double> density;
    std::vector<List> near;
    for (std::uint32_t i = 0; i < n; ++i) {
      const List all = distance.nearest(i);
      const auto first = [&](std::size_t k) {
        return List(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(n, k)));
      };
      density.push_back(density_of(halo, distance, i, first(rules.density_neighbors)));
      near.push_back(first(std::max(rules.density_neighbors, rules.link_neighbors + 1)));
      std::erase(near[i], i);
      near[i].resize(std::min(near[i].size(), rules.link_neighbors));
    }
    List order(n);
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return density[a] > density[b]; });
    std::vector<std::size_t> place(n);
    for (std::size_t k = 0; k < n; ++k) place[order[k]] = k;
    for (const std::uint32_t i : order) {
      List denser;
      for (const std::uint32_t other : near[i])
        if (place[other] < place[i] && denser.size() < 2) denser.push_back(other);
      add(i, denser, rules.min_size);
    }
    for (const std::uint32_t i : order) join(region_of(order[0]), region_of(i), rules.min_size);
    found.push_back(regions_[region_of(order[0])]);
  }

 private:
  std::size_t region_of(std::uint32_t member) const {
    for (std::size_t r = 0; r < regions_.size(); ++r)
      for (const std::uint32_t i : regions_[r])
        if (i == member) return r;
    return regions_.size();
  }
  void add(std::uint32_t member, const List& denser, std::size_t min_size) {
    if (denser.empty()) return regions_.push_back({member});
    if (denser.size() == 2) join(region_of(denser[0]), region_of(denser[1]), min_size);
    regions_[region_of(denser[0])].push_back(member);
  }
  void join(std::size_t first, std::size_t second, std::size_t min_size) {
    if (first == second) return;
    List &a = regions_[first], &b = regions_[second];
    if (a.size() < b.size()) a.swap(b);
    if (b.size() >= min_size) found.push_back(b);
    a.insert(a.end(), b.begin(), b.end());
    b.clear();
  }

  std::vector<List> regions_;
};

List ascending(List members) {
  std::sort(members.begin(), members.end());
  return members;
}

std::vector<List> candidates_of(const BruteHalo& halo, const BindingRules& rules) {
  return rules.method == SubhaloMethod::phase ? brute_phase_candidates(halo, rules.min_size)
                                              : brute_dense_candidates(halo, rules);
}

struct Found {
  List candidate, bound;
};

std::vector<BruteSubhalo> of_halo(const BruteHalo& halo, std::span<const std::uint32_t> points,
                                  const BindingRules& rules) {
  std::vector<Found> found;
  std::vector<bool> is_taken(halo.size());
  for (const List& candidate : candidates_of(halo, rules)) {
    List free = ascending(candidate);
    std::erase_if(free, [&](std::uint32_t i) { return is_taken[i]; });
    const bool is_region = rules.method == SubhaloMethod::phase && candidate.size() < halo.size();
    const List bound = brute_bound(halo, free, rules, is_region);
    if (bound.empty()) continue;
    for (const std::uint32_t i : bound) is_taken[i] = true;
    found.push_back({ascending(candidate), bound});
  }
  std::vector<std::size_t> order(found.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto lowest = [&](std::size_t f) { return ascending(found[f].bound)[0]; };
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const std::size_t size = found[a].bound.size(), other = found[b].bound.size();
    return size != other ? size > other : lowest(a) < lowest(b);
  });
  std::vector<BruteSubhalo> rows;
  for (const std::size_t f : order) {
    BruteSubhalo& row = rows.emplace_back();
    // The first candidate behind that has all of this one's members.
    for (std::size_t g = f + 1; g < found.size() && row.host < 0; ++g)
      if (std::includes(found[g].candidate.begin(), found[g].candidate.end(),
                        found[f].candidate.begin(), found[f].candidate.end()))
        row.host = std::find(order.begin(), order.end(), g) - order.begin();
    for (const std::uint32_t i : found[f].bound) row.by_binding.push_back(points[i]);
    row.members = ascending(row.by_binding);
  }
  return rows;
}

}  // namespace

BruteHalo::BruteHalo(const Source& from, std::span<const std::uint32_t> halo,
                     const BindingRules& rules)
    : d(from.d) {
  const std::vector<double> origin = from.at(halo.front());
  for (const std::uint32_t i : halo) {
    std::vector<double> place = from.at(i), speed(d);
    for (std::size_t axis = 0; axis < d; ++axis) {
      place[axis] -= origin[axis];
      const double side = from.side[axis];
      if (side > 0) place[axis] = minimum_image(place[axis], side, 1 / side);
      speed[axis] = RowReader(from.velocity)(i, static_cast<int>(axis));
    }
    x.push_back(place);
    v.push_back(speed);
    mass.push_back(from.mass(i));
    heat.push_back(rules.thermal_energy(i) * rules.thermal_scale);
  }
}

std::vector<List> brute_dense_candidates(const BruteHalo& halo, const BindingRules& rules) {
  return BruteCandidates(halo, rules).found;
}

std::vector<BruteSubhalo> brute_subhalos(const PointsView& points, const Members& halos,
                                         const SubhaloOptions& options) {
  const FloatEnvironment environment;
  const Execution alone{.threads = 1};
  const Workers workers(alone);
  const PropertyColumns columns(points, options.velocity, options.mass, options.box, workers);
  const Source from(
      {.points = columns.points(), .velocity = columns.velocity(), .mass = columns.mass()},
      columns.box());
  const BindingRules rules(options, columns);
  std::vector<BruteSubhalo> all;
  for (std::size_t g = 0; g < halos.count(); ++g) {
    const auto halo = halos.of(g);
    if (halo.size() < options.min_size) continue;
    const auto first = static_cast<std::int64_t>(all.size());
    for (BruteSubhalo& row : of_halo(BruteHalo(from, halo, rules), halo, rules)) {
      row.parent = static_cast<std::int64_t>(g);
      if (row.host >= 0) row.host += first;
      all.push_back(std::move(row));
    }
  }
  return all;
}

}  // namespace kith

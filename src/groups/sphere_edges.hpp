// The edge of a sphere about a center: where the mean density inside falls below a given one. One
// text for one process and many ranks, which find the points around a center in different ways.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>
#include <vector>

#include "base/fail.hpp"
#include "base/wide_number.hpp"
#include "geometry/frame.hpp"

namespace kith {

/// The volume of the unit ball.
inline double unit_ball(int dimension) {
  return std::pow(std::numbers::pi, dimension / 2.0) / std::tgamma(dimension / 2.0 + 1);
}

/// The radius at which a mass alone has the density. `ball`: the unit ball times the density.
inline double sphere_radius(double mass, double ball, int dimension) {
  const double power = mass / ball;
  if (mass == 0 || std::isnormal(power)) return std::pow(power, 1.0 / dimension);
  WideNumber wide(mass);
  return (wide /= ball).root(dimension);
}

inline void check_densities(std::span<const double> densities) {
  if (densities.empty()) refuse("overdensities: no density; give at least one, see edge_density");
  for (const double density : densities)
    if (!(density > 0) || !std::isfinite(density))
      refuse("overdensities: density {}; it must be positive and finite", density);
}

struct EdgeAt {
  double mass = 0, radius = 0;
  std::size_t size = 0;
};

/// How far all points are known, and where the density must be reached; in the caller's lengths.
struct Horizon {
  double unit;  // the tree's length in the caller's
  double reach, within;
};

/// Points around a center, sorted outward, ties by index: d2(i) in the tree's frame, mass(i).
template <class Distance2, class Mass>
struct Outward {
  std::size_t count;
  int dimension;
  Distance2 d2;
  Mass mass;
};
template <class Distance2, class Mass>
Outward(std::size_t, int, Distance2, Mass) -> Outward<Distance2, Mass>;

enum class EdgeVerdict { found, never_above, still_above };

/// The outermost edge of this density inside the horizon, of those that begin inside `within`. The
/// first one would be wrong: with few points near the center the mean density inside them falls
/// below any edge's now and then, and the sphere would end in that hole.
template <class Distance2, class Mass>
EdgeVerdict find_edge(const Outward<Distance2, Mass>& points, double density,
                      const Horizon& horizon, EdgeAt& edge) {
  const double ball = unit_ball(points.dimension) * density;
  const auto radius_of = [&](std::size_t i) {
    return std::sqrt(static_cast<double>(points.d2(i))) * horizon.unit;
  };
  double mass = 0;
  bool is_above = false, has_edge = false;
  for (std::size_t i = 0; i < points.count;) {
    const auto d2 = points.d2(i);
    const double here = radius_of(i);
    if (here > horizon.within && !is_above) break;
    for (; i < points.count && points.d2(i) == d2; ++i) mass += points.mass(i);
    const double radius = sphere_radius(mass, ball, points.dimension);
    const double next = i < points.count ? radius_of(i) : horizon.reach;
    is_above = radius >= here;
    if (!is_above || radius >= next) continue;
    edge = {mass, radius, i};
    has_edge = true;
    is_above = false;
  }
  if (is_above) return EdgeVerdict::still_above;
  return has_edge ? EdgeVerdict::found : EdgeVerdict::never_above;
}

/// How far the search about a center goes: farther and farther, until all edges are found.
template <class T>
class EdgeReach {
 public:
  EdgeReach(const Frame<T>& frame, int dimension, std::span<const double> densities)
      : densities_(densities), exponent_(frame.exponent), dimension_(dimension) {
    unit_ = std::ldexp(1.0, -frame.exponent);
    for (int axis = 0; axis < dimension; ++axis)
      if (frame.period[axis] > 0)
        limit_ = std::min(limit_, static_cast<double>(frame.period[axis]) / 2);
  }

  /// Where to begin, for a mass that a sphere is guessed to have.
  double first(double mass, double within) const {
    const double least = *std::min_element(densities_.begin(), densities_.end());
    double reach = sphere_radius(mass, unit_ball(dimension_) * least, dimension_) * 1.3;
    if (!(reach > 0)) reach = limit_;
    return std::max(reach, within);
  }
  static double next(double reach) { return reach * 1.6; }

  /// The square in the tree's frame.
  T squared(double reach) const {
    const T length = static_cast<T>(std::ldexp(std::min(reach, limit_), exponent_));
    return length * length;
  }

  /// Finds all edges among the points within reach, of `total` in all. False: look farther.
  template <class Distance2, class Mass>
  bool find(const Outward<Distance2, Mass>& points, std::size_t total, double reach, double within,
            EdgeAt* edges) const {
    const bool has_everything = points.count == total;
    const bool is_last = !(reach < limit_) || has_everything;
    const double collected = std::sqrt(static_cast<double>(squared(reach))) * unit_;
    const Horizon horizon{unit_, has_everything ? limit_ : collected, within};
    bool has_all = true;
    for (std::size_t i = 0; i < densities_.size(); ++i) {
      edges[i] = {};
      const EdgeVerdict verdict = find_edge(points, densities_[i], horizon, edges[i]);
      has_all &= verdict != EdgeVerdict::still_above && horizon.reach >= horizon.within;
      constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
      if (verdict == EdgeVerdict::still_above) edges[i] = {kNaN, kNaN, 0};
    }
    return has_all || is_last;
  }

 private:
  std::span<const double> densities_;
  double unit_, limit_ = std::numeric_limits<double>::infinity();
  int exponent_, dimension_;
};

/// The search about one center. It takes the points within reach, farther and farther, until all
/// edges are found.
template <class T>
class EdgeSearch {
 public:
  /// `mass`: a guess; `edges`: room for the results.
  EdgeSearch(const EdgeReach<T>& reach, double mass, double within, EdgeAt* edges)
      : by_(&reach), within_(within), reach_(reach.first(mass, within)), edges_(edges) {}

  bool is_done() const { return is_done_; }
  T reach2() const { return by_->squared(reach_); }
  template <class Distance2, class Mass>
  void take(const Outward<Distance2, Mass>& points, std::size_t total) {
    is_done_ = by_->find(points, total, reach_, within_, edges_);
    reach_ = EdgeReach<T>::next(reach_);
  }

 private:
  const EdgeReach<T>* by_;
  double within_, reach_;
  EdgeAt* edges_;
  bool is_done_ = false;
};

}  // namespace kith

// Spherical overdensities: all points around a center, sorted outward, until the mean density falls
// below the edge's.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <kith/halos.hpp>

#include "base/checked_sort.hpp"
#include "base/fail.hpp"
#include "geometry/candidate.hpp"
#include "groups/columns.hpp"
#include "parallel/pieces.hpp"
#include "parallel/public_call.hpp"
#include "tree/tree_impl.hpp"
#include "walk/in_reach.hpp"

namespace kith {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// The volume of the unit ball.
double unit_ball(int dimension) {
  return std::pow(std::numbers::pi, dimension / 2.0) / std::tgamma(dimension / 2.0 + 1);
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

/// One center's surroundings, collected from the tree.
template <int D, class T>
class Surroundings {
 public:
  Surroundings(const TreeData<T>& tree, const ValueReader& mass, const Workers& workers)
      : planes_(tree.planes.view()),
        mass_(mass),
        metric_{Axes<D>(tree.planes.dimension)},
        workers_(workers),
        meter_(workers) {
    std::copy_n(tree.frame.side, metric_.axes.count(), metric_.side);
  }

  /// All points with d2 <= reach2, by (d2, index), in the tree's frame.
  void collect(const T* center, T reach2) {
    found_.clear();
    if (planes_.points == 0) return;
    Bounds<D, T> at = Bounds<D, T>::empty();
    at.add(center, metric_.axes);
    InReach search(planes_, metric_, [&](std::size_t leaf) {
      const IndexRange points = planes_.points_of(0, leaf);
      meter_.add(points.size());
      for (std::size_t i = points.begin; i < points.end; ++i) add_point(i, center, reach2);
    });
    search.run(at, reach2);
    checked_sort(found_.begin(), found_.end(), [&] { workers_.check_cancelled(); });
  }

  bool holds_everything() const { return found_.size() == planes_.points; }

  enum class Verdict { found, never_above, still_above };

  /// The outermost edge of this density inside the horizon, of those that begin inside `within`.
  /// The first one would be wrong: with few points near the center the mean density inside them
  /// falls below any edge's now and then, and the sphere would end in that hole.
  Verdict find_edge(double density, const Horizon& horizon, EdgeAt& edge) {
    const int d = metric_.axes.count();
    const double ball = unit_ball(d) * density;
    double mass = 0;
    bool is_above = false, has_edge = false;
    for (std::size_t i = 0; i < found_.size();) {
      const T d2 = found_[i].key;
      const double here = std::sqrt(static_cast<double>(d2)) * horizon.unit;
      if (here > horizon.within && !is_above) break;
      for (; i < found_.size() && found_[i].key == d2; ++i) {
        mass += mass_(found_[i].index);
        meter_.add(1);
      }
      // The radius at which this mass alone would have the edge's density.
      const double radius = std::pow(mass / ball, 1.0 / d);
      const double next = i < found_.size()
                              ? std::sqrt(static_cast<double>(found_[i].key)) * horizon.unit
                              : horizon.reach;
      is_above = radius >= here;
      if (!is_above || radius >= next) continue;
      edge = {mass, radius, i};
      has_edge = true;
      is_above = false;
    }
    if (is_above) return Verdict::still_above;
    return has_edge ? Verdict::found : Verdict::never_above;
  }

 private:
  void add_point(std::size_t point, const T* center, T reach2) {
    T x[kAxisRoom<D>];
    planes_.load(point, metric_.axes, x);
    const T d2 = metric_.distance2(center, x);
    if (d2 <= reach2) found_.push_back({d2, planes_.index(point)});
  }

  PlanesView<T> planes_;
  const ValueReader& mass_;
  Metric<D, T> metric_;
  const Workers& workers_;
  WorkMeter meter_;
  std::vector<Candidate<T>> found_;
};

/// Lengths of the tree's frame in the caller's, and the farthest that a sphere may reach.
template <class T>
struct Lengths {
  double unit;
  double limit = std::numeric_limits<double>::infinity();

  explicit Lengths(const TreeData<T>& tree) : unit(std::ldexp(1.0, -tree.frame.exponent)) {
    for (int axis = 0; axis < tree.planes.dimension; ++axis)
      if (tree.frame.period[axis] > 0)
        limit = std::min(limit, static_cast<double>(tree.frame.period[axis]) / 2);
  }
};

template <int D, class T>
class EdgeFinder {
 public:
  EdgeFinder(const TreeData<T>& tree, std::span<const double> centers,
             const OverdensityOptions& options)
      : tree_(tree),
        centers_(centers),
        options_(options),
        mass_(options.mass),
        guess_(options.mass_guess),
        within_(options.within),
        lengths_(tree) {}

  void run(std::size_t begin, std::size_t end, const Workers& workers, Overdensities& out) const {
    Surroundings<D, T> around(tree_, mass_, workers);
    for (std::size_t i = begin; i < end; ++i) find(i, around, out);
  }

 private:
  using Verdict = typename Surroundings<D, T>::Verdict;

  void find(std::size_t i, Surroundings<D, T>& around, Overdensities& out) const {
    const int d = tree_.planes.dimension;
    T center[kAxisRoom<D>];
    for (int axis = 0; axis < d; ++axis)
      center[axis] = tree_.frame(
          static_cast<T>(
              centers_[i * static_cast<std::size_t>(d) + static_cast<std::size_t>(axis)]),
          axis);
    const std::size_t edges = options_.density.size();
    const double least = *std::min_element(options_.density.begin(), options_.density.end());
    double reach = std::pow(std::max(guess_(i), mass_(0)) / (unit_ball(d) * least), 1.0 / d) * 1.3;
    if (!(reach > 0)) reach = lengths_.limit;
    reach = std::max(reach, within_(i));
    for (bool is_last = false;; reach *= 1.6) {
      is_last = !(reach < lengths_.limit);
      const T length =
          static_cast<T>(std::ldexp(std::min(reach, lengths_.limit), tree_.frame.exponent));
      around.collect(center, length * length);
      is_last |= around.holds_everything();
      const double collected = std::sqrt(static_cast<double>(length * length)) * lengths_.unit;
      const Horizon horizon{lengths_.unit, around.holds_everything() ? lengths_.limit : collected,
                            within_(i)};
      bool has_all = true;
      for (std::size_t edge = 0; edge < edges; ++edge) {
        EdgeAt found;
        const auto verdict = around.find_edge(options_.density[edge], horizon, found);
        has_all &= verdict != Verdict::still_above && horizon.reach >= horizon.within;
        if (verdict == Verdict::still_above) found = {kNaN, kNaN, 0};
        out.mass[i * edges + edge] = found.mass;
        out.radius[i * edges + edge] = found.radius;
        out.size[i * edges + edge] = static_cast<std::int64_t>(found.size);
      }
      if (has_all || is_last) return;
    }
  }

  const TreeData<T>& tree_;
  std::span<const double> centers_;
  const OverdensityOptions& options_;
  ValueReader mass_, guess_, within_;
  Lengths<T> lengths_;
};

void check(const Tree& tree, std::span<const double> centers, const OverdensityOptions& options,
           const Workers& workers) {
  const std::size_t d = static_cast<std::size_t>(tree.dimension());
  if (centers.size() % d != 0)
    refuse("overdensities: {} numbers are no rows of {} coordinates", centers.size(), d);
  if (options.density.empty())
    refuse("overdensities: no density; give at least one, see edge_density");
  for (const double density : options.density)
    if (!(density > 0) || !std::isfinite(density))
      refuse("overdensities: density {}; it must be positive and finite", density);
  for (const double x : centers)
    if (!std::isfinite(x)) refuse("overdensities: a center has the coordinate {}", x);
  check_values("overdensities", "mass", options.mass, tree.input_size(), workers);
  check_values("overdensities", "mass_guess", options.mass_guess, centers.size() / d, workers);
  if (options.within.data)
    check_values("overdensities", "within", options.within, centers.size() / d, workers);
}

}  // namespace

double edge_density(Edge edge, const Cosmology& c) {
  if (!(c.omega_m > 0) || !(c.redshift > -1) || !(c.hubble > 0) || !(c.gravity > 0) ||
      !std::isfinite(c.omega_lambda))
    refuse(
        "edge_density: omega_m = {}, omega_lambda = {}, redshift = {}, hubble = {}, gravity = {}; "
        "all but omega_lambda "
        "must be positive (redshift over -1)",
        c.omega_m, c.omega_lambda, c.redshift, c.hubble, c.gravity);
  const double critical0 = 3 * c.hubble * c.hubble / (8 * std::numbers::pi * c.gravity);
  const double z1 = 1 + c.redshift, curvature = 1 - c.omega_m - c.omega_lambda;
  const double e2 = c.omega_m * z1 * z1 * z1 + curvature * z1 * z1 + c.omega_lambda;
  const double critical = critical0 * e2 / (z1 * z1 * z1);  // per comoving volume
  const double x = c.omega_m * z1 * z1 * z1 / e2 - 1;
  switch (edge) {
    case Edge::critical200: return 200 * critical;
    case Edge::critical500: return 500 * critical;
    case Edge::mean200: return 200 * c.omega_m * critical0;
    case Edge::virial:
      return (18 * std::numbers::pi * std::numbers::pi + 82 * x - 39 * x * x) * critical;
  }
  return kNaN;
}

Overdensities overdensities(const Tree& tree, std::span<const double> centers,
                            const OverdensityOptions& options, const Execution& execution) {
  return public_call("overdensities", execution, [&](Workers& workers) {
    check(tree, centers, options, workers);
    const std::size_t count = centers.size() / static_cast<std::size_t>(tree.dimension());
    Overdensities out;
    out.mass.resize(count * options.density.size());
    out.radius.resize(out.mass.size());
    out.size.resize(out.mass.size());
    const Stage stage(workers, "overdensities", count);
    tree.impl().visit([&]<class T>(const TreeData<T>& data) {
      with_dimension(tree.dimension(), [&]<int D>() {
        const EdgeFinder<D, T> finder(data, centers, options);
        workers.for_ranges(count, 8, [&](std::size_t begin, std::size_t end) {
          finder.run(begin, end, workers, out);
          workers.advance(end - begin);
        });
      });
    });
    return out;
  });
}

}  // namespace kith

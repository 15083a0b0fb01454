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
#include "groups/sphere_edges.hpp"
#include "parallel/pieces.hpp"
#include "parallel/public_call.hpp"
#include "tree/tree_impl.hpp"
#include "walk/in_reach.hpp"

namespace kith {
namespace {

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

  /// The collected points by increasing radius.
  auto outward() {
    return Outward{found_.size(), metric_.axes.count(),
                   [this](std::size_t i) { return found_[i].key; },
                   [this](std::size_t i) {
                     meter_.add(1);
                     return mass_(found_[i].index);
                   }};
  }
  std::size_t total() const { return planes_.points; }

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
        reach_(tree.frame, tree.planes.dimension, options.density) {}

  void run(std::size_t begin, std::size_t end, const Workers& workers, Overdensities& out) const {
    Surroundings<D, T> around(tree_, mass_, workers);
    for (std::size_t i = begin; i < end; ++i) find(i, around, out);
  }

 private:
  void find(std::size_t i, Surroundings<D, T>& around, Overdensities& out) const {
    const int d = tree_.planes.dimension;
    T center[kAxisRoom<D>];
    for (int axis = 0; axis < d; ++axis)
      center[axis] = tree_.frame(
          static_cast<T>(
              centers_[i * static_cast<std::size_t>(d) + static_cast<std::size_t>(axis)]),
          axis);
    std::vector<EdgeAt> edges(options_.density.size());
    EdgeSearch<T> search(reach_, std::max(guess_(i), mass_(0)), within_(i), edges.data());
    while (!search.is_done()) {
      around.collect(center, search.reach2());
      search.take(around.outward(), around.total());
    }
    for (std::size_t edge = 0; edge < edges.size(); ++edge) {
      out.mass[i * edges.size() + edge] = edges[edge].mass;
      out.radius[i * edges.size() + edge] = edges[edge].radius;
      out.size[i * edges.size() + edge] = static_cast<std::int64_t>(edges[edge].size);
    }
  }

  const TreeData<T>& tree_;
  std::span<const double> centers_;
  const OverdensityOptions& options_;
  ValueReader mass_, guess_, within_;
  EdgeReach<T> reach_;
};

}  // namespace

void check_spheres(std::size_t points, int dimension, std::span<const double> centers,
                   const OverdensityOptions& options, const Workers& workers) {
  const auto d = static_cast<std::size_t>(dimension);
  if (centers.size() % d != 0)
    refuse("overdensities: {} numbers do not make rows of {} coordinates", centers.size(), d);
  check_densities(options.density);
  for (const double x : centers)
    if (!std::isfinite(x)) refuse("overdensities: a center has the coordinate {}", x);
  check_values("overdensities", "mass", options.mass, points, workers);
  check_values("overdensities", "mass_guess", options.mass_guess, centers.size() / d, workers);
  if (!options.within.data && !(options.within.same >= 0))
    refuse("overdensities: within = {}; give a length of 0 or more", options.within.same);
  if (options.within.data)
    check_values("overdensities", "within", options.within, centers.size() / d, workers);
}

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
  return std::numeric_limits<double>::quiet_NaN();
}

Overdensities overdensities(const AnyTree& tree, std::span<const double> centers,
                            const OverdensityOptions& options, const Execution& execution) {
  return public_call("overdensities", execution, [&](Workers& workers) {
    check_spheres(tree.input_size(), tree.dimension(), centers, options, workers);
    const std::size_t count = centers.size() / static_cast<std::size_t>(tree.dimension());
    Overdensities out;
    out.mass.resize(count * options.density.size());
    out.radius.resize(out.mass.size());
    out.size.resize(out.mass.size());
    const Stage stage(workers, "overdensities", count);
    impl_of(tree).visit([&]<class T>(const TreeData<T>& data) {
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

// The properties of groups. A group's members are read in blocks of fixed size, each block is
// summed in the order of the members, and blocks are added in order: the bits depend on the members
// alone.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "base/checked_sort.hpp"
#include "base/fail.hpp"
#include "geometry/frame.hpp"
#include "groups/columns.hpp"
#include "groups/eigen.hpp"
#include "groups/sums.hpp"
#include "parallel/pieces.hpp"
#include "parallel/public_call.hpp"

namespace kith {
namespace {

constexpr std::size_t kBlock = 4096;         // members summed in one go
constexpr std::size_t kLarge = 16 * kBlock;  // groups beyond this are shared by all threads

class Cataloguer {
 public:
  Cataloguer(const Source& from, const Members& members, const CatalogueOptions& options,
             const Workers& workers)
      : from_(from), members_(members), options_(options), workers_(workers) {
    allocate();
  }

  Catalogue run() {
    const std::size_t count = members_.count();
    std::size_t large = 0;  // groups fall in size
    while (large < count && members_.of(large).size() > kLarge) add_row(large++);
    workers_.for_ranges(count - large, 16, [&](std::size_t begin, std::size_t end) {
      for (std::size_t group = large + begin; group < large + end; ++group) add_row(group);
      workers_.advance(members_.offset[large + end] - members_.offset[large + begin]);
    });
    return std::move(out_);
  }

 private:
  template <class Value>
  void resize(std::vector<Value>& column, std::size_t size) const {
    column = filled<Value>(workers_, size);
  }

  void allocate() {
    const std::size_t count = members_.count(), d = from_.d;
    const std::size_t moving = from_.has_velocity() ? count : 0;
    components_ = moving == 0 || d < 2 || d > 3 ? 0 : 2 * d - 3;
    out_.dimension = static_cast<int>(d);
    out_.types = static_cast<int>(from_.types);
    for (auto* column : {&out_.mass, &out_.radius, &out_.inertia_radius}) resize(*column, count);
    for (auto* column : {&out_.center, &out_.shape, &out_.lower, &out_.upper})
      resize(*column, count * d);
    resize(out_.size, count);
    resize(out_.first, count);
    resize(out_.spans, count);
    resize(out_.axes, count * d * d);
    resize(out_.velocity, moving * d);
    resize(out_.velocity_dispersion, moving);
    resize(out_.angular_momentum, moving * components_);
    resize(out_.type_size, count * from_.types);
    resize(out_.type_mass, count * from_.types);
    if (options_.contaminating_types.empty()) return;
    resize(out_.contaminating_size, count);
    resize(out_.contaminating_mass, count);
  }

  void add_row(std::size_t group) {
    with_dimension(static_cast<int>(from_.d), [&]<int D>() { add_row_of<D>(group); });
  }

  template <int D>
  void add_row_of(std::size_t group) {
    const std::span<const std::uint32_t> members = members_.of(group);
    const std::size_t first = members.front();
    // A group of one block is read once for both passes; a larger one again for each.
    std::optional<MemberBlock> whole;
    if (members.size() <= kBlock) whole.emplace(from_, members, first);
    auto over_blocks = [&](auto zero, auto f) {
      if (whole) return f(*whole);
      return reduce(
          workers_, members.size(), kBlock, zero,
          [&](std::size_t begin, std::size_t end) {
            return f(MemberBlock(from_, members.subspan(begin, end - begin), first));
          },
          [](auto a, const auto& b) { return std::move(a) + b; });
    };
    auto summed = [&](Weight by) {
      return over_blocks(Sums(from_.d, from_.types),
                         [&](const MemberBlock& block) { return sums_of<D>(from_, block, by); });
    };
    Weight by = Weight::mass;
    Sums sums = summed(by);
    if (!(sums.mass > 0)) sums = summed(by = Weight::one);
    const Center center = center_of(sums);
    const Moments moments =
        over_blocks(Moments(from_.d, components_), [&](const MemberBlock& block) {
          return moments_of<D>(from_, block, center, by, components_);
        });
    out_.size[group] = static_cast<std::int64_t>(members.size());
    out_.first[group] = static_cast<std::int64_t>(first);
    out_.mass[group] = sums.mass;
    put_position(group, first, sums, center);
    put_moments(group, moments, sums.weight);
    if (from_.has_velocity()) put_velocity(group, moments, center, sums);
    put_types(group, sums);
  }

  static Center center_of(const Sums& sums) {
    Center center{sums.position, sums.velocity};
    for (double& x : center.position) x /= sums.weight;
    for (double& v : center.velocity) v /= sums.weight;
    return center;
  }

  void put_position(std::size_t group, std::size_t first, const Sums& sums, const Center& center) {
    for (std::size_t axis = 0; axis < from_.d; ++axis) {
      const double at = RowReader(from_.position)(first, static_cast<int>(axis));
      const std::size_t i = group * from_.d + axis;
      out_.center[i] = in_box(at + center.position[axis], axis);
      out_.lower[i] = at + sums.lower[axis];
      out_.upper[i] = at + sums.upper[axis];
      const double side = from_.side[axis];
      if (side > 0 && sums.upper[axis] - sums.lower[axis] > side / 2) out_.spans[group] = 1;
    }
  }

  double in_box(double x, std::size_t axis) const {
    const double side = from_.side[axis], origin = options_.box.origin(static_cast<int>(axis));
    return side > 0 ? origin + wrapped(x, origin, side) : x;
  }

  void put_moments(std::size_t group, const Moments& moments, double weight) {
    out_.radius[group] = std::sqrt(moments.radius2);
    out_.inertia_radius[group] = std::sqrt(moments.inertia / weight);
    const std::size_t d = from_.d;
    std::vector<double> tensor(d * d);
    for (std::size_t row = 0; row < d; ++row)
      for (std::size_t column = row; column < d; ++column)
        tensor[row * d + column] = tensor[column * d + row] =
            moments.tensor[row * d + column] / weight;
    const Eigen eigen = JacobiSolver(std::move(tensor), from_.d).solve();
    std::copy(eigen.values.begin(), eigen.values.end(), out_.shape.begin() + at(group * from_.d));
    std::copy(eigen.vectors.begin(), eigen.vectors.end(),
              out_.axes.begin() + at(group * from_.d * from_.d));
  }

  void put_velocity(std::size_t group, const Moments& moments, const Center& center,
                    const Sums& sums) {
    out_.velocity_dispersion[group] = std::sqrt(moments.dispersion / sums.weight);
    std::copy(center.velocity.begin(), center.velocity.end(),
              out_.velocity.begin() + at(group * from_.d));
    for (std::size_t i = 0; i < components_; ++i)  // without mass there is no momentum
      out_.angular_momentum[group * components_ + i] =
          sums.mass > 0 ? moments.angular_momentum[i] : 0;
  }

  void put_types(std::size_t group, const Sums& sums) {
    std::copy(sums.type_size.begin(), sums.type_size.end(),
              out_.type_size.begin() + at(group * from_.types));
    std::copy(sums.type_mass.begin(), sums.type_mass.end(),
              out_.type_mass.begin() + at(group * from_.types));
    for (const int type : options_.contaminating_types) {
      out_.contaminating_size[group] += sums.type_size[static_cast<std::size_t>(type)];
      out_.contaminating_mass[group] += sums.type_mass[static_cast<std::size_t>(type)];
    }
  }

  static std::ptrdiff_t at(std::size_t i) { return static_cast<std::ptrdiff_t>(i); }

  const Source& from_;
  const Members& members_;
  const CatalogueOptions& options_;
  const Workers& workers_;
  std::size_t components_ = 0;  // of the angular momentum
  Catalogue out_;
};

/// Circular velocities: the members of each group by distance from its middle.
class RotationCurves {
 public:
  RotationCurves(const Source& from, const CatalogueOptions& options, const Workers& workers)
      : from_(from), position_(from.position), options_(options), workers_(workers) {}

  void run(const Members& members, Catalogue& out) const {
    const std::vector<double>& middle = options_.peak.empty() ? out.center : options_.peak;
    out.max_circular_velocity = filled<double>(workers_, members.count());
    workers_.for_ranges(members.count(), 16, [&](std::size_t begin, std::size_t end) {
      for (std::size_t group = begin; group < end; ++group)
        out.max_circular_velocity[group] = largest(members.of(group), &middle[group * from_.d]);
    });
  }

 private:
  /// A few members say nothing about a rotation curve: of those, the nearest one decides.
  static constexpr std::size_t kLeastRank = 10;

  double largest(std::span<const std::uint32_t> members, const double* middle) const {
    std::vector<std::pair<double, std::uint32_t>> by_distance(members.size());  // squared
    for_each_in_order(workers_, members.size(), [&](std::size_t k) {
      by_distance[k] = {distance2(members[k], middle), members[k]};
    });
    checked_sort(by_distance.begin(), by_distance.end(), [&] { workers_.check_cancelled(); });
    double mass = 0, most = 0;
    for_each_in_order(workers_, members.size(), [&](std::size_t k) {
      const auto& [r2, i] = by_distance[k];
      mass += from_.mass(i);
      if (k + 1 >= kLeastRank && r2 > 0)
        most = std::max(most, options_.gravity * mass / std::sqrt(r2));
    });
    return std::sqrt(most);
  }

  double distance2(std::size_t i, const double* middle) const {
    double r2 = 0;
    for (std::size_t axis = 0; axis < from_.d; ++axis) {
      const double dx = position_(i, static_cast<int>(axis)) - middle[axis];
      const double side = from_.side[axis];
      const double image = side > 0 ? minimum_image(dx, side, 1 / side) : dx;
      r2 += image * image;
    }
    return r2;
  }

  const Source& from_;
  RowReader position_;
  const CatalogueOptions& options_;
  const Workers& workers_;
};

Source source_of(const PointsView& points, const CatalogueOptions& options, std::size_t types) {
  Source from{points,
              options.velocity,
              ValueReader(options.mass),
              options.type,
              {},
              static_cast<std::size_t>(points.dimension),
              types};
  for (int axis = 0; axis < points.dimension; ++axis) from.side.push_back(options.box.side(axis));
  return from;
}

/// The number of types, from the options or from the data.
std::size_t count_types(const CatalogueOptions& options, const Workers& workers) {
  if (options.type.empty()) return 0;
  int found = 1;
  for_each_in_order(workers, options.type.size(),
                    [&](std::size_t i) { found = std::max(found, 1 + options.type[i]); });
  if (options.types != 0 && found > options.types)
    refuse("catalogue: a point has type {}; with types = {} they go from 0 to {}", found - 1,
           options.types, options.types - 1);
  return static_cast<std::size_t>(options.types == 0 ? found : options.types);
}

void check(const PointsView& points, const Members& members, const CatalogueOptions& options,
           std::size_t types, const Workers& workers) {
  if (points.dimension < 1 || points.dimension > kMaxDimension)
    refuse("catalogue: points of dimension {}; kith handles 1 to {}", points.dimension,
           kMaxDimension);
  check_members("catalogue", members, points.size, workers);
  if (options.box.dimension() != 0 && options.box.dimension() != points.dimension)
    refuse("catalogue: a box of {} axes for points of dimension {}", options.box.dimension(),
           points.dimension);
  check_values("catalogue", "mass", options.mass, points.size, workers);
  const PointsView& velocity = options.velocity;
  if (velocity.data && (velocity.size != points.size || velocity.dimension != points.dimension))
    refuse("catalogue: velocity has {} rows of {}, the points have {} of {}", velocity.size,
           velocity.dimension, points.size, points.dimension);
  if (!options.type.empty() && options.type.size() != points.size)
    refuse("catalogue: {} types for {} points", options.type.size(), points.size);
  if (!(options.gravity >= 0) || std::isinf(options.gravity))
    refuse("catalogue: gravity = {}; it must be finite and not negative", options.gravity);
  if (!options.peak.empty() &&
      options.peak.size() != members.count() * static_cast<std::size_t>(points.dimension))
    refuse("catalogue: {} coordinates of peaks for {} groups of dimension {}", options.peak.size(),
           members.count(), points.dimension);
  for (const double x : options.peak)
    if (!std::isfinite(x)) refuse("catalogue: a peak has the coordinate {}", x);
  for (const int type : options.contaminating_types)
    if (type < 0 || static_cast<std::size_t>(type) >= types)
      refuse("catalogue: contaminating type {}; there are {} types", type, types);
}

}  // namespace

void check_values(const char* call, const char* what, const ValuesView& values, std::size_t points,
                  const Workers& workers) {
  if (values.data && values.size != points)
    refuse("{}: {} values of {} for {} points; give one per point", call, values.size, what,
           points);
  const ValueReader read(values);
  const std::size_t count = values.data ? points : 1;
  for_each_in_order(workers, count, [&](std::size_t i) {
    if (!std::isfinite(read(i)) || read(i) < 0)
      refuse("{}: {} {} of point {}; it must be finite and not negative", call, what, read(i), i);
  });
}

Catalogue catalogue(PointsView points, const Members& members, const CatalogueOptions& options,
                    const Execution& execution) {
  return public_call("catalogue", execution, [&](Workers& workers) {
    const std::size_t types = count_types(options, workers);
    check(points, members, options, types, workers);
    const Source from = source_of(points, options, types);
    const Stage stage(workers, "catalogue", members.offset.back());
    Catalogue out = Cataloguer(from, members, options, workers).run();
    if (options.gravity > 0) RotationCurves(from, options, workers).run(members, out);
    return out;
  });
}

Catalogue catalogue(PointsView points, const Groups& groups, const CatalogueOptions& options,
                    const Execution& execution) {
  return public_call("catalogue", execution, [&] {
    return catalogue(points, members(groups, execution), options, execution);
  });
}

}  // namespace kith

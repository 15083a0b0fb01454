// The properties of groups. A group's members are read in blocks of fixed size, each block is
// summed in the order of the members, and blocks are added in order: the bits depend on the members
// alone.
#include <algorithm>
#include <cmath>
#include <optional>

#include "base/checked_sort.hpp"
#include "base/fail.hpp"
#include "groups/catalogue_rows.hpp"
#include "groups/columns.hpp"
#include "groups/device_sums.hpp"
#include "groups/property_columns.hpp"
#include "groups/rotation_curve.hpp"
#include "groups/sums.hpp"
#include "parallel/pieces.hpp"
#include "parallel/public_call.hpp"

namespace kith {
namespace {

constexpr std::size_t kLarge = 16 * kSumBlock;  // groups beyond this are shared by all threads

class Cataloguer {
 public:
  Cataloguer(const Source& from, const Members& members, const CatalogueOptions& options,
             const Workers& workers)
      : from_(from),
        members_(members),
        workers_(workers),
        rows_(from, members.count(), options, workers) {}

  Catalogue run() {
    const std::size_t count = members_.count();
    std::size_t large = 0;  // groups fall in size
    while (large < count && members_.of(large).size() > kLarge) add_row(large++);
    workers_.for_ranges(count - large, 16, [&](std::size_t begin, std::size_t end) {
      for (std::size_t group = large + begin; group < large + end; ++group) add_row(group);
      workers_.advance(members_.offset[large + end] - members_.offset[large + begin]);
    });
    return rows_.take();
  }

 private:
  void add_row(std::size_t group) {
    with_dimension(static_cast<int>(from_.d), [&]<int D>() { add_row_of<D>(group); });
  }

  template <int D>
  void add_row_of(std::size_t group) {
    const std::span<const std::uint32_t> members = members_.of(group);
    const std::size_t first = members.front();
    // A group of one block is read once for both passes; a larger one again for each.
    std::optional<MemberBlock> whole;
    if (members.size() <= kSumBlock) whole.emplace(from_, members, first);
    auto over_blocks = [&](auto zero, auto f) {
      if (whole) return f(*whole);
      return reduce(
          workers_, members.size(), kSumBlock, zero,
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
    const Center center = CatalogueRows::center_of(sums);
    const Moments moments =
        over_blocks(Moments(from_.d, rows_.components()), [&](const MemberBlock& block) {
          return moments_of<D>(from_, block, center, by, rows_.components());
        });
    rows_.put(group, {members.size(), first}, sums, center, moments);
  }

  const Source& from_;
  const Members& members_;
  const Workers& workers_;
  CatalogueRows rows_;
};

/// Circular velocities: the members of each group by distance from its middle.
class RotationCurves {
 public:
  RotationCurves(const Source& from, const CatalogueOptions& options, const Workers& workers)
      : from_(from), options_(options), workers_(workers) {}

  void run(const Members& members, Catalogue& out) const {
    const std::vector<double>& middle = options_.peak.empty() ? out.center : options_.peak;
    out.max_circular_velocity = filled<double>(workers_, members.count());
    workers_.for_ranges(members.count(), 16, [&](std::size_t begin, std::size_t end) {
      for (std::size_t group = begin; group < end; ++group)
        out.max_circular_velocity[group] = largest(members.of(group), &middle[group * from_.d]);
    });
  }

 private:
  double largest(std::span<const std::uint32_t> members, const double* middle) const {
    std::vector<std::pair<double, std::uint32_t>> by_distance(members.size());  // squared
    for_each_in_order(workers_, members.size(), [&](std::size_t k) {
      by_distance[k] = {distance2_from(from_, members[k], middle), members[k]};
    });
    checked_sort(by_distance.begin(), by_distance.end(), [&] { workers_.check_cancelled(); });
    RotationCurve curve(options_.gravity);
    for_each_in_order(workers_, members.size(), [&](std::size_t k) {
      const auto& [r2, i] = by_distance[k];
      curve.add(r2, from_.mass(i));
    });
    return std::sqrt(curve.most());
  }

  const Source& from_;
  const CatalogueOptions& options_;
  const Workers& workers_;
};

/// One more than the largest type.
int found_types(const CatalogueOptions& options, const Workers& workers) {
  int found = 0;
  for_each_in_order(workers, options.type.size(),
                    [&](std::size_t i) { found = std::max(found, 1 + options.type[i]); });
  return found;
}

/// Checks everything; returns the number of types.
std::size_t check(const PointsView& points, std::size_t groups, const CatalogueOptions& options,
                  const Workers& workers) {
  check_catalogue(points, groups, options, workers);
  return checked_types(options, found_types(options, workers));
}

}  // namespace

std::size_t checked_types(const CatalogueOptions& options, int found) {
  if (options.types != 0 && found > options.types)
    refuse("catalogue: a point has type {}; with types = {} they go from 0 to {}", found - 1,
           options.types, options.types - 1);
  const auto types =
      static_cast<std::size_t>(found == 0 || options.types == 0 ? found : options.types);
  for (const int type : options.contaminating_types)
    if (type < 0 || static_cast<std::size_t>(type) >= types)
      refuse("catalogue: contaminating type {}; there are {} types", type, types);
  return types;
}

void check_catalogue(const PointsView& points, std::size_t groups, const CatalogueOptions& options,
                     const Workers& workers) {
  if (points.dimension < 1 || points.dimension > kMaxDimension)
    refuse("catalogue: points of dimension {}; kith handles 1 to {}", points.dimension,
           kMaxDimension);
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
      options.peak.size() != groups * static_cast<std::size_t>(points.dimension))
    refuse("catalogue: {} coordinates of peaks for {} groups of dimension {}", options.peak.size(),
           groups, points.dimension);
  for (const double x : options.peak)
    if (!std::isfinite(x)) refuse("catalogue: a peak has the coordinate {}", x);
}

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
  return device_call("catalogue", execution, [&](Workers& workers) {
    const std::size_t types = check(points, members.count(), options, workers);
    check_members("catalogue", members, points.size, workers);
    const PropertyColumns columns(points, options.velocity, options.mass, options.box, workers);
    const CatalogueOptions own = columns.scaled(options);
    const Source from = source_of(columns.points(), own, types);
    const Stage stage(workers, "catalogue", members.offset.back());
    DeviceSums* there = sums_of_device("catalogue", execution);
    Catalogue out =
        there ? catalogue_on(*there, from, {members.order.data(), nullptr, members.offset}, own,
                             workers)
              : Cataloguer(from, members, own, workers).run();
    if (own.gravity > 0) RotationCurves(from, own, workers).run(members, out);
    columns.restore(options, out);
    return out;
  });
}

Catalogue catalogue(PointsView points, const Groups& groups, const CatalogueOptions& options,
                    const Execution& execution) {
  return device_call("catalogue", execution, [&] {
    // Rotation curves need the members here.
    DeviceSums* there = options.gravity > 0 ? nullptr : sums_of_device("catalogue", execution);
    if (!there) return catalogue(points, members(groups, on_cpu(execution)), options, execution);
    return device_call("catalogue", execution, [&](Workers& workers) {
      const std::size_t types = check(points, groups.count(), options, workers);
      check_grouped("catalogue", groups.label().size(), points.size);
      const std::vector<std::size_t> offset = member_offsets(groups, workers);
      const Stage stage(workers, "catalogue", offset.back());
      const PropertyColumns columns(points, options.velocity, options.mass, options.box, workers);
      const CatalogueOptions own = columns.scaled(options);
      Catalogue out = catalogue_on(*there, source_of(columns.points(), own, types),
                                   {nullptr, groups.label().data(), offset}, own, workers);
      columns.restore(options, out);
      return out;
    });
  });
}

}  // namespace kith

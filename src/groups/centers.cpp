// Centers of groups. Members are read relative to the group's first member, by minimum image, and
// every sum runs in their order.
#include <algorithm>
#include <cmath>

#include <kith/centers.hpp>

#include "base/fail.hpp"
#include "geometry/frame.hpp"
#include "groups/columns.hpp"
#include "groups/potential.hpp"
#include "groups/property_columns.hpp"
#include "groups/sphere_search.hpp"
#include "groups/sums.hpp"
#include "parallel/pieces.hpp"
#include "parallel/public_call.hpp"

namespace kith {
namespace {

constexpr std::size_t kLargeForCenters = std::size_t{1}
                                         << 14;  // groups beyond this are shared by threads

class CenterFinder {
 public:
  CenterFinder(const PointsView& points, const Members& members, const CenterOptions& options,
               const Workers& workers)
      : position_(points),
        mass_(options.mass),
        members_(members),
        options_(options),
        workers_(workers),
        d_(static_cast<std::size_t>(points.dimension)),
        is_chosen_(256, options.types.empty()) {
    for (const int type : options.types) is_chosen_[static_cast<std::size_t>(type)] = true;
  }

  std::vector<double> run() const {
    const std::size_t count = members_.count();
    std::vector<double> out = filled<double>(workers_, count * d_);
    std::size_t large = 0;  // groups fall in size
    while (large < count && members_.of(large).size() > kLargeForCenters) {
      put(large, out);
      workers_.advance(members_.of(large).size());
      ++large;
    }
    workers_.for_ranges(count - large, 4, [&](std::size_t begin, std::size_t end) {
      for (std::size_t group = large + begin; group < large + end; ++group) put(group, out);
      workers_.advance(members_.offset[large + end] - members_.offset[large + begin]);
    });
    return out;
  }

 private:
  void put(std::size_t group, std::vector<double>& out) const {
    const std::span<const std::uint32_t> members = members_.of(group);
    const std::vector<double> offset =
        options_.kind == CenterKind::potential ? deepest_of(members) : sphere_of(members);
    for (std::size_t axis = 0; axis < d_; ++axis) {
      const int a = static_cast<int>(axis);
      const double side = options_.box.side(a), origin = options_.box.origin(a);
      const double x = position_(members.front(), a) + offset[axis];
      out[group * d_ + axis] = side > 0 ? origin + wrapped(x, origin, side) : x;
    }
  }

  /// Those of the chosen types, or all.
  Bodies bodies_of(std::span<const std::uint32_t> members, bool is_all) const {
    std::vector<std::uint32_t> chosen;
    Bodies bodies{.d = d_};
    for_pieces(workers_, members.size(), kSumBlock, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        if (is_all || is_chosen(members[i])) chosen.push_back(members[i]);
      bodies.block_end.push_back(chosen.size());
    });
    bodies.count = chosen.size();
    bodies.x.resize(d_ * chosen.size());
    double total = 0;
    for_each_in_order(workers_, chosen.size(), [&](std::size_t i) {
      bodies.mass.push_back(mass_(chosen[i]));
      total += bodies.mass[i];
      for (std::size_t axis = 0; axis < d_; ++axis)
        bodies.x[axis * chosen.size() + i] = offset(chosen[i], members.front(), axis);
    });
    if (!(total > 0)) std::fill(bodies.mass.begin(), bodies.mass.end(), 1.0);
    return bodies;
  }

  std::vector<double> deepest_of(std::span<const std::uint32_t> members) const {
    Bodies bodies = bodies_of(members, false);
    if (bodies.count == 0) bodies = bodies_of(members, true);
    const std::size_t i = deepest(bodies, options_.softening, workers_);
    std::vector<double> middle;
    for (std::size_t axis = 0; axis < d_; ++axis) middle.push_back(bodies.at(i, axis));
    return middle;
  }

  std::vector<double> sphere_of(std::span<const std::uint32_t> members) const {
    std::vector<double> rows = filled<double>(workers_, members.size() * d_);
    for_each_in_order(workers_, members.size(), [&](std::size_t i) {
      for (std::size_t axis = 0; axis < d_; ++axis)
        rows[i * d_ + axis] = offset(members[i], members.front(), axis);
    });
    SphereSearch search(options_.kind, d_);
    while (!search.is_done()) {
      workers_.check_cancelled();
      SphereSums sums(d_);
      for_pieces(workers_, members.size(), kSumBlock, [&](std::size_t begin, std::size_t end) {
        SphereSums block(d_);
        for (std::size_t i = begin; i < end; ++i)
          if (search.question().counts_all || is_chosen(members[i]))
            block.add(search.question(), &rows[i * d_], mass_(members[i]));
        sums += block;
      });
      search.take(sums);
    }
    return search.middle();
  }

  bool is_chosen(std::size_t i) const {
    return options_.types.empty() || is_chosen_[options_.type[i]];
  }

  double offset(std::size_t i, std::size_t first, std::size_t axis) const {
    const int a = static_cast<int>(axis);
    const double side = options_.box.side(a), dx = position_(i, a) - position_(first, a);
    return side > 0 ? minimum_image(dx, side, 1 / side) : dx;
  }

  RowReader position_;
  ValueReader mass_;
  const Members& members_;
  const CenterOptions& options_;
  const Workers& workers_;
  std::size_t d_;
  std::vector<bool> is_chosen_;
};

}  // namespace

void check_centers(const PointsView& points, const CenterOptions& options, const Workers& workers) {
  if (points.dimension < 1 || points.dimension > kMaxDimension)
    refuse("centers: points of dimension {}; kith handles 1 to {}", points.dimension,
           kMaxDimension);
  if (options.box.dimension() != 0 && options.box.dimension() != points.dimension)
    refuse("centers: a box of {} axes for points of dimension {}", options.box.dimension(),
           points.dimension);
  check_values("centers", "mass", options.mass, points.size, workers);
  if (!options.types.empty() && options.type.size() != points.size)
    refuse("centers: {} types for {} points", options.type.size(), points.size);
  for (const int type : options.types)
    if (type < 0 || type > 255) refuse("centers: type {}; types go from 0 to 255", type);
  if (!(options.softening >= 0) || std::isinf(options.softening))
    refuse("centers: softening = {}; it must be finite and not negative", options.softening);
}

std::vector<double> centers(PointsView points, const Members& members, const CenterOptions& options,
                            const Execution& execution) {
  return public_call("centers", execution, [&](Workers& workers) {
    check_centers(points, options, workers);
    check_members("centers", members, points.size, workers);
    const Stage stage(workers, "centers", members.offset.back());
    const PropertyColumns columns(points, {}, options.mass, options.box, workers);
    CenterOptions own = options;
    own.box = columns.box();
    own.mass = columns.mass();
    own.softening = std::ldexp(options.softening, columns.length());
    std::vector<double> found = CenterFinder(columns.points(), members, own, workers).run();
    scale_by(found, -columns.length());
    return found;
  });
}

}  // namespace kith

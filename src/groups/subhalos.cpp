// Subhalos: friends of friends in phase space among the members of each halo.
#include <algorithm>
#include <cmath>

#include <kith/halos.hpp>

#include "base/fail.hpp"
#include "groups/columns.hpp"
#include "groups/sums.hpp"
#include "parallel/pieces.hpp"
#include "parallel/public_call.hpp"

namespace kith {
namespace {

constexpr std::size_t kLarge = std::size_t{1}
                               << 15;  // halos beyond this are searched by all threads

/// The subhalos of one halo: members of each, in the order of rows.
using Parts = std::vector<std::vector<std::uint32_t>>;

class PhaseSpace {
 public:
  PhaseSpace(const PointsView& points, const SubhaloOptions& options, const Workers& workers)
      : position_(points),
        velocity_(options.velocity),
        options_(options),
        workers_(workers),
        d_(static_cast<std::size_t>(points.dimension)) {}

  Parts parts_of(std::span<const std::uint32_t> halo, const Execution& execution) const {
    const std::vector<double> rows = scaled_rows(halo);
    const Groups groups =
        fof(view(rows.data(), halo.size(), static_cast<int>(2 * d_)),
            {.linking_length = options_.linking_length, .min_size = options_.min_size}, execution);
    Parts parts(groups.count());
    const std::span<const std::int32_t> label = groups.label();
    for_each_in_order(workers_, halo.size(), [&](std::size_t i) {
      if (label[i] >= 0) parts[static_cast<std::size_t>(label[i])].push_back(halo[i]);
    });
    return parts;
  }

 private:
  /// Positions about the first member and velocities, each about their mean and in units of their
  /// scale.
  std::vector<double> scaled_rows(std::span<const std::uint32_t> halo) const {
    std::vector<double> rows = filled<double>(workers_, halo.size() * 2 * d_);
    for_each_in_order(workers_, halo.size(), [&](std::size_t i) {
      for (std::size_t axis = 0; axis < d_; ++axis) {
        rows[i * 2 * d_ + axis] = offset(halo[i], halo.front(), static_cast<int>(axis));
        rows[i * 2 * d_ + d_ + axis] = velocity_(halo[i], static_cast<int>(axis));
      }
    });
    scale(rows, 0, options_.position_scale);
    scale(rows, d_, options_.velocity_scale);
    return rows;
  }

  double offset(std::size_t i, std::size_t first, int axis) const {
    const double dx = position_(i, axis) - position_(first, axis), side = options_.box.side(axis);
    return side > 0 ? minimum_image(dx, side, 1 / side) : dx;
  }

  /// Centers d_ columns from `column` on and divides them by the scale, or by their own if that is
  /// 0.
  void scale(std::vector<double>& rows, std::size_t column, double by) const {
    const std::size_t width = 2 * d_, n = rows.size() / width;
    double square = 0;
    for (std::size_t axis = column; axis < column + d_; ++axis) {
      double mean = 0;
      for_each_in_order(workers_, n, [&](std::size_t i) { mean += rows[i * width + axis]; });
      mean /= static_cast<double>(n);
      for_each_in_order(workers_, n, [&](std::size_t i) {
        rows[i * width + axis] -= mean;
        square += rows[i * width + axis] * rows[i * width + axis];
      });
    }
    if (by == 0) by = std::sqrt(square / static_cast<double>(n));
    for_each_in_order(workers_, n, [&](std::size_t i) {
      for (std::size_t axis = column; axis < column + d_; ++axis)
        rows[i * width + axis] = by > 0 ? rows[i * width + axis] / by : 0;
    });
  }

  RowReader position_, velocity_;
  const SubhaloOptions& options_;
  const Workers& workers_;
  std::size_t d_;
};

void check(const PointsView& points, const Members& halos, const SubhaloOptions& options,
           const Workers& workers) {
  if (!(options.linking_length > 0) || !std::isfinite(options.linking_length))
    refuse("subhalos: linking_length = {}; give a positive length in units of the scales",
           options.linking_length);
  if (!(options.position_scale >= 0) || !(options.velocity_scale >= 0) ||
      !std::isfinite(options.position_scale) || !std::isfinite(options.velocity_scale))
    refuse("subhalos: scales {} and {}; give positive ones, or 0 for those of each halo",
           options.position_scale, options.velocity_scale);
  if (points.dimension < 1 || 2 * points.dimension > kMaxDimension)
    refuse(
        "subhalos: points of dimension {}; give 1 to {}, so that positions and velocities fit into "
        "32",
        points.dimension, kMaxDimension / 2);
  if (!options.velocity.data && points.size > 0)
    refuse("subhalos: no velocities; give options.velocity");
  if (options.velocity.data &&
      (options.velocity.size != points.size || options.velocity.dimension != points.dimension))
    refuse("subhalos: velocity has {} rows of {}, the points have {} of {}", options.velocity.size,
           options.velocity.dimension, points.size, points.dimension);
  check_members("subhalos", halos, points.size, workers);
}

/// Subhalos one after the other, all other points behind them in the order of their indices.
void put_members(const std::vector<Parts>& parts, std::size_t points, const Workers& workers,
                 Subhalos& result) {
  Members& members = result.members;
  members.offset.assign(1, 0);
  WorkMeter meter(workers);
  std::vector<bool> is_member(points, false);
  for (std::size_t halo = 0; halo < parts.size(); ++halo)
    for (const auto& part : parts[halo]) {
      meter.add(part.size());
      result.parent.push_back(static_cast<std::int64_t>(halo));
      members.order.insert(members.order.end(), part.begin(), part.end());
      members.offset.push_back(members.order.size());
      for (const std::uint32_t i : part) is_member[i] = true;
    }
  for_each_in_order(workers, points, [&](std::size_t i) {
    if (!is_member[i]) members.order.push_back(static_cast<std::uint32_t>(i));
  });
}

std::vector<Parts> parts_of_all(const PointsView& points, const Members& halos,
                                const SubhaloOptions& options, const Execution& execution,
                                Workers& workers) {
  const PhaseSpace space(points, options, workers);
  std::vector<Parts> parts(halos.count());
  // Inside, a search neither reports nor measures: only the whole does.
  const Execution shared{.threads = execution.threads, .cancel = execution.cancel};
  const Execution alone{.threads = 1, .cancel = execution.cancel};
  const Stage stage(workers, "subhalos", halos.offset.back());
  std::size_t large = 0;  // halos fall in size
  for (; large < halos.count() && halos.of(large).size() > kLarge; ++large)
    parts[large] = space.parts_of(halos.of(large), shared);
  workers.for_ranges(halos.count() - large, 4, [&](std::size_t begin, std::size_t end) {
    for (std::size_t halo = large + begin; halo < large + end; ++halo)
      if (halos.of(halo).size() >= options.min_size)
        parts[halo] = space.parts_of(halos.of(halo), alone);
    workers.advance(halos.offset[large + end] - halos.offset[large + begin]);
  });
  return parts;
}

}  // namespace

Subhalos subhalos(PointsView points, const Members& halos, const SubhaloOptions& options,
                  const Execution& execution) {
  return public_call("subhalos", execution, [&](Workers& workers) {
    check(points, halos, options, workers);
    Subhalos result;
    put_members(parts_of_all(points, halos, options, execution, workers), points.size, workers,
                result);
    result.catalogue = catalogue(
        points, result.members,
        {.box = options.box, .mass = options.mass, .velocity = options.velocity}, execution);
    return result;
  });
}

}  // namespace kith

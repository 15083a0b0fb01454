// Subhalos: friends of friends in phase space among the members of each halo.
#include <algorithm>
#include <cmath>

#include <kith/halos.hpp>

#include "base/fail.hpp"
#include "groups/phase_space.hpp"
#include "groups/property_columns.hpp"
#include "parallel/pieces.hpp"
#include "parallel/public_call.hpp"

namespace kith {
namespace {

constexpr std::size_t kLargeForSubhalos = std::size_t{1}
                                          << 15;  // halos beyond this are searched by all threads

/// The subhalos of one halo: members of each, in the order of rows.
using Parts = std::vector<std::vector<std::uint32_t>>;

class SubhaloFinder {
 public:
  SubhaloFinder(const PointsView& points, const SubhaloOptions& options, const Workers& workers)
      : space_(points, options), position_(points), options_(options), workers_(workers) {}

  Parts parts_of(std::span<const std::uint32_t> halo, const Execution& execution) const {
    const std::vector<double> rows = scaled_rows(halo);
    const Groups groups =
        fof(view(rows.data(), halo.size(), static_cast<int>(space_.width())),
            {.linking_length = options_.linking_length, .min_size = options_.min_size}, execution);
    Parts parts(groups.count());
    const std::span<const std::int32_t> label = groups.label();
    for_each_in_order(workers_, halo.size(), [&](std::size_t i) {
      if (label[i] >= 0) parts[static_cast<std::size_t>(label[i])].push_back(halo[i]);
    });
    return parts;
  }

 private:
  std::vector<double> scaled_rows(std::span<const std::uint32_t> halo) const {
    const std::size_t width = space_.width();
    std::vector<double> rows = filled<double>(workers_, halo.size() * width);
    std::vector<double> origin;
    for (std::size_t axis = 0; 2 * axis < width; ++axis)
      origin.push_back(position_(halo.front(), static_cast<int>(axis)));
    for_each_in_order(workers_, halo.size(),
                      [&](std::size_t i) { space_.put(halo[i], origin, &rows[i * width]); });
    std::vector<double> mean = summed(rows, [&](auto block) { return space_.sums(block); });
    for (double& x : mean) x /= static_cast<double>(halo.size());
    const std::vector<double> squares =
        summed(rows, [&](auto block) { return space_.squares(block, mean); });
    const PhaseUnits units = space_.units(std::move(mean), squares, halo.size());
    for_pieces(workers_, rows.size(), kSumBlock * width, [&](std::size_t begin, std::size_t end) {
      space_.scale(std::span(rows).subspan(begin, end - begin), units);
    });
    return rows;
  }

  /// f(block) of the rows, added up in order.
  template <class F>
  std::vector<double> summed(const std::vector<double>& rows, F f) const {
    std::vector<double> sum;
    for_pieces(workers_, rows.size(), kSumBlock * space_.width(),
               [&](std::size_t begin, std::size_t end) {
                 const std::vector<double> block = f(std::span(rows).subspan(begin, end - begin));
                 sum.resize(block.size());
                 add_to(sum, block);
               });
    return sum;
  }

  PhaseSpace space_;
  RowReader position_;
  const SubhaloOptions& options_;
  const Workers& workers_;
};

}  // namespace

void check_subhalos(const PointsView& points, const SubhaloOptions& options,
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
  check_values("subhalos", "mass", options.mass, points.size, workers);
}

namespace {

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
  const SubhaloFinder finder(points, options, workers);
  std::vector<Parts> parts(halos.count());
  // Inside, a search neither reports nor measures: only the whole does.
  const Execution shared{.threads = execution.threads, .cancel = execution.cancel};
  const Execution alone{.threads = 1, .cancel = execution.cancel};
  const Stage stage(workers, "subhalos", halos.offset.back());
  std::size_t large = 0;  // halos fall in size
  for (; large < halos.count() && halos.of(large).size() > kLargeForSubhalos; ++large)
    parts[large] = finder.parts_of(halos.of(large), shared);
  workers.for_ranges(halos.count() - large, 4, [&](std::size_t begin, std::size_t end) {
    for (std::size_t halo = large + begin; halo < large + end; ++halo)
      if (halos.of(halo).size() >= options.min_size)
        parts[halo] = finder.parts_of(halos.of(halo), alone);
    workers.advance(halos.offset[large + end] - halos.offset[large + begin]);
  });
  return parts;
}

}  // namespace

Subhalos subhalos(PointsView points, const Members& halos, const SubhaloOptions& options,
                  const Execution& execution) {
  return public_call("subhalos", execution, [&](Workers& workers) {
    check_subhalos(points, options, workers);
    check_members("subhalos", halos, points.size, workers);
    Subhalos result;
    const PropertyColumns columns(points, options.velocity, options.mass, options.box, workers);
    SubhaloOptions own = options;
    own.box = columns.box();
    own.velocity = columns.velocity();
    own.position_scale = std::ldexp(options.position_scale, columns.length());
    own.velocity_scale = std::ldexp(options.velocity_scale, columns.speed());
    put_members(parts_of_all(columns.points(), halos, own, execution, workers), points.size,
                workers, result);
    result.catalogue = catalogue(
        points, result.members,
        {.box = options.box, .mass = options.mass, .velocity = options.velocity}, execution);
    return result;
  });
}

}  // namespace kith

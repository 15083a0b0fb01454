#include "picture_view.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

#include <kith/error.hpp>

#include "input.hpp"

namespace kith::cli {
namespace {

constexpr std::size_t kSamples = 100000;  // points that say where all of them are
constexpr double kOutside = 0.005;        // of the points beyond each side of a picture
constexpr double kMargin = 1.1;

double coordinate(const PointsView& points, std::size_t i, int axis) {
  const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(i) * points.stride + axis;
  return points.scalar == Scalar::float32 ? static_cast<const float*>(points.data)[at]
                                          : static_cast<const double*>(points.data)[at];
}

/// From where to where nearly all points are along an axis, and how long that axis is.
struct Spread {
  double low = 0, high = 0, all = 0;
};

/// Distances are measured from a place among the points, so that they may lie across an edge.
Spread spread_of(const std::vector<double>& sample, const Box& box, std::size_t axis,
                 std::span<const double> reference) {
  const int number = static_cast<int>(axis);
  const double side = box.is_periodic(number) ? box.side(number) : 0, from = reference[axis];
  std::vector<double> distance;
  for (std::size_t i = axis; i < sample.size(); i += reference.size()) {
    double d = sample[i] - from;
    if (side > 0) d -= side * std::round(d / side);
    if (std::isfinite(d)) distance.push_back(d);
  }
  if (distance.empty()) return {};
  std::sort(distance.begin(), distance.end());
  const auto outside = static_cast<std::size_t>(kOutside * static_cast<double>(distance.size()));
  const double all = side > 0 ? side : distance.back() - distance.front();
  return {from + distance[outside], from + distance[distance.size() - 1 - outside], all};
}

/// A place among the points: the mean of their directions on the circle that a periodic axis is,
/// the mean of the points on an open one.
std::vector<double> middle_of(const std::vector<double>& sample, const Box& box,
                              std::size_t dimension) {
  std::vector<double> middle;
  for (std::size_t axis = 0; axis < dimension; ++axis) {
    const double side = box.side(static_cast<int>(axis)),
                 origin = box.origin(static_cast<int>(axis));
    const bool is_periodic = side > 0;
    double x = 0, y = 0, sum = 0, count = 0;
    for (std::size_t i = axis; i < sample.size(); i += dimension) {
      if (!std::isfinite(sample[i])) continue;
      const double angle = is_periodic ? 2 * std::numbers::pi * (sample[i] - origin) / side : 0.0;
      x += std::cos(angle);
      y += std::sin(angle);
      sum += sample[i];
      ++count;
    }
    middle.push_back(is_periodic ? origin + side * std::atan2(y, x) / (2 * std::numbers::pi)
                                 : sum / count);
  }
  return middle;
}

}  // namespace

PictureOptions slice_view(const ResultAbout& about, const Catalogue& catalogue,
                          const ViewRequest& request) {
  PictureOptions view{.box = about.box};
  if (request.has_group() && (request.group < 0 || request.row() >= catalogue.count()))
    throw Error(ErrorCode::invalid_argument,
                fmt::format("--picture-center {}: there are {} groups, numbered from 0",
                            request.group, catalogue.count()));
  if (about.dimension < 3) return view;
  view.axis = request.axis;
  if (view.axis < 0 || view.axis >= about.dimension) return view;  // figure() says what is wrong
  const bool is_periodic = about.box.is_periodic(view.axis);
  view.thickness = request.thickness;
  if (!(view.thickness > 0) && is_periodic) view.thickness = about.box.side(view.axis) / 10;
  if (!is_periodic) return view;
  view.center = about.box.side(view.axis) / 2;
  if (catalogue.count() == 0) return view;
  const std::size_t row = request.row() * static_cast<std::size_t>(about.dimension);
  const double at = catalogue.center[row + static_cast<std::size_t>(view.axis)];
  if (std::isfinite(at)) view.center = at - about.box.origin(view.axis);
  return view;
}

std::vector<double> sampled_rows(const PointsView& points, std::uint64_t first, std::uint64_t all) {
  const std::uint64_t step = all / kSamples + 1;
  std::vector<double> rows;
  for (std::uint64_t i = (step - first % step) % step; i < points.size; i += step)
    for (int axis = 0; axis < points.dimension; ++axis)
      rows.push_back(coordinate(points, static_cast<std::size_t>(i), axis));
  return rows;
}

void crop_to_points(PictureOptions& view, const std::vector<double>& sample, int dimension) {
  crop_to_points(view, sample, middle_of(sample, view.box, static_cast<std::size_t>(dimension)));
}

void crop_to_points(PictureOptions& view, const std::vector<double>& sample,
                    std::span<const double> reference) {
  const bool is_known =
      std::all_of(reference.begin(), reference.end(), [](double x) { return std::isfinite(x); });
  if (reference.empty() || !is_known || sample.empty()) return;
  std::vector<double> around(reference.begin(), reference.end());
  double width = 0, all = 0;
  for (std::size_t axis = 0, shown = 0; axis < reference.size() && shown < 2; ++axis) {
    if (reference.size() > 2 && static_cast<int>(axis) == view.axis) continue;
    ++shown;
    const Spread spread = spread_of(sample, view.box, axis, reference);
    around[axis] = (spread.low + spread.high) / 2;
    width = std::max(width, kMargin * (spread.high - spread.low));
    all = std::max(all, spread.all);
  }
  if (!(width > 0) || width > all / 2) return;
  view.width = width;
  view.around = std::move(around);
  view.thickness = 0;  // a slice of the box would be thicker than the view
}

std::string redshift_text(const ResultAbout& about) {
  if (!about.background.is_known) return "";
  const double z = about.background.redshift;
  return fmt::format("z = {:.3g}", std::abs(z) < 5e-4 ? 0 : z);
}

std::string groups_title(const ResultAbout& about) {
  const std::string length = about.b > 0
                                 ? fmt::format("b = {:.4g}", about.b)
                                 : fmt::format("linking length {:.4g} {}", about.linking_length,
                                               unit_name(about.units, {.length = 1}));
  const std::string redshift = redshift_text(about);
  return fmt::format("Friends-of-friends groups, {}{}{}", length, redshift.empty() ? "" : ", ",
                     redshift);
}

std::string slice_text(const PictureOptions& view, const ResultAbout& about) {
  if (about.dimension < 3) return "";
  const std::string axis = axis_name(view.axis, about.dimension);
  if (!(view.thickness > 0)) return fmt::format("all along {}", axis);
  const std::string unit = unit_name(about.units, {.length = 1});
  const std::string space = unit.empty() ? "" : " ";
  std::string thick = fmt::format("slice {:.4g}{}{} thick", view.thickness, space, unit);
  if (!about.box.is_periodic(view.axis)) return thick;
  return fmt::format("{} at {} = {:.4g}", thick, axis, about.box.origin(view.axis) + view.center);
}

std::string axis_name(int axis, int dimension) {
  return dimension <= 3 ? std::string(1, "xyz"[axis]) : fmt::format("axis {}", axis);
}

}  // namespace kith::cli

// The largest groups of a report one by one: a picture with R200, another with subhalos if the file
// has them, and the density profile with the NFW profile that fits it best.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

#include "output.hpp"
#include "report/report.hpp"

namespace kith::cli {
namespace {

constexpr double kMargin = 1.4;  // half the side of the view, in radii of the group

/// The cube around a group, and the points inside it relative to its center of mass.
struct Surroundings {
  std::size_t group = 0;
  std::vector<double> origin;
  double half = 0;  ///< of its side
  std::vector<double> points, mass;
  std::vector<double> center = {};  ///< of the sphere, relative to the origin
};

/// From `center`, by the nearest image on periodic axes.
double offset(const Box& box, int axis, double x, double center) {
  const double d = x - center;
  return box.is_periodic(axis) ? d - box.side(axis) * std::round(d / box.side(axis)) : d;
}

/// The largest groups that can be drawn: with a center, a size, and room in the box.
std::vector<Surroundings> largest(const Findings& findings) {
  const Catalogue& c = findings.catalogue;
  const auto dimension = static_cast<std::size_t>(findings.about.dimension);
  const Box& box = findings.about.box;
  std::vector<Surroundings> all;
  for (std::size_t group = 0; group < std::min(kCloseUps, c.count()); ++group) {
    const double half = kMargin * c.radius[group];
    bool is_good = half > 0 && std::isfinite(half);
    for (int axis = 0; axis < findings.about.dimension; ++axis)
      if (box.is_periodic(axis) && !(2 * half < box.side(axis))) is_good = false;
    if (!is_good) continue;
    const auto first = c.center.begin() + static_cast<std::ptrdiff_t>(group * dimension);
    all.push_back({.group = group,
                   .origin = {first, first + static_cast<std::ptrdiff_t>(dimension)},
                   .half = half});
  }
  return all;
}

void collect_points(const Findings& findings, std::vector<Surroundings>& all) {
  const int dimension = findings.about.dimension;
  std::vector<double> at(static_cast<std::size_t>(dimension));
  for (std::size_t i = 0; i < findings.points.size; ++i)
    for (Surroundings& each : all) {
      bool is_inside = true;
      for (int axis = 0; axis < dimension && is_inside; ++axis) {
        const auto a = static_cast<std::size_t>(axis);
        at[a] = offset(findings.about.box, axis, coordinate_of(findings.points, i, axis),
                       each.origin[a]);
        is_inside = std::abs(at[a]) < each.half;  // false for NaN
      }
      if (!is_inside) continue;
      each.points.insert(each.points.end(), at.begin(), at.end());
      each.mass.push_back(mass_of(findings.mass, i));
    }
}

/// Shells [first, end) with points.
Series measured(const HaloSphere& sphere, std::size_t first, std::size_t end, double unit) {
  Series series{.style = SeriesStyle::points};
  for (std::size_t i = first; i < end; ++i) {
    if (sphere.shell_count[i] == 0) continue;
    const double inner = sphere.edge(i), outer = sphere.edge(i + 1);
    const double volume = 4 * std::numbers::pi / 3 * (std::pow(outer, 3) - std::pow(inner, 3));
    const double density = sphere.shell_mass[i] / volume / unit;
    const double error = 1 / std::sqrt(sphere.shell_count[i]);
    series.x.push_back(std::sqrt(inner * outer));
    series.y.push_back(density);
    series.lower.push_back(density * std::max(1e-3, 1 - error));
    series.upper.push_back(density * (1 + error));
  }
  return series;
}

/// The NFW profile of the fitted concentration with the mass of the sphere.
Series fitted(const HaloSphere& sphere, double unit) {
  const double concentration = sphere.concentration;
  Series series{.name = fmt::format("NFW, c = {:.3g}", concentration)};
  const double scale = sphere.radius / concentration;
  const double amplitude =
      sphere.mass / (4 * std::numbers::pi * std::pow(scale, 3) * nfw_mass(concentration) * unit);
  const double range = -std::log(kInnermost);
  constexpr int kSteps = 48;
  for (int i = 0; i <= kSteps; ++i) {
    const double x = sphere.edge(0) * std::exp(range * i / kSteps) / scale;
    series.x.push_back(x * scale);
    series.y.push_back(amplitude / (x * (1 + x) * (1 + x)));
  }
  return series;
}

std::vector<Series> profile_series(const HaloSphere& sphere, double unit) {
  const std::size_t first = sphere.concentration > 0 ? sphere.first_fitted : 0;
  std::vector<Series> all{measured(sphere, first, kShells, unit)};
  all[0].name = "measured";
  if (sphere.concentration > 0) all.push_back(fitted(sphere, unit));
  Series inner = measured(sphere, 0, first, unit);
  if (inner.x.empty()) return all;
  inner.name = "left out of the fit";
  inner.is_faint = true;
  all.push_back(std::move(inner));
  return all;
}

std::string length_axis(const Findings& findings) {
  const std::string unit = unit_label(findings.about.units, {.length = 1});
  return unit.empty() ? "r" : fmt::format("r ({})", unit);
}

Exhibit profile_exhibit(const Findings& findings, const Reference& reference, std::size_t group,
                        std::vector<Series> series) {
  Plot curves{.title = "Density profile", .series = std::move(series), .width = 430, .height = 330};
  double left = 1e300, right = 0, low = 1e300, high = 0;
  for (const Series& each : curves.series) {
    if (each.style != SeriesStyle::points) continue;
    for (const double x : each.x) left = std::min(left, x), right = std::max(right, x);
    for (const double y : each.y) low = std::min(low, y), high = std::max(high, y);
  }
  curves.x = {length_axis(findings), true, left / 1.2, right * 1.2};
  curves.y = {fmt::format("density / {}", reference.name), true, low / 3, high * 4};
  return {.name = fmt::format("group_{}_profile", group),
          .heading = fmt::format("Density profile of group {}", group),
          .caption = "",
          .drawing = plot(curves),
          .plot = curves};
}

/// Circles relative to the center of a group, with their meaning.
struct Rings {
  std::vector<double> center, radius;
  std::size_t labels = 0;
  std::string legend;
};

Rings sphere_ring(const Findings& findings, const Surroundings& each, const HaloSphere& sphere,
                  const std::string& letter) {
  const bool has_sphere = sphere.radius > 0;
  return {has_sphere ? each.center : std::vector(each.origin.size(), 0.0),
          {has_sphere ? sphere.radius : findings.catalogue.radius[each.group]},
          0,
          has_sphere ? fmt::format("R_{{200{}}}", letter) : "farthest member"};
}

/// The subhalos of a group, the largest first.
Rings subhalo_rings(const Findings& findings, const Surroundings& each) {
  constexpr std::size_t kMost = 200, kLabels = 10;
  const Catalogue& all = findings.subhalos;
  const auto d = static_cast<std::size_t>(findings.about.dimension);
  const bool has_half = !all.half_mass_radius.empty();
  Rings rings{{}, {}, kLabels, has_half ? "half of a subhalo's mass" : "subhalos"};
  for (std::size_t s = 0; s < findings.parent.size() && rings.radius.size() < kMost; ++s) {
    if (findings.parent[s] != static_cast<std::int64_t>(each.group)) continue;
    rings.radius.push_back(has_half ? all.half_mass_radius[s] : all.radius[s]);
    for (std::size_t axis = 0; axis < d; ++axis)
      rings.center.push_back(offset(findings.about.box, static_cast<int>(axis),
                                    all.center[s * d + axis], each.origin[axis]));
  }
  return rings;
}

Exhibit picture_exhibit(const Findings& findings, const ReportOptions& options,
                        const Surroundings& each, const Rings& rings, const Execution& execution) {
  FigureOptions figure_options;
  figure_options.view = {.box = Box::periodic(2 * each.half).with_origin(-each.half),
                         .size = std::min(560, options.picture_size),
                         .axis = findings.about.dimension > 2 ? options.view.axis : 2,
                         .smoothing = 16};
  figure_options.length_unit = unit_name(findings.about.units, {.length = 1});
  figure_options.color_label = "density / mean of the picture";
  figure_options.circles = {.center = rings.center,
                            .radius = rings.radius,
                            .labels = rings.labels,
                            .legend = rings.legend};
  const auto count = each.mass.size();
  return {.name = fmt::format("group_{}", each.group),
          .heading = fmt::format("Density around group {}", each.group),
          .caption = "",
          .drawing = figure(view(each.points.data(), count, findings.about.dimension),
                            figure_options, execution)};
}

std::optional<Exhibit> subhalo_exhibit(const Findings& findings, const ReportOptions& options,
                                       const Surroundings& each, const Execution& execution) {
  const Rings rings = subhalo_rings(findings, each);
  if (rings.radius.empty()) return {};
  Exhibit map = picture_exhibit(findings, options, each, rings, execution);
  map.name += "_subhalos";
  map.heading = fmt::format("Subhalos of group {}", each.group);
  return map;
}

CloseUp close_up(const Findings& findings, const ReportOptions& options, Surroundings& each,
                 const HaloSpheres& spheres, const Execution& execution) {
  const Reference& reference = spheres.reference;
  const Units& units = findings.about.units;
  const std::string length = unit_label(units, {.length = 1});
  const std::string mass = findings.has_mass ? unit_label(units, {.mass = 1}) : "points";
  const auto size = static_cast<std::uint64_t>(findings.catalogue.size[each.group]);
  std::vector<std::pair<std::string, std::string>> facts{{"members", grouped(size)}};
  const HaloSphere sphere = each.group < spheres.of.size() ? spheres.of[each.group] : HaloSphere{};
  std::optional<Exhibit> profile;
  if (sphere.radius > 0) {
    for (int axis = 0; axis < 3; ++axis)
      each.center.push_back(offset(findings.about.box, axis,
                                   spheres.center[3 * each.group + static_cast<std::size_t>(axis)],
                                   each.origin[static_cast<std::size_t>(axis)]));
    facts.emplace_back(fmt::format("M_{{200{}}}", reference.letter),
                       number_label(sphere.mass, mass));
    facts.emplace_back(fmt::format("R_{{200{}}}", reference.letter),
                       number_label(sphere.radius, length));
    if (sphere.concentration > 0)
      facts.emplace_back("concentration", fmt::format("{:.3g}", sphere.concentration));
    std::vector<Series> series = profile_series(sphere, reference.density);
    if (series[0].x.size() > 1)
      profile = profile_exhibit(findings, reference, each.group, std::move(series));
  }
  return {each.group, std::move(facts),
          picture_exhibit(findings, options, each,
                          sphere_ring(findings, each, sphere, reference.letter), execution),
          std::move(profile), subhalo_exhibit(findings, options, each, execution)};
}

}  // namespace

std::vector<CloseUp> close_ups(const Findings& findings, const ReportOptions& options,
                               const HaloSpheres& spheres, const Execution& execution) {
  const int dimension = findings.about.dimension;
  if (!findings.points.data || dimension < 2 || dimension > 3) return {};
  std::vector<Surroundings> all = largest(findings);
  collect_points(findings, all);
  std::vector<CloseUp> result;
  result.reserve(all.size());
  for (Surroundings& each : all)
    result.push_back(close_up(findings, options, each, spheres, execution));
  return result;
}

}  // namespace kith::cli

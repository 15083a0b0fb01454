// The largest groups of a report one by one: a picture with R200, and the density profile with the
// NFW profile that fits it best.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>
#include <numeric>

#include <kith/centers.hpp>

#include "output.hpp"
#include "report.hpp"

namespace kith::cli {
namespace {

constexpr double kMargin = 1.4;       // what is shown, in radii of the group
constexpr double kInnermost = 0.025;  // of R200: where the profile begins
constexpr std::size_t kShells = 20;
constexpr std::size_t kFitted = 200;  // points inside R200 that a fit needs

/// The density that defines R200.
struct Reference {
  double density = 0;  ///< critical or mean; 0: there is none
  std::string letter;  ///< c or m
  std::string name;    ///< in words
};

/// The cube around a group, and the points inside it relative to its center of mass.
struct Surroundings {
  std::size_t group = 0;
  std::vector<double> origin;
  double half = 0;  ///< of its side
  std::vector<double> points, mass;
  std::vector<double> center = {};  ///< of the sphere, relative to the origin
};

/// A sphere of 200 times the reference.
struct Sphere {
  double radius = 0;  ///< 0: there is none
  double mass = 0;
  std::size_t size = 0;
};

/// Points in spherical shells about a center.
struct Profile {
  std::vector<double> edge;  ///< one more than shells
  std::vector<double> mass;
  std::vector<double> count;
};

/// From `center`, by the nearest image on periodic axes.
double offset(const Box& box, int axis, double x, double center) {
  const double d = x - center;
  return box.is_periodic(axis) ? d - box.side(axis) * std::round(d / box.side(axis)) : d;
}

double mass_of(const ValuesView& mass, std::size_t i) {
  if (!mass.data) return mass.same;
  return mass.scalar == Scalar::float32
             ? static_cast<double>(static_cast<const float*>(mass.data)[i])
             : static_cast<const double*>(mass.data)[i];
}

double critical_density(const ResultAbout& about) {
  constexpr double kMpc = 3.0856775814913673e24, kGravity = 6.6743e-8, kKmPerS = 1e5;
  const Units& units = about.units;
  const Background& b = about.background;
  // 1/h in the unit of length cancels the h of the Hubble constant.
  const double h = units.is_per_h ? 1 : b.h;
  const Cosmology cosmology{.omega_m = b.omega_m,
                            .omega_lambda = b.omega_lambda,
                            .redshift = b.redshift,
                            .hubble = 100 * h * units.length / kMpc,
                            .gravity = kGravity * units.mass / (units.length * kKmPerS * kKmPerS)};
  const double physical = units.is_comoving ? 1 : std::pow(1 + b.redshift, 3);
  return edge_density(Edge::critical200, cosmology) / 200 * physical;
}

Reference reference_of(const Findings& findings) {
  const ResultAbout& about = findings.about;
  if (about.dimension != 3) return {};
  const bool has_units = about.units.length > 0 && about.units.mass > 0;
  if (about.background.is_known && has_units && findings.has_mass)
    return {critical_density(about), "c", "critical density"};
  const double volume = volume_of(about);
  if (!(volume > 0) || !std::isfinite(volume)) return {};
  double total = 0;
  for (std::size_t i = 0; i < findings.points.size; ++i) total += mass_of(findings.mass, i);
  return {total / volume, "m", "mean density"};
}

/// Those that can be drawn: with a center, a size, and room in the box.
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

/// The deepest member, as kith fof --overdensities has it; without members, the center of shrinking
/// spheres over all points. Relative to the origin.
std::vector<double> center_of(const Findings& findings, const Surroundings& each,
                              const Execution& execution) {
  const bool has_members = each.group < findings.members.size();
  std::vector<double> points = has_members ? std::vector<double>() : each.points;
  std::vector<double> mass = has_members ? std::vector<double>() : each.mass;
  if (has_members)
    for (const std::uint32_t i : findings.members[each.group]) {
      for (int axis = 0; axis < 3; ++axis)
        points.push_back(offset(findings.about.box, axis, coordinate_of(findings.points, i, axis),
                                each.origin[static_cast<std::size_t>(axis)]));
      mass.push_back(mass_of(findings.mass, i));
    }
  Members all{std::vector<std::uint32_t>(mass.size()), {0, mass.size()}};
  std::iota(all.order.begin(), all.order.end(), 0U);
  const CenterOptions options{.mass = values(mass),
                              .kind = has_members ? CenterKind::potential : CenterKind::shrinking,
                              .softening = 0.2 * findings.about.linking_length};
  return centers(view(points.data(), mass.size(), 3), all, options, execution);
}

Sphere sphere_of(const Surroundings& each, const Reference& reference, const Execution& execution) {
  if (!(reference.density > 0)) return {};
  const Tree tree(view(each.points.data(), each.mass.size(), 3), {}, execution);
  const Overdensities found =
      overdensities(tree, each.center,
                    {.density = {200 * reference.density}, .mass = values(each.mass)}, execution);
  double reach = each.half;  // of spheres about the center that lie in the cube
  for (const double x : each.center) reach = std::min(reach, each.half - std::abs(x));
  if (!(found.radius[0] > 0) || !(found.radius[0] <= reach)) return {};
  return {found.radius[0], found.mass[0], static_cast<std::size_t>(found.size[0])};
}

Profile profile_of(const Surroundings& each, double inner, double outer) {
  Profile profile{{}, std::vector<double>(kShells), std::vector<double>(kShells)};
  for (std::size_t i = 0; i <= kShells; ++i)
    profile.edge.push_back(
        inner * std::pow(outer / inner, static_cast<double>(i) / static_cast<double>(kShells)));
  const double per_shell = std::log(outer / inner) / static_cast<double>(kShells);
  for (std::size_t i = 0; i < each.mass.size(); ++i) {
    double r2 = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double d = each.points[3 * i + axis] - each.center[axis];
      r2 += d * d;
    }
    const double r = std::sqrt(r2);
    if (!(r >= inner) || !(r < outer)) continue;
    const auto shell =
        std::min(kShells - 1, static_cast<std::size_t>(std::log(r / inner) / per_shell));
    profile.mass[shell] += each.mass[i];
    profile.count[shell] += 1;
  }
  return profile;
}

/// The mass of an NFW profile inside x scale radii, in its own units.
double nfw_mass(double x) { return std::log1p(x) - x / (1 + x); }

/// How likely the counts in the shells are: their logarithm but for a constant.
double likelihood(const Profile& profile, double concentration, double radius) {
  const auto inside = [&](std::size_t i) {
    return nfw_mass(concentration * profile.edge[i] / radius);
  };
  const double all = inside(kShells) - inside(0);
  double sum = 0;
  for (std::size_t i = 0; i < kShells; ++i)
    sum += profile.count[i] * std::log((inside(i + 1) - inside(i)) / all);
  return sum;
}

/// The most likely concentration between 0.5 and 60, by sections of ln c.
double concentration_of(const Profile& profile, double radius) {
  double low = std::log(0.5), high = std::log(60);
  for (int step = 0; step < 60; ++step) {
    const double third = (high - low) / 3;
    const bool is_left = likelihood(profile, std::exp(low + third), radius) >
                         likelihood(profile, std::exp(high - third), radius);
    (is_left ? high : low) += is_left ? -third : third;
  }
  return std::exp((low + high) / 2);
}

Series measured(const Profile& profile, double unit) {
  Series series{.name = "measured", .style = SeriesStyle::points};
  for (std::size_t i = 0; i < kShells; ++i) {
    if (profile.count[i] == 0) continue;
    const double inner = profile.edge[i], outer = profile.edge[i + 1];
    const double volume = 4 * std::numbers::pi / 3 * (std::pow(outer, 3) - std::pow(inner, 3));
    const double density = profile.mass[i] / volume / unit;
    const double error = 1 / std::sqrt(profile.count[i]);
    series.x.push_back(std::sqrt(inner * outer));
    series.y.push_back(density);
    series.lower.push_back(density * std::max(1e-3, 1 - error));
    series.upper.push_back(density * (1 + error));
  }
  return series;
}

/// The NFW profile of this concentration with the mass of the sphere.
Series fitted(const Profile& profile, const Sphere& sphere, double concentration, double unit) {
  Series series{.name = fmt::format("NFW, c = {:.3g}", concentration)};
  const double scale = sphere.radius / concentration;
  const double amplitude =
      sphere.mass / (4 * std::numbers::pi * std::pow(scale, 3) * nfw_mass(concentration) * unit);
  const double range = std::log(profile.edge.back() / profile.edge.front());
  constexpr int kSteps = 48;
  for (int i = 0; i <= kSteps; ++i) {
    const double x = profile.edge.front() * std::exp(range * i / kSteps) / scale;
    series.x.push_back(x * scale);
    series.y.push_back(amplitude / (x * (1 + x) * (1 + x)));
  }
  return series;
}

std::string length_axis(const Findings& findings) {
  const std::string unit = unit_label(findings.about.units, {.length = 1});
  return unit.empty() ? "r" : fmt::format("r ({})", unit);
}

Exhibit profile_exhibit(const Findings& findings, const Reference& reference, std::size_t group,
                        std::vector<Series> series) {
  Plot curves{.title = "Density profile", .series = std::move(series), .width = 430, .height = 330};
  const std::vector<double>& x = curves.series[0].x;
  curves.x = {length_axis(findings), true, x.front() / 1.2, x.back() * 1.2};
  double low = 1e300, high = 0;
  for (const double y : curves.series[0].y) low = std::min(low, y), high = std::max(high, y);
  curves.y = {fmt::format("density / {}", reference.name), true, low / 3, high * 4};
  return {.name = fmt::format("group_{}_profile", group),
          .heading = fmt::format("Density profile of group {}", group),
          .caption = "",
          .drawing = plot(curves),
          .plot = curves};
}

Exhibit picture_exhibit(const Findings& findings, const ReportOptions& options,
                        const Surroundings& each, const Sphere& sphere, const std::string& letter,
                        const Execution& execution) {
  const bool has_sphere = sphere.radius > 0;
  const std::vector<double> center =
      has_sphere ? each.center : std::vector(each.origin.size(), 0.0);
  const std::vector<double> radius{has_sphere ? sphere.radius
                                              : findings.catalogue.radius[each.group]};
  FigureOptions figure_options;
  figure_options.view = {.box = Box::periodic(2 * each.half).with_origin(-each.half),
                         .size = std::min(560, options.picture_size),
                         .axis = findings.about.dimension > 2 ? options.view.axis : 2,
                         .smoothing = 16};
  figure_options.length_unit = unit_name(findings.about.units, {.length = 1});
  figure_options.color_label = "density / mean of the picture";
  figure_options.circles = {
      .center = center,
      .radius = radius,
      .labels = 0,
      .legend = has_sphere ? fmt::format("R_{{200{}}}", letter) : "farthest member"};
  const auto count = each.mass.size();
  return {.name = fmt::format("group_{}", each.group),
          .heading = fmt::format("Density around group {}", each.group),
          .caption = "",
          .drawing = figure(view(each.points.data(), count, findings.about.dimension),
                            figure_options, execution)};
}

CloseUp close_up(const Findings& findings, const ReportOptions& options, Surroundings& each,
                 const Reference& reference, const Execution& execution) {
  const Units& units = findings.about.units;
  const std::string length = unit_label(units, {.length = 1});
  const std::string mass = findings.has_mass ? unit_label(units, {.mass = 1}) : "points";
  const auto size = static_cast<std::uint64_t>(findings.catalogue.size[each.group]);
  std::vector<std::pair<std::string, std::string>> facts{{"members", grouped(size)}};
  Sphere sphere;
  std::optional<Exhibit> profile;
  if (findings.about.dimension == 3) {
    each.center = center_of(findings, each, execution);
    sphere = sphere_of(each, reference, execution);
  }
  if (sphere.radius > 0) {
    facts.emplace_back(fmt::format("M_{{200{}}}", reference.letter),
                       number_label(sphere.mass, mass));
    facts.emplace_back(fmt::format("R_{{200{}}}", reference.letter),
                       number_label(sphere.radius, length));
    const Profile shells = profile_of(each, kInnermost * sphere.radius, sphere.radius);
    std::vector<Series> series{measured(shells, reference.density)};
    if (sphere.size >= kFitted) {
      const double c = concentration_of(shells, sphere.radius);
      facts.emplace_back("concentration", fmt::format("{:.3g}", c));
      series.push_back(fitted(shells, sphere, c, reference.density));
    }
    if (series[0].x.size() > 1)
      profile = profile_exhibit(findings, reference, each.group, std::move(series));
  }
  return {each.group, std::move(facts),
          picture_exhibit(findings, options, each, sphere, reference.letter, execution),
          std::move(profile)};
}

}  // namespace

std::vector<CloseUp> close_ups(const Findings& findings, const ReportOptions& options,
                               const Execution& execution) {
  const int dimension = findings.about.dimension;
  if (!findings.points.data || dimension < 2 || dimension > 3) return {};
  const Reference reference = reference_of(findings);
  std::vector<Surroundings> all = largest(findings);
  collect_points(findings, all);
  std::vector<CloseUp> result;
  result.reserve(all.size());
  for (Surroundings& each : all)
    result.push_back(close_up(findings, options, each, reference, execution));
  return result;
}

}  // namespace kith::cli

// The drawings of a report.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include <kith/error.hpp>
#include <kith/mass_function.hpp>

#include "output.hpp"
#include "report/report.hpp"

namespace kith::cli {
namespace {

constexpr double kMpc = 3.0856775814913673e24;  // cm
constexpr double kSun = 1.98841e33;             // g
constexpr const char* kMassUnit = "M_{\u2299}/h";
constexpr double kCurveWidth = 460, kCurveHeight = 350;  // letters are readable on a phone
constexpr const char* kDensityUnit = "h^{3} Mpc^{\u22123}";

/// The factors from the file's masses and comoving lengths to solar masses / h and Mpc/h; 0 if the
/// file does not state enough.
struct ToCommon {
  double mass = 0;
  double length = 0;
  bool is_known() const { return mass > 0 && length > 0; }
};

ToCommon to_common(const ResultAbout& about) {
  const Units& units = about.units;
  const Background& background = about.background;
  if (!background.is_known || !(units.length > 0) || !(units.mass > 0)) return {};
  const double h = units.is_per_h ? 1 : background.h;
  const double comoving = units.is_comoving ? 1 : 1 / background.scale_factor;
  const ToCommon factors{units.mass / kSun * h, units.length / kMpc * h * comoving};
  return std::isfinite(factors.mass) && std::isfinite(factors.length) ? factors : ToCommon{};
}

/// Theory's curves for the cosmology, where that makes sense.
void add_theory(Plot& plot, const Findings& findings, const ReportOptions& options,
                const MassFunction& counted) {
  const Background& background = findings.about.background;
  sample::Cosmology cosmology{.omega_m = background.omega_m,
                              .h = background.h,
                              .n_s = options.n_s,
                              .sigma8 = options.sigma8};
  if (background.omega_b > 0) cosmology.omega_b = background.omega_b;
  constexpr int kPoints = 24;  // the curves hardly bend between them, and each costs a millisecond
  std::vector<double> mass;
  const double range = std::log(counted.edge.back() / counted.edge.front());
  for (int i = 0; i <= kPoints; ++i)
    mass.push_back(counted.edge.front() * std::exp(range * i / kPoints));
  const auto add = [&](const char* name, Multiplicity kind, SeriesStyle style) {
    plot.series.push_back({.name = name,
                           .x = mass,
                           .y = mass_function(kind, cosmology, mass, background.scale_factor),
                           .style = style});
  };
  add("Sheth & Tormen 1999", Multiplicity::sheth_tormen, SeriesStyle::line);
  add("Press & Schechter 1974", Multiplicity::press_schechter, SeriesStyle::dashed);
}

/// Bars that reach far below the curves say nothing more.
void limit_below(Plot& plot) {
  double low = 1e300;
  double high = 0;
  for (const Series& s : plot.series)
    for (std::size_t i = 0; i < s.y.size(); ++i) {
      if (!(s.y[i] > 0) || s.style != SeriesStyle::points) continue;
      low = std::min(low, s.lower[i]);
      high = std::max(high, s.upper[i]);
    }
  if (!(high > 0) || !(low > 0)) return;
  plot.y.low = low / 2;
  plot.y.high = high * 3;
}

/// The frame of a picture, for the scripts.
MapFrame frame_of(const Findings& findings, const PictureOptions& view, std::string name) {
  const int dimension = findings.about.dimension;
  MapFrame frame{.name = std::move(name), .thickness = view.thickness};
  if (dimension > 2) {
    frame.depth = view.axis;
    frame.across = view.axis == 0 ? 1 : 0;
    frame.up = view.axis <= 1 ? 2 : 1;
    frame.center = shown_along(findings, view.axis).first + view.center;
  }
  for (int i = 0; i < 2; ++i) {
    const auto [low, high] = shown_along(findings, i == 0 ? frame.across : frame.up);
    frame.low[i] = low;
    frame.side[i] = high - low;
  }
  return frame;
}

/// One picture with its circles.
Exhibit map_exhibit(const Findings& findings, const ReportOptions& options,
                    const PictureOptions& view, const Execution& execution) {
  const ResultAbout& about = findings.about;
  const Catalogue& c = findings.catalogue;
  const std::size_t shown = std::min(options.circles, c.count());
  const bool is_slice = view.thickness > 0;
  const bool is_all_of_depth = !is_slice && about.dimension > 2;
  const std::string along = axis_name(view.axis, about.dimension);
  const std::string group_text =
      options.view.has_group() ? fmt::format("group {}", options.view.group) : "the largest group";
  FigureOptions figure_options;
  figure_options.view = view;
  figure_options.title = groups_title(about);
  figure_options.note = slice_text(view, about);
  figure_options.length_unit = unit_name(about.units, {.length = 1});
  if (about.units.is_comoving && about.background.is_known && about.background.redshift > 1e-3)
    figure_options.length_unit = fmt::format("comoving {}", figure_options.length_unit);
  figure_options.circles = {
      .center = std::span(c.center).first(shown * static_cast<std::size_t>(about.dimension)),
      .radius = std::span(c.radius).first(shown),
      .legend = shown < c.count() ? fmt::format("groups 0 to {}", shown - 1) : "groups"};
  std::string caption =
      "Number of points along the line of sight, smoothed over 32 points, in units of the mean. "
      "Circles reach from the center of mass to the farthest member; numbers are rows of the "
      "table.";
  if (is_slice && c.count() > 0 && view.center > 0)
    caption.insert(0, fmt::format("A slice through {}. ", group_text));
  return {.name = is_all_of_depth ? fmt::format("density_{}", view.axis) : "density",
          .heading = "Map of the groups",
          .caption = std::move(caption),
          .drawing = figure(findings.points, figure_options, execution),
          .map = frame_of(findings, view,
                          is_slice ? options.view.has_group() ? "Slice through " + group_text
                                                              : "Slice through the largest"
                          : is_all_of_depth ? fmt::format("Along {}", along)
                                            : "Map")};
}

/// Limits that are written down, for the scripts.
void set_limits(Plot& plot) {
  const auto widest = [](const Plot& from, bool is_x) {
    double low = 1e300, high = 0;
    for (const Series& s : from.series)
      for (const double v : is_x ? s.x : s.y)
        if (v > 0 && std::isfinite(v)) low = std::min(low, v), high = std::max(high, v);
    return high > low ? std::pair{low, high} : std::pair{high / 2, high * 2};
  };
  for (Axis* axis : {&plot.x, &plot.y}) {
    if (axis->low != 0 || axis->high != 0) continue;
    const auto [low, high] = widest(plot, axis == &plot.x);
    const double room = std::pow(high / low, 0.04);
    *axis = {axis->label, axis->is_log, low / room, high * room};
  }
}

/// How many values are at least as large as each of them, times `each`: from the left, all of them
/// up to the smallest, then fewer up to the next one, with a corner at both ends of each step.
Series steps_of(std::vector<double> values, double each) {
  std::sort(values.begin(), values.end(), std::greater<>());
  Series series;
  for (std::size_t i = values.size(); i-- > 0;) {
    if (i + 1 < values.size() && values[i] == values[i + 1]) continue;
    const double count = each * static_cast<double>(i + 1);
    series.x.insert(series.x.end(), {series.x.empty() ? values[i] : series.x.back(), values[i]});
    series.y.insert(series.y.end(), {count, count});
  }
  return series;
}

}  // namespace

double volume_of(const ResultAbout& about) {
  double volume = 1;
  for (int axis = 0; axis < about.dimension; ++axis) volume *= about.box.side(axis);
  return volume;
}

double coordinate_of(const PointsView& points, std::size_t i, int axis) {
  const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(i) * points.stride + axis;
  return points.scalar == Scalar::float32
             ? static_cast<double>(static_cast<const float*>(points.data)[at])
             : static_cast<const double*>(points.data)[at];
}

std::pair<double, double> shown_along(const Findings& findings, int axis) {
  const Box& box = findings.about.box;
  if (box.is_periodic(axis)) return {box.origin(axis), box.origin(axis) + box.side(axis)};
  double low = 1e300, high = -1e300;
  for (std::size_t i = 0; i < findings.points.size; ++i) {
    const double x = coordinate_of(findings.points, i, axis);
    if (std::isfinite(x)) low = std::min(low, x), high = std::max(high, x);
  }
  return low < high ? std::pair{low, high}
                    : std::pair{low <= high ? low : 0.0, low <= high ? low + 1 : 1.0};
}

std::string number_label(double number, const std::string& unit) {
  return fmt::format("{}{}{}", number_label(number), unit.empty() ? "" : " ", unit);
}

std::string number_label(double number) {
  if (!std::isfinite(number)) return "\u2013";
  const double size = std::abs(number);
  if (number == 0 || (size >= 1e-3 && size < 1e6)) return fmt::format("{:.4g}", number);
  const int exponent = static_cast<int>(std::floor(std::log10(size)));
  return fmt::format("{:.3g}\u00d710^{{{}}}", number / std::pow(10.0, exponent), exponent);
}

std::string unit_label(const Units& units, const UnitPowers& powers) {
  std::string text = unit_name(units, powers);
  if (const auto sun = text.find("Msun"); sun != std::string::npos)
    text = fmt::format("{}M_{{\u2299}}{}", text.substr(0, sun), text.substr(sun + 4));
  if (text.starts_with("1e")) {
    const auto end = text.find(' ');
    if (end != std::string::npos)
      text = fmt::format("10^{{{}}}{}", text.substr(2, end - 2), text.substr(end));
  }
  return text;
}

std::vector<Exhibit> map_exhibits(const Findings& findings, const ReportOptions& options,
                                  const Execution& execution) {
  const int dimension = findings.about.dimension;
  if (!findings.points.data || dimension < 2) return {};
  PictureOptions first = slice_view(findings.about, findings.catalogue, options.view);
  first.size = options.picture_size;
  std::vector<Exhibit> maps{map_exhibit(findings, options, first, execution)};
  for (int axis = 0; dimension == 3 && axis < 3; ++axis) {
    if (!(first.thickness > 0) && axis == first.axis) continue;  // the first shows it
    const PictureOptions view{
        .box = findings.about.box, .size = options.picture_size, .axis = axis};
    maps.push_back(map_exhibit(findings, options, view, execution));
  }
  return maps;
}

std::optional<Exhibit> mass_exhibit(const Findings& findings, const ReportOptions& options) {
  const ResultAbout& about = findings.about;
  const double volume = volume_of(about);
  if (findings.catalogue.count() == 0 || !(volume > 0) || !std::isfinite(volume)) return {};
  const ToCommon common = to_common(about);
  const bool is_cosmic = common.is_known() && about.dimension == 3;
  std::vector<double> mass = findings.catalogue.mass;
  if (is_cosmic)
    for (double& m : mass) m *= common.mass;
  const double unit = is_cosmic ? std::pow(common.length, 3) : 1;
  const MassFunction counted =
      mass_function(mass, {.volume = volume * unit, .bins_per_decade = options.bins_per_decade});
  if (counted.bins() == 0) return {};

  Plot plot_options{.width = kCurveWidth, .height = kCurveHeight};
  const std::string redshift = redshift_text(about);
  plot_options.title = fmt::format("Mass function{}{}", redshift.empty() ? "" : " at ", redshift);
  const std::string mass_unit = is_cosmic ? kMassUnit : unit_label(about.units, {.mass = 1});
  plot_options.x = {.label = mass_unit.empty() ? "mass" : fmt::format("M ({})", mass_unit),
                    .is_log = true};
  plot_options.y = {.label = is_cosmic ? fmt::format("dn / dlnM ({})", kDensityUnit)
                                       : "groups per volume and ln M",
                    .is_log = true};
  plot_options.series.push_back({.name = "groups",
                                 .x = counted.mass,
                                 .y = counted.density,
                                 .lower = counted.lower,
                                 .upper = counted.upper,
                                 .style = SeriesStyle::points});
  std::string caption =
      "Bars are limits of one standard deviation from the Poisson statistics of the counts "
      "(Gehrels 1986).";
  if (is_cosmic) {
    try {
      add_theory(plot_options, findings, options, counted);
      caption += fmt::format(
          " Curves: a flat universe with \u03a9_{{m}} = {:.4g}, h = {:.4g}, \u03c3_{{8}} = {:.4g} "
          "and n_{{s}} = {:.4g}; snapshots do not state the last two, set them with --sigma8 and "
          "--n-s.",
          about.background.omega_m, about.background.h, options.sigma8, options.n_s);
    } catch (const Error& error) {
      caption += fmt::format(" Theory is not shown: {}.", printable(error.what()));
    }
  }
  limit_below(plot_options);
  set_limits(plot_options);
  return Exhibit{"mass_function", "Mass function", caption, plot(plot_options), {}, plot_options};
}

std::optional<Exhibit> size_exhibit(const Findings& findings) {
  if (findings.catalogue.count() == 0) return {};
  const std::vector<std::int64_t>& size = findings.catalogue.size;
  Series series = steps_of({size.begin(), size.end()}, 1);
  series.name = "groups";
  Plot plot_options{.width = kCurveWidth, .height = kCurveHeight};
  plot_options.title = "Groups of at least this size";
  plot_options.x = {.label = "members", .is_log = true};
  plot_options.y = {.label = "number of groups", .is_log = true};
  plot_options.series.push_back(std::move(series));
  set_limits(plot_options);
  return Exhibit{"sizes", "Sizes of the groups", "", plot(plot_options), {}, plot_options};
}

std::optional<Exhibit> subhalo_mass_exhibit(const Findings& findings) {
  constexpr std::int64_t kResolved = 1000;  // members of groups that count, if there are some
  const Catalogue& groups = findings.catalogue;
  std::size_t count = 0;
  while (count < groups.count() && groups.size[count] >= kResolved) ++count;
  count = std::max<std::size_t>(count, 1);
  std::vector<double> ratio;
  for (std::size_t s = 1; s < findings.parent.size(); ++s) {
    const auto group = static_cast<std::size_t>(findings.parent[s]);
    const bool is_first = findings.parent[s - 1] != findings.parent[s];
    if (!is_first && group < count) ratio.push_back(findings.subhalos.mass[s] / groups.mass[group]);
  }
  if (ratio.empty()) return {};
  Plot plot_options{.width = kCurveWidth, .height = kCurveHeight};
  plot_options.title = "Subhalos of at least this mass";
  plot_options.x = {.label = "mass / mass of the group", .is_log = true};
  plot_options.y = {.label = "subhalos per group", .is_log = true};
  plot_options.series.push_back(steps_of(ratio, 1 / static_cast<double>(count)));
  plot_options.series.back().name =
      count == 1 ? "the largest group"
                 : fmt::format("mean of {} groups", grouped(static_cast<std::uint64_t>(count)));
  set_limits(plot_options);
  const std::string caption = fmt::format(
      "All subhalos but the largest of each group, in {}. Subhalos have at least {} members.",
      groups.size[0] >= kResolved
          ? fmt::format("groups of {} members or more", grouped(std::uint64_t{kResolved}))
          : "the largest group",
      findings.about.subhalo_min_size);
  return Exhibit{"subhalo_masses", "Masses of the subhalos", caption, plot(plot_options), {},
                 plot_options};
}

}  // namespace kith::cli

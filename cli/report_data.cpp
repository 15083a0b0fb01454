// What a report shows as data for the scripts of its page.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>

#include "html.hpp"
#include "report.hpp"

namespace kith::cli {
namespace {

constexpr std::size_t kMostRows = 20000;    // about 1.5 MB
constexpr std::size_t kMostPoints = 24000;  // about 190 kB

std::string numbers(const std::vector<double>& values) {
  std::string text;
  for (const double v : values) text += (text.empty() ? "" : ",") + script_number(v);
  return "[" + text + "]";
}

std::string json_of(const MapFrame& map, const Findings& findings, const std::string& name) {
  const Box& box = findings.about.box;
  const bool wraps = map.depth >= 0 && box.is_periodic(map.depth);
  return fmt::format(
      R"({{"figure":{},"name":{},"axes":[{},{}],"low":[{},{}],"side":[{},{}],"wraps":[{},{}],)"
      R"("depth":{},"center":{},"thickness":{},"period":{}}})",
      script_text(name), script_text(map.name), map.across, map.up, script_number(map.low[0]),
      script_number(map.low[1]), script_number(map.side[0]), script_number(map.side[1]),
      box.is_periodic(map.across), box.is_periodic(map.up), map.depth, script_number(map.center),
      script_number(map.thickness), wraps ? script_number(box.side(map.depth)) : "0");
}

std::string json_of(const Axis& axis) {
  return fmt::format(R"({{"label":{},"log":{},"low":{},"high":{}}})", script_text(axis.label),
                     axis.is_log, script_number(axis.low), script_number(axis.high));
}

std::string json_of(const Plot& plot, const std::string& name) {
  std::string series;
  for (const Series& s : plot.series)
    series += fmt::format(R"({}{{"name":{},"points":{},"x":{},"y":{}}})", series.empty() ? "" : ",",
                          script_text(s.name), s.style == SeriesStyle::points, numbers(s.x),
                          numbers(s.y));
  return fmt::format(R"({{"figure":{},"x":{},"y":{},"series":[{}]}})", script_text(name),
                     json_of(plot.x), json_of(plot.y), series);
}

/// The same for all runs and machines.
std::uint64_t scattered(std::uint64_t i) {
  std::uint64_t x = (i + 1) * 0x9e3779b97f4a7c15U;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
  x = (x ^ x >> 27) * 0x94d049bb133111ebU;
  return x ^ x >> 31;
}

/// One of the points out of each of many equal runs, at a place that does not follow a grid, as
/// 16-bit parts of the sides.
std::string some_points(const Findings& findings, const double* low, const double* side) {
  const std::size_t size = findings.points.size, count = std::min(size, kMostPoints);
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t begin = i * size / count, end = (i + 1) * size / count;
    const std::size_t point = begin + scattered(i) % (end - begin);
    std::string row;
    for (int axis = 0; axis < 3; ++axis) {
      double part = (coordinate_of(findings.points, point, axis) - low[axis]) / side[axis];
      if (!std::isfinite(part)) break;
      if (findings.about.box.is_periodic(axis)) part -= std::floor(part);
      const auto word = static_cast<unsigned>(std::clamp(part, 0.0, 1.0) * 65535);
      row += {static_cast<char>(word & 255U), static_cast<char>(word >> 8)};
    }
    if (row.size() == 6) bytes += row;
  }
  return base64(bytes);
}

std::string space_of(const Findings& findings) {
  if (!findings.points.data || findings.about.dimension != 3) return "null";
  double low[3], side[3];
  for (int axis = 0; axis < 3; ++axis) {
    const auto [begin, end] = shown_along(findings, axis);
    low[axis] = begin;
    side[axis] = end - begin;
  }
  return fmt::format(R"({{"low":{},"side":{},"points":"{}"}})", numbers({low, low + 3}),
                     numbers({side, side + 3}), some_points(findings, low, side));
}

}  // namespace

std::string script_number(double value) {
  return std::isfinite(value) ? fmt::format("{:.6g}", value) : "null";
}

std::string report_data(const Findings& findings, const std::vector<const Exhibit*>& exhibits) {
  const Catalogue& c = findings.catalogue;
  const std::size_t rows = std::min(kMostRows, c.count());
  const std::vector<ReportColumn> list = report_columns(findings, rows);
  std::string heads = R"({"name":"group","unit":""},{"name":"members","unit":""})";
  for (const ReportColumn& column : list)
    heads += fmt::format(R"(,{{"name":{},"unit":{}}})", script_text(column.head),
                         script_text(column.plain_unit));
  std::string body;
  for (std::size_t i = 0; i < rows; ++i) {
    body += fmt::format("{}[{},{}", i == 0 ? "" : ",\n", i, c.size[i]);
    for (const ReportColumn& column : list) body += "," + script_number(column.values[i]);
    body += "]";
  }
  std::string maps, plots;
  for (const Exhibit* e : exhibits) {
    if (e->map) maps += (maps.empty() ? "" : ",\n") + json_of(*e->map, findings, e->name);
    if (e->plot) plots += (plots.empty() ? "" : ",\n") + json_of(*e->plot, e->name);
  }
  return fmt::format(
      "{{\"columns\":[{}],\n\"count\":{},\n\"unit\":{},\n\"maps\":[{}],\n\"plots\":[{}],\n"
      "\"space\":{},\n\"rows\":[{}]}}",
      heads, c.count(), script_text(unit_name(findings.about.units, {.length = 1})), maps, plots,
      space_of(findings), body);
}

}  // namespace kith::cli

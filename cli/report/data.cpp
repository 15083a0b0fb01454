// The data of a report, for the scripts of its page.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "html.hpp"
#include "report/report.hpp"

namespace kith::cli {
namespace {

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
                          script_text(s.name), s.style == SeriesStyle::points, json_numbers(s.x),
                          json_numbers(s.y));
  return fmt::format(R"({{"figure":{},"x":{},"y":{},"series":[{}]}})", script_text(name),
                     json_of(plot.x), json_of(plot.y), series);
}

}  // namespace

std::string script_number(double value) {
  return std::isfinite(value) ? fmt::format("{:.6g}", value) : "null";
}

std::string json_numbers(std::span<const double> values) {
  std::string text = "[";
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text += ',';
    text += script_number(values[i]);
  }
  return text + "]";
}

std::string report_data(const Findings& findings, const ReportParts& parts) {
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
  for (const Exhibit* e : parts.all()) {
    if (e->map) maps += (maps.empty() ? "" : ",\n") + json_of(*e->map, findings, e->name);
    if (e->plot) plots += (plots.empty() ? "" : ",\n") + json_of(*e->plot, e->name);
  }
  return fmt::format(
      "{{\"columns\":[{}],\n\"count\":{},\n\"unit\":{},\n\"maps\":[{}],\n\"plots\":[{}],\n"
      "\"space\":{},\n\"panels\":{},\n\"rows\":[{}]}}",
      heads, c.count(), script_text(unit_name(findings.about.units, {.length = 1})), maps, plots,
      parts.particles, panel_data(findings, parts), body);
}

}  // namespace kith::cli

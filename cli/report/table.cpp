// The table of groups in a report.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "html.hpp"
#include "output.hpp"
#include "report/report.hpp"

namespace kith::cli {
namespace {

struct Kind {
  std::string head;
  UnitPowers powers;
};

class Columns {
 public:
  Columns(const Findings& findings, std::size_t rows) : units_(findings.about.units), rows_(rows) {}

  /// Component `at` of a quantity that has `width` of them; nothing if the catalogue lacks it.
  void add(const Kind& kind, const std::vector<double>& from, std::size_t width, std::size_t at) {
    if (from.size() < rows_ * width || from.empty()) return;
    ReportColumn& column = start(kind);
    for (std::size_t i = 0; i < rows_; ++i) column.values.push_back(from[i * width + at]);
  }

  ReportColumn& start(const Kind& kind) {
    return list.emplace_back(ReportColumn{
        kind.head, unit_label(units_, kind.powers), unit_name(units_, kind.powers), {}});
  }

  std::vector<ReportColumn> list;

 private:
  const Units& units_;
  std::size_t rows_;
};

}  // namespace

std::vector<ReportColumn> report_columns(const Findings& findings, std::size_t rows) {
  const Catalogue& c = findings.catalogue;
  const auto dimension = static_cast<std::size_t>(c.dimension);
  Columns columns(findings, rows);
  columns.add({"mass", {.mass = 1}}, c.mass, 1, 0);
  for (std::size_t axis = 0; axis < std::min<std::size_t>(dimension, 3); ++axis)
    columns.add({std::string(1, "xyz"[axis]), {.length = 1}}, c.center, dimension, axis);
  columns.add({"radius", {.length = 1}}, c.radius, 1, 0);
  columns.add({"dispersion", {.velocity = 1}}, c.velocity_dispersion, 1, 0);
  if (c.shape.size() >= rows * dimension && dimension == 3) {
    ReportColumn& column = columns.start({"c / a", {}});
    for (std::size_t i = 0; i < rows; ++i)
      column.values.push_back(std::sqrt(std::max(0.0, c.shape[3 * i + 2]) / c.shape[3 * i]));
  }
  return std::move(columns.list);
}

std::string report_table(const Findings& findings, const ReportOptions& options) {
  const Catalogue& c = findings.catalogue;
  const std::size_t rows = std::min(options.rows, c.count());
  if (rows == 0) return "";
  const std::vector<ReportColumn> list = report_columns(findings, rows);
  std::string head = "<th scope=\"col\">group</th><th scope=\"col\">members</th>";
  for (const ReportColumn& column : list)
    head += fmt::format("<th scope=\"col\">{}{}</th>", html_label(column.head),
                        column.unit.empty() ? "" : fmt::format("<br/>{}", html_label(column.unit)));
  std::string body;
  for (std::size_t i = 0; i < rows; ++i) {
    body += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td>", i,
                        grouped(static_cast<std::uint64_t>(c.size[i])));
    for (const ReportColumn& column : list)
      body += fmt::format("<td>{}</td>", html_label(number_label(column.values[i])));
    body += "</tr>\n";
  }
  std::string note =
      "x, y, z: center of mass. Radius: distance from the center to the farthest member.";
  if (c.dimension == 2)
    note = "x, y: center of mass. Radius: distance from the center to the farthest member.";
  if (!c.velocity_dispersion.empty())
    note += " Dispersion: rms velocity of the members about their mean, over all axes.";
  if (c.dimension == 3) note += " c / a: shortest over longest axis of the inertia tensor.";
  return fmt::format(
      "<section id=\"groups\">\n<h2>Table of groups</h2>\n"
      "<p class=\"soft static\">The {} largest of {} groups.</p>\n<div class=\"wide\"><table "
      "data-rows=\"{}\">\n<thead><tr>{}</tr></thead>\n<tbody>\n{}</tbody></table></div>\n<p "
      "class=\"soft\">{}</p>\n</section>\n",
      rows, grouped(c.count()), options.rows, head, body, note);
}

}  // namespace kith::cli

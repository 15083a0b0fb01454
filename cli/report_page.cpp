// A report as one HTML page that needs nothing else: no scripts, no other files.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>

#include <kith/page.hpp>
#include <kith/version.hpp>

#include "output.hpp"
#include "report.hpp"

namespace kith::cli {
namespace {

constexpr const char* kStyle = R"css(
:root { --page: #f4f5f7; --card: #ffffff; --ink: #20242c; --soft: #5d6470; --line: #dadde2; --accent: #2670ba; }
@media (prefers-color-scheme: dark) {
  :root { --page: #14161a; --card: #1c1f25; --ink: #e6e8ec; --soft: #9aa1ad; --line: #343943; --accent: #6aa9e9; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", "Helvetica Neue", Arial, sans-serif; }
main { max-width: 940px; margin: 0 auto; padding: 32px 20px 48px; }
h1 { font-size: 26px; line-height: 1.25; margin: 0 0 4px; overflow-wrap: anywhere; }
h2 { font-size: 17px; margin: 0 0 12px; }
p { margin: 8px 0 0; }
.soft, figcaption { color: var(--soft); font-size: 13.5px; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 12px; margin: 22px 0; }
.tile, section { background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
.tile { padding: 12px 16px; }
.tile b { display: block; font-size: 21px; font-weight: 600; font-variant-numeric: tabular-nums; white-space: nowrap; }
.tile span { color: var(--soft); font-size: 13px; }
section { padding: 18px 20px; margin: 0 0 18px; }
figure { margin: 0; }
figure svg { display: block; margin: 0 auto; max-width: 100%; height: auto; }
figure svg svg { max-width: none; height: revert-layer; }
figcaption { margin-top: 10px; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: 5px 10px; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
thead th { color: var(--soft); font-weight: 600; font-size: 13px; vertical-align: bottom; }
tbody tr:last-child > * { border-bottom: 0; }
.facts th, .facts td { text-align: left; white-space: normal; vertical-align: top; overflow-wrap: anywhere; }
.facts th { width: 11em; color: var(--soft); font-weight: 400; }
.times th { text-align: left; font-weight: 400; }
.times td:last-child { width: 50%; }
.bar { height: 10px; border-radius: 3px; background: var(--accent); min-width: 1px; }
.wide { overflow-x: auto; }
code { font: 13px/1.5 ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; }
.paper { fill: var(--card); } .ink { stroke: var(--ink); } .text { fill: var(--ink); } .faint { stroke: var(--line); }
@media print {
  :root { --page: #fff; --card: #fff; --ink: #000; --soft: #444; --line: #ccc; --accent: #2670ba; }
  body { font-size: 11pt; } main { max-width: none; padding: 0; }
  section, .tile { break-inside: avoid; } .bar { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
)css";

std::string tile(const std::string& label, const std::string& meaning) {
  return fmt::format("<div class=\"tile\"><b>{}</b><span>{}</span></div>\n", html_label(label),
                     html_text(meaning));
}

std::string with_unit_label(double number, const std::string& unit) {
  return fmt::format("{}{}{}", number_label(number), unit.empty() ? "" : " ", unit);
}

std::string tiles(const Findings& findings) {
  const Catalogue& c = findings.catalogue;
  std::int64_t members = 0;
  for (const std::int64_t size : c.size) members += size;
  std::string text = tile(grouped(findings.about.points), "points");
  text += tile(grouped(c.count()), fmt::format("groups of {} or more", findings.about.min_size));
  if (findings.about.points > 0)
    text += tile(fmt::format("{:.1f} %", 100.0 * static_cast<double>(members) /
                                             static_cast<double>(findings.about.points)),
                 "of the points are in groups");
  if (c.count() > 0)
    text += tile(grouped(static_cast<std::uint64_t>(c.size[0])), "members of the largest");
  if (findings.seconds > 0)
    text += tile(fmt::format("{:.3g} s", findings.seconds),
                 fmt::format("on {}", counted(static_cast<std::uint64_t>(findings.threads),
                                              "thread", "threads")));
  return fmt::format("<div class=\"tiles\">\n{}</div>\n", text);
}

std::string fact(const std::string& name, const std::string& html) {
  return fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", html_text(name), html);
}

std::string facts(const Findings& findings) {
  const ResultAbout& about = findings.about;
  std::string rows;
  rows += fact("command", fmt::format("<code>{}</code>", html_text(findings.command)));
  rows +=
      fact("program",
           html_text(fmt::format("kith {}", about.version.empty() ? KITH_VERSION : about.version)));
  for (const auto& [name, value] : findings.facts) rows += fact(name, html_text(value));
  const std::string unit = unit_label(about.units, {.length = 1});
  std::string length = html_label(with_unit_label(about.linking_length, unit));
  if (about.b > 0)
    length += html_label(fmt::format(", b = {:.4g} of the mean separation", about.b));
  rows += fact("linking length", length + (about.strict ? ", strict" : ""));
  rows += fact("smallest group", counted(about.min_size, "point", "points"));
  return fmt::format(
      "<section>\n<h2>What was run</h2>\n<table class=\"facts\"><tbody>\n{}</tbody></table>\n"
      "</section>\n",
      rows);
}

struct Column {
  std::string head;  ///< a label
  std::string unit;  ///< another
  std::vector<double> values;
};

/// The columns of the table that the catalogue has.
std::vector<Column> columns(const Findings& findings, std::size_t rows) {
  const Catalogue& c = findings.catalogue;
  const Units& units = findings.about.units;
  const std::string length = unit_label(units, {.length = 1});
  const auto dimension = static_cast<std::size_t>(c.dimension);
  std::vector<Column> result;
  const auto add = [&](std::string head, std::string unit, const std::vector<double>& from,
                       std::size_t width, std::size_t at) {
    if (from.size() < rows * width || from.empty()) return;
    Column column{std::move(head), std::move(unit), {}};
    for (std::size_t i = 0; i < rows; ++i) column.values.push_back(from[i * width + at]);
    result.push_back(std::move(column));
  };
  add("mass", unit_label(units, {.mass = 1}), c.mass, 1, 0);
  for (std::size_t axis = 0; axis < std::min<std::size_t>(dimension, 3); ++axis)
    add(std::string(1, "xyz"[axis]), length, c.center, dimension, axis);
  add("radius", length, c.radius, 1, 0);
  add("dispersion", unit_label(units, {.velocity = 1}), c.velocity_dispersion, 1, 0);
  if (c.shape.size() >= rows * dimension && dimension == 3) {
    Column column{"c / a", "", {}};
    for (std::size_t i = 0; i < rows; ++i)
      column.values.push_back(std::sqrt(std::max(0.0, c.shape[3 * i + 2]) / c.shape[3 * i]));
    result.push_back(std::move(column));
  }
  return result;
}

std::string groups_table(const Findings& findings, const ReportOptions& options) {
  const Catalogue& c = findings.catalogue;
  const std::size_t rows = std::min(options.rows, c.count());
  if (rows == 0) return "";
  const std::vector<Column> list = columns(findings, rows);
  std::string head = "<th scope=\"col\">group</th><th scope=\"col\">members</th>";
  for (const Column& column : list)
    head += fmt::format("<th scope=\"col\">{}{}</th>", html_label(column.head),
                        column.unit.empty() ? "" : fmt::format("<br/>{}", html_label(column.unit)));
  std::string body;
  for (std::size_t i = 0; i < rows; ++i) {
    body += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td>", i,
                        grouped(static_cast<std::uint64_t>(c.size[i])));
    for (const Column& column : list)
      body += fmt::format("<td>{}</td>", html_label(number_label(column.values[i])));
    body += "</tr>\n";
  }
  std::string note = "Mass, center of mass, and distance of the farthest member from it.";
  if (!c.velocity_dispersion.empty())
    note += " Dispersion: rms velocity of the members about their mean, over all axes.";
  if (c.dimension == 3)
    note += " c / a: the shortest over the longest axis of the tensor of inertia.";
  return fmt::format(
      "<section>\n<h2>The {} largest of {} groups</h2>\n<div class=\"wide\"><table>\n"
      "<thead><tr>{}</tr></thead>\n<tbody>\n{}</tbody></table></div>\n<p class=\"soft\">{}</p>\n"
      "</section>\n",
      rows, grouped(c.count()), head, body, note);
}

std::string exhibit(const Exhibit& e) {
  const std::string caption =
      e.caption.empty() ? "" : fmt::format("<figcaption>{}</figcaption>\n", html_label(e.caption));
  return fmt::format("<section>\n<h2>{}</h2>\n<figure>\n{}{}</figure>\n</section>\n",
                     html_text(e.heading), e.drawing.svg(), caption);
}

/// Stages of one name together, in the order of their first.
std::string times(const Findings& findings) {
  std::vector<Statistics::Stage> stages;
  for (const auto& stage : findings.statistics.stages) {
    const auto same = std::find_if(stages.begin(), stages.end(),
                                   [&](const auto& s) { return s.name == stage.name; });
    if (same == stages.end())
      stages.push_back(stage);
    else
      same->seconds += stage.seconds;
  }
  if (stages.empty()) return "";
  double longest = 1e-9;
  for (const auto& stage : stages) longest = std::max(longest, stage.seconds);
  std::string rows;
  for (const auto& stage : stages)
    rows += fmt::format(
        "<tr><th scope=\"row\">{}</th><td>{:.3f} s</td><td><div class=\"bar\" "
        "style=\"width:{:.1f}%\"></div></td></tr>\n",
        html_text(stage.name), stage.seconds, 100 * stage.seconds / longest);
  return fmt::format(
      "<section>\n<h2>Where the time went</h2>\n<table "
      "class=\"times\"><tbody>\n{}</tbody></table>\n"
      "</section>\n",
      rows);
}

}  // namespace

std::string report_page(const Findings& findings, const ReportOptions& options,
                        const std::vector<Exhibit>& exhibits) {
  const std::string name = std::filesystem::path(findings.about.snapshot).filename().string();
  const std::string title = html_text(!options.title.empty() ? options.title
                                      : name.empty()         ? "Groups"
                                                             : fmt::format("Groups of {}", name));
  std::string body = fmt::format(
      "<h1>{}</h1>\n<p class=\"soft\">friends-of-friends groups, found "
      "by kith {}</p>\n",
      title, html_text(KITH_VERSION));
  body += tiles(findings);
  for (const Exhibit& e : exhibits) body += exhibit(e);
  body += groups_table(findings, options);
  body += facts(findings);
  body += times(findings);
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>\n"
      "<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n<main>\n{}</main>\n</body>\n</"
      "html>\n",
      title, kStyle, body);
}

}  // namespace kith::cli

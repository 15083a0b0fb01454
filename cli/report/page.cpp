// A report as one HTML page that needs no other file. Without scripts it is static: all pictures
// are there, and the table has its first rows.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <functional>

#include <kith/version.hpp>

#include "html.hpp"
#include "interrupt.hpp"
#include "output.hpp"
#include "report/report.hpp"

namespace kith::cli {
namespace {

std::string tile(const std::string& label, const std::string& meaning) {
  return fmt::format("<div class=\"tile\"><b>{}</b><span>{}</span></div>\n", html_label(label),
                     html_text(meaning));
}

/// The part of the mass that is in groups, where every particle's is known; else of the points.
std::string grouped_part(const Findings& findings) {
  const Catalogue& c = findings.catalogue;
  double part = 0, all = 0;
  if (findings.has_mass && findings.points.data) {
    for (const double m : c.mass) part += m;
    for (std::size_t i = 0; i < findings.points.size; ++i) all += mass_of(findings.mass, i);
  } else {
    for (const std::int64_t size : c.size) part += static_cast<double>(size);
    all = static_cast<double>(findings.about.points);
  }
  const bool is_mass = findings.has_mass && findings.points.data;
  return all > 0 ? tile(fmt::format("{:.1f}%", 100 * part / all),
                        is_mass ? "of the mass in groups" : "of points in groups")
                 : "";
}

std::string tiles(const Findings& findings) {
  const Catalogue& c = findings.catalogue;
  std::string text =
      tile(grouped(c.count()), fmt::format("groups of {} or more", findings.about.min_size));
  if (c.count() > 0 && findings.has_mass)
    text += tile(number_label(c.mass[0], unit_label(findings.about.units, {.mass = 1})),
                 "mass of the largest group");
  if (c.count() > 0)
    text += tile(grouped(static_cast<std::uint64_t>(c.size[0])), "members of the largest group");
  text += grouped_part(findings);
  text += tile(grouped(findings.about.points), "points");
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
  std::string length = html_label(number_label(about.linking_length, unit));
  if (about.b > 0)
    length += html_label(fmt::format(", b = {:.4g} of the mean separation", about.b));
  rows += fact("linking length", length + (about.strict ? ", strict" : ""));
  rows += fact("smallest group", counted(about.min_size, "point", "points"));
  return fmt::format(
      "<section>\n<h2>Input and options</h2>\n<table class=\"facts\"><tbody>\n{}</tbody></table>\n"
      "</section>\n",
      rows);
}

/// A drawing with a name for people who do not see it.
std::string figure_of(const Exhibit& e) {
  std::string svg = e.drawing.svg();
  const std::string role = "role=\"img\"";
  const std::string label = e.map ? fmt::format("{}: {}", e.heading, e.map->name) : e.heading;
  if (const auto at = svg.find(role); at != std::string::npos)
    svg.insert(at + role.size(), fmt::format(" aria-label=\"{}\"", html_text(label)));
  const std::string caption =
      e.caption.empty() ? "" : fmt::format("<figcaption>{}</figcaption>\n", html_label(e.caption));
  return fmt::format("<figure data-figure=\"{}\">\n{}{}</figure>\n", html_text(e.name), svg,
                     caption);
}

/// All pictures below each other; a script makes one map of them.
std::string maps(const std::vector<Exhibit>& list) {
  if (list.empty()) return "";
  std::string figures;
  for (const Exhibit& e : list) {
    stop_if_interrupted();
    figures += figure_of(e);
  }
  return fmt::format(
      "<section id=\"map\">\n<h2>{}</h2>\n<div class=\"static\">\n{}</div>\n</section>\n",
      html_text(list.front().heading), figures);
}

std::string close_up(const CloseUp& c) {
  std::string facts;
  for (const auto& [name, value] : c.facts)
    facts +=
        fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", html_label(name), html_label(value));
  stop_if_interrupted();
  return fmt::format(
      "<article data-group=\"{}\">\n<h3>Group {}</h3>\n<dl>\n{}</dl>\n{}{}{}</article>\n", c.group,
      c.group, facts, figure_of(c.picture), c.subhalos ? figure_of(*c.subhalos) : "",
      c.profile ? figure_of(*c.profile) : "");
}

/// Explains the profiles, and why inner points do not count.
std::string profile_note(const ReportOptions& options) {
  std::string note =
      " Inside R_{200} the mean density is 200 times the critical density (c) or the mean density "
      "(m); the sphere is centered on the most bound member. Bars are Poisson errors. The NFW "
      "profile has the mass of the sphere and the most likely concentration. Gray points are left "
      "out of the fit: so near to the center, encounters between particles have changed the "
      "profile (Power et al. 2003)";
  if (options.softening > 0)
    return note +
           fmt::format(", or forces are softened (within 2.8 \u00d7 {:.4g}).", options.softening);
  return note +
         ". Snapshots do not state how their forces are softened. Where the points fall below the "
         "curve, give --softening: then the fit leaves out shells within 2.8 of it, and the "
         "concentration rises.";
}

std::string close_ups(const std::vector<CloseUp>& list, const ReportOptions& options) {
  if (list.empty()) return "";
  std::string articles;
  bool has_profile = false;
  for (const CloseUp& c : list) {
    articles += close_up(c);
    has_profile |= c.profile.has_value();
  }
  std::string note = "Coordinates are relative to the center of mass.";
  if (has_profile) note += profile_note(options);
  return fmt::format(
      "<section id=\"largest\">\n<h2>The largest groups</h2>\n<div class=\"closeups\">\n{}</div>\n"
      "<p class=\"soft\" id=\"fits\">{}</p>\n</section>\n",
      articles, html_label(note));
}

std::string curves(const std::vector<Exhibit>& list) {
  std::string text;
  for (const Exhibit& e : list)
    text +=
        fmt::format("<section>\n<h2>{}</h2>\n{}</section>\n", html_text(e.heading), figure_of(e));
  return list.empty() ? "" : fmt::format("<div class=\"pair\">\n{}</div>\n", text);
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
  const std::string total =
      fmt::format("{:.3g} s on {}", findings.seconds,
                  counted(static_cast<std::uint64_t>(findings.threads), "thread", "threads"));
  double longest = 1e-9;
  for (const auto& stage : stages) longest = std::max(longest, stage.seconds);
  std::string rows;
  for (const auto& stage : stages)
    rows += fmt::format(
        "<tr><th scope=\"row\">{}</th><td>{:.3f} s</td><td><div class=\"bar\" "
        "style=\"width:{:.1f}%\"></div></td></tr>\n",
        html_text(stage.name), stage.seconds, 100 * stage.seconds / longest);
  return fmt::format(
      "<section>\n<h2>Run time</h2>\n<p class=\"soft\">{}</p>\n<table "
      "class=\"times\"><tbody>\n{}</tbody></table>\n"
      "</section>\n",
      total, rows);
}

}  // namespace

std::vector<const Exhibit*> ReportParts::all() const {
  std::vector<const Exhibit*> list;
  for (const Exhibit& e : maps) list.push_back(&e);
  for (const Exhibit& e : curves) list.push_back(&e);
  for (const CloseUp& c : close_ups) {
    list.push_back(&c.picture);
    for (const auto& each : {std::cref(c.subhalos), std::cref(c.profile)})
      if (each.get()) list.push_back(&*each.get());
  }
  if (ratios) list.push_back(&*ratios);
  return list;
}

std::string report_page(const Findings& findings, const ReportOptions& options,
                        const ReportParts& parts) {
  const std::string name = std::filesystem::path(findings.about.snapshot).filename().string();
  const std::string title = html_text(!options.title.empty() ? options.title
                                      : name.empty()         ? "Groups"
                                                             : fmt::format("Groups in {}", name));
  std::string body =
      fmt::format("<h1>{}</h1>\n<p class=\"soft\">Friends-of-friends groups found by kith {}</p>\n",
                  title, html_text(KITH_VERSION));
  body += tiles(findings);
  body += curves(parts.curves);
  body += maps(parts.maps);
  body += report_table(findings, options);
  if (parts.comparison)
    body += comparison_section(findings, *parts.comparison,
                               parts.ratios ? figure_of(*parts.ratios) : "");
  body += close_ups(parts.close_ups, options);
  body += facts(findings);
  body += times(findings);
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>\n"
      "<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n<main>\n{}</main>\n"
      "<script type=\"application/json\" id=\"data\">{}</script>\n"
      "<script>\n//<![CDATA[\n{}//]]>\n</script>\n</body>\n</html>\n",
      title, kReportStyle, body, report_data(findings, parts), kReportScript);
}

}  // namespace kith::cli

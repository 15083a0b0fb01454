// Two catalogues side by side: which groups are the same, which were lost and which were found.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <numeric>
#include <unordered_map>

#include <kith/error.hpp>
#include <kith/neighbors.hpp>

#include "html.hpp"
#include "opening.hpp"
#include "output.hpp"
#include "report/report.hpp"

namespace kith::cli {
namespace {

constexpr std::size_t kListed = 10;  // groups without a match
constexpr double kMassFactor = 2;    // between matches by position
constexpr std::size_t kNearest = 8;  // candidates by position
constexpr std::size_t kShownRatios = 4000;

std::string file_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

/// How many members each pair of groups shares: (first << 32 | other) to count.
using Common = std::unordered_map<std::uint64_t, std::int64_t>;

std::uint64_t pair_of(std::int32_t first, std::int32_t other) {
  return static_cast<std::uint64_t>(first) << 32 | static_cast<std::uint32_t>(other);
}

Common common_ids(const MemberNames& a, const MemberNames& b) {
  std::unordered_map<std::int64_t, std::int32_t> group_of;
  group_of.reserve(b.id.size());
  for (std::size_t i = 0; i < b.id.size(); ++i) group_of.emplace(b.id[i], b.id_group[i]);
  Common common;
  for (std::size_t i = 0; i < a.id.size(); ++i)
    if (const auto at = group_of.find(a.id[i]); at != group_of.end())
      ++common[pair_of(a.id_group[i], at->second)];
  return common;
}

/// Of two catalogues of one snapshot.
Common common_points(const MemberNames& a, const MemberNames& b) {
  Common common;
  for (std::size_t i = 0; i < std::min(a.label.size(), b.label.size()); ++i)
    if (a.label[i] >= 0 && b.label[i] >= 0) ++common[pair_of(a.label[i], b.label[i])];
  return common;
}

bool is_same_snapshot(const ResultAbout& a, const ResultAbout& b) {
  return a.points == b.points && a.types == b.types && !a.snapshot.empty() &&
         file_name(a.snapshot) == file_name(b.snapshot);
}

/// For each group, the group of the other catalogue with which it shares most for its size.
struct Best {
  std::vector<std::int64_t> group;
  std::vector<double> merit, shared;

  explicit Best(std::size_t count) : group(count, -1), merit(count, 0), shared(count, 0) {}
  void offer(std::size_t at, std::size_t candidate, double value, double members) {
    const auto other = static_cast<std::int64_t>(candidate);
    if (value < merit[at] || (value == merit[at] && group[at] >= 0 && group[at] <= other)) return;
    group[at] = other;
    merit[at] = value;
    shared[at] = members;
  }
};

/// Matches groups that are each other's best.
void take_mutual(const Best& first, const Best& other, Comparison& comparison) {
  comparison.match.assign(first.group.size(), -1);
  for (std::size_t g = 0; g < first.group.size(); ++g) {
    const std::int64_t best = first.group[g];
    if (best >= 0 && other.group[static_cast<std::size_t>(best)] == static_cast<std::int64_t>(g))
      comparison.match[g] = best;
  }
}

void match_particles(const Catalogue& a, const Common& common, Comparison& comparison) {
  const Catalogue& b = comparison.catalogue;
  Best first(a.count()), other(b.count());
  for (const auto& [pair, count] : common) {
    const auto g = static_cast<std::size_t>(pair >> 32);
    const auto h = static_cast<std::size_t>(pair & 0xffffffffU);
    const auto n = static_cast<double>(count);
    const double merit = n * n / (static_cast<double>(a.size[g]) * static_cast<double>(b.size[h]));
    first.offer(g, h, merit, n / static_cast<double>(a.size[g]));
    other.offer(h, g, merit, n / static_cast<double>(b.size[h]));
  }
  take_mutual(first, other, comparison);
  comparison.shared = first.shared;
}

/// The nearest groups within a radius whose mass differs by less than a factor.
void offer_nearest(const Catalogue& from, const Catalogue& to, const Box& box, Best& best,
                   const Execution& execution) {
  if (from.count() == 0 || to.count() == 0) return;
  const AnyTree tree(view(to.center.data(), to.count(), to.dimension), {.box = box}, execution);
  const std::size_t k = std::min(kNearest, to.count());
  const auto near = knn<double, std::int64_t>(
      tree, view(from.center.data(), from.count(), from.dimension), {.k = k}, execution);
  for (std::size_t g = 0; g < from.count(); ++g)
    for (std::size_t i = 0; i < k; ++i) {
      const auto h = static_cast<std::size_t>(near.index(g)[i]);
      const double ratio = from.mass[g] / to.mass[h], distance = near.distance(g)[i];
      const double reach = std::max(from.radius[g], to.radius[h]);
      if (distance <= reach && ratio < kMassFactor && ratio > 1 / kMassFactor)
        best.offer(g, h, 1 / (1 + distance / reach + std::abs(std::log(ratio))), 0);
    }
}

void match_places(const Catalogue& a, const Box& box, Comparison& comparison,
                  const Execution& execution) {
  Best first(a.count()), other(comparison.catalogue.count());
  offer_nearest(a, comparison.catalogue, box, first, execution);
  offer_nearest(comparison.catalogue, a, box, other, execution);
  take_mutual(first, other, comparison);
  comparison.method =
      "by position and mass: centers closer than the radius of the larger group, masses within a "
      "factor of two (the files do not name the same particles)";
}

void check_comparable(const Findings& findings, const ResultFile& other, const std::string& path) {
  const ResultAbout& a = findings.about;
  const ResultAbout& b = other.about();
  if (b.kind != ResultKind::fof && b.kind != ResultKind::subhalos)
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{}: contains {}; compare with a catalogue that kith fof wrote", path,
                            name(b.kind)));
  if (a.dimension != b.dimension)
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("{}: is in {} dimensions, the other catalogue in {}; compare catalogues "
                    "of one simulation",
                    path, b.dimension, a.dimension));
}

std::string group_list(const Catalogue& c, const std::vector<std::int64_t>& groups,
                       const Units& units, bool has_links) {
  if (groups.empty()) return "<p class=\"soft\">none</p>\n";
  std::string rows;
  for (std::size_t i = 0; i < std::min(kListed, groups.size()); ++i) {
    const auto g = static_cast<std::size_t>(groups[i]);
    const std::string label = has_links ? fmt::format("<a href=\"#group={0}\">{0}</a>", groups[i])
                                        : std::to_string(groups[i]);
    rows += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td></tr>\n", label,
                        grouped(static_cast<std::uint64_t>(c.size[g])),
                        html_label(number_label(c.mass[g])));
  }
  const std::string unit = unit_label(units, {.mass = 1});
  return fmt::format(
      "<table class=\"short\"><thead><tr><th scope=\"col\">group</th><th scope=\"col\">members</th>"
      "<th scope=\"col\">mass{}</th></tr></thead><tbody>\n{}</tbody></table>\n",
      unit.empty() ? "" : ", " + html_label(unit), rows);
}

std::vector<double> mass_ratios(const Findings& findings, const Comparison& c) {
  std::vector<double> ratios;
  for (std::size_t g = 0; g < c.match.size(); ++g)
    if (c.match[g] >= 0)
      ratios.push_back(c.catalogue.mass[static_cast<std::size_t>(c.match[g])] /
                       findings.catalogue.mass[g]);
  std::sort(ratios.begin(), ratios.end());
  return ratios;
}

}  // namespace

MemberNames member_names(const ResultFile& file) {
  MemberNames names{.label = file.label()};
  const std::vector<std::int64_t> size = file.catalogue().size;
  const auto members =
      static_cast<std::size_t>(std::accumulate(size.begin(), size.end(), std::int64_t{0}));
  if (file.has("IDs/ID") && file.rows("IDs/ID") == members) {
    names.id = file.integers("IDs/ID");
    names.id_group.reserve(members);
    for (std::size_t g = 0; g < size.size(); ++g)
      names.id_group.insert(names.id_group.end(), static_cast<std::size_t>(size[g]),
                            static_cast<std::int32_t>(g));
  } else if (file.has("id") && file.rows("id") == names.label.size()) {
    const std::vector<std::int64_t> all = file.integers("id");
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (names.label[i] < 0) continue;
      names.id.push_back(all[i]);
      names.id_group.push_back(names.label[i]);
    }
  }
  return names;
}

MemberNames member_names(const Members& members, std::span<const std::uint64_t> id,
                         std::size_t points) {
  MemberNames names{.label = std::vector<std::int32_t>(points, -1)};
  for (std::size_t g = 0; g < members.count(); ++g)
    for (const std::uint32_t i : members.of(g)) {
      names.label[i] = static_cast<std::int32_t>(g);
      if (id.empty()) continue;
      names.id.push_back(static_cast<std::int64_t>(id[i]));
      names.id_group.push_back(static_cast<std::int32_t>(g));
    }
  return names;
}

Comparison compare_catalogues(const Findings& findings, const MemberNames& first,
                              const std::string& other, const Execution& execution) {
  const ResultFile file = open_result(other);
  check_comparable(findings, file, other);
  Comparison comparison{.name = file_name(other), .catalogue = file.catalogue()};
  const MemberNames names = member_names(file);
  if (!first.id.empty() && !names.id.empty()) {
    comparison.method = "by the ids of the particles that they share";
    match_particles(findings.catalogue, common_ids(first, names), comparison);
  } else if (!first.label.empty() && first.label.size() == names.label.size() &&
             is_same_snapshot(findings.about, file.about())) {
    comparison.method = "by the particles that they share, which come from one snapshot";
    match_particles(findings.catalogue, common_points(first, names), comparison);
  } else {
    match_places(findings.catalogue, findings.about.box, comparison, execution);
  }
  std::vector<bool> is_matched(comparison.catalogue.count(), false);
  for (const std::int64_t h : comparison.match)
    if (h >= 0) is_matched[static_cast<std::size_t>(h)] = true;
  for (std::size_t h = 0; h < is_matched.size(); ++h)
    if (!is_matched[h]) comparison.found.push_back(static_cast<std::int64_t>(h));
  return comparison;
}

std::optional<Exhibit> ratio_exhibit(const Findings& findings, const Comparison& comparison) {
  Series points{.style = SeriesStyle::points, .mark = 1.6}, one{.style = SeriesStyle::dashed};
  for (std::size_t g = 0; g < comparison.match.size() && points.x.size() < kShownRatios; ++g) {
    if (comparison.match[g] < 0) continue;
    const double mass = findings.catalogue.mass[g];
    const double other = comparison.catalogue.mass[static_cast<std::size_t>(comparison.match[g])];
    if (!(mass > 0) || !(other > 0)) continue;
    points.x.push_back(mass);
    points.y.push_back(other / mass);
  }
  if (points.x.size() < 2) return {};
  const auto [low, high] = std::minmax_element(points.x.begin(), points.x.end());
  const auto [least, most] = std::minmax_element(points.y.begin(), points.y.end());
  const std::string unit = unit_label(findings.about.units, {.mass = 1});
  Plot curves{
      .title = "Masses of matched groups",
      .x = {unit.empty() ? "mass" : fmt::format("M ({})", unit), true, *low / 1.3, *high * 1.3},
      .y = {"mass ratio, other / this", true, std::min(0.8, *least / 1.1),
            std::max(1.25, *most * 1.1)},
      .width = 620,
      .height = 350};
  one.x = {curves.x.low, curves.x.high};
  one.y = {1, 1};
  curves.series = {std::move(points), std::move(one)};
  return Exhibit{"mass_ratios", "Masses of matched groups", "", plot(curves), {}, curves};
}

std::string comparison_section(const Findings& findings, const Comparison& comparison,
                               const std::string& figure) {
  std::vector<std::int64_t> lost;
  for (std::size_t g = 0; g < comparison.match.size(); ++g)
    if (comparison.match[g] < 0) lost.push_back(static_cast<std::int64_t>(g));
  const std::vector<double> ratios = mass_ratios(findings, comparison);
  const auto at = [&](double part) {
    return ratios[static_cast<std::size_t>(part * static_cast<double>(ratios.size() - 1))];
  };
  std::string summary =
      fmt::format("{} of {} groups here match one of the {} in {}, {}.", grouped(ratios.size()),
                  grouped(comparison.match.size()), grouped(comparison.catalogue.count()),
                  comparison.name, comparison.method);
  if (!ratios.empty())
    summary += fmt::format(
        " The median mass ratio is {:.4g}; two thirds of the ratios are between {:.4g} and {:.4g}.",
        at(0.5), at(1.0 / 6), at(5.0 / 6));
  return fmt::format(
      "<section id=\"comparison\">\n<h2>Compared with {}</h2>\n<p>{}</p>\n{}<div "
      "class=\"pair\">\n<div><h3>Lost: {} only here</h3>\n{}</div>\n<div><h3>Found: {} only "
      "there</h3>\n{}</div>\n</div>\n</section>\n",
      html_text(comparison.name), html_text(summary), figure, grouped(lost.size()),
      group_list(findings.catalogue, lost, findings.about.units, true),
      grouped(comparison.found.size()),
      group_list(comparison.catalogue, comparison.found, findings.about.units, false));
}

}  // namespace kith::cli

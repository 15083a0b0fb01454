// The first groups as a table and in JSON.
#include <algorithm>
#include <fmt/format.h>
#include <numeric>

#include "column_table.hpp"
#include "groups/groups.hpp"

namespace kith::cli {
namespace {

/// One of the numbers of each of the first rows.
std::vector<double> numbers_of(const std::vector<double>& values, std::size_t rows,
                               std::size_t width = 1, std::size_t place = 0) {
  std::vector<double> numbers;
  for (std::size_t row = 0; row < rows; ++row) numbers.push_back(values[row * width + place]);
  return numbers;
}

/// Groups are numbered by these.
std::int64_t linked_size(const GroupTask& task, const Catalogue& all, std::size_t group) {
  if (all.types == 0) return all.size[group];
  std::int64_t size = 0;
  for (const int type : task.roles.linked)
    size +=
        all.type_size[group * static_cast<std::size_t>(all.types) + static_cast<std::size_t>(type)];
  return size;
}

std::size_t row_count(const GroupTask& task, const Found& found) {
  return std::min<std::size_t>(task.request.rows, found.count);
}

}  // namespace

std::string group_table(const GroupTask& task, const Found& found, const Measured& measured) {
  const GroupRows& all = measured.first;
  const std::size_t rows = row_count(task, found), edges = measured.edges.size();
  const auto dimension = static_cast<std::size_t>(task.input.dimension());
  const std::string length = unit_note(task.units(), {.length = 1});
  const std::string mass = unit_note(task.units(), {.mass = 1});
  std::vector<std::int64_t> group(rows), linked(rows);
  std::iota(group.begin(), group.end(), 0);
  const auto first = [&](const std::vector<std::int64_t>& counts) {
    return std::vector(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(rows));
  };
  ColumnTable table;
  table.add_counts("group", group);
  if (!task.roles.attached.empty()) {
    std::transform(group.begin(), group.end(), linked.begin(), [&](std::int64_t g) {
      return linked_size(task, all.catalogue, static_cast<std::size_t>(g));
    });
    table.add_counts("linked", linked);
  }
  table.add_counts("size", first(all.catalogue.size));
  if (!task.roles.contaminating.empty())
    table.add_counts("contaminating", first(all.catalogue.contaminating_size));
  table.add("mass" + mass, numbers_of(all.catalogue.mass, rows));
  for (std::size_t axis = 0; axis < std::min<std::size_t>(dimension, 3); ++axis)
    table.add_places(std::string(1, "xyz"[axis]) + (axis == 0 ? length : ""),
                     numbers_of(all.catalogue.center, rows, dimension, axis),
                     task.input.box().side(static_cast<int>(axis)));
  table.add("radius" + length, numbers_of(all.catalogue.radius, rows));
  if (!all.catalogue.velocity_dispersion.empty())
    table.add("dispersion" + unit_note(task.units(), {.velocity = 1}),
              numbers_of(all.catalogue.velocity_dispersion, rows));
  if (edges == 0) return table.text();
  std::vector<bool> is_marked(rows);
  for (std::size_t g = 0; g < rows; ++g)
    is_marked[g] = all.overdensities.size[g * edges] < kResolvedSize;
  table.add("M200c" + mass, numbers_of(all.overdensities.mass, rows, edges));
  table.mark_last(is_marked);
  const bool is_any = std::find(is_marked.begin(), is_marked.end(), true) != is_marked.end();
  return table.text() +
         (is_any ? fmt::format("  ? unresolved: fewer than {} points within R200c\n", kResolvedSize)
                 : "");
}

void report_groups(const GroupTask& task, const Found& found, const Measured& measured,
                   Report& report) {
  const auto dimension = static_cast<std::size_t>(task.input.dimension());
  const GroupRows& all = measured.first;
  const std::size_t edges = measured.edges.size();
  std::vector<Report> largest;
  for (std::size_t g = 0; g < row_count(task, found); ++g) {
    Report& facts = largest.emplace_back();
    facts.add_count("group", g);
    facts.add_count("linked_size", static_cast<std::uint64_t>(linked_size(task, all.catalogue, g)));
    facts.add_count("size", static_cast<std::uint64_t>(all.catalogue.size[g]));
    if (!task.roles.contaminating.empty()) {
      facts.add_count("contaminating_size",
                      static_cast<std::uint64_t>(all.catalogue.contaminating_size[g]));
      facts.add("contaminating_mass", all.catalogue.contaminating_mass[g]);
    }
    facts.add("mass", all.catalogue.mass[g]);
    facts.add("center", std::span(&all.catalogue.center[g * dimension], dimension));
    if (!all.peak.empty()) facts.add("peak", std::span(&all.peak[g * dimension], dimension));
    if (!all.catalogue.velocity.empty())
      facts.add("velocity", std::span(&all.catalogue.velocity[g * dimension], dimension));
    facts.add("radius", all.catalogue.radius[g]);
    if (!all.catalogue.velocity_dispersion.empty())
      facts.add("velocity_dispersion", all.catalogue.velocity_dispersion[g]);
    if (!edges == 0) {
      facts.add("critical200_mass", all.overdensities.mass[g * edges]);
      facts.add("critical200_radius", all.overdensities.radius[g * edges]);
      facts.add_flag("is_resolved", all.overdensities.size[g * edges] >= kResolvedSize);
    }
  }
  report.add("largest", largest);
}

}  // namespace kith::cli

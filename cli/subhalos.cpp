// `kith subhalos SNAPSHOT`: groups, and the groups in phase space inside each of them.
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <numeric>
#include <optional>

#include "column_table.hpp"
#include "groups.hpp"
#include "shared_input.hpp"

namespace kith::cli {
namespace {

constexpr const char* kExamples = R"(Examples:
  kith subhalos snapshot.hdf5 -b 0.2 --phase-linking-length 0.1 -o halos.hdf5
  kith subhalos snapshot.hdf5 -b 0.2 --phase-linking-length 0.2 --position-scale 0.1 \
      --velocity-scale 200 -o subhalos.csv

Inside each group, particles are friends if (dx / position scale)^2 + (dv / velocity scale)^2 is at most
the square of the linking length in phase space; scales of 0 are the group's own extent in position
and velocity. The file contains the groups and the subhalos; .csv files contain only the subhalos.)";

struct Request : GroupRequest {
  SubhaloOptions subhalos;
};

std::string table_of(const Subhalos& found, const GroupRun& groups, std::size_t rows) {
  const Units& units = groups.units();
  const std::string length = unit_note(units, {.length = 1});
  const Catalogue& catalogue = found.catalogue;
  const auto shown = static_cast<std::ptrdiff_t>(std::min(rows, catalogue.count()));
  const auto first = [&](const auto& values) {
    return std::vector(values.begin(), values.begin() + shown);
  };
  std::vector<std::int64_t> subhalo(static_cast<std::size_t>(shown));
  std::iota(subhalo.begin(), subhalo.end(), 0);
  ColumnTable table;
  table.add_counts("subhalo", subhalo);
  table.add_counts("group", {found.parent.begin(), found.parent.begin() + shown});
  table.add_counts("size", first(catalogue.size));
  table.add("mass" + unit_note(units, {.mass = 1}), first(catalogue.mass));
  table.add("radius" + length, first(catalogue.radius));
  table.add("dispersion" + unit_note(units, {.velocity = 1}), first(catalogue.velocity_dispersion));
  return table.text();
}

/// `found`: the first so many of all.
void report_subhalos(Report& report, const Subhalos& found, std::uint64_t all, std::size_t rows) {
  std::vector<Report> list;
  const auto dimension = static_cast<std::size_t>(found.catalogue.dimension);
  for (std::size_t s = 0; s < std::min(rows, found.catalogue.count()); ++s) {
    Report& facts = list.emplace_back();
    facts.add_count("subhalo", s);
    facts.add_count("group", static_cast<std::uint64_t>(found.parent[s]));
    facts.add_count("size", static_cast<std::uint64_t>(found.catalogue.size[s]));
    facts.add("mass", found.catalogue.mass[s]);
    facts.add("center", std::span(&found.catalogue.center[s * dimension], dimension));
  }
  report.add_count("subhalos", all);
  report.add("first_subhalos", list);
}

void check_path(const Request& request) {
  if (request.output.empty()) return;
  ResultWriteOptions write = request.write;
  if (request.style == "swift") write.style = ResultStyle::swift;
  check_result_path(request.output, write, ResultKind::subhalos);
}

void tell(const Request& request, const Subhalos& found, std::uint64_t all, GroupRun& groups,
          Session& session) {
  session.say(fmt::format("{} of at least {}", counted(all, "subhalo", "subhalos"),
                          request.subhalos.min_size));
  if (found.catalogue.count() > 0 && request.rows > 0)
    session.say("\n" + table_of(found, groups, request.rows));
  groups.report();
  report_subhalos(session.report(), found, all, request.rows);
}

/// Of all ranks, on rank 0: what is told about the first ones.
Subhalos first_rows(const Subhalos& own, std::uint64_t count, const Execution& execution) {
  const Catalogue& from = own.catalogue;
  Subhalos first;
  Catalogue& to = first.catalogue;
  to.dimension = from.dimension;
  FirstRows rows(count);
  rows.add(own.parent, from.count(), first.parent);
  rows.add(from.size, from.count(), to.size);
  rows.add(from.mass, from.count(), to.mass);
  rows.add(from.radius, from.count(), to.radius);
  rows.add(from.velocity_dispersion, from.count(), to.velocity_dispersion);
  rows.add(from.center, from.count(), to.center);
  rows.take(execution);
  return first;
}

/// What was found, which is told before it is written.
void find(const Request& request, GroupRun& groups, Session& session) {
  SubhaloOptions options = request.subhalos;
  options.box = groups.input().box();
  options.velocity = groups.velocity();
  options.mass = groups.mass();
  if (!ranks()) {
    const Subhalos found =
        subhalos(groups.points(), groups.members(), options, session.execution());
    tell(request, found, found.catalogue.count(), groups, session);
    return groups.write(&found);
  }
  const SharedSubhalos found = ranks()->subhalos(
      groups.points(), options, groups.about(ResultKind::subhalos).counts, session.execution());
  const std::uint64_t all = sum_of_all(found.own.parent.size());
  const Subhalos first =
      first_rows(found.own, std::min<std::uint64_t>(all, request.rows), session.execution());
  together([&] {
    if (is_first_rank()) tell(request, first, all, groups, session);
  });
  groups.write_together(&found);
}

void run(Request& request) {
  if (!share_work()) return;
  Session session(request.common);
  std::optional<GroupRun> made;
  together([&] {
    check_path(request);
    made.emplace(request, session);
  });
  GroupRun& groups = *made;
  groups.set_subhalo_options(&request.subhalos);
  groups.find();
  groups.measure();
  find(request, groups, session);
  groups.draw();
  session.finish();
}

}  // namespace

void add_subhalos(Command program) {
  Command command =
      program.add_subcommand("subhalos", "finds groups and their subhalos in phase space");
  const auto request = std::make_shared<Request>();
  command.footer(kExamples);
  request->needs_velocity = true;
  request->subhalos.linking_length = 0.25;
  add_group_request(command, *request);
  command
      .add_option(
          "--phase-linking-length", request->subhalos.linking_length,
          "linking length in phase space, in units of the scales; 0.2 to 0.3 is a good start")
      .shows_default()
      .positive();
  command
      .add_option("--position-scale", request->subhalos.position_scale,
                  "scale of positions; 0: the extent of each group")
      .shows_default();
  command
      .add_option("--velocity-scale", request->subhalos.velocity_scale,
                  "scale of velocities; 0: that of each group")
      .shows_default();
  command.add_option("--subhalo-min-size", request->subhalos.min_size, "smallest size of a subhalo")
      .shows_default()
      .positive();
  command.callback([request] { run(*request); });
}

}  // namespace kith::cli

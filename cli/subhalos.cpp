// `kith subhalos SNAPSHOT`: groups, and the groups in phase space inside each of them.
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <numeric>
#include <optional>

#include "column_table.hpp"
#include "groups.hpp"
#include "ranks.hpp"

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

void report_subhalos(Report& report, const Subhalos& found, std::size_t rows) {
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
  report.add_count("subhalos", found.catalogue.count());
  report.add("first_subhalos", list);
}

void check_path(const Request& request) {
  if (request.output.empty()) return;
  ResultWriteOptions write = request.write;
  if (request.style == "swift") write.style = ResultStyle::swift;
  check_result_path(request.output, write, ResultKind::subhalos);
}

void tell(const Request& request, const Subhalos& found, GroupRun& groups, Session& session) {
  session.say(fmt::format("{} of at least {}",
                          counted(found.catalogue.count(), "subhalo", "subhalos"),
                          request.subhalos.min_size));
  if (found.catalogue.count() > 0 && request.rows > 0)
    session.say("\n" + table_of(found, groups, request.rows));
  groups.report();
  report_subhalos(session.report(), found, request.rows);
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
    tell(request, found, groups, session);
    return groups.write(&found);
  }
  const SharedSubhalos found = ranks()->subhalos(
      groups.points(), options, groups.about(ResultKind::subhalos).counts, session.execution());
  together([&] {
    if (is_first_rank()) tell(request, found.all, groups, session);
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
  add_group_request(command, *request);
  command
      .add_option("--phase-linking-length", request->subhalos.linking_length,
                  "linking length in phase space, in units of the scales")
      .required();
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

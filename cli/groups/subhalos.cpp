// `kith subhalos SNAPSHOT`: groups, and the bound subhalos, or groups in phase space, inside them.
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <numeric>
#include <optional>

#include "column_table.hpp"
#include "groups/groups.hpp"

namespace kith::cli {
namespace {

constexpr const char* kExamples = R"(Examples:
  kith subhalos snapshot.hdf5 -b 0.2 -o halos.hdf5
  kith subhalos snapshot.hdf5 -b 0.2 --softening 0.015 --labels -o halos.hdf5
  kith subhalos snapshot.hdf5 -b 0.2 --method phase -o halos.hdf5
  kith subhalos snapshot.hdf5 -b 0.2 --phase-linking-length 0.2 --position-scale 0.1 \
      --velocity-scale 200 -o subhalos.csv

subfind finds the dense regions of each group, phase its regions around seeds in phase space; both keep
the members that are bound by their gravity. With phase_fof, particles of a group are friends if
(dx / position scale)^2 + (dv / velocity scale)^2 is at most the square of the linking length in phase
space; scales of 0 are the group's own extent in position and velocity. The file contains the groups and
the subhalos; .csv files contain only the subhalos.)";

/// A linking length in phase space that most halos need, for --method phase_fof alone.
constexpr double kPhaseLength = 0.25;

struct Request : GroupRequest {
  std::string method;
  SubhaloOptions subhalos;
};

std::string table_of(const Subhalos& found, const Units& units, std::size_t rows) {
  const std::string length = unit_note(units, {.length = 1});
  const Catalogue& catalogue = found.catalogue;
  const auto count = static_cast<std::ptrdiff_t>(std::min(rows, catalogue.count()));
  const auto first = [&](const auto& values) {
    return std::vector(values.begin(), values.begin() + count);
  };
  std::vector<std::int64_t> subhalo(static_cast<std::size_t>(count));
  std::iota(subhalo.begin(), subhalo.end(), 0);
  ColumnTable table;
  table.add_counts("subhalo", subhalo);
  table.add_counts("group", {found.parent.begin(), found.parent.begin() + count});
  table.add_counts("size", first(catalogue.size));
  table.add("mass" + unit_note(units, {.mass = 1}), first(catalogue.mass));
  table.add("radius" + length, first(catalogue.radius));
  table.add("dispersion" + unit_note(units, {.velocity = 1}), first(catalogue.velocity_dispersion));
  if (!catalogue.max_circular_velocity.empty())
    table.add("vmax" + unit_note(units, {.velocity = 1}), first(catalogue.max_circular_velocity));
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
    if (!found.catalogue.max_circular_velocity.empty())
      facts.add("max_circular_velocity", found.catalogue.max_circular_velocity[s]);
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

/// On rank 0: what table and report show of the first ones of all ranks.
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
  rows.add(from.max_circular_velocity, from.count(), to.max_circular_velocity);
  rows.take(execution);
  return first;
}

/// An option of the other method is a mistake, not a wish.
void check_method(const Command& command, Request& request) {
  const bool is_phase = command.count("--phase-linking-length") > 0;
  if (request.method.empty()) request.method = is_phase ? "phase_fof" : "subfind";
  for (const SubhaloMethod each :
       {SubhaloMethod::subfind, SubhaloMethod::phase, SubhaloMethod::phase_fof})
    if (request.method == name(each)) request.subhalos.method = each;
  const auto refuse_others = [&](bool is_theirs, const char* method,
                                 std::initializer_list<const char*> options) {
    for (const char* each : options)
      if (!is_theirs && command.count(each) > 0)
        throw Error(ErrorCode::invalid_argument,
                    fmt::format("{} is for --method {}; leave it out", each, method));
  };
  refuse_others(request.subhalos.method == SubhaloMethod::phase_fof, "phase_fof",
                {"--phase-linking-length", "--position-scale", "--velocity-scale"});
  refuse_others(are_bound(request.subhalos), "subfind or phase", {"--softening"});
  refuse_others(request.subhalos.method == SubhaloMethod::subfind, "subfind",
                {"--density-neighbors", "--link-neighbors"});
}

/// Adds the facts about the universe that binding needs.
void complete(const GroupTask& task, const Found& found, SubhaloOptions& options) {
  if (!are_bound(options)) return;
  const Input& input = task.input;
  options.gravity = snapshot_gravity(input.info());
  if (!(options.gravity > 0) || !input.has(Field::mass))
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{}: --method {} needs {}; give it, or use --method phase_fof",
                            task.request.input.path, name(options.method),
                            options.gravity > 0 ? "masses (--mass)" : "units (--units)"));
  options.hubble_flow = snapshot_hubble_flow(input.info());
  if (options.softening == 0) options.softening = kSoftening * found.linking_length;
}

SubhalosOfRank find_subhalos(const GroupTask& task, const Particles& particles, const Found& found,
                             SubhaloOptions options, Session& session) {
  options.box = task.input.box();
  options.velocity = particles.velocity();
  options.mass = particles.mass;
  options.type = particles.type;
  options.types = task.type_numbers();
  return ranks().subhalos(particles.points(), options,
                          facts_of(task, found, ResultKind::subhalos).counts, session.execution());
}

/// The IDs of the most bound members of the subhalos of this rank, if particles have IDs.
std::optional<std::vector<std::uint64_t>> most_bound_ids(const GroupTask& task,
                                                         const SubhaloOptions& options,
                                                         const Subhalos& own, Session& session) {
  if (!are_bound(options) || !task.input.has(Field::id)) return std::nullopt;
  std::vector<std::uint64_t> id, found;
  on_all_ranks([&] {
    id = task.input.ids(session.execution());
    found.resize(own.most_bound.size());
  });
  ranks().fetch(result_array("id", id.data(), id.size()), own.most_bound, found.data(),
                session.execution());
  return found;
}

void report_all(const Request& request, const GroupTask& task, const Found& found,
                const Measured& measured, const Subhalos& own, Session& session) {
  const std::uint64_t all = sum_of_all(own.parent.size());
  const Subhalos first =
      first_rows(own, std::min<std::uint64_t>(all, request.rows), session.execution());
  on_all_ranks([&] {
    if (!is_first_rank()) return;
    session.say(fmt::format("{} of at least {}", counted(all, "subhalo", "subhalos"),
                            request.subhalos.min_size));
    if (all > 0 && request.rows > 0)
      session.say("\n" + table_of(first, task.units(), request.rows));
    report_groups(task, found, measured, session.report());
    report_subhalos(session.report(), first, all, request.rows);
  });
}

/// From disk, a part of the particles at a time.
void run_stored(Request& request, const GroupTask& task, Session& session) {
  SubhaloOptions& options = request.subhalos;
  SubhalosOfRank found;
  const auto find = [&](StoredFound& stored, const Found& groups, const DiskOptions& disk) {
    complete(task, groups, options);
    options.box = task.input.box();
    options.types = task.type_numbers();
    options.mass = task.input.mass_values({});
    stored.subhalos = kith::subhalos(stored.points, stored.groups, options, stored_types(task),
                                     disk, session.execution());
    const auto sizes = stored.subhalos->type_sizes();
    found.own = stored.subhalos->rows();
    found.type_size.assign(sizes.begin(), sizes.end());
    SubhalosToWrite to_write{&options, &found};
    const auto ids = stored.subhalos->most_bound_ids();
    if (are_bound(options) && task.input.has(Field::id))
      to_write.most_bound_id = std::vector(ids.begin(), ids.end());
    return to_write;
  };
  const auto report = [&](const Found& groups, const Measured& measured) {
    report_all(request, task, groups, measured, found.own, session);
  };
  find_stored(task, {find, report}, session);
}

void run(Request& request) {
  if (!share_work()) return;
  Session session(request.common, request.output);
  std::optional<GroupTask> checked;
  on_all_ranks([&] {
    check_path(request);
    checked.emplace(request, session);
  });
  const GroupTask& task = *checked;
  if (task.is_stored) return run_stored(request, task, session);
  Particles particles = read_positions(task, session);
  Found found = find_groups(task, particles, session);
  read_fields(task, particles, session);
  const Measured measured = measure_groups(task, particles, found, session);
  on_all_ranks([&] { complete(task, found, request.subhalos); });
  const SubhaloOptions& options = request.subhalos;
  const SubhalosOfRank subhalos = find_subhalos(task, particles, found, options, session);
  report_all(request, task, found, measured, subhalos.own, session);
  const SubhalosToWrite to_write{&options, &subhalos,
                                 most_bound_ids(task, options, subhalos.own, session)};
  report_written(write_groups(task, found, measured, to_write, session), session.report(), session);
  draw_groups(task, particles, found, measured, session);
  session.finish();
}

}  // namespace

void add_subhalos(Command program) {
  Command command =
      program.add_subcommand("subhalos", "finds groups and the bound subhalos inside them");
  const auto request = std::make_shared<Request>();
  command.footer(kExamples);
  request->needs_velocity = true;
  request->can_be_stored = true;
  request->subhalos.linking_length = kPhaseLength;
  add_group_request(command, *request);
  command
      .add_option("--method", request->method,
                  "how subhalos are found [subfind; phase_fof if --phase-linking-length is given]")
      .one_of({"subfind", "phase", "phase_fof"});
  command
      .add_option("--softening", request->subhalos.softening,
                  "softening length of potentials [0.2 linking lengths]")
      .positive();
  command
      .add_option("--density-neighbors", request->subhalos.density_neighbors,
                  "neighbors of the density")
      .shows_default()
      .positive();
  command
      .add_option("--link-neighbors", request->subhalos.link_neighbors,
                  "neighbors among which the two nearest denser ones are linked")
      .shows_default()
      .positive();
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
  command.callback([request, command] {
    check_method(command, *request);
    run(*request);
  });
}

}  // namespace kith::cli

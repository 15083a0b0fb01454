// `kith report`: groups as one HTML page with maps, curves and a table.
#include "report/report.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <numeric>
#include <optional>
#include <thread>

#include <kith/detail/temporary_files.hpp>
#include <kith/error.hpp>
#include <kith/tree.hpp>
#include <kith/version.hpp>

#include "groups/groups.hpp"
#include "interrupt.hpp"
#include "opening.hpp"

namespace kith::cli {
namespace {

constexpr const char* kExamples = R"(Examples:
  kith report snapshot.hdf5 -b 0.2 -o report.html
  kith report snapshot.hdf5 --catalogue halos.hdf5 -o report.html
  kith report halos.hdf5 -o report.html --figures figures
  kith report halos.hdf5 --compare other_halos.hdf5 -o report.html
  kith report halos_099.hdf5 --trees trees.hdf5 -o report.html
  kith report points.npy --linking-length 0.01 --box 1 --title "My points" -o report.html

Finds the groups of a snapshot, or reads a catalogue that kith wrote (.hdf5, .npz) and its snapshot
from the path in the catalogue. The page is one file and needs no network: the mass function, a map
to pan and zoom, the particles in three dimensions, a table to sort and search, and a panel for each
group with its close-up, density profile, shape and neighbors. Without scripts it shows still
pictures.)";

struct ReportRequest {
  GroupRequest groups;
  ReportOptions options;
  std::string catalogue;
  std::string compare;
  std::string trees;
  std::string output;
  std::string figures;
  std::string command;
};

void add_options(Command command, ReportRequest& request) {
  ReportOptions& o = request.options;
  add_input(command, request.groups.input);
  add_linking(command, request.groups);
  command.add_option("--catalogue", request.catalogue,
                     "groups to show instead of finding them: .hdf5 or .npz");
  command.add_option("--compare", request.compare,
                     "another catalogue: matched groups, mass ratios, groups lost and found");
  command.add_option("--trees", request.trees,
                     "merger trees of the groups: the history of each in its panel");
  command.add_option("-o,--output", request.output, "the page: .html").required();
  command.add_option("--figures", request.figures,
                     "folder for the figures as separate files: .svg, .pdf and .png");
  command.add_option("--title", o.title, "title of the page");
  command.add_option("--rows", o.rows, "rows of the table shown at a time").shows_default();
  command.add_option("--circles", o.circles, "groups drawn on the maps").shows_default();
  command.add_option("--picture-size", o.picture_size, "pixels of a map's longer side")
      .shows_default();
  add_view(command, o.view);
  command.add_option("--bins-per-decade", o.bins_per_decade, "bins of the mass function per decade")
      .shows_default();
  command.add_option("--sigma8", o.sigma8, "theory: rms density contrast in spheres of 8 Mpc/h")
      .shows_default();
  command.add_option("--n-s", o.n_s, "theory: primordial spectral index").shows_default();
  command.add_option("--softening", o.softening,
                     "softening length of the simulation, or the cell of its mesh: profiles inside "
                     "2.8 of them are left out of fits");
  add_max_memory(command, request.groups.common);
  add_common(command, request.groups.common);
}

/// A word as a shell reads it.
std::string shell_word(const std::string& word) {
  const bool is_plain = !word.empty() && word.find_first_not_of(
                                             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                             "0123456789_./,:=+-@%") == std::string::npos;
  if (is_plain) return word;
  std::string quoted_word = "'";
  for (const char c : word) quoted_word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted_word + "'";
}

/// The command again, from what the parser has understood.
std::string command_line(const Command& command) {
  std::string line = "kith " + command.name();
  for (const Command::Given& each : command.given()) {
    if (!each.name.empty()) line += ' ' + each.name;
    if (!each.values.empty())
      line += ' ' + shell_word(fmt::format("{}", fmt::join(each.values, ",")));
  }
  return line;
}

std::string cosmology_text(const Background& b) {
  return fmt::format("Omega_m = {:.4g}, Omega_Lambda = {:.4g}, h = {:.4g}", b.omega_m,
                     b.omega_lambda, b.h);
}

std::string units_text(const Units& units) {
  std::string text;
  for (const UnitPowers& powers : {UnitPowers{.length = 1}, {.mass = 1}, {.velocity = 1}}) {
    const std::string unit = unit_name(units, powers);
    if (!unit.empty()) text += fmt::format("{}{}", text.empty() ? "" : ", ", unit);
  }
  return text + (units.is_comoving && !text.empty() ? ", comoving" : "");
}

/// Adds the facts of the result itself.
void add_facts(Findings& findings) {
  const ResultAbout& about = findings.about;
  auto& facts = findings.facts;
  facts.emplace_back("snapshot", about.snapshot);
  std::string points = grouped(about.points);
  if (about.types.size() > 1) {
    points += ":";
    for (std::size_t i = 0; i < about.types.size() && i < about.counts.size(); ++i)
      points += fmt::format("{} {} of type {}", i == 0 ? "" : ",", grouped(about.counts[i]),
                            about.types[i]);
  }
  facts.emplace_back("points", points);
  if (!about.attach_types.empty())
    facts.emplace_back("attached", fmt::format("types {}", fmt::join(about.attach_types, ", ")));
  facts.emplace_back("box", box_name(about.box, about.dimension, about.units));
  if (const std::string units = units_text(about.units); !units.empty())
    facts.emplace_back("units", units);
  if (!about.background.is_known) return;
  facts.emplace_back("redshift", fmt::format("{:.4g}", about.background.redshift));
  facts.emplace_back("cosmology", cosmology_text(about.background));
}

void add_facts(Findings& findings, const SnapshotInfo& info) {
  add_facts(findings);
  std::string format = name(info.format);
  if (!info.code.empty()) format += ", layout of " + info.code;
  if (info.files.size() > 1) format += fmt::format(", {} files", info.files.size());
  findings.facts.insert(findings.facts.begin() + 1, {"format", format});
}

std::vector<std::string> type_names(const SnapshotInfo& info) {
  std::vector<std::string> names(static_cast<std::size_t>(std::max(0, info.types)));
  for (const SnapshotType& each : info.type)
    if (each.type >= 0 && static_cast<std::size_t>(each.type) < names.size())
      names[static_cast<std::size_t>(each.type)] = each.name;
  return names;
}

ReportParts parts_of(const ReportRequest& request, const Findings& findings,
                     const MemberNames& names, const Execution& execution) {
  ReportParts parts;
  parts.maps = map_exhibits(findings, request.options, execution);
  std::optional<AnyTree> tree;
  if (findings.points.data && findings.about.dimension == 3)
    tree.emplace(findings.points,
                 TreeOptions{.box = findings.about.box, .non_finite = NonFinite::drop}, execution);
  const AnyTree* of_points = tree ? &*tree : nullptr;
  parts.spheres = halo_spheres(findings, of_points, request.options.softening, execution);
  parts.particles = particle_data(findings, of_points, execution);
  tree.reset();
  parts.close_ups = close_ups(findings, request.options, parts.spheres, execution);
  if (!request.compare.empty()) {
    parts.comparison = compare_catalogues(findings, names, request.compare, execution);
    parts.ratios = ratio_exhibit(findings, *parts.comparison);
  }
  if (!request.trees.empty()) parts.histories = group_histories(findings, request.trees, execution);
  for (auto& curves : {mass_exhibit(findings, request.options), size_exhibit(findings),
                       subhalo_mass_exhibit(findings)})
    if (curves) parts.curves.push_back(*curves);
  return parts;
}

void write_figures(const ReportRequest& request, const ReportParts& parts,
                   const Execution& execution) {
  for (const Exhibit* e : parts.all())
    for (const char* ending : {".svg", ".pdf", ".png"}) {
      stop_if_interrupted();
      write_drawing((std::filesystem::path(request.figures) / (e->name + ending)).string(),
                    e->drawing, 2, execution);
    }
}

/// The figures and the page.
void deliver(const ReportRequest& request, Findings& findings, const MemberNames& names,
             Session& session) {
  const Execution& execution = session.execution();
  const ReportParts parts = parts_of(request, findings, names, execution);
  if (!request.figures.empty()) write_figures(request, parts, execution);
  if (findings.seconds > 0) {
    findings.seconds = session.seconds();
    findings.statistics = session.statistics();
  }
  stop_if_interrupted();
  const std::string page = report_page(findings, request.options, parts);
  stop_if_interrupted();
  write_file(request.output, page);
  session.report().add_count("groups", findings.catalogue.count());
  session.report().add("output", request.output);
  session.say(fmt::format("{}: {}, {}", request.output,
                          counted(findings.catalogue.count(), "group", "groups"),
                          bytes_name(static_cast<double>(page.size()))));
  session.finish();
}

/// As kith::members: of points with these labels, if there are some.
Members members_of(std::span<const std::int32_t> label, std::size_t groups) {
  if (label.empty()) return {};
  Members members{{}, std::vector<std::size_t>(groups + 1, 0)};
  const auto is_in = [&](std::int32_t g) { return g >= 0 && static_cast<std::size_t>(g) < groups; };
  for (const std::int32_t g : label)
    if (is_in(g)) ++members.offset[static_cast<std::size_t>(g) + 1];
  std::partial_sum(members.offset.begin(), members.offset.end(), members.offset.begin());
  members.order.resize(label.size());
  std::vector<std::size_t> next = members.offset;  // points without a group come last
  for (std::size_t i = 0; i < label.size(); ++i) {
    const std::size_t g = is_in(label[i]) ? static_cast<std::size_t>(label[i]) : groups;
    members.order[next[g]++] = static_cast<std::uint32_t>(i);
  }
  return members;
}

/// Groups that are found now.
void report_snapshot(const ReportRequest& request, Session& session) {
  const GroupTask task(request.groups, session);
  Particles particles = read_positions(task, session);
  Found found = find_groups(task, particles, session);
  read_fields(task, particles, session);
  const Measured measured = measure_groups(task, particles, found, session);
  Findings findings{.command = request.command,
                    .path = request.groups.input.path,
                    .about = facts_of(task, found, ResultKind::fof),
                    .catalogue = measured.own.catalogue,
                    .points = particles.points(),
                    .mass = particles.mass,
                    .has_mass = task.input.has(Field::mass),
                    .seconds = session.seconds(),
                    .threads = request.groups.common.threads};
  findings.members = members_of(found.label, found.count);
  findings.type_names = type_names(task.input.info());
  findings.about.version = KITH_VERSION;
  if (findings.threads == 0)
    findings.threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  add_facts(findings, task.input.info());
  MemberNames names;
  if (!request.compare.empty())
    names = member_names(findings.members, task.input.ids(session.execution()),
                         particles.points().size);
  deliver(request, findings, names, session);
}

/// Where the catalogue says, or beside the catalogue.
std::string find_snapshot(const std::string& recorded, const std::string& catalogue) {
  const std::filesystem::path path(recorded);
  std::error_code error;
  for (const auto& place : {path, std::filesystem::path(catalogue).parent_path() / path.filename()})
    if (!recorded.empty() && std::filesystem::is_regular_file(place, error)) return place.string();
  return "";
}

void check_same_points(const Input& input, const ResultAbout& about, const std::string& result) {
  if (input.size() != about.points || input.dimension() != about.dimension)
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{}: was made from {} points in {} dimensions, but {} has {} in {}; "
                            "give the right snapshot",
                            result, about.points, about.dimension, input.options().path,
                            input.size(), input.dimension()));
}

/// Groups of a catalogue, with a picture if there is its snapshot.
void report_catalogue(const ReportRequest& request, const std::string& path,
                      const std::string& snapshot, Session& session) {
  const ResultFile result = open_result(path);
  if (result.about().kind != ResultKind::fof && result.about().kind != ResultKind::subhalos)
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{}: contains {}; give a catalogue that kith fof wrote", path,
                            name(result.about().kind)));
  Findings findings{.command = request.command,
                    .path = path,
                    .about = result.about(),
                    .catalogue = result.catalogue()};
  if (result.about().kind == ResultKind::subhalos) {
    findings.subhalos = result.subhalo_catalogue();
    findings.parent = result.integers("subhalo_parent");
  }
  const MemberNames names = request.compare.empty() ? MemberNames{} : member_names(result);
  if (snapshot.empty()) {
    add_facts(findings);
    findings.facts.emplace_back("picture",
                                "none: the snapshot is not at the path in the catalogue");
    return deliver(request, findings, names, session);
  }
  InputOptions options = request.groups.input;
  options.path = snapshot;
  Input input(options);
  input.use(findings.about);
  check_same_points(input, findings.about, path);
  session.say(input.describe());
  session.need_memory(input.position_bytes() + input.mass_bytes());
  const Numbers positions = input.positions(session.execution());
  findings.about.snapshot = snapshot;
  findings.points = positions.rows(input.dimension());
  const Numbers masses = input.masses(session.execution());
  findings.mass = input.mass_values(masses);
  findings.has_mass = input.has(Field::mass);
  findings.members = members_of(result.label(), findings.catalogue.count());
  findings.type_names = type_names(input.info());
  add_facts(findings, input.info());
  deliver(request, findings, names, session);
}

void check_outputs(const ReportRequest& request) {
  if (!ends_with(request.output, ".html") && !ends_with(request.output, ".htm"))
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("{}: reports are HTML pages; the name must end in .html", request.output));
  check_folder_of(request.output);
  if (request.figures.empty()) return;
  std::error_code error;
  std::filesystem::create_directory(request.figures, error);
  if (!std::filesystem::is_directory(request.figures, error))
    throw Error(ErrorCode::io,
                fmt::format("{}: this folder cannot be made; give another one for the figures",
                            request.figures));
}

void run(const ReportRequest& request) {
  check_outputs(request);
  Session session(request.groups.common);
  const std::string& path = request.groups.input.path;
  const bool has_length = request.groups.fof.b != 0 || request.groups.fof.linking_length != 0;
  if (!request.catalogue.empty()) {
    if (has_length)
      throw Error(ErrorCode::invalid_argument,
                  "--catalogue already has a linking length; leave out -b and --linking-length");
    return report_catalogue(request, request.catalogue, path, session);
  }
  if (has_length || !is_result(path)) return report_snapshot(request, session);
  const ResultFile result = open_result(path);
  report_catalogue(request, path, find_snapshot(result.about().snapshot, path), session);
}

}  // namespace

void add_report(Command program) {
  Command command = program.add_subcommand(
      "report", "writes an interactive page with maps, curves and a table of the groups");
  const auto request = std::make_shared<ReportRequest>();
  command.footer(kExamples);
  add_options(command, *request);
  command.callback([request, command] {
    request->command = command_line(command);
    run(*request);
  });
}

}  // namespace kith::cli

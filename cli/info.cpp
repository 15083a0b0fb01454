// `kith info FILE`: the content of a snapshot, or of a result of kith.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include <kith/detail/catalogue_columns.hpp>
#include <kith/error.hpp>
#include <kith/io/results.hpp>

#include "devices.hpp"
#include "info_files.hpp"
#include "input.hpp"
#include "opening.hpp"
#include "trees.hpp"

namespace kith::cli {
namespace {

constexpr const char* kExamples = R"(Examples:
  kith info snapshot.hdf5
  kith info halos.hdf5
  kith info fof_subhalo_tab_099.hdf5
  kith info output/
  kith info points.raw --dimension 2 --json
  kith info --devices)";

struct Request {
  Common common;
  InputOptions input;
  bool wants_devices = false;
};

void tell_type(Session& session, const SnapshotType& type, const Units& units) {
  std::string fields = "positions";
  if (type.has_velocity) fields += ", velocities";
  if (type.has_mass)
    fields += type.mass > 0 ? ", of mass " + with_unit(type.mass, units, {.mass = 1}) : ", masses";
  if (type.has_id) fields += ", ids";
  session.say(fmt::format("  type {}: {} {} ({})", type.type, grouped(type.count),
                          printable(type.name), fields));
}

void report_types(Session& session, const SnapshotInfo& info) {
  std::vector<Report> types;
  for (const SnapshotType& type : info.type) {
    Report& facts = types.emplace_back();
    facts.add_count("type", static_cast<std::uint64_t>(type.type));
    facts.add("name", type.name);
    facts.add_count("count", type.count);
    facts.add("mass", type.mass);
    facts.add_flag("has_velocity", type.has_velocity);
    facts.add_flag("has_mass", type.has_mass);
    facts.add_flag("has_id", type.has_id);
  }
  session.report().add("particles", types);
}

void report_universe(Report& report, const Background& background) {
  if (!background.is_known) return;
  Report facts;
  facts.add("omega_m", background.omega_m);
  facts.add("omega_lambda", background.omega_lambda);
  facts.add("omega_b", background.omega_b);
  facts.add("h", background.h);
  facts.add("scale_factor", background.scale_factor);
  facts.add("redshift", background.redshift);
  report.add("cosmology", facts);
}

std::string universe_text(const Background& background) {
  const bool is_today = std::abs(background.redshift) < 1e-6;  // rounding in 1 / a - 1
  return fmt::format(
      "  redshift {:.4g}, scale factor {:.4g}, Omega_m {:.4g}, Omega_Lambda {:.4g}, h {:.4g}",
      is_today ? 0.0 : background.redshift, background.scale_factor, background.omega_m,
      background.omega_lambda, background.h);
}

std::string units_text(const Units& units) {
  const std::string length = unit_name(units, {.length = 1}), mass = unit_name(units, {.mass = 1}),
                    velocity = unit_name(units, {.velocity = 1});
  if (length.empty() && mass.empty() && velocity.empty())
    return "  units unknown; give them with --units \"kpc/h,1e10 Msun/h,km/s\"";
  const auto word = [](const std::string& unit) { return unit.empty() ? "unknown" : unit; };
  return fmt::format("  units: length {}{}, mass {}, velocity {}", word(length),
                     units.is_comoving ? " (comoving)" : "", word(mass), word(velocity));
}

/// Least and largest coordinates show whether the box and its origin are right.
void show_extent(Session& session, const Input& input) {
  const Input::SampledRows sample = input.sampled_positions();
  const auto d = static_cast<std::size_t>(input.dimension());
  std::vector<double> low(d, std::numeric_limits<double>::infinity()), high(d, -low[0]);
  for (std::size_t k = 0; k < sample.values.size(); ++k) {
    low[k % d] = std::min(low[k % d], sample.values[k]);
    high[k % d] = std::max(high[k % d], sample.values[k]);
  }
  if (sample.values.empty()) return;
  std::string text;
  for (std::size_t axis = 0; axis < d; ++axis)
    text += fmt::format("{}{:.6g} to {:.6g}", axis == 0 ? "" : ", ", low[axis], high[axis]);
  session.say(fmt::format("  coordinates{}: {}", sample.is_complete ? "" : " of a sample", text));
  session.report().add("least", low);
  session.report().add("largest", high);
  session.report().add_flag("extent_is_complete", sample.is_complete);
}

std::string next_command(const Input& input) {
  const bool has_b = input.box().is_periodic();
  return fmt::format("next: kith fof {} {}-o halos.hdf5", printable(input.options().path),
                     has_b ? "" : "--linking-length LENGTH ");
}

void tell_snapshot(Session& session, const InputOptions& options) {
  const Input input(options);
  const SnapshotInfo& info = input.info();
  const bool has_code = !info.code.empty();
  session.say(input.describe());
  session.say(fmt::format("  format {}{}{}, {}", name(info.format), has_code ? ", layout of " : "",
                          printable(info.code), counted(info.files.size(), "file", "files")));
  for (const SnapshotType& type : info.type) tell_type(session, type, info.units);
  session.say(units_text(info.units));
  show_extent(session, input);
  if (info.background.is_known) session.say(universe_text(info.background));
  session.say(next_command(input));
  input.report(session.report());
  session.report().add("format", name(info.format));
  session.report().add("code", info.code);
  session.report().add_count("files", info.files.size());
  session.report().add("time", info.time);
  report_universe(session.report(), info.background);
  report_types(session, info);
}

/// The question of a result, in words.
std::string question_of(const ResultAbout& about) {
  switch (about.kind) {
    case ResultKind::fof:
    case ResultKind::subhalos:
      return fmt::format("linking length {}{}, groups of at least {}",
                         with_unit(about.linking_length, about.units, {.length = 1}),
                         about.b > 0 ? fmt::format(" (b = {:g})", about.b) : "", about.min_size);
    case ResultKind::knn: return fmt::format("{} nearest neighbors", about.k);
    case ResultKind::radius:
      return "neighbors within " + with_unit(about.radius, about.units, {.length = 1});
    case ResultKind::density:
      return fmt::format("density from {} neighbors, {}", about.k, printable(about.kernel));
    case ResultKind::clusters:
      return about.eps > 0
                 ? fmt::format("{} within {}, {} samples", printable(about.method),
                               with_unit(about.eps, about.units, {.length = 1}), about.min_samples)
                 : fmt::format("{} of at least {}, {} samples", printable(about.method),
                               about.min_cluster_size, about.min_samples);
    case ResultKind::match:
      return fmt::format(
          "halos in {} by {}{}", printable(about.other), printable(about.weight),
          about.most_bound > 0 ? fmt::format(" of the {} most bound", about.most_bound) : "");
  }
  return "";
}

/// The column of a catalogue with this name; null: the array is none.
const CatalogueColumn* column_named(std::string_view name) {
  constexpr std::string_view kSubhalo = "subhalo_";
  if (name.starts_with(kSubhalo)) name.remove_prefix(kSubhalo.size());
  for (const CatalogueColumn& column : catalogue_columns())
    if (name == column.name) return &column;
  return nullptr;
}

std::vector<Report> tell_arrays(Session& session, const ResultFile& file) {
  std::vector<Report> arrays;
  Table table({"array", "rows", "width", "unit", "meaning"});
  table.align_left_from(3);
  for (const std::string& name : file.names()) {
    const CatalogueColumn* const column = column_named(name);
    const std::string unit = column ? unit_name(file.about().units, column->unit) : "";
    const std::string meaning = column ? column->description : "";
    table.add({printable(name), grouped(file.rows(name)), fmt::format("{}", file.width(name)), unit,
               meaning});
    Report& array = arrays.emplace_back();
    array.add("name", name);
    array.add_count("rows", file.rows(name));
    array.add_count("width", file.width(name));
    array.add("unit", unit);
    array.add("meaning", meaning);
  }
  session.say(table.text());
  return arrays;
}

void tell_result(Session& session, const std::string& path) {
  const ResultFile file = open_result(path);
  const ResultAbout& about = file.about();
  session.say(fmt::format("{}: result of kith {} {}, {}", printable(path), name(about.kind),
                          printable(about.version), question_of(about)));
  const bool has_halos = about.kind == ResultKind::match;
  session.say(fmt::format(
      "  about {} of {}",
      counted(about.points, has_halos ? "halo" : "point", has_halos ? "halos" : "points"),
      printable(about.snapshot)));
  const std::vector<Report> arrays = tell_arrays(session, file);
  session.report().add("result", path);
  session.report().add("kind", name(about.kind));
  session.report().add("version", about.version);
  session.report().add("snapshot", about.snapshot);
  session.report().add_count("points", about.points);
  session.report().add("linking_length", about.linking_length);
  session.report().add("arrays", arrays);
}

std::string device_text(const gpu::Device& device) {
  std::string text = fmt::format(
      "{}: {} ({}, {})\n  {}, {}, {}, {}", device.name, printable(device.model),
      printable(device.platform), printable(device.version), device.is_gpu ? "GPU" : "not a GPU",
      counted(static_cast<std::uint64_t>(device.compute_units), "compute unit", "compute units"),
      bytes_name(static_cast<double>(device.memory)),
      device.has_float64 ? "float32 and float64" : "float32 only");
  if (device.api != device.name) text += "\n  also " + device.api;
  if (!device.pci_address.empty()) text += "\n  PCI " + device.pci_address;
  if (!device.uuid.empty()) text += "\n  UUID " + device.uuid;
  return device.refusal.empty() ? text : text + "\n  cannot be used: " + device.refusal;
}

Report device_report(const gpu::Device& device) {
  Report facts;
  facts.add("name", device.name);
  facts.add("model", device.model);
  facts.add("platform", device.platform);
  facts.add("version", device.version);
  facts.add_flag("is_gpu", device.is_gpu);
  facts.add_count("compute_units", static_cast<std::uint64_t>(device.compute_units));
  facts.add_count("memory", device.memory);
  facts.add_flag("has_float64", device.has_float64);
  facts.add("refusal", device.refusal);
  facts.add("pci_address", device.pci_address);
  facts.add("uuid", device.uuid);
  facts.add("api", device.api);
  return facts;
}

/// The CPU is always listed; a machine without other devices is not an error.
void show_devices(Session& session) {
  session.say("cpu: always available");
  std::vector<Report> reports;
  try {
    for (const gpu::Device& device : list_devices()) {
      session.say(device_text(device));
      reports.push_back(device_report(device));
    }
    if (reports.empty())
      session.say("no other device: CUDA, HIP and OpenCL find none; install a driver");
  } catch (const Error& error) {
    if (error.code() != ErrorCode::unavailable) throw;
    session.say(fmt::format("no other device: {}", error.what()));
    session.report().add("reason", error.what());
  }
  session.report().add("devices", reports);
}

/// Most files that are named here are large snapshots, so that trees are looked for in HDF5 alone.
bool is_tree_file(const std::string& path) {
  return (ends_with(path, ".hdf5") || ends_with(path, ".h5")) && has_histories(path);
}

void show_file(Session& session, const Request& request) {
  if (request.input.path.empty())
    throw Error(ErrorCode::invalid_argument,
                "info: give a snapshot or a result, or --devices; see kith info --help");
  const std::string& path = request.input.path;
  if (is_result(path)) return tell_result(session, path);
  if (is_tree_file(path)) return tell_trees(read_histories(path, session.execution()), session);
  if (const auto catalogue = open_halo_catalogue(path))
    return tell_halo_catalogue(session, path, *catalogue);
  if (!tell_folder(session, path)) tell_snapshot(session, request.input);
}

void run(const Request& request) {
  Session session(request.common);
  if (request.wants_devices) show_devices(session);
  if (!request.wants_devices || !request.input.path.empty()) show_file(session, request);
  if (request.common.json) session.finish();
}

}  // namespace

void add_info(Command program) {
  Command command = program.add_subcommand(
      "info",
      "shows what a snapshot, a catalogue or a folder contains, or which devices there are");
  const auto request = std::make_shared<Request>();
  command.footer(kExamples);
  add_input(command, request->input);
  command.option("snapshot").required(false);
  command.add_flag("--devices", request->wants_devices,
                   "list the devices for --device of knn, radius, density and fof");
  add_common(command, request->common);
  command.callback([request] { run(*request); });
}

}  // namespace kith::cli

#include "info_files.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <set>

#include <kith/error.hpp>

#include "opening.hpp"

namespace kith::cli {
namespace {

namespace fs = std::filesystem;

std::string redshift_text(double redshift) {
  return fmt::format("{:.4g}", std::abs(redshift) < 1e-6 ? 0.0 : redshift);  // rounding in 1/a - 1
}

/// One file of a folder, or a snapshot in several.
struct Listed {
  std::string name;
  std::string kind;
  std::string content = {};
  std::string redshift = {};
};

Listed listed_snapshot(const std::string& name, const std::string& path) {
  try {
    const Snapshot snapshot = open_snapshot(path, {});
    const SnapshotInfo& info = snapshot.info();
    return {name, "snapshot", counted(snapshot.size(), "point", "points"),
            info.background.is_known ? redshift_text(info.background.redshift) : ""};
  } catch (const Error& error) {
    if (error.code() == ErrorCode::cancelled) throw;
    return {name, "other HDF5 file"};
  }
}

Listed listed(const std::string& name, const std::string& path) {
  if (is_result(path)) return {name, "result of kith"};
  if (const auto info = open_halo_catalogue(path))
    return {name, "catalogue",
            fmt::format("{}, {}", counted(info->groups, "group", "groups"),
                        counted(info->subhalos, "subhalo", "subhalos")),
            redshift_text(info->redshift)};
  return listed_snapshot(name, path);
}

/// "snap_099.3.hdf5" is a part of "snap_099"; a name without a number is whole.
std::string without_part(const fs::path& name) {
  const fs::path stem = name.stem();
  const std::string number = stem.extension().string();
  const bool is_part =
      number.size() > 1 &&
      std::all_of(number.begin() + 1, number.end(), [](char c) { return c >= '0' && c <= '9'; });
  return is_part ? stem.stem().string() : name.string();
}

/// The name that yt opens is a link to the catalogue beside it.
bool is_second_name(const fs::path& path) {
  std::error_code error;
  return fs::is_symlink(path, error) &&
         fs::canonical(path, error).parent_path() == fs::canonical(path.parent_path(), error);
}

/// The HDF5 files of a folder, in the order of their names; of a file in parts the first one,
/// unless another file shows them all.
std::vector<std::pair<std::string, std::string>> files_in(const std::string& folder) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".hdf5" || entry.path().extension() == ".h5")
      if (!is_second_name(entry.path())) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<std::pair<std::string, std::string>> files;
  std::set<std::string> known;
  for (const fs::path& path : paths) {
    const std::string name = without_part(path.filename());
    const bool is_shown =
        name != path.filename() && fs::exists(path.parent_path() / (name + ".hdf5"));
    if (!is_shown && known.insert(name).second) files.emplace_back(name, path.string());
  }
  return files;
}

void report_listed(Session& session, const std::vector<Listed>& files) {
  std::vector<Report> reports;
  Table table({"file", "kind", "content", "redshift"});
  table.align_left_from(1);
  for (const Listed& file : files) {
    Report& facts = reports.emplace_back();
    facts.add("file", file.name);
    facts.add("kind", file.kind);
    facts.add("content", file.content);
    facts.add("redshift", file.redshift);
    table.add({printable(file.name), file.kind, file.content, file.redshift});
  }
  session.say(table.text());
  session.report().add("files", reports);
}

}  // namespace

void tell_halo_catalogue(Session& session, const std::string& path, const HaloCatalogueInfo& info) {
  session.say(fmt::format(
      "{}: catalogue of {} and {}, redshift {}, in {}", printable(path),
      counted(info.groups, "group", "groups"), counted(info.subhalos, "subhalo", "subhalos"),
      redshift_text(info.redshift), counted(info.files.size(), "file", "files")));
  if (info.groups > 0)
    session.say(fmt::format("  the largest group: {}, of mass {:.6g}",
                            counted(info.largest_size, "particle", "particles"),
                            info.largest_mass));
  session.say(info.snapshot.empty() ? "  its snapshot is not beside it"
                                    : fmt::format("  its snapshot: {}", printable(info.snapshot)));
  std::vector<Report> columns;
  for (const HaloCatalogueColumn& column : info.columns) {
    session.say(
        fmt::format("  {}: {} x {}", printable(column.path), grouped(column.rows), column.width));
    Report& facts = columns.emplace_back();
    facts.add("name", column.path);
    facts.add_count("rows", column.rows);
    facts.add_count("width", column.width);
  }
  if (!info.snapshot.empty())
    session.say(fmt::format("next: kith info {0}, or kith match {1} OTHER to follow its halos",
                            printable(info.snapshot), printable(path)));
  Report& report = session.report();
  report.add("catalogue", path);
  report.add_count("files", info.files.size());
  report.add_count("groups", info.groups);
  report.add_count("subhalos", info.subhalos);
  report.add_count("largest_size", info.largest_size);
  report.add("largest_mass", info.largest_mass);
  report.add("time", info.time);
  report.add("redshift", info.redshift);
  report.add("box", info.side);
  report.add("snapshot", info.snapshot);
  report.add("arrays", columns);
}

bool tell_folder(Session& session, const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return false;
  const auto files = files_in(path);
  if (files.size() < 2) return false;
  std::vector<Listed> all;
  all.reserve(files.size());
  for (const auto& [name, file] : files) all.push_back(listed(name, file));
  session.say(fmt::format("{}: a folder of {} HDF5 files", printable(path), grouped(all.size())));
  report_listed(session, all);
  const auto snapshot = std::find_if(all.rbegin(), all.rend(),
                                     [](const Listed& file) { return file.kind == "snapshot"; });
  if (snapshot != all.rend())
    session.say(
        fmt::format("next: kith info {}", printable((fs::path(path) / snapshot->name).string())));
  session.report().add("folder", path);
  return true;
}

}  // namespace kith::cli

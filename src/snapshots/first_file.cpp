// The file that a name of a snapshot or of a folder means.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "base/fail.hpp"
#include "files/hdf5.hpp"
#include "snapshots/file_names.hpp"
#include "snapshots/reader.hpp"

namespace kith::io {
namespace {

namespace fs = std::filesystem;

bool is_snapshot_name(const std::string& name) {
  constexpr std::string_view kOthers[] = {"fof_", "groups_", "subhalo_", "trees", ".part"};
  for (const std::string_view other : kOthers)
    if (name.find(other) != std::string::npos) return false;
  return !hdf5_ending(name).empty() || number_in(name, {}).has_value();
}

/// Catalogues and results of kith hold none. A file that cannot be opened counts as a snapshot:
/// opening it reports why.
bool holds_particles(const std::string& path) {
  if (!hdf5::is_hdf5(path)) return true;
  try {
    const hdf5::InputFile file(path);
    return !file.contains("Kith") &&
           !(file.contains("Header") && file.group("Header").has("Ngroups_Total"));
  } catch (const Error&) {
    return true;
  }
}

/// The one snapshot in a folder: its file, or the first of its files.
std::string first_in_folder(const std::string& folder) {
  std::vector<std::string> whole, first;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (!is_snapshot_name(name)) continue;
    const auto number = number_in(name, hdf5_ending(name));
    if (!number) whole.push_back(entry.path().string());
    if (number && *number == 0) first.push_back(entry.path().string());
  }
  // A file without a number beside numbered ones is SWIFT's view of them all.
  auto& found = whole.empty() ? first : whole;
  if (found.size() > 1)
    std::erase_if(found, [](const std::string& file) { return !holds_particles(file); });
  if (found.empty())
    fail(ErrorCode::io, "{}: the folder has no snapshot; give a file, or a folder with NAME.0.hdf5",
         folder);
  if (found.size() > 1)
    fail(ErrorCode::io,
         "{}: the folder has {} snapshots, among them {} and {}; give one of the files", folder,
         found.size(), *std::min_element(found.begin(), found.end()),
         *std::max_element(found.begin(), found.end()));
  return found.front();
}

}  // namespace

std::string first_file(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return first_in_folder(path);
  if (fs::exists(path, error)) return path;
  for (const char* ending : {".0.hdf5", ".0", ".hdf5"})
    if (fs::exists(path + ending, error)) return path + ending;
  return path;  // opening it reports that it is missing
}

}  // namespace kith::io

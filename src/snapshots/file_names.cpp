// The names of snapshots that are in several files, and small checks that the readers share.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>

#include "base/fail.hpp"
#include "snapshots/reader.hpp"

namespace kith::io {
namespace {

namespace fs = std::filesystem;

std::string_view hdf5_ending(std::string_view name) {
  for (const std::string_view ending : {".hdf5", ".h5"})
    if (name.ends_with(ending)) return ending;
  return {};
}

/// "snap.3.hdf5" is number 3; none for names without a number there.
std::optional<std::uint64_t> number_in(std::string_view name, std::string_view ending) {
  name.remove_suffix(ending.size());
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot + 1 == name.size()) return std::nullopt;
  std::uint64_t number = 0;
  const auto [end, error] =
      std::from_chars(name.data() + dot + 1, name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return number;
}

bool is_snapshot_name(const std::string& name) {
  constexpr std::string_view kOthers[] = {"fof_", "groups_", ".part"};
  for (const std::string_view other : kOthers)
    if (name.find(other) != std::string::npos) return false;
  return !hdf5_ending(name).empty() || number_in(name, {}).has_value();
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
  const auto& found = whole.empty() ? first : whole;
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

std::string NumberedName::with(std::uint64_t number) const {
  return formatted("{}.{}{}", base, number, ending);
}

NumberedName numbered_name(const std::string& path, std::uint64_t files) {
  const std::string_view ending = hdf5_ending(path);
  const auto number = number_in(path, ending);
  if (!number)
    fail(ErrorCode::io, "{}: is one of {} files, but its name has no number, as in NAME.0{}", path,
         files, ending.empty() ? "" : ending);
  if (*number >= files)
    fail(ErrorCode::io, "{}: says that the snapshot has {} files, and is number {} itself", path,
         files, *number);
  NumberedName name;
  name.ending = ending;
  name.base = path.substr(0, path.size() - ending.size());
  name.base.resize(name.base.rfind('.'));
  return name;
}

std::string first_file(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return first_in_folder(path);
  if (fs::exists(path, error)) return path;
  for (const char* ending : {".0.hdf5", ".0", ".hdf5"})
    if (fs::exists(path + ending, error)) return path + ending;
  return path;  // opening it reports that it is missing
}

void check_dimension(std::uint64_t dimension, const std::string& where) {
  if (dimension < 1 || dimension > static_cast<std::uint64_t>(kMaxDimension))
    fail(ErrorCode::io, "{}: has points of dimension {}; 1 to {} are read", where, dimension,
         kMaxDimension);
}

Box box_of(const std::vector<double>& sides, int dimension, const std::string& where) {
  for (const double side : sides)
    if (!(side >= 0) || std::isinf(side))
      fail(ErrorCode::io, "{}: a box with a side of {}; the file is damaged", where, side);
  if (std::all_of(sides.begin(), sides.end(), [](double side) { return side == 0; })) return {};
  if (sides.size() == 1) return Box::periodic(sides[0]);
  if (sides.size() < static_cast<std::size_t>(dimension))
    fail(ErrorCode::io, "{}: a box with {} sides for points of dimension {}", where, sides.size(),
         dimension);
  return Box::periodic(std::span(sides).first(static_cast<std::size_t>(dimension)));
}

SnapshotType only_type(std::uint64_t count) {
  SnapshotType type;
  type.name = "points";
  type.count = count;
  return type;
}

}  // namespace kith::io

// The names of snapshots that are in several files, and small checks that the readers share.
#include "snapshots/file_names.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <span>

#include "base/fail.hpp"
#include "snapshots/reader.hpp"

namespace kith::io {

std::string_view hdf5_ending(std::string_view name) {
  for (const std::string_view ending : {".hdf5", ".h5"})
    if (name.ends_with(ending)) return ending;
  return {};
}

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

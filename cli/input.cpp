#include "input.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>

#include <kith/error.hpp>

#include "opening.hpp"
#include "point_extent.hpp"
#include "ranks.hpp"

namespace kith::cli {
namespace {

Scalar scalar_from(const InputOptions& options, Scalar stored) {
  if (options.scalar.empty()) return stored;
  return options.scalar == "float32" ? Scalar::float32 : Scalar::float64;
}

std::vector<int> types_of(const SnapshotInfo& info) {
  std::vector<int> types;
  for (const SnapshotType& type : info.type) types.push_back(type.type);
  return types;
}

std::size_t bytes_of(Scalar scalar) { return scalar == Scalar::float32 ? 4 : 8; }
const char* name_of(Scalar scalar) { return scalar == Scalar::float32 ? "float32" : "float64"; }

template <class Read>
Numbers read_numbers(Scalar scalar, std::size_t count, Read read) {
  Numbers numbers(scalar, count);
  if (scalar == Scalar::float32)
    read(std::span(numbers.floats(), count));
  else
    read(std::span(numbers.doubles(), count));
  return numbers;
}

}  // namespace

Input::Input(const InputOptions& options)
    : options_(options),
      snapshot_(open_snapshot(options.path, file_options(options))),
      box_(box_of(options, snapshot_.info().box)),
      scalar_(scalar_from(options, snapshot_.info().position_scalar)) {
  if (is_sky()) scalar_ = Scalar::float64;
  choose(options.types.empty() ? types_of(info()) : options.types);
  if (options.origin.empty() && !options.wrap && box_.is_periodic()) center_box();
}

/// Coordinates from -L/2 to L/2 are as common as those from 0 to L, and headers do not say which. A
/// sample from all over the file shows it; should it not, `positions` refuses the points and names
/// the origin.
void Input::center_box() {
  const SampledRows sample = sampled_positions();
  const Extent extent = extent_of(std::span<const double>(sample.values), dimension());
  std::vector<double> origin;
  bool is_centered = false;
  for (std::size_t axis = 0; axis < extent.low.size(); ++axis) {
    const double side = box_.side(static_cast<int>(axis));
    origin.push_back(side > 0 ? -side / 2 : box_.origin(static_cast<int>(axis)));
    if (!(side > 0) || !extent.has_points(axis)) continue;
    if (box_.origin(static_cast<int>(axis)) != 0 || !contains(extent, axis, -side / 2, side))
      return;
    is_centered = is_centered || extent.low[axis] < -kOutside * side;
  }
  if (is_centered) box_ = box_.with_origin(origin);
}

/// Formats whose rows have no fixed place skip all rows before: there the first rows must do.
Input::SampledRows Input::sampled_positions() const {
  constexpr std::uint64_t kRuns = 32, kRun = 128;
  std::vector<int> types;
  for (const SnapshotType& type : info().type)
    if (type.has_position && std::binary_search(types_.begin(), types_.end(), type.type))
      types.push_back(type.type);
  const FileFormat format = info().format;
  const bool is_sequential =
      format == FileFormat::text || format == FileFormat::npz || format == FileFormat::ply;
  const std::uint64_t all = types.empty() ? 0 : snapshot_.size(types);
  const bool is_complete = all <= kRuns * kRun;
  const std::uint64_t runs = is_complete || is_sequential ? 1 : kRuns;
  const std::uint64_t run = runs == 1 ? std::min(all, kRuns * kRun) : kRun;
  const auto d = static_cast<std::size_t>(dimension());
  SampledRows sample{std::vector<double>(runs * run * d), is_complete};
  for (std::uint64_t i = 0; i < runs && run > 0; ++i) {
    const std::uint64_t begin = runs < 2 ? 0 : (all - run) / (runs - 1) * i;
    snapshot_.read(Field::position, begin, std::span(sample.values).subspan(i * run * d, run * d),
                   types);
  }
  return sample;
}

NonFinite Input::non_finite() const {
  return options_.non_finite == "drop" ? NonFinite::drop : NonFinite::error;
}

void Input::choose(std::vector<int> types) {
  std::sort(types.begin(), types.end());
  types.erase(std::unique(types.begin(), types.end()), types.end());
  const std::vector<int> present = types_of(info());
  for (const int type : types)
    if (!std::binary_search(present.begin(), present.end(), type))
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("{}: has no particles of type {}; there are those of {}",
                              options_.path, type, fmt::join(present, ", ")));
  types_ = std::move(types);
}

void Input::use(const ResultAbout& about) {
  if (!about.types.empty()) choose(about.types);
  box_ = about.box;
  scalar_ = about.scalar;
}

std::uint64_t Input::size_of(int type) const {
  for (const SnapshotType& each : info().type)
    if (each.type == type) return each.count;
  return 0;
}

std::uint64_t Input::own_size_of(int type) const {
  const Share own = rows();
  std::uint64_t first = 0;
  for (const int each : types_) {
    if (each == type) break;
    first += size_of(each);
  }
  const std::uint64_t begin = std::max(first, own.begin);
  const std::uint64_t end = std::min(first + size_of(type), own.begin + own.count);
  return end > begin ? end - begin : 0;
}

bool Input::has_equal_masses() const {
  double mass = 0;
  for (const SnapshotType& type : info().type) {
    if (!std::binary_search(types_.begin(), types_.end(), type.type)) continue;
    if (type.mass <= 0 || (mass > 0 && type.mass != mass)) return false;
    mass = type.mass;
  }
  return mass > 0;
}

double Input::position_bytes() const {
  return static_cast<double>(size()) * dimension() * static_cast<double>(bytes_of(scalar_));
}

double Input::mass_bytes() const {
  return has(Field::mass) && !has_equal_masses() ? 8.0 * static_cast<double>(size()) : 0;
}

Numbers Input::positions(const Execution& execution) const {
  const Share rows = this->rows();
  const std::size_t count = rows.count * static_cast<std::size_t>(dimension());
  return read_numbers(scalar_, count, [&](auto memory) {
    snapshot_.read(Field::position, rows.begin, memory, types_, execution);
    using T = typename decltype(memory)::element_type;
    if (!options_.wrap && box_.is_periodic())
      check_inside(extent_of(std::span<const T>(memory), dimension()), box_,
                   printable(options_.path));
  });
}

Numbers Input::velocities(const Execution& execution) const {
  const Share rows = this->rows();
  const std::size_t count = rows.count * static_cast<std::size_t>(dimension());
  return read_numbers(scalar_, count, [&](auto memory) {
    snapshot_.read(Field::velocity, rows.begin, memory, types_, execution);
    if (info().velocity_factor == 1) return;
    for (auto& v : memory)
      v = static_cast<std::remove_reference_t<decltype(v)>>(static_cast<double>(v) *
                                                            info().velocity_factor);
  });
}

Numbers Input::masses(const Execution& execution) const {
  if (!has(Field::mass) || has_equal_masses()) return {};
  const Share rows = this->rows();
  return read_numbers(Scalar::float64, rows.count, [&](auto memory) {
    snapshot_.read(Field::mass, rows.begin, memory, types_, execution);
  });
}

ValuesView Input::mass_values(const Numbers& masses) const {
  if (masses.count() > 0) return masses.values();
  if (!has_equal_masses()) return same_value(1);
  for (const SnapshotType& type : info().type)
    if (type.type == types_.front()) return same_value(type.mass);
  return same_value(1);
}

std::vector<double> Input::lengths(const Execution& execution) const {
  const Share rows = this->rows();
  std::vector<double> lengths(rows.count);
  snapshot_.read(Field::value, rows.begin, lengths, types_, execution);
  for (double& each : lengths) each = length(each);
  return lengths;
}

std::vector<std::uint64_t> Input::ids(const Execution& execution) const {
  if (!has(Field::id)) return {};
  const Share rows = this->rows();
  std::vector<std::uint64_t> ids(rows.count);
  snapshot_.read_id(rows.begin, ids, types_, execution);
  return ids;
}

ResultAbout Input::about(ResultKind kind) const {
  ResultAbout about{.kind = kind,
                    .snapshot = options_.path,
                    .points = size(),
                    .dimension = dimension(),
                    .scalar = scalar_,
                    .box = box_,
                    .type_numbers = info().types,
                    .types = types_,
                    .given_mass = given_mass(),
                    .time = info().time,
                    .units = info().units,
                    .background = info().background};
  for (const int type : types_) about.counts.push_back(size_of(type));
  if (is_sky()) about.sky = name(sky::AngleUnit::degrees);
  return about;
}

std::string Input::describe() const {
  std::string kinds;
  for (const SnapshotType& type : info().type)
    if (info().type.size() > 1 && std::binary_search(types_.begin(), types_.end(), type.type))
      kinds += fmt::format("{}{} {}", kinds.empty() ? " (" : ", ", grouped(type.count),
                           printable(type.name));
  if (!kinds.empty()) kinds += ")";
  std::string warnings;
  for (const std::string& warning : info().warnings)
    warnings.append("\nwarning: ").append(printable(warning));
  for (int axis = 0; axis < dimension() && box_.is_periodic(); ++axis)
    if (box_.origin(axis) != 0 && options_.origin.empty() && info().box.origin(axis) == 0) {
      warnings.insert(0, fmt::format(" centered on 0: from {:.6g} to {:.6g}", box_.origin(axis),
                                     box_.origin(axis) + box_.side(axis)));
      break;
    }
  return fmt::format("{}: {}{} in {}, {}, box {}{}", printable(options_.path),
                     counted(size(), "point", "points"), kinds,
                     counted(static_cast<std::uint64_t>(dimension()), "dimension", "dimensions"),
                     name_of(scalar_), box_name(box_, dimension(), info().units), warnings);
}

void Input::report(Report& report) const {
  report.add("snapshot", options_.path);
  report.add_count("points", size());
  report.add_count("dimension", static_cast<std::uint64_t>(dimension()));
  report.add("types", types_);
  report.add("scalar", name_of(scalar_));
  std::vector<double> sides, origins;
  for (int axis = 0; axis < dimension(); ++axis) {
    sides.push_back(box_.side(axis));
    origins.push_back(box_.origin(axis));
  }
  report.add("box", sides);
  report.add("origin", origins);
  report.add("length_unit", unit_name(info().units, {.length = 1}));
  report.add("mass_unit", unit_name(info().units, {.mass = 1}));
  report.add("velocity_unit", unit_name(info().units, {.velocity = 1}));
  if (!info().warnings.empty()) report.add("warnings", info().warnings);
}

void Input::check_output(const std::string& path, int files) const {
  check_folder_of(path);
  check_not_input(path, options_.path);
  for (const std::string& file : info().files) check_not_input(path, file);
  for (int part = 0; files > 1 && part < files; ++part) check_output(result_part_path(path, part));
}

Input open_input(const InputOptions& options, const std::function<void(const Input&)>& check) {
  std::optional<Input> input;
  on_all_ranks([&] {
    input.emplace(options);
    check(*input);
  });
  return *input;
}

void take_points(const Input& input, const Numbers& positions, const Session& session) {
  ranks().take(positions.rows(input.dimension()),
               {.box = input.box(), .non_finite = input.non_finite()}, session.on_device());
}

void take_points(const Input& input, const Session& session) {
  Numbers positions;
  on_all_ranks([&] { positions = input.positions(session.execution()); });
  take_points(input, positions, session);
}

}  // namespace kith::cli

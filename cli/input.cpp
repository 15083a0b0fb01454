#include "input.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>

#include <kith/error.hpp>

#include "opening.hpp"
#include "ranks.hpp"

namespace kith::cli {
namespace {

constexpr const char* kInput = "Options for the input";

std::vector<double> parse_numbers(const char* option, const std::string& text) {
  std::vector<double> numbers;
  const char* next = text.data();
  const char* end = next + text.size();
  while (next <= end) {
    double number = 0;
    const auto [after, error] = std::from_chars(next, end, number);
    if (error != std::errc() || (after != end && *after != ','))
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("{}: {} is not a list of numbers; write 100 or 100,100,50", option,
                              printable(text)));
    numbers.push_back(number);
    next = after + 1;
  }
  return numbers;
}

Box box_of(const InputOptions& options, const Box& stored) {
  Box box = stored;
  if (options.box == "open") {
    box = Box::open();
  } else if (!options.box.empty()) {
    const std::vector<double> sides = parse_numbers("--box", options.box);
    box = sides.size() == 1 ? Box::periodic(sides[0]) : Box::periodic(sides);
  }
  if (options.origin.empty()) return box;
  const std::vector<double> origin = parse_numbers("--origin", options.origin);
  return origin.size() == 1 ? box.with_origin(origin[0]) : box.with_origin(origin);
}

/// What the user says about the file, from how it was written.
SnapshotOptions file_options(const InputOptions& options) {
  SnapshotOptions file = options.file;
  if (!options.units.empty()) file.units = parse_units(options.units);
  if (!options.cosmology.empty()) file.cosmology = parse_cosmology(options.cosmology);
  if (!options.redshift.empty()) file.redshift = parse_numbers("--redshift", options.redshift)[0];
  return file;
}

constexpr double kOutside = 0.01;  // of a side: rounding and drift, not another box

/// Least and largest coordinate of each axis; finite ones alone.
struct Extent {
  std::vector<double> low, high;
};

template <class T>
Extent extent_of(std::span<const T> positions, int dimension) {
  const auto d = static_cast<std::size_t>(dimension);
  Extent extent{std::vector<double>(d, std::numeric_limits<double>::infinity()),
                std::vector<double>(d, -std::numeric_limits<double>::infinity())};
  for (std::size_t k = 0; k < positions.size(); ++k) {
    const auto x = static_cast<double>(positions[k]);
    if (!std::isfinite(x)) continue;
    extent.low[k % d] = std::min(extent.low[k % d], x);
    extent.high[k % d] = std::max(extent.high[k % d], x);
  }
  return extent;
}

/// Whether the box, moved so that its lower corner is at `origin`, contains the points of an axis.
bool contains(const Extent& extent, std::size_t axis, double origin, double side) {
  return extent.low[axis] >= origin - kOutside * side &&
         extent.high[axis] <= origin + (1 + kOutside) * side;
}

/// The option that describes points which leave the box on an axis.
std::string remedy(const Extent& extent, std::size_t axis, double side) {
  if (contains(extent, axis, -side / 2, side))
    return fmt::format("the box seems to be centered on 0: give --origin {:.6g}", -side / 2);
  if (extent.high[axis] - extent.low[axis] <= side)
    return fmt::format("they fit into a box of this size: give --origin {:.6g}", extent.low[axis]);
  return fmt::format(
      "they extend over {:.3g} sides: give --wrap if they left a periodic box, --box open if the "
      "box is "
      "not periodic, or the right --box",
      (extent.high[axis] - extent.low[axis]) / side);
}

/// Coordinates far outside of a periodic box mean that the box, its origin or the units are wrong.
void check_inside(const Extent& extent, const Box& box, const std::string& path) {
  for (std::size_t axis = 0; axis < extent.low.size(); ++axis) {
    const double side = box.side(static_cast<int>(axis));
    const double origin = box.origin(static_cast<int>(axis));
    const bool has_points = extent.low[axis] <= extent.high[axis];
    if (!(side > 0) || !has_points || contains(extent, axis, origin, side)) continue;
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{}: points lie between {:.6g} and {:.6g} on axis {}, outside of the "
                            "box from {:.6g} to {:.6g}; {}",
                            path, extent.low[axis], extent.high[axis], axis, origin, origin + side,
                            remedy(extent, axis, side)));
  }
}

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

void add_source(Command command, InputOptions& options) {
  command
      .add_option("snapshot", options.path,
                  "file with the points; if there are several, any of them")
      .required();
  command.add_under(kInput, [&] {
    command
        .add_option("--dimension", options.file.dimension,
                    "dimension of raw files (.raw, .f32, .f64)")
        .shows_default();
    command
        .add_option("--columns", options.file.columns,
                    "columns of the positions in text, PLY and FITS files, by name or number")
        .separated_by(',');
    command.add_option("--units", options.units,
                       "units of length, mass and velocity, instead of those in the file: "
                       "kpc/h,1e10 Msun/h,km/s");
    command.add_option("--cosmology", options.cosmology,
                       "cosmology, instead of that in the file: "
                       "omega_m=0.31,omega_lambda=0.69,h=0.68, also omega_b");
    command.add_option("--redshift", options.redshift, "redshift, instead of that in the file");
    command
        .add_option("--mass", options.file.mass, "mass of each particle that has none in the file")
        .positive();
  });
}

void add_input(Command command, InputOptions& options) {
  add_source(command, options);
  command.add_under(kInput, [&] {
    command.add_option("--box", options.box, "periodic sides: L, or X,Y,Z (0 = open), or open");
    command.add_option("--origin", options.origin, "lower corner of the box: one number, or X,Y,Z");
    command.add_flag("--wrap", options.wrap,
                     "wrap points into the box that lie more than 1 % of a side outside");
    command
        .add_option("--scalar", options.scalar, "compute in float32 or float64; default: as stored")
        .one_of({"float32", "float64"});
    command
        .add_option("--non-finite", options.non_finite,
                    "points with NaN or infinity: stop with an error, or drop them")
        .one_of({"error", "drop"})
        .shows_default();
  });
}

void add_types(Command command, InputOptions& options) {
  command.add_under(kInput, [&] {
    command.add_option("--types", options.types, "particle types, such as 0,1; default: all")
        .separated_by(',');
  });
}

Numbers::Numbers(Scalar scalar, std::size_t count) : scalar_(scalar), count_(count) {
  // Not initialized: the caller fills it.
  if (scalar == Scalar::float32)
    data_ = std::shared_ptr<float[]>(new float[count]);
  else
    data_ = std::shared_ptr<double[]>(new double[count]);
}

PointsView Numbers::rows(int dimension) const {
  return {data_.get(), count_ / static_cast<std::size_t>(dimension), dimension, dimension, scalar_};
}

double Numbers::operator[](std::size_t i) const {
  return scalar_ == Scalar::float32 ? static_cast<double>(static_cast<const float*>(data_.get())[i])
                                    : static_cast<const double*>(data_.get())[i];
}

void Numbers::set(std::size_t i, double number) {
  if (scalar_ == Scalar::float32)
    floats()[i] = static_cast<float>(number);
  else
    doubles()[i] = number;
}

Input::Input(const InputOptions& options)
    : options_(options),
      snapshot_(open_snapshot(options.path, file_options(options))),
      box_(box_of(options, snapshot_.info().box)),
      scalar_(scalar_from(options, snapshot_.info().position_scalar)) {
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
    if (!(side > 0) || !(extent.low[axis] <= extent.high[axis])) continue;
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
  for (const std::string& warning : info().warnings) warnings += "\nwarning: " + printable(warning);
  for (int axis = 0; axis < dimension() && box_.is_periodic(); ++axis)
    if (box_.origin(axis) != 0 && options_.origin.empty() && info().box.origin(axis) == 0) {
      warnings = fmt::format(" centered on 0: from {:.6g} to {:.6g}", box_.origin(axis),
                             box_.origin(axis) + box_.side(axis)) +
                 warnings;
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

std::string box_name(const Box& box, int dimension, const Units& units) {
  if (!box.is_periodic()) return "open";
  bool is_cube = true;
  std::string text;
  for (int axis = 0; axis < dimension; ++axis) {
    is_cube = is_cube && box.side(axis) == box.side(0);
    text += fmt::format("{}{:.6g}", axis == 0 ? "" : " x ", box.side(axis));
  }
  if (is_cube) text = fmt::format("{:.6g}", box.side(0));
  const std::string unit = unit_name(units, {.length = 1});
  return unit.empty() ? text : text + " " + unit;
}

std::string with_unit(double number, const Units& units, const UnitPowers& powers) {
  std::string unit = unit_name(units, powers);
  if (const std::size_t space = unit.find(' ');
      unit.starts_with("1e") && space != std::string::npos) {
    number *= std::stod(unit.substr(0, space));  // "1e10 Msun/h"
    unit.erase(0, space + 1);
  }
  return fmt::format("{:.6g}{}{}", number, unit.empty() ? "" : " ", unit);
}

std::string unit_note(const Units& units, const UnitPowers& powers) {
  const std::string unit = unit_name(units, powers);
  return unit.empty() ? unit : " [" + unit + "]";
}

bool is_result(const std::string& path) {
  if (!ends_with(path, ".hdf5") && !ends_with(path, ".h5") && !ends_with(path, ".npz"))
    return false;
  try {
    open_result(path);
    return true;
  } catch (const Error& error) {
    // A damaged result is a result: opening it again reports why. Anything else is a snapshot.
    return !ends_with(error.what(), "it is not a result of kith") &&
           !ends_with(error.what(), "only these can be read");
  }
}

}  // namespace kith::cli

#include "input_options.hpp"

#include <charconv>
#include <fmt/format.h>

#include <kith/error.hpp>

#include "output.hpp"

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

}  // namespace

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

SnapshotOptions file_options(const InputOptions& options) {
  SnapshotOptions file = options.file;
  if (!options.units.empty()) file.units = parse_units(options.units);
  if (!options.cosmology.empty()) file.cosmology = parse_cosmology(options.cosmology);
  if (!options.redshift.empty()) file.redshift = parse_numbers("--redshift", options.redshift)[0];
  return file;
}

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

void add_sky(Command command, InputOptions& options) {
  command.add_under(kInput, [&] {
    command
        .add_option("--sky", options.file.sky_columns,
                    "columns of right ascension and declination in degrees, by name or number: "
                    "lengths and distances are angles in degrees")
        .takes(2);
  });
}

void add_types(Command command, InputOptions& options) {
  command.add_under(kInput, [&] {
    command.add_option("--types", options.types, "particle types, such as 0,1; default: all")
        .separated_by(',');
  });
}

}  // namespace kith::cli

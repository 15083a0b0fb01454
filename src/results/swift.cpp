// Catalogues as SWIFT's own friends of friends writes them (fof_output_NNNN.hdf5).
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/sides.hpp"
#include "files/swift_groups.hpp"
#include "results/columns.hpp"
#include "results/writer.hpp"

namespace kith::io {
namespace {

using hdf5::Dataset;
using hdf5::Group;

SwiftFacts swift_facts(const ResultAbout& about) {
  return {.units = swift_units(about.units, about.background),
          .background = about.background,
          .time = about.time,
          .is_periodic = about.box.is_periodic()};
}

std::vector<double> single(double value) { return {value}; }
double or_one(double value) { return value > 0 ? value : 1; }

void write_header(Hdf5Writer& writer, const ResultAbout& about, const CatalogueRows& rows) {
  Group header = writer.group("Header");
  const auto groups = static_cast<std::int64_t>(rows.groups);
  const std::size_t types = std::max<std::size_t>(7, type_numbers_of(about));
  header.set("BoxSize", kith::sides_of(about.box, about.dimension));
  header.set("Dimension", std::vector<std::int32_t>{about.dimension});
  header.set("Code", "SWIFT");
  header.set("OutputType", "FOF");
  header.set("Time", single(swift_time(swift_facts(about))));
  header.set("Redshift", single(about.background.redshift));
  header.set("Scale-factor", single(about.background.scale_factor));
  const auto here = static_cast<std::int64_t>(writer.rows_here(rows.groups));
  header.set("NumFilesPerSnapshot", std::vector<std::int32_t>{writer.files()});
  header.set("ThisFile", std::vector<std::int32_t>{writer.place().part});
  header.set("NumGroup_ThisFile", std::vector<std::int64_t>{here});
  header.set("NumGroups_Total", groups);
  header.set("NumGroups_ThisFile", here);
  header.set("NumPart_ThisFile", std::vector<std::int64_t>(types));
  header.set("NumPart_Total", std::vector<std::uint32_t>(types));
  header.set("NumPart_Total_HighWord", std::vector<std::uint32_t>(types));
  header.set("TotalNumberOfParticles", std::vector<std::int64_t>(types));
  header.set("MassTable", std::vector<double>(types));
}

/// Powers of SWIFT's five units; a velocity is a length over a time.
void describe(Dataset& dataset, const ResultArray& array, const ResultAbout& about) {
  const UnitPowers& powers = array.unit;
  const Units units = swift_units(about.units, about.background);
  const double cgs = std::pow(or_one(units.length), powers.length) *
                     std::pow(or_one(units.mass), powers.mass) *
                     std::pow(or_one(units.velocity), powers.velocity);
  const double a_power = about.units.is_comoving ? powers.length : 0;
  dataset.set("U_M exponent", single(static_cast<double>(powers.mass)));
  dataset.set("U_L exponent", single(static_cast<double>(powers.length + powers.velocity)));
  dataset.set("U_t exponent", single(-static_cast<double>(powers.velocity)));
  dataset.set("U_I exponent", single(0));
  dataset.set("U_T exponent", single(0));
  dataset.set("h-scale exponent", single(0));
  dataset.set("a-scale exponent", single(a_power));
  dataset.set("Expression for physical CGS units",
              fmt::format("a^{:g} U_M^{} U_L^{} U_t^{} [ cgs ]", a_power, powers.mass,
                          powers.length + powers.velocity, -powers.velocity));
  dataset.set("Lossy compression filter", "None");
  dataset.set("Value stored as physical", std::vector<std::int32_t>{0});
  dataset.set("Property can be converted to comoving", std::vector<std::int32_t>{1});
  dataset.set("Conversion factor to CGS (not including cosmological corrections)", single(cgs));
  dataset.set("Conversion factor to physical CGS (including cosmological corrections)",
              single(cgs * std::pow(about.background.scale_factor, a_power)));
  if (!array.description.empty()) {
    dataset.set("Description", array.description);
    dataset.set("description", array.description);
  }
  const std::string unit = unit_name(about.units, array.unit);
  if (!unit.empty()) dataset.set("unit", unit);
}

void write_described(Hdf5Writer& writer, const std::string& path, const ResultRows& array,
                     const ResultAbout& about) {
  Dataset dataset = writer.write(path, array);
  describe(dataset, array, about);
}

void write_swift_labels(Hdf5Writer& writer, const ResultAbout& about, const CatalogueRows& rows) {
  for (const TypeSlice& slice : slices_of(about)) {
    const std::string group = "PartType" + std::to_string(slice.type);
    ResultRows labels = sliced(*rows.label, slice.begin, slice.end - slice.begin);
    labels.description =
        "GroupIDs of the particles' groups, in the order of the snapshot; 2147483647: none.";
    write_described(writer, group + "/FOFGroupIDs", labels, about);
    if (!rows.id) continue;
    ResultRows particles = sliced(*rows.id, slice.begin, slice.end - slice.begin);
    particles.description = "IDs of the particles, in the order of the snapshot.";
    write_described(writer, group + "/ParticleIDs", particles, about);
  }
}

}  // namespace

void write_swift(const std::string& path, const ResultAbout& about, const CatalogueRows& rows,
                 const ResultWriteOptions& options, const Workers& workers) {
  ResultRows numbers = computed_rows<std::int64_t>(
      "ids", rows.groups, [](std::size_t g) { return static_cast<std::int64_t>(g) + 1; });
  numbers.description = "Number of the group, from 1, the largest first.";
  in_files(path, options, workers, [&](Hdf5Writer& writer) {
    write_header(writer, about, rows);
    write_swift_groups(writer.file(), swift_facts(about));
    writer.attributes(writer.group("Parameters"),
                      {{"FOF:min_group_size", static_cast<std::int64_t>(about.min_size)},
                       {"FOF:absolute_linking_length", about.linking_length},
                       {"FOF:linking_length_ratio", about.b}});
    writer.about(about);
    writer.group("Groups");
    for (const ResultRows& array : rows.columns)
      if (const std::string& place = find_rule(array.name)->swift; !place.empty())
        write_described(writer, place, array, about);
    write_described(writer, "Groups/GroupIDs", numbers, about);
    if (rows.label) write_swift_labels(writer, about, rows);
  });
}

}  // namespace kith::io

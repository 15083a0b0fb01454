// Catalogues as SWIFT's own friends of friends writes them (fof_output_NNNN.hdf5).
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include <kith/version.hpp>

#include "results/columns.hpp"
#include "results/writer.hpp"

namespace kith::io {
namespace {

using hdf5::Dataset;
using hdf5::Group;

/// SWIFT's lengths and masses carry no 1/h.
double length_in_cgs(const ResultAbout& about) {
  const double h = about.units.is_per_h && about.background.h > 0 ? about.background.h : 1;
  return about.units.length > 0 ? about.units.length / h : 1;
}
double mass_in_cgs(const ResultAbout& about) {
  const double h = about.units.is_per_h && about.background.h > 0 ? about.background.h : 1;
  return about.units.mass > 0 ? about.units.mass / h : 1;
}
double time_in_cgs(const ResultAbout& about) {
  return about.units.velocity > 0 ? length_in_cgs(about) / about.units.velocity : 1;
}

void write_units(Group group, const ResultAbout& about) {
  group.set("Unit length in cgs (U_L)", length_in_cgs(about));
  group.set("Unit mass in cgs (U_M)", mass_in_cgs(about));
  group.set("Unit time in cgs (U_t)", time_in_cgs(about));
  group.set("Unit current in cgs (U_I)", 1.0);
  group.set("Unit temperature in cgs (U_T)", 1.0);
}

void write_header(Group header, const CatalogueContent& content) {
  const ResultAbout& about = content.about;
  const auto groups = static_cast<std::int64_t>(content.catalogue->count());
  const std::size_t types = std::max<std::size_t>(7, type_numbers_of(about));
  std::vector<double> sides;
  for (int axis = 0; axis < about.dimension; ++axis) sides.push_back(about.box.side(axis));
  header.set("BoxSize", sides);
  header.set("Dimension", std::int32_t{about.dimension});
  header.set("Code", "SWIFT");
  header.set("OutputType", "FOF");
  header.set("Time", about.time);
  header.set("Redshift", about.background.redshift);
  header.set("Scale-factor", about.background.scale_factor);
  header.set("NumFilesPerSnapshot", std::int32_t{1});
  header.set("ThisFile", std::int32_t{0});
  header.set("NumGroups_Total", groups);
  header.set("NumGroups_ThisFile", groups);
  header.set("NumPart_ThisFile", std::vector<std::int64_t>(types));
  header.set("NumPart_Total", std::vector<std::uint32_t>(types));
  header.set("NumPart_Total_HighWord", std::vector<std::uint32_t>(types));
  header.set("TotalNumberOfParticles", std::vector<std::int64_t>(types));
  header.set("MassTable", std::vector<double>(types));
}

void write_universe(Group group, const ResultAbout& about) {
  const Background& background = about.background;
  group.set("Cosmological run", std::int32_t{background.is_known});
  group.set("Redshift", background.redshift);
  group.set("Scale-factor", background.scale_factor);
  group.set("Omega_m", background.omega_m);
  group.set("Omega_lambda", background.omega_lambda);
  group.set("Omega_b", background.omega_b);
  group.set("h", background.h);
}

/// Powers of SWIFT's five units; a velocity is a length over a time.
void describe(Dataset& dataset, const ResultArray& array, const ResultAbout& about) {
  const UnitPowers& powers = array.unit;
  const double cgs = std::pow(length_in_cgs(about), powers.length + powers.velocity) *
                     std::pow(mass_in_cgs(about), powers.mass) *
                     std::pow(time_in_cgs(about), -powers.velocity);
  const double a_power = about.units.is_comoving ? powers.length : 0;
  dataset.set("U_M exponent", static_cast<double>(powers.mass));
  dataset.set("U_L exponent", static_cast<double>(powers.length + powers.velocity));
  dataset.set("U_t exponent", -static_cast<double>(powers.velocity));
  dataset.set("U_I exponent", 0.0);
  dataset.set("U_T exponent", 0.0);
  dataset.set("h-scale exponent", 0.0);
  dataset.set("a-scale exponent", a_power);
  dataset.set("Expression for physical CGS units",
              fmt::format("a^{:g} U_M^{} U_L^{} U_t^{} [ cgs ]", a_power, powers.mass,
                          powers.length + powers.velocity, -powers.velocity));
  dataset.set("Lossy compression filter", "None");
  dataset.set("Value stored as physical", std::int32_t{0});
  dataset.set("Property can be converted to comoving", std::int32_t{1});
  dataset.set("Conversion factor to CGS (not including cosmological corrections)", cgs);
  dataset.set("Conversion factor to physical CGS (including cosmological corrections)",
              cgs * std::pow(about.background.scale_factor, a_power));
  if (!array.description.empty()) {
    dataset.set("Description", array.description);
    dataset.set("description", array.description);
  }
  const std::string unit = unit_name(about.units, array.unit);
  if (!unit.empty()) dataset.set("unit", unit);
}

void write_described(Hdf5Writer& writer, const std::string& path, const ResultArray& array,
                     const ResultAbout& about) {
  Dataset dataset = writer.write(path, array);
  describe(dataset, array, about);
}

/// Groups are numbered from 1 here; 2^31 - 1 means none.
void write_labels(Hdf5Writer& writer, const CatalogueContent& content) {
  constexpr std::int64_t kNone = 2147483647;
  for (const TypeSlice& slice : slices_of(content.about)) {
    std::vector<std::int64_t> ids(slice.end - slice.begin);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const std::int32_t label = content.label[slice.begin + i];
      ids[i] = label < 0 ? kNone : std::int64_t{label} + 1;
    }
    const std::string group = "PartType" + std::to_string(slice.type);
    ResultArray labels = result_array("label", ids.data(), ids.size());
    labels.description =
        "GroupIDs of the particles' groups, in the order of the snapshot; 2147483647: none.";
    write_described(writer, group + "/FOFGroupIDs", labels, content.about);
    if (!content.id) continue;
    ResultArray particles = result_array("id", content.id + slice.begin, ids.size());
    particles.description = "IDs of the particles, in the order of the snapshot.";
    write_described(writer, group + "/ParticleIDs", particles, content.about);
  }
}

}  // namespace

void write_swift(const std::string& path, const CatalogueContent& content, int compression,
                 const Workers& workers) {
  Hdf5Writer writer(path, compression, workers);
  const ResultAbout& about = content.about;
  write_header(writer.group("Header"), content);
  write_units(writer.group("Units"), about);
  write_units(writer.group("InternalCodeUnits"), about);
  write_universe(writer.group("Cosmology"), about);
  writer.group("Code").set("Code", "kith " KITH_VERSION);
  writer.attributes(writer.group("Parameters"),
                    {{"FOF:min_group_size", static_cast<std::int64_t>(about.min_size)},
                     {"FOF:absolute_linking_length", about.linking_length},
                     {"FOF:linking_length_ratio", about.b}});
  writer.attributes(writer.group("Kith"), facts_of(about));
  writer.group("Groups");
  const Columns columns = table_columns(content, type_numbers_of(about));
  for (const ResultArray& array : columns.arrays)
    if (const std::string& place = find_rule(array.name)->swift; !place.empty())
      write_described(writer, place, array, about);
  std::vector<std::int64_t> ids(content.catalogue->count());
  for (std::size_t g = 0; g < ids.size(); ++g) ids[g] = static_cast<std::int64_t>(g) + 1;
  ResultArray numbers = result_array("ids", ids.data(), ids.size());
  numbers.description = "Number of the group, from 1, the largest first.";
  write_described(writer, "Groups/GroupIDs", numbers, about);
  if (!content.label.empty()) write_labels(writer, content);
  writer.commit();
}

}  // namespace kith::io

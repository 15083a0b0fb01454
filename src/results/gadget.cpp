// Catalogues as Gadget-4 and IllustrisTNG have them. Readers differ in the names of the header's
// numbers that they ask for, so it has those of both. There must be no group named FOF: yt takes
// such a file for another kind.
#include <algorithm>
#include <limits>
#include <string_view>

#include <kith/version.hpp>

#include "results/columns.hpp"
#include "results/writer.hpp"

namespace kith::io {
namespace {

using hdf5::Dataset;
using hdf5::Group;

void write_header(Hdf5Writer& writer, const ResultAbout& about, const CatalogueRows& rows) {
  Group header = writer.group("Header");
  for (const bool is_here : {true, false}) {
    const std::string where = is_here ? "_ThisFile" : "_Total";
    const auto set = [&](const char* what, std::uint64_t count) {
      header.set(what + where, is_here ? writer.rows_here(count) : count);
    };
    set("Ngroups", rows.groups);
    set("Nsubhalos", rows.subhalos);
    set("Nsubgroups", rows.subhalos);
    set("Nids", rows.member_id ? rows.grouped : 0);
  }
  // Also in the file that refers to the parts: yt opens those, whichever file it is given.
  header.set("NumFiles", static_cast<std::int32_t>(writer.place().parts));
  header.set("Time", about.background.is_known ? about.background.scale_factor : about.time);
  header.set("Redshift", about.background.redshift);
  header.set("BoxSize", about.box.side(0));
  header.set("FlagDoubleprecision", std::int32_t{1});
  header.set("Git_commit", "kith " KITH_VERSION);
  header.set("Git_date", "unknown");
}

void write_universe(Group group, const ResultAbout& about) {
  group.set("Omega0", about.background.omega_m);
  group.set("OmegaLambda", about.background.omega_lambda);
  group.set("OmegaBaryon", about.background.omega_b);
  group.set("HubbleParam", about.background.is_known ? about.background.h : 1.0);
  const Units& units = about.units;
  if (units.length > 0) group.set("UnitLength_in_cm", units.length);
  if (units.mass > 0) group.set("UnitMass_in_g", units.mass);
  if (units.velocity > 0) group.set("UnitVelocity_in_cm_per_s", units.velocity);
}

void write_parameters(Hdf5Writer& writer, const ResultAbout& about) {
  Group parameters = writer.group("Parameters");
  parameters.set("BoxSize", about.box.side(0));
  write_universe(writer.group("Parameters"), about);
  write_universe(writer.group("Header"), about);
  Group config = writer.group("Config");
  config.set("FOF", "");
  config.set("FOF_LINKLENGTH", about.b);
  config.set("FOF_GROUP_MIN_LEN", static_cast<std::int32_t>(about.min_size));
}

void write_tables(Hdf5Writer& writer, const ResultAbout& about, const CatalogueRows& rows) {
  for (const ResultRows& array : rows.columns) {
    const ColumnRule* rule = find_rule(array.name);
    Dataset dataset = writer.write(gadget_path(*rule, about), array);
    describe_gadget(dataset, array, about);
    // GroupVel is the peculiar velocity times a: an attribute has the factor that undoes this.
    if (rule->gadget_convention == Convention::times_scale_factor && about.background.is_known)
      dataset.set("a_scaling_to_peculiar", -1.0);
  }
}

/// Names of the same columns in Gadget-4 where IllustrisTNG has others.
void write_second_names(Hdf5Writer& writer, const ResultAbout& about, const CatalogueRows& rows) {
  const double scale = about.background.is_known ? about.background.scale_factor : about.time;
  ResultRows array =
      computed_rows<double>("scale", rows.groups, [=](std::size_t) { return scale; });
  array.description = "Scale factor of the snapshot.";
  Dataset dataset = writer.write("Group/GroupAscale", array);
  describe_gadget(dataset, array, about);
  for (const auto& [name, path] : {std::pair("subhalo_parent", "Subhalo/SubhaloGroupNr"),
                                   std::pair("subhalo_center", "Subhalo/SubhaloPos")})
    if (const ResultRows* column = find_array(rows.columns, name);
        column &&
        !(name == std::string_view("subhalo_center") && find_array(rows.columns, "subhalo_peak"))) {
      Dataset copy = writer.write(path, *column);
      describe_gadget(copy, *column, about);
    }
}

/// Offsets in the sorted snapshot under the names that illustris_python asks for in catalogues that
/// have no file of offsets beside them.
void write_snapshot_offsets(Hdf5Writer& writer, const ResultAbout& about,
                            const CatalogueRows& rows) {
  if (about.sorted_snapshot.empty()) return;
  Group header = writer.group("Header");
  header.set("FileOffsets_Group", writer.first_rows(rows.groups));
  header.set("FileOffsets_Subhalo", writer.first_rows(rows.subhalos));
  header.set_rows("FileOffsets_Snap", std::vector<std::int64_t>(type_numbers_of(about)));
  for (const auto& [name, path] : {std::pair("type_offset", "Offsets/Group_SnapByType"),
                                   std::pair("subhalo_type_offset", "Offsets/Subhalo_SnapByType")})
    if (const ResultRows* column = find_array(rows.columns, name)) writer.write(path, *column);
}

/// For each type, its particles in the order of the groups: type_offset points here.
void write_order(Hdf5Writer& writer, const ResultAbout& about, const CatalogueRows& rows) {
  std::size_t number = 0;
  for (const TypeSlice& slice : slices_of(about)) {
    Dataset dataset =
        writer.write("Order/PartType" + std::to_string(slice.type), rows.order[number++]);
    dataset.set("description",
                "Rows of this type in the snapshot, group after group, those in no group last; a "
                "group's begin at GroupOffsetByType, or GroupOffsetType beside a sorted snapshot.");
  }
}

void write_ids(Hdf5Writer& writer, const CatalogueRows& rows) {
  Dataset dataset = writer.write("IDs/ID", sliced(*rows.member_id, 0, rows.grouped));
  dataset.set("description", "IDs of the members, group after group.");
}

void write_gadget_labels(Hdf5Writer& writer, const ResultAbout& about, const ResultRows& label,
                         const std::string& folder, const std::string& description) {
  for (const TypeSlice& slice : slices_of(about)) {
    Dataset dataset = writer.write(folder + "/PartType" + std::to_string(slice.type),
                                   sliced(label, slice.begin, slice.end - slice.begin));
    dataset.set("description", description);
  }
}

}  // namespace

bool may_be_narrow(const ResultArray& array) {
  return array.type == NumberType::int64 && !array.name.ends_with("type_offset") &&
         !array.name.ends_with("lowest");
}

bool fits_int32(const ResultArray& array) {
  const auto* values = static_cast<const std::int64_t*>(array.data);
  return std::all_of(values, values + array.rows * array.width, [](std::int64_t value) {
    return value >= std::numeric_limits<std::int32_t>::min() &&
           value <= std::numeric_limits<std::int32_t>::max();
  });
}

std::vector<std::int32_t> narrowed(const ResultArray& array) {
  const auto* values = static_cast<const std::int64_t*>(array.data);
  return {values, values + array.rows * array.width};
}

std::vector<double> scaled(const ResultArray& array, double factor) {
  const auto* values = static_cast<const double*>(array.data);
  std::vector<double> result(values, values + array.rows * array.width);
  for (double& value : result) value *= factor;
  return result;
}

void write_gadget(const std::string& path, const ResultAbout& about, const CatalogueRows& rows,
                  const ResultWriteOptions& options, const Workers& workers) {
  in_files(path, options, workers, [&](Hdf5Writer& writer) {
    write_header(writer, about, rows);
    write_parameters(writer, about);
    for (const char* name : {"Group", "Subhalo", "IDs"}) writer.group(name);
    writer.about(about);
    write_tables(writer, about, rows);
    write_second_names(writer, about, rows);
    write_snapshot_offsets(writer, about, rows);
    if (!rows.order.empty()) write_order(writer, about, rows);
    if (rows.member_id) write_ids(writer, rows);
    if (rows.label)
      write_gadget_labels(
          writer, about, *rows.label, "Labels",
          "Row of each particle's group in /Group, in the order of the snapshot; -1: none.");
    if (rows.subhalo_label)
      write_gadget_labels(
          writer, about, *rows.subhalo_label, "SubhaloLabels",
          "Row of each particle's subhalo in /Subhalo, in the order of the snapshot; -1: none.");
  });
}

}  // namespace kith::io

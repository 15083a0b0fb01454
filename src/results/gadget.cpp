// Catalogues as Gadget-4 and IllustrisTNG have them. Readers differ in the names of the header's
// numbers that they ask for, so it has those of both. There must be no group named FOF: yt takes
// such a file for another kind.
#include <algorithm>
#include <limits>
#include <string_view>

#include <kith/version.hpp>

#include "results/columns.hpp"
#include "results/point_rows.hpp"
#include "results/writer.hpp"

namespace kith::io {
namespace {

using hdf5::Dataset;
using hdf5::Group;

void write_header(Hdf5Writer& writer, const CatalogueContent& content, std::uint64_t ids) {
  const ResultAbout& about = content.about;
  const std::uint64_t groups = groups_in(content), subhalos = subhalos_in(content);
  Group header = writer.group("Header");
  for (const bool is_here : {true, false}) {
    const std::string where = is_here ? "_ThisFile" : "_Total";
    const auto set = [&](const char* what, std::uint64_t rows) {
      header.set(what + where, is_here ? writer.rows_here(rows) : rows);
    };
    set("Ngroups", groups);
    set("Nsubhalos", subhalos);
    set("Nsubgroups", subhalos);
    set("Nids", ids);
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

/// Unless they are stored already.
bool is_narrow(const Columns& columns, const ResultArray& array) {
  return !columns.are_stored && may_be_narrow(array) && fits_int32(array);
}

Dataset write_narrow(Hdf5Writer& writer, const std::string& path, ResultArray array) {
  const std::vector<std::int32_t> narrow = narrowed(array);
  array.type = NumberType::int32;
  array.data = narrow.data();
  return writer.write(path, array);
}

Dataset write_scaled(Hdf5Writer& writer, const std::string& path, const ResultArray& array,
                     double factor) {
  const std::vector<double> values = scaled(array, factor);
  ResultArray copy = array;
  copy.data = values.data();
  return writer.write(path, copy);
}

Dataset write_column(Hdf5Writer& writer, const ColumnRule& rule, const Columns& columns,
                     const ResultRows& array, const ResultAbout& about) {
  const double factor = factor_of(rule.gadget_convention, about);
  const std::string path = gadget_path(rule, about);
  if (factor != 1 && !columns.are_stored) return write_scaled(writer, path, array, factor);
  if (is_narrow(columns, array)) return write_narrow(writer, path, array);
  return writer.write(path, array);
}

void write_tables(Hdf5Writer& writer, const Columns& columns, const ResultAbout& about) {
  for (const ResultRows& array : columns.arrays) {
    const ColumnRule* rule = find_rule(array.name);
    Dataset dataset = write_column(writer, *rule, columns, array, about);
    describe_gadget(dataset, array, about);
    // GroupVel is the peculiar velocity times a: an attribute has the factor that undoes this.
    if (rule->gadget_convention == Convention::times_scale_factor && about.background.is_known)
      dataset.set("a_scaling_to_peculiar", -1.0);
  }
}

/// Names of the same columns in Gadget-4 where IllustrisTNG has others.
void write_second_names(Hdf5Writer& writer, const CatalogueContent& content,
                        const Columns& columns) {
  const double scale = content.about.background.is_known ? content.about.background.scale_factor
                                                         : content.about.time;
  ResultRows array =
      made_rows<double>("scale", groups_in(content), [=](std::size_t) { return scale; });
  array.description = "Scale factor of the snapshot.";
  Dataset dataset = writer.write("Group/GroupAscale", array);
  describe_gadget(dataset, array, content.about);
  for (const auto& [name, path] : {std::pair("subhalo_parent", "Subhalo/SubhaloGroupNr"),
                                   std::pair("subhalo_center", "Subhalo/SubhaloPos")}) {
    const ResultRows* column = columns.find(name);
    if (!column) continue;
    Dataset copy = is_narrow(columns, *column) ? write_narrow(writer, path, *column)
                                               : writer.write(path, *column);
    describe_gadget(copy, *column, content.about);
  }
}

/// Offsets in the sorted snapshot under the names that illustris_python asks for in catalogues that
/// have no file of offsets beside them.
void write_snapshot_offsets(Hdf5Writer& writer, const CatalogueContent& content,
                            const Columns& columns) {
  if (content.about.sorted_snapshot.empty()) return;
  Group header = writer.group("Header");
  header.set("FileOffsets_Group", writer.first_rows(groups_in(content)));
  header.set("FileOffsets_Subhalo", writer.first_rows(subhalos_in(content)));
  header.set_rows("FileOffsets_Snap", std::vector<std::int64_t>(type_numbers_of(content.about)));
  for (const auto& [name, path] : {std::pair("type_offset", "Offsets/Group_SnapByType"),
                                   std::pair("subhalo_type_offset", "Offsets/Subhalo_SnapByType")})
    if (const ResultRows* column = columns.find(name)) writer.write(path, *column);
}

/// For each type, its particles in the order of the groups: type_offset points here.
void write_order(Hdf5Writer& writer, const ResultAbout& about, PointRows& points) {
  std::size_t number = 0;
  for (const TypeSlice& slice : slices_of(about)) {
    Dataset dataset =
        writer.write("Order/PartType" + std::to_string(slice.type), points.order(slice, number++));
    dataset.set("description",
                "Rows of this type in the snapshot, group after group, those in no group last; a "
                "group's begin at GroupOffsetByType, or GroupOffsetType beside a sorted snapshot.");
  }
}

void write_ids(Hdf5Writer& writer, PointRows& points) {
  Dataset dataset = writer.write("IDs/ID", points.member_id());
  dataset.set("description", "IDs of the members, group after group.");
}

void write_gadget_labels(Hdf5Writer& writer, const ResultAbout& about, const PointRows& points) {
  for (const TypeSlice& slice : slices_of(about)) {
    Dataset dataset =
        writer.write("Labels/PartType" + std::to_string(slice.type), points.label(slice));
    dataset.set("description",
                "Row of each particle's group in /Group, in the order of the snapshot; -1: none.");
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

void write_gadget(const std::string& path, const CatalogueContent& content,
                  const ResultWriteOptions& options, const Workers& workers) {
  PointRows points(content);
  const Columns columns = columns_of(content);
  in_files(path, options, workers, [&](Hdf5Writer& writer) {
    write_header(writer, content, points.has_member_id() ? points.grouped() : 0);
    write_parameters(writer, content.about);
    for (const char* name : {"Group", "Subhalo", "IDs"}) writer.group(name);
    writer.about(content.about);
    write_tables(writer, columns, content.about);
    write_second_names(writer, content, columns);
    write_snapshot_offsets(writer, content, columns);
    if (points.has_order()) write_order(writer, content.about, points);
    if (points.has_member_id()) write_ids(writer, points);
    if (points.has_label()) write_gadget_labels(writer, content.about, points);
  });
}

}  // namespace kith::io

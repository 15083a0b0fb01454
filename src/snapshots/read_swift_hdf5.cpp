// The reader of SWIFT's HDF5 snapshots: one file, several, or a virtual one over several.
#include <algorithm>

#include "base/fail.hpp"
#include "snapshots/hdf5_snapshot.hpp"

namespace kith::io {
namespace {

struct SwiftCommon {
  Hdf5Counts counts;
  std::vector<double> sides;
  double scale_factor = 1;
  double redshift = 0;
  double time = 0;
};

SwiftCommon swift_common(const hdf5::Group& header) {
  SwiftCommon common;
  common.counts = counts_of(header);
  common.sides = sides_of(header);
  common.scale_factor = header.number("Scale-factor").value_or(1);
  common.redshift = header.number("Redshift").value_or(0);
  common.time = header.number("Time").value_or(0);
  return common;
}

bool is_same_swift_snapshot(const SwiftCommon& a, const SwiftCommon& b) {
  return a.counts.total == b.counts.total && a.counts.files == b.counts.files &&
         a.sides == b.sides && a.scale_factor == b.scale_factor && a.time == b.time;
}

class SwiftHdf5Reader : public Hdf5Reader {
 public:
  SwiftHdf5Reader(const std::string& path, const ReaderOptions& options) {
    value_name = options.value_column;
    type_names = {"gas",         "dark matter", "background dark matter", "sinks", "stars",
                  "black holes", "neutrinos"};
    info.format = FileFormat::swift_hdf5;
    info.code = "SWIFT";
    const hdf5::InputFile first(path);
    const hdf5::Group header = first.group("Header");
    const SwiftCommon common = swift_common(header);
    const bool is_virtual = header.number("Virtual").value_or(0) != 0;
    list_files(path, is_virtual ? 1 : common.counts.files);
    std::vector<std::uint64_t> sums(common.counts.total.size(), 0);
    for (const std::string& file : info.files) add_file(file, path, common, is_virtual, sums);
    if (sums != common.counts.total)
      fail(ErrorCode::io,
           "{}: the header's totals differ from the numbers in the files; the "
           "snapshot is incomplete or damaged",
           path);
    finish_types(common.counts.total, header.numbers("MassTable").value_or(std::vector<double>{}),
                 path);
    info.time = common.time;
    set_box(first, common, path);
    set_background(first, common);
    set_units(first);
  }

 private:
  void add_file(const std::string& file, const std::string& first, const SwiftCommon& common,
                bool is_virtual, std::vector<std::uint64_t>& sums) {
    const hdf5::InputFile opened(file);
    const SwiftCommon here = swift_common(opened.group("Header"));
    if (file != first && !is_same_swift_snapshot(here, common))
      fail(ErrorCode::io, "{}: belongs to another snapshot than {}", file, first);
    const auto& counts = is_virtual ? here.counts.total : here.counts.here;
    for (std::size_t type = 0; type < counts.size(); ++type) {
      add_particles(opened, file, static_cast<int>(type), counts[type], common.sides);
      sums[type] += counts[type];
    }
  }

  void set_box(const hdf5::InputFile& file, const SwiftCommon& common, const std::string& path) {
    if (file.contains("Parameters")) {
      const hdf5::Group parameters = file.group("Parameters");
      const char* name = "InitialConditions:periodic";
      const auto periodic = parameters.text(name);
      if (parameters.has(name) && !periodic)
        info.warnings.push_back(
            formatted("{} in {} is a text of variable length, which is not read; the box is taken "
                      "as periodic",
                      name, path));
      if (periodic == "0") return;
    }
    info.box = box_of(common.sides, info.dimension, path);
  }

  void set_background(const hdf5::InputFile& file, const SwiftCommon& common) {
    if (!file.contains("Cosmology")) return;
    const hdf5::Group cosmology = file.group("Cosmology");
    Background& background = info.background;
    background.is_known = cosmology.number("Cosmological run").value_or(0) != 0;
    if (!background.is_known) return;
    background.omega_m = cosmology.number("Omega_m").value_or(0);
    background.omega_lambda = cosmology.number("Omega_lambda").value_or(0);
    background.omega_b = cosmology.number("Omega_b").value_or(0);
    background.h = cosmology.number("h").value_or(0);
    background.scale_factor = common.scale_factor;
    background.redshift = common.redshift;
  }

  /// Without h anywhere; velocities are stored as peculiar velocities.
  void set_units(const hdf5::InputFile& file) {
    info.units.is_comoving = info.background.is_known;
    if (!file.contains("Units")) return;
    const hdf5::Group units = file.group("Units");
    info.units.length = units.number("Unit length in cgs (U_L)").value_or(0);
    info.units.mass = units.number("Unit mass in cgs (U_M)").value_or(0);
    const double time = units.number("Unit time in cgs (U_t)").value_or(0);
    if (time > 0) info.units.velocity = info.units.length / time;
  }
};

}  // namespace

bool is_swift(const std::string& path) {
  const hdf5::InputFile file(path);
  if (!file.contains("Header"))
    fail(ErrorCode::io,
         "{}: is an HDF5 file without /Header, so no snapshot that kith knows; name the dataset or "
         "group that holds the points, as in {}:/points",
         path, path);
  const hdf5::Group header = file.group("Header");
  return header.has("Scale-factor") ||
         (header.has("Code") && header.text("Code").value_or("").starts_with("SWIFT"));
}

ReaderPointer open_swift_hdf5(const std::string& path, const ReaderOptions& options) {
  return std::make_unique<SwiftHdf5Reader>(path, options);
}

}  // namespace kith::io

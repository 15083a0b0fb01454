// The reader of HDF5 snapshots of Gadget-4, of AREPO (IllustrisTNG), and of their ancestors.
#include <cmath>
#include <optional>

#include "base/fail.hpp"
#include "snapshots/hdf5_snapshot.hpp"

namespace kith::io {
namespace {

/// The facts that the headers of all files of a snapshot share.
struct Common {
  Hdf5Counts counts;
  std::vector<double> sides;
  std::vector<double> masses;
  double time = 0;
  double redshift = 0;
};

Common common_of(const hdf5::Group& header) {
  Common common;
  common.counts = counts_of(header);
  common.sides = sides_of(header);
  common.masses = header.numbers("MassTable").value_or(std::vector<double>{});
  common.time = header.number("Time").value_or(0);
  common.redshift = header.number("Redshift").value_or(0);
  return common;
}

bool is_same_snapshot(const Common& a, const Common& b) {
  return a.counts.total == b.counts.total && a.counts.files == b.counts.files &&
         a.sides == b.sides && a.masses == b.masses && a.time == b.time && a.redshift == b.redshift;
}

/// An attribute of the header, or of the parameters, where Gadget-4 has it.
class Attributes {
 public:
  explicit Attributes(const hdf5::InputFile& file) {
    groups_.push_back(file.group("Header"));
    if (file.contains("Parameters")) groups_.push_back(file.group("Parameters"));
  }
  std::optional<double> number(const char* name) const {
    for (const hdf5::Group& group : groups_)
      if (const auto value = group.number(name)) return value;
    return std::nullopt;
  }
  /// The first of these attributes that exists; 0 if none does.
  double first(std::initializer_list<const char*> names) const {
    for (const char* name : names)
      if (const auto value = number(name)) return *value;
    return 0;
  }

 private:
  std::vector<hdf5::Group> groups_;
};

class GadgetHdf5Reader : public Hdf5Reader {
 public:
  GadgetHdf5Reader(const std::string& path, const ReaderOptions& options) {
    value_name = options.value_column;
    type_names = {"gas", "dark matter", "disk", "bulge", "stars", "boundary"};
    info.format = FileFormat::gadget_hdf5;
    const hdf5::InputFile first(path);
    Common common = common_of(first.group("Header"));
    if (common.counts.files > 1 && common.counts.here == common.counts.total) {
      info.warnings.push_back(
          formatted("the header of {} says that it is one of {} files, and that this one holds all "
                    "particles; it is read by itself",
                    path, common.counts.files));
      info.files = {path};
    } else {
      list_files(path, common.counts.files);
    }
    std::vector<std::uint64_t> sums(common.counts.total.size(), 0);
    for (const std::string& file : info.files) add_file(file, path, common, sums);
    for (std::size_t type = 0; type < sums.size(); ++type)
      if (sums[type] != common.counts.total[type])
        fail(ErrorCode::io,
             "{}: {} particles of type {} in the header, {} in the files; the snapshot "
             "is incomplete or damaged",
             path, common.counts.total[type], type, sums[type]);
    finish_types(common.counts.total, common.masses, path);
    info.box = box_of(common.sides, info.dimension, path);
    info.time = common.time;
    info.code =
        first.group("Header").has("NumPart_Total_HighWord") ? "AREPO or Gadget" : "Gadget-4";
    set_background(Attributes(first), common);
    set_units(Attributes(first), first);
  }

 private:
  void add_file(const std::string& file, const std::string& first, const Common& common,
                std::vector<std::uint64_t>& sums) {
    const hdf5::InputFile opened(file);
    const Common here = common_of(opened.group("Header"));
    if (file != first && !is_same_snapshot(here, common))
      fail(ErrorCode::io, "{}: belongs to another snapshot than {}", file, first);
    for (std::size_t type = 0; type < here.counts.here.size(); ++type) {
      add_particles(opened, file, static_cast<int>(type), here.counts.here[type], common.sides);
      sums[type] += here.counts.here[type];
    }
  }

  /// Where no parameter says that the run is cosmological, it is if its time is the scale factor.
  void set_background(const Attributes& attributes, const Common& common) {
    Background& background = info.background;
    background.omega_m = attributes.number("Omega0").value_or(0);
    background.omega_lambda = attributes.number("OmegaLambda").value_or(0);
    background.omega_b = attributes.number("OmegaBaryon").value_or(0);
    background.h = attributes.number("HubbleParam").value_or(0);
    const bool is_scale_factor =
        common.time > 0 && std::abs(common.time * (1 + common.redshift) - 1) < 1e-3;
    const auto flag = attributes.number("ComovingIntegrationOn");
    background.is_known = is_scale_factor && background.omega_m > 0 && (!flag || *flag != 0);
    if (!background.is_known) return;
    background.scale_factor = common.time;
    background.redshift = common.redshift;
  }

  /// Gadget-4 and IllustrisTNG store the powers of a and h with the data; other files have the
  /// usual ones.
  void set_units(const Attributes& attributes, const hdf5::InputFile& file) {
    Units& units = info.units;
    units.length = attributes.first({"UnitLength_in_cm", "Unit length in cgs (U_L)"});
    units.mass = attributes.first({"UnitMass_in_g", "Unit mass in cgs (U_M)"});
    units.velocity = attributes.first({"UnitVelocity_in_cm_per_s", "Unit velocity in cgs (U_V)"});
    const bool is_cosmological = info.background.is_known;
    units.is_comoving =
        power(file, "Coordinates", "a_scaling").value_or(is_cosmological ? 1 : 0) != 0;
    units.is_per_h = power(file, "Coordinates", "h_scaling")
                         .value_or(is_cosmological && info.background.h > 0 ? -1 : 0) != 0;
    if (is_cosmological)
      info.velocity_factor = std::pow(info.background.scale_factor,
                                      power(file, "Velocities", "a_scaling").value_or(0.5));
  }

  std::optional<double> power(const hdf5::InputFile& file, const char* dataset,
                              const char* name) const {
    for (const SnapshotType& type : info.type) {
      const std::string place = formatted("PartType{}/{}", type.type, dataset);
      if (!file.contains(place)) continue;
      const auto value = file.dataset(place).number(name);
      if (value && std::isfinite(*value) && std::abs(*value) <= 3) return value;
    }
    return std::nullopt;
  }
};

}  // namespace

ReaderPointer open_gadget_hdf5(const std::string& path, const ReaderOptions& options) {
  return std::make_unique<GadgetHdf5Reader>(path, options);
}

}  // namespace kith::io

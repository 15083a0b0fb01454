// Snapshots as Gadget-4 and SWIFT write them, with the names that their readers expect.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/format.hpp"
#include "base/sides.hpp"
#include "files/hdf5.hpp"
#include "files/known_units.hpp"
#include "files/swift_groups.hpp"
#include "snapshots/writers.hpp"

namespace kith::io {
namespace {

constexpr std::size_t kGadgetTypes = 6;
constexpr std::size_t kSwiftTypes = 7;

/// A list with one entry for every type, of which only the written one is not zero.
template <class T>
std::vector<T> by_type(std::size_t types, int type, T value) {
  std::vector<T> result(std::max(types, static_cast<std::size_t>(type) + 1), T{0});
  result[static_cast<std::size_t>(type)] = value;
  return result;
}

/// One after the other, so that the last sync of a large file is short.
void write_rows(hdf5::OutputFile& file, hdf5::Dataset& dataset, const PointsView& points,
                double factor, const Workers& workers) {
  for_packed_rows(points, factor, workers,
                  [&](const char* rows, std::size_t begin, std::size_t count) {
                    dataset.write(begin, count, number_of(points.scalar), rows);
                    file.sync();
                  });
}

void write_positions(hdf5::OutputFile& file, hdf5::Dataset& dataset, const SnapshotContent& content,
                     const Workers& workers) {
  for_positions(content, workers, [&](const char* rows, std::size_t begin, std::size_t count) {
    dataset.write(begin, count, number_of(content.position.scalar), rows);
    file.sync();
  });
}

void write_ids(hdf5::OutputFile& file, hdf5::Dataset& dataset, const SnapshotContent& content,
               const Workers& workers) {
  for_ids(content, workers, [&](const std::uint64_t* id, std::size_t begin, std::size_t count) {
    dataset.write(begin, count, id);
    file.sync();
  });
}

hdf5::Shape shape_of(const PointsView& points) {
  return {points.size, static_cast<std::uint64_t>(points.dimension)};
}

/// Gadget-4's attributes of a dataset: powers of a, h and of the units.
struct Scaling {
  double a = 0, h = 0, length = 0, mass = 0, velocity = 0, to_cgs = 0;
};

void describe(hdf5::Dataset& dataset, const Scaling& scaling) {
  dataset.set("a_scaling", scaling.a);
  dataset.set("h_scaling", scaling.h);
  dataset.set("length_scaling", scaling.length);
  dataset.set("mass_scaling", scaling.mass);
  dataset.set("velocity_scaling", scaling.velocity);
  dataset.set("to_cgs", scaling.to_cgs);
}

/// Readers of older files look for these in the header, Gadget-4 among its parameters: so both.
void set_cosmology_and_units(hdf5::Object& object, const SnapshotContent& content) {
  const Background& background = content.background;
  object.set("Omega0", background.omega_m);
  object.set("OmegaLambda", background.omega_lambda);
  object.set("OmegaBaryon", background.omega_b);
  object.set("HubbleParam", background.is_known ? background.h : 1.0);
  const Units& units = content.units;
  if (units.length > 0) object.set("UnitLength_in_cm", units.length);
  if (units.mass > 0) object.set("UnitMass_in_g", units.mass);
  if (units.velocity > 0) object.set("UnitVelocity_in_cm_per_s", units.velocity);
}

SwiftFacts facts_of(const SnapshotContent& content) {
  return {.units = swift_units(content.units, content.background),
          .background = content.background,
          .is_periodic = content.box.is_periodic()};
}

/// yt ignores units in the header and takes lengths for kpc/h. It reads them from files that look
/// like those of OWLS, whose Gadget-3 has /Units, /Constants and an age in the header.
void write_units_for_yt(hdf5::OutputFile& file, hdf5::Group& header,
                        const SnapshotContent& content) {
  constexpr double kGigayear = 3.15576e16;
  const Units& units = content.units;
  const bool is_as_in_owls = content.background.is_known && units.is_comoving && units.is_per_h &&
                             units.length > 0 && units.mass > 0 && units.velocity > 0;
  if (!is_as_in_owls) return;
  const SwiftFacts facts = facts_of(content);
  header.set("Time_GYR", swift_time(facts) * facts.units.length / facts.units.velocity / kGigayear);
  hdf5::Group group = file.create_group("Units");
  group.set("UnitLength_in_cm", units.length);
  group.set("UnitMass_in_g", units.mass);
  group.set("UnitVelocity_in_cm_per_s", units.velocity);
  group.set("UnitTime_in_s", units.length / units.velocity);
  group.set("UnitEnergy_in_cgs", units.mass * units.velocity * units.velocity);
  file.create_group("Constants").set("GRAVITY", kGravity);
}

void write_gadget_header(hdf5::OutputFile& file, const SnapshotContent& content) {
  const auto counts = by_type<std::uint64_t>(kGadgetTypes, content.type, content.position.size);
  const Background& background = content.background;
  hdf5::Group header = file.create_group("Header");
  header.set("NumPart_ThisFile", counts);
  header.set("NumPart_Total", counts);
  header.set("MassTable", by_type<double>(kGadgetTypes, content.type, content.particle_mass));
  header.set("Time", background.is_known ? background.scale_factor : 0.0);
  header.set("Redshift", background.is_known ? background.redshift : 0.0);
  header.set("BoxSize", content.box.side(0));
  header.set("NumFilesPerSnapshot", std::int32_t{1});
  set_cosmology_and_units(header, content);
  hdf5::Group parameters = file.create_group("Parameters");
  parameters.set("BoxSize", content.box.side(0));
  parameters.set("ComovingIntegrationOn", std::int32_t{background.is_known ? 1 : 0});
  set_cosmology_and_units(parameters, content);
  file.create_group("Config").set("NTYPES", static_cast<double>(counts.size()));
  write_units_for_yt(file, header, content);
}

/// The seven exponents and factors that SWIFT gives every dataset.
struct Dimension {
  double length = 0, mass = 0, time = 0, a = 0;
  const char* description = "";
};

void describe(hdf5::Dataset& dataset, const SnapshotContent& content, const Dimension& dimension,
              double unit) {
  const auto single = [](double value) { return std::vector<double>{value}; };
  dataset.set("U_M exponent", single(dimension.mass));
  dataset.set("U_L exponent", single(dimension.length));
  dataset.set("U_t exponent", single(dimension.time));
  dataset.set("U_I exponent", single(0));
  dataset.set("U_T exponent", single(0));
  dataset.set("h-scale exponent", single(0));
  dataset.set("a-scale exponent", single(dimension.a));
  dataset.set("Conversion factor to CGS (not including cosmological corrections)", single(unit));
  dataset.set("Conversion factor to physical CGS (including cosmological corrections)",
              single(unit * std::pow(content.background.scale_factor, dimension.a)));
  dataset.set("Expression for physical CGS units",
              formatted("a^{} U_M^{} U_L^{} U_t^{} [ cgs ]", dimension.a, dimension.mass,
                        dimension.length, dimension.time));
  dataset.set("Value stored as physical", std::vector<std::int32_t>{0});
  dataset.set("Property can be converted to comoving", std::vector<std::int32_t>{1});
  dataset.set("Lossy compression filter", "None");
  dataset.set("Description", dimension.description);
}

void write_swift_header(hdf5::OutputFile& file, const SnapshotContent& content) {
  const std::uint64_t n = content.position.size;
  const auto counts =
      by_type<std::int64_t>(kSwiftTypes, content.type, static_cast<std::int64_t>(n));
  hdf5::Group header = file.create_group("Header");
  header.set("BoxSize", kith::sides_of(content.box, content.position.dimension));
  header.set("Dimension", std::vector<std::int32_t>{content.position.dimension});
  header.set("Time", std::vector<double>{swift_time(facts_of(content))});
  header.set("Redshift", std::vector<double>{content.background.redshift});
  header.set("Scale-factor", std::vector<double>{content.background.scale_factor});
  header.set("Code", "SWIFT");
  header.set("RunName", "written by kith in the layout of SWIFT");
  header.set("NumPart_ThisFile", counts);
  header.set("NumPart_Total",
             by_type<std::uint32_t>(kSwiftTypes, content.type, static_cast<std::uint32_t>(n)));
  header.set("NumPart_Total_HighWord", by_type<std::uint32_t>(kSwiftTypes, content.type,
                                                              static_cast<std::uint32_t>(n >> 32)));
  header.set("TotalNumberOfParticles", counts);
  header.set("MassTable", std::vector<double>(counts.size(), 0.0));
  header.set("InitialMassTable", by_type<double>(kSwiftTypes, content.type, content.particle_mass));
  header.set("CanHaveTypes", by_type<std::int32_t>(kSwiftTypes, content.type, 1));
  header.set("NumFilesPerSnapshot", std::vector<std::int32_t>{1});
  header.set("ThisFile", std::vector<std::int32_t>{0});
  header.set("Virtual", std::vector<std::int32_t>{0});
  header.set("OutputType", "FullVolume");
  header.set("SelectOutput", "Default");
}

/// SWIFT has a mass for every particle.
void write_swift_masses(hdf5::OutputFile& file, hdf5::Group& group, const SnapshotContent& content,
                        const hdf5::DatasetOptions& options, const Workers& workers) {
  const std::size_t n = content.position.size;
  hdf5::Dataset dataset = group.create_dataset("Masses", Number::f32, {n}, options);
  describe(dataset, content, {.mass = 1, .description = "Masses of the particles"},
           swift_units(content.units, content.background).mass);
  std::vector<float> same;
  for_pieces(n, sizeof(float), workers, [&](std::size_t begin, std::size_t count) {
    same.resize(count, static_cast<float>(content.particle_mass));
    dataset.write(begin, count, same.data());
    file.sync();
  });
}

void write_gadget_particles(hdf5::OutputFile& file, const SnapshotContent& content,
                            const hdf5::DatasetOptions& options, const Workers& workers) {
  const auto [position, velocity] = std::pair(content.position, content.velocity);
  const Units& units = content.units;
  hdf5::Group group = file.create_group(formatted("PartType{}", content.type));
  hdf5::Dataset x =
      group.create_dataset("Coordinates", number_of(position.scalar), shape_of(position), options);
  describe(x, {.a = units.is_comoving ? 1.0 : 0,
               .h = units.is_per_h ? -1.0 : 0,
               .length = 1,
               .to_cgs = units.length});
  write_positions(file, x, content, workers);
  if (velocity.data) {
    hdf5::Dataset v =
        group.create_dataset("Velocities", number_of(velocity.scalar), shape_of(velocity), options);
    describe(v,
             {.a = content.background.is_known ? 0.5 : 0, .velocity = 1, .to_cgs = units.velocity});
    write_rows(file, v, velocity, gadget_velocity_factor(content.background), workers);
  }
  if (has_ids(content)) {
    hdf5::Dataset id = group.create_dataset("ParticleIDs", Number::u64, {position.size}, options);
    describe(id, Scaling{});
    write_ids(file, id, content, workers);
  }
}

void write_swift_particles(hdf5::OutputFile& file, const SnapshotContent& content,
                           const hdf5::DatasetOptions& options, const Workers& workers) {
  const auto [position, velocity] = std::pair(content.position, content.velocity);
  const Units units = swift_units(content.units, content.background);
  hdf5::Group group = file.create_group(formatted("PartType{}", content.type));
  hdf5::Dataset x =
      group.create_dataset("Coordinates", number_of(position.scalar), shape_of(position), options);
  describe(x, content,
           {.length = 1, .a = units.is_comoving ? 1.0 : 0, .description = "Co-moving positions"},
           units.length);
  write_positions(file, x, content, workers);
  if (velocity.data) {
    hdf5::Dataset v =
        group.create_dataset("Velocities", number_of(velocity.scalar), shape_of(velocity), options);
    describe(v, content, {.length = 1, .time = -1, .description = "Peculiar velocities"},
             units.velocity);
    write_rows(file, v, velocity, 1, workers);
  }
  if (content.particle_mass > 0) write_swift_masses(file, group, content, options, workers);
  if (has_ids(content)) {
    hdf5::Dataset id = group.create_dataset("ParticleIDs", Number::u64, {position.size}, options);
    describe(id, content, {.description = "Unique identifiers of the particles"}, 1);
    write_ids(file, id, content, workers);
  }
}

}  // namespace

void write_gadget_hdf5(const std::string& path, const SnapshotContent& content,
                       const SnapshotWriteOptions& options, const Workers& workers) {
  hdf5::OutputFile file(path);
  write_gadget_header(file, content);
  if (content.position.size > 0)
    write_gadget_particles(file, content, {.compression = options.compression}, workers);
  workers.check_cancelled();
  file.commit();
}

/// In chunks with check sums, as SWIFT does.
void write_swift_hdf5(const std::string& path, const SnapshotContent& content,
                      const SnapshotWriteOptions& options, const Workers& workers) {
  hdf5::OutputFile file(path);
  write_swift_header(file, content);
  write_swift_groups(file, facts_of(content));
  if (content.position.size > 0)
    write_swift_particles(
        file, content, {.compression = options.compression, .is_checked = true, .chunk_rows = 8192},
        workers);
  workers.check_cancelled();
  file.commit();
}

}  // namespace kith::io

// Snapshots: particles in files.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <kith/io/particle_roles.hpp>
#include <kith/io/results.hpp>
#include <kith/io/snapshot.hpp>

#include "arrays.hpp"
#include "call.hpp"
#include "module.hpp"
#include "options.hpp"

namespace kith::python {
namespace {

/// The facts that the caller gives about a file; text is parsed without the lock of the
/// interpreter.
struct Given {
  SnapshotOptions options;
  std::string units, cosmology;
  double redshift = std::numeric_limits<double>::quiet_NaN();

  explicit Given(const nb::dict& given);
  Snapshot open(const std::string& path, const Execution& execution);
};

Given::Given(const nb::dict& given) {
  Options read(given);
  bool is_double = false;
  read("dimension", options.dimension);
  read("is_double", is_double);
  read("columns", options.columns);
  read("velocity_columns", options.velocity_columns);
  read("mass_column", options.mass_column);
  read("value_column", options.value_column);
  read("units", units);
  read("cosmology", cosmology);
  read("redshift", redshift);
  read("mass", options.mass);
  read.expect_no_more();
  if (is_double) options.scalar = Scalar::float64;
}

Snapshot Given::open(const std::string& path, const Execution& execution) {
  if (!units.empty()) options.units = parse_units(units);
  if (!cosmology.empty()) options.cosmology = parse_cosmology(cosmology);
  if (!std::isnan(redshift)) options.redshift = redshift;
  return Snapshot(path, options, execution);
}

Snapshot open_snapshot(const std::string& path, const nb::dict& options, const Call& call) {
  Given given(options);
  return run(call, [&](const Execution& e) { return given.open(path, e); });
}

/// All numbers of a field, piece by piece.
template <class T>
void read_through(const Snapshot& snapshot, Field field, int type, const Execution& execution) {
  constexpr std::uint64_t kRows = 1 << 16;
  const bool is_vector = field == Field::position || field == Field::velocity;
  const std::size_t width = is_vector ? static_cast<std::size_t>(snapshot.info().dimension) : 1;
  const std::uint64_t rows = snapshot.size({&type, 1});
  std::vector<T> piece;
  for (std::uint64_t begin = 0; begin < rows; begin += kRows) {
    piece.resize(std::min(kRows, rows - begin) * width);
    if constexpr (std::is_same_v<T, std::uint64_t>)
      snapshot.read_id(begin, piece, {&type, 1}, execution);
    else
      snapshot.read(field, begin, std::span<T>(piece), {&type, 1}, execution);
  }
}

void read_through(const Snapshot& snapshot, const Execution& execution) {
  for (const SnapshotType& type : snapshot.info().type) {
    for (const Field field : {Field::position, Field::velocity, Field::mass, Field::value})
      if (snapshot.has(field, {&type.type, 1}))
        read_through<double>(snapshot, field, type.type, execution);
    if (snapshot.has(Field::id, {&type.type, 1}))
      read_through<std::uint64_t>(snapshot, Field::id, type.type, execution);
  }
}

/// Reads all of a file and keeps nothing.
void examine(const std::string& kind, const std::string& path, const nb::dict& options,
             const Call& call) {
  Given given(options);
  run_work(call, [&](const Execution& e) {
    if (kind == "snapshot") return read_through(given.open(path, e), e);
    const ResultFile file(path);
    file.catalogue();
    file.label();
  });
}

nb::dict units_dict(const Units& units) {
  nb::dict facts;
  facts["length"] = units.length;
  facts["mass"] = units.mass;
  facts["velocity"] = units.velocity;
  facts["is_per_h"] = units.is_per_h;
  facts["is_comoving"] = units.is_comoving;
  return facts;
}

nb::dict background_dict(const Background& background) {
  nb::dict facts;
  facts["is_known"] = background.is_known;
  facts["omega_m"] = background.omega_m;
  facts["omega_lambda"] = background.omega_lambda;
  facts["omega_b"] = background.omega_b;
  facts["h"] = background.h;
  facts["scale_factor"] = background.scale_factor;
  facts["redshift"] = background.redshift;
  return facts;
}

nb::list types_list(const std::vector<SnapshotType>& types) {
  nb::list list;
  for (const SnapshotType& type : types) {
    nb::dict facts;
    facts["type"] = type.type;
    facts["name"] = type.name;
    facts["count"] = type.count;
    facts["mass"] = type.mass;
    list.append(facts);
  }
  return list;
}

nb::typed<nb::dict, nb::str, nb::any> info_dict(const Snapshot& snapshot) {
  const SnapshotInfo& info = snapshot.info();
  nb::dict facts;
  facts["format"] = name(info.format);
  facts["code"] = info.code;
  facts["files"] = info.files;
  facts["dimension"] = info.dimension;
  facts["types"] = types_list(info.type);
  facts["type_numbers"] = info.types;
  facts["time"] = info.time;
  facts["velocity_factor"] = info.velocity_factor;
  facts["is_double"] = info.position_scalar == Scalar::float64;
  facts["warnings"] = info.warnings;
  facts["units"] = units_dict(info.units);
  facts["background"] = background_dict(info.background);
  return facts;
}

/// Which rows of the particles of which types.
struct Part {
  std::vector<int> types;
  std::uint64_t begin, count;
};

template <class T>
ArrayOf<T> read_numbers(const Snapshot& snapshot, Field field, const Part& part, const Call& call) {
  const bool is_vector = field == Field::position || field == Field::velocity;
  const std::size_t width = is_vector ? static_cast<std::size_t>(snapshot.info().dimension) : 1;
  auto numbers = run(call, [&](const Execution& e) {
    std::vector<T> read(part.count * width);
    snapshot.read(field, part.begin, std::span<T>(read), part.types, e);
    const double factor = field == Field::velocity ? snapshot.info().velocity_factor : 1;
    for (std::size_t i = 0; factor != 1 && i < read.size(); ++i)
      read[i] = static_cast<T>(static_cast<double>(read[i]) * factor);
    return read;
  });
  return is_vector ? array_of(std::move(numbers), {part.count, width})
                   : array_of(std::move(numbers));
}

Field field_of(const std::string& name) {
  nb::dict given;
  given["field"] = name;
  Field field = Field::position;
  Options(given).choice("field", field,
                        {{"position", Field::position},
                         {"velocity", Field::velocity},
                         {"mass", Field::mass},
                         {"id", Field::id},
                         {"value", Field::value}});
  return field;
}

ArrayOf<float, double, std::uint64_t> read_field(const Snapshot& snapshot, const std::string& name,
                                                 const std::vector<int>& types, std::uint64_t begin,
                                                 std::uint64_t count, bool is_double,
                                                 const Call& call) {
  const Field field = field_of(name);
  const Part part{types, begin, count};
  if (field == Field::id) {
    return array_of(run(call, [&](const Execution& e) {
      std::vector<std::uint64_t> read(count);
      snapshot.read_id(begin, read, types, e);
      return read;
    }));
  }
  if (is_double) return read_numbers<double>(snapshot, field, part, call);
  return read_numbers<float>(snapshot, field, part, call);
}

bool has_field(const Snapshot& snapshot, const std::string& name, const std::vector<int>& types) {
  return snapshot.has(field_of(name), types);
}

nb::typed<nb::dict, nb::str, nb::typed<nb::list, int>> roles_of(const Snapshot& snapshot,
                                                                const std::vector<int>& types,
                                                                const Call& call) {
  const ParticleRoles roles =
      run(call, [&](const Execution& e) { return particle_roles(snapshot, types, e); });
  nb::dict result;
  result["linked"] = roles.linked;
  result["attached"] = roles.attached;
  result["contaminating"] = roles.contaminating;
  return result;
}

/// None if the number of points and the box decide.
std::optional<double> separation_by_mass(const Snapshot& snapshot, const std::vector<int>& linked,
                                         const Box& box, const Call& call) {
  const MeanSeparation found =
      run(call, [&](const Execution& e) { return mean_separation(snapshot, linked, box, e); });
  return found.is_by_mass ? std::optional(found.by_mass) : std::nullopt;
}

void write(const std::string& path, const Array& position, const nb::dict& given,
           const Call& call) {
  SnapshotContent content{.position = points_of(position)};
  SnapshotWriteOptions options;
  std::optional<Array> velocity;
  std::optional<nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig>> id;
  Options read(given);
  read("velocity", velocity);
  read("id", id);
  read("particle_mass", content.particle_mass);
  read("type", content.type);
  read("box", content.box);
  read("unit_length", content.units.length);
  read("unit_mass", content.units.mass);
  read("unit_velocity", content.units.velocity);
  read("is_per_h", content.units.is_per_h);
  read("is_comoving", content.units.is_comoving);
  read("is_cosmological", content.background.is_known);
  read("omega_m", content.background.omega_m);
  read("omega_lambda", content.background.omega_lambda);
  read("omega_b", content.background.omega_b);
  read("h", content.background.h);
  read("redshift", content.background.redshift);
  read("compression", options.compression);
  read("is_swift", options.is_swift);
  read.expect_no_more();
  content.background.scale_factor = 1 / (1 + content.background.redshift);
  if (velocity) content.velocity = points_of(*velocity);
  if (id) content.id = id->data();
  run(call, [&](const Execution& e) {
    write_snapshot(path, content, options, e);
    return 0;
  });
}

}  // namespace

void bind_snapshot(nb::module_& module) {
  module.def("write_snapshot", &write);
  module.def("examine", &examine);
  nb::class_<Snapshot>(module, "CoreSnapshot")
      .def_static("open", &open_snapshot)
      .def("size", [](const Snapshot& s, const std::vector<int>& types) { return s.size(types); })
      .def_prop_ro("box", [](const Snapshot& s) { return s.info().box; })
      .def("info", &info_dict)
      .def("has", &has_field)
      .def("roles", &roles_of)
      .def("separation_by_mass", &separation_by_mass)
      .def("gravity", [](const Snapshot& s) { return snapshot_gravity(s.info()); })
      .def("hubble_flow", [](const Snapshot& s) { return snapshot_hubble_flow(s.info()); })
      .def("read", &read_field);
}

}  // namespace kith::python

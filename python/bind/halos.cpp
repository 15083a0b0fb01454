// Overdensities and subhalos.
#include <array>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <optional>
#include <string>
#include <utility>

#include <kith/centers.hpp>
#include <kith/halos.hpp>

#include "arrays.hpp"
#include "call.hpp"
#include "module.hpp"
#include "options.hpp"

namespace kith::python {
namespace {

double edge_density_of(const std::string& edge, const nb::dict& given) {
  Cosmology cosmology;
  Options read(given);
  read("omega_m", cosmology.omega_m);
  read("omega_lambda", cosmology.omega_lambda);
  read("redshift", cosmology.redshift);
  read("hubble", cosmology.hubble);
  read("gravity", cosmology.gravity);
  read.expect_no_more();
  nb::dict chosen;
  chosen["edge"] = edge;
  Edge kind = Edge::critical200;
  Options(chosen).choice("edge", kind,
                         {Edge::critical200, Edge::critical500, Edge::mean200, Edge::virial});
  return edge_density(kind, cosmology);
}

nb::object overdensities_of(const Tree& tree, const Numbers& centers, const nb::dict& given,
                            const Call& call) {
  OverdensityOptions options;
  std::optional<Array> mass, within, guess;
  Options read(given);
  read("density", options.density);
  read("mass", mass);
  read("same_mass", options.mass.same);
  read("within", within);
  read("mass_guess", guess);
  read.expect_no_more();
  if (mass) options.mass = values_of(*mass);
  if (within) options.within = values_of(*within);
  if (guess) options.mass_guess = values_of(*guess);
  const std::size_t densities = options.density.size();
  auto found = run(
      call, [&](const Execution& e) { return overdensities(tree, span_of(centers), options, e); });
  const std::size_t rows = densities == 0 ? 0 : found.mass.size() / densities;
  return nb::make_tuple(array_of(std::move(found.mass), {rows, densities}),
                        array_of(std::move(found.radius), {rows, densities}),
                        array_of(std::move(found.size), {rows, densities}));
}

nb::object centers_of(const Array& points, const Members& members, const nb::dict& given,
                      const Call& call) {
  CenterOptions options;
  std::optional<Array> mass;
  std::optional<nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig>> type;
  Options read(given);
  read("box", options.box);
  read("mass", mass);
  read("same_mass", options.mass.same);
  read("type", type);
  read("types", options.types);
  read("softening", options.softening);
  read.choice("kind", options.kind,
              {{"mass", CenterKind::mass},
               {"shrinking", CenterKind::shrinking},
               {"potential", CenterKind::potential}});
  read.expect_no_more();
  if (mass) options.mass = values_of(*mass);
  if (type) options.type = {type->data(), type->size()};
  const PointsView view = points_of(points);
  auto found = run(call, [&](const Execution& e) { return centers(view, members, options, e); });
  const auto width = static_cast<std::size_t>(view.dimension);
  return array_of(std::move(found), {members.count(), width});
}

nb::object subhalos_of(const Array& points, const Members& halos, const nb::dict& given,
                       const Call& call) {
  SubhaloOptions options;
  std::optional<Array> mass, velocity;
  Options read(given);
  read("box", options.box);
  read("velocity", velocity);
  read("mass", mass);
  read("same_mass", options.mass.same);
  read("linking_length", options.linking_length);
  read("position_scale", options.position_scale);
  read("velocity_scale", options.velocity_scale);
  read("min_size", options.min_size);
  read.expect_no_more();
  if (mass) options.mass = values_of(*mass);
  if (velocity) options.velocity = points_of(*velocity);
  const PointsView view = points_of(points);
  Subhalos found = run(call, [&](const Execution& e) { return subhalos(view, halos, options, e); });
  return nb::make_tuple(array_of(std::move(found.parent)), std::move(found.members),
                        std::move(found.catalogue));
}

}  // namespace

void bind_halos(nb::module_& module) {
  module.def("edge_density", &edge_density_of);
  module.def("overdensities", &overdensities_of);
  module.def("centers", &centers_of);
  module.def("subhalos", &subhalos_of);
}

}  // namespace kith::python

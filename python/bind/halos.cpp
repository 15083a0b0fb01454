// Overdensities and subhalos.
#include <array>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include <kith/centers.hpp>
#include <kith/halos.hpp>
#include <kith/io/stored_points.hpp>

#include "arguments.hpp"
#include "arrays.hpp"
#include "call.hpp"
#include "module.hpp"
#include "options.hpp"
#include "stored.hpp"

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

using SphereArrays = std::tuple<ArrayOf<double>, ArrayOf<double>, ArrayOf<std::int64_t>>;

SphereArrays arrays_of(Overdensities&& found, std::size_t densities) {
  const std::size_t rows = densities == 0 ? 0 : found.mass.size() / densities;
  return {array_of(std::move(found.mass), {rows, densities}),
          array_of(std::move(found.radius), {rows, densities}),
          array_of(std::move(found.size), {rows, densities})};
}

SphereArrays overdensities_of(const AnyTree& tree, const Numbers& centers, const nb::dict& given,
                              const Call& call) {
  const OverdensityArguments arguments(given);
  return arrays_of(run(call,
                       [&](const Execution& e) {
                         return overdensities(tree, span_of(centers), arguments.options, e);
                       }),
                   arguments.options.density.size());
}

ArrayOf<double> centers_of_stored(const OpenPoints& from, const StoredGroups& groups,
                                  const nb::dict& given, const std::vector<int>& types,
                                  const Call& call) {
  const CenterArguments arguments(given);
  auto found = run(call, [&](const Execution& e) {
    return centers(*from.points, groups, arguments.options, types, from.disk, e);
  });
  return array_of(std::move(found),
                  {groups.count(), static_cast<std::size_t>(from.points->dimension())});
}

SphereArrays overdensities_of_stored(const OpenPoints& from, const Numbers& centers,
                                     const nb::dict& given, const Box& box, const Call& call) {
  const OverdensityArguments arguments(given);
  return arrays_of(run(call,
                       [&](const Execution& e) {
                         return overdensities(*from.points, span_of(centers), arguments.options,
                                              {.box = box}, from.disk, e);
                       }),
                   arguments.options.density.size());
}

ArrayOf<double> centers_of(const Array& points, const Members& members, const nb::dict& given,
                           const Call& call) {
  const CenterArguments arguments(given);
  const PointsView view = points_of(points);
  auto found =
      run(call, [&](const Execution& e) { return centers(view, members, arguments.options, e); });
  const auto width = static_cast<std::size_t>(view.dimension);
  return array_of(std::move(found), {members.count(), width});
}

/// As a dictionary: its parts become attributes of a class of Python.
nb::dict subhalos_of(const Array& points, const Members& halos, const nb::dict& given,
                     const Call& call) {
  const SubhaloArguments arguments(given);
  const PointsView view = points_of(points);
  Subhalos found =
      run(call, [&](const Execution& e) { return subhalos(view, halos, arguments.options, e); });
  const std::size_t rows = found.most_bound.size();
  nb::dict parts;
  parts["label"] = array_of(subhalo_labels(found, view.size));
  parts["parent"] = array_of(std::move(found.parent));
  parts["host"] = array_of(std::move(found.host));
  parts["most_bound"] = array_of(std::move(found.most_bound));
  parts["peak"] = array_of(std::move(found.peak), {rows, static_cast<std::size_t>(view.dimension)});
  parts["by_binding"] = array_of(std::move(found.by_binding));
  parts["members"] = std::move(found.members);
  parts["catalogue"] = std::move(found.catalogue);
  return parts;
}

}  // namespace

void bind_halos(nb::module_& module) {
  module.def("edge_density", &edge_density_of);
  module.def("overdensities", &overdensities_of);
  module.def("centers", &centers_of);
  module.def("centers_stored", &centers_of_stored);
  module.def("overdensities_stored", &overdensities_of_stored);
  module.def("subhalos", &subhalos_of);
}

}  // namespace kith::python

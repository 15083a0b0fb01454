// Quantities made from neighbors.
#include <nanobind/stl/optional.h>
#include <optional>
#include <vector>

#include <kith/density.hpp>

#include "arguments.hpp"
#include "arrays.hpp"
#include "call.hpp"
#include "module.hpp"
#include "options.hpp"

namespace kith::python {
namespace {

ArrayOf<double> density_of(const AnyTree& tree, const std::optional<Numbers>& mass,
                           const nb::dict& given, const Call& call) {
  DensityOptions options = density_options(given);
  if (mass) options.mass = span_of(*mass);
  return array_of(run(call, [&](const Execution& e) { return sph_density(tree, options, e); }));
}

using Reduction = std::vector<double> (*)(const AnyTree&, const KnnOptions&, const Execution&);

template <Reduction reduce>
ArrayOf<double> reduced(const AnyTree& tree, const nb::dict& given, const Call& call) {
  KnnOptions options;
  Options read(given);
  read("k", options.k);
  read("exclude_self", options.exclude_self);
  read.expect_no_more();
  return array_of(run(call, [&](const Execution& e) { return reduce(tree, options, e); }));
}

}  // namespace

void bind_density(nb::module_& module) {
  module.def("density", &density_of, nb::arg("tree"), nb::arg("mass").none(), nb::arg("options"),
             nb::arg("call"));
  module.def("kth_distance", &reduced<&kth_distance>);
  module.def("mean_distance", &reduced<&mean_distance>);
}

}  // namespace kith::python

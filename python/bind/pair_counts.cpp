// How many pairs of two sets of points are within given distances.
#include <nanobind/stl/pair.h>
#include <optional>
#include <utility>

#include <kith/pair_counts.hpp>

#include "arrays.hpp"
#include "call.hpp"
#include "module.hpp"
#include "options.hpp"

namespace kith::python {
namespace {

struct PairArguments {
  explicit PairArguments(const nb::dict& given) {
    Options read(given);
    read("radii", radii);
    read("cumulative", options.cumulative);
    read("strict", options.strict);
    read("p", options.p);
    read.expect_no_more();
    options.radii = span_of(radii);
  }
  Numbers radii;
  PairCountOptions options;
};

ArrayOf<std::int64_t> pair_counts_of(const AnyTree& receivers, const AnyTree& sources,
                                     const nb::dict& given, const Call& call) {
  const PairArguments arguments(given);
  return array_of(run(call, [&](const Execution& e) {
    return pair_counts(receivers, sources, arguments.options, e);
  }));
}

ArrayOf<double> weighted_pair_counts_of(const AnyTree& receivers, const AnyTree& sources,
                                        const std::pair<nb::object, nb::object>& given_weights,
                                        const nb::dict& given, const Call& call) {
  const PairArguments arguments(given);
  std::optional<Numbers> first, second;
  if (!given_weights.first.is_none()) first = nb::cast<Numbers>(given_weights.first);
  if (!given_weights.second.is_none()) second = nb::cast<Numbers>(given_weights.second);
  PairWeights weights;
  if (first) weights.receivers = span_of(*first);
  if (second) weights.sources = span_of(*second);
  return array_of(run(call, [&](const Execution& e) {
    return weighted_pair_counts(receivers, sources, weights, arguments.options, e);
  }));
}

}  // namespace

void bind_pair_counts(nb::module_& module) {
  module.def("pair_counts", &pair_counts_of);
  module.def("weighted_pair_counts", &weighted_pair_counts_of);
}

}  // namespace kith::python

// Neighbors of atoms in cells of any shape.
#include <algorithm>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <kith/cells.hpp>
#include <kith/neighbor_list.hpp>

#include "arrays.hpp"
#include "atom_arguments.hpp"
#include "call.hpp"
#include "module.hpp"
#include "options.hpp"

namespace kith::python {

namespace {

template <class Index>
nb::tuple list_of(const std::vector<AtomSystem>& systems, const NeighborListOptions& options,
                  const Call& call) {
  const auto list =
      run(call, [&](const Execution& e) { return neighbor_list<Index>(systems, options, e); });
  return arrays_of(list, options.quantities);
}

nb::tuple neighbor_list_of(const std::string& quantities, const Array& positions,
                           const Cells& cells, const Periodic& periodic,
                           const std::optional<Starts>& starts, const nb::dict& given, bool is_long,
                           const Call& given_call) {
  const ListArguments arguments(quantities, given);
  const NeighborListOptions& options = arguments.options;
  const std::vector<AtomSystem> systems = systems_of(points_of(positions), cells, periodic, starts);
  Call call = given_call;
  constexpr double kMostPairs = 1 << 25;  // a tenth of a second, at the very worst
  call.is_short = call.device == "cpu" && options.radii.empty() &&
                  detail::most_pairs(systems, options.cutoff) <= kMostPairs;
  return is_long ? list_of<std::int64_t>(systems, options, call)
                 : list_of<std::int32_t>(systems, options, call);
}

Groups cells_fof(const Array& positions, const Cells& cells, const Periodic& periodic,
                 const std::optional<Starts>& starts, const nb::dict& given, const Call& call) {
  const CellFofArguments arguments(given);
  const std::vector<AtomSystem> systems = systems_of(points_of(positions), cells, periodic, starts);
  return run(call, [&](const Execution& e) { return cells::fof(systems, arguments.options, e); });
}

nb::tuple cells_knn(const Array& positions, const Cells& cells, const Periodic& periodic,
                    const std::optional<Starts>& starts, const nb::dict& given, const Call& call) {
  const cells::KnnOptions options = cell_knn_options(given);
  const std::vector<AtomSystem> systems = systems_of(points_of(positions), cells, periodic, starts);
  return arrays_of(run(call, [&](const Execution& e) { return cells::knn(systems, options, e); }));
}

ArrayOf<std::int64_t> cells_radius_count(const Array& positions, const Cells& cells,
                                         const Periodic& periodic,
                                         const std::optional<Starts>& starts, const nb::dict& given,
                                         const Call& call) {
  const cells::CountOptions options = cell_count_options(given);
  const std::vector<AtomSystem> systems = systems_of(points_of(positions), cells, periodic, starts);
  return array_of(
      run(call, [&](const Execution& e) { return cells::radius_count(systems, options, e); }));
}

}  // namespace

void bind_atoms(nb::module_& module) {
  const auto define = [&](const char* name, auto function) {
    module.def(name, function, nb::arg("positions"), nb::arg("cells"), nb::arg("periodic"),
               nb::arg("starts").none(), nb::arg("options"), nb::arg("call"));
  };
  define("cells_fof", &cells_fof);
  define("cells_knn", &cells_knn);
  define("cells_radius_count", &cells_radius_count);
  module.def("neighbor_list", &neighbor_list_of, nb::arg("quantities"), nb::arg("positions"),
             nb::arg("cells"), nb::arg("periodic"), nb::arg("starts").none(), nb::arg("options"),
             nb::arg("is_long"), nb::arg("call"));
}

}  // namespace kith::python

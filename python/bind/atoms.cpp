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
#include "call.hpp"
#include "module.hpp"
#include "options.hpp"

namespace kith::python {

namespace {

using Cells = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using Periodic = nb::ndarray<const bool, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Starts = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// One system for each cell: atoms [starts[s], starts[s + 1]).
std::vector<AtomSystem> systems_of(const PointsView& positions, const Cells& cells,
                                   const Periodic& periodic, const std::optional<Starts>& starts) {
  const std::size_t count = starts ? starts->size() - 1 : 1, axes = cells.shape(1);
  std::vector<AtomSystem> systems(count);
  for (std::size_t s = 0; s < count; ++s) {
    AtomSystem& system = systems[s];
    system.positions = positions;
    if (starts) {
      const auto begin = static_cast<std::size_t>(starts->data()[s]);
      const std::size_t bytes = positions.scalar == Scalar::float32 ? 4 : 8;
      system.positions.data = static_cast<const char*>(positions.data) +
                              begin * static_cast<std::size_t>(positions.stride) * bytes;
      system.positions.size = static_cast<std::size_t>(starts->data()[s + 1]) - begin;
    }
    const std::size_t cell = cells.shape(0) == 1 ? 0 : s, flags = periodic.shape(0) == 1 ? 0 : s;
    for (std::size_t k = 0; k < axes; ++k) {
      system.lattice.periodic[k] = periodic.data()[flags * axes + k];
      std::copy_n(cells.data() + (cell * axes + k) * axes, axes, system.lattice.vectors[k].data());
    }
  }
  return systems;
}

template <class Index>
nb::tuple list_of(const std::vector<AtomSystem>& systems, const NeighborListOptions& options,
                  const Call& call) {
  const auto list =
      run(call, [&](const Execution& e) { return neighbor_list<Index>(systems, options, e); });
  const std::size_t n = list.size(), axes = static_cast<std::size_t>(list.dimension());
  nb::list arrays;
  for (const char quantity : options.quantities) {
    if (quantity == 'i') arrays.append(array_over(list.i().data(), {n}, list));
    if (quantity == 'j') arrays.append(array_over(list.j().data(), {n}, list));
    if (quantity == 'S') arrays.append(array_over(list.shifts().data(), {n, axes}, list));
    if (quantity == 'd') arrays.append(array_over(list.distances().data(), {n}, list));
    if (quantity == 'D') arrays.append(array_over(list.vectors().data(), {n, axes}, list));
  }
  return nb::tuple(arrays);
}

nb::tuple neighbor_list_of(const std::string& quantities, const Array& positions,
                           const Cells& cells, const Periodic& periodic,
                           const std::optional<Starts>& starts, const nb::dict& given, bool is_long,
                           const Call& given_call) {
  Options read(given);
  NeighborListOptions options;
  Numbers radii;
  read("cutoff", options.cutoff);
  read("radii", radii);
  read("strict", options.strict);
  read("half", options.half);
  read("self_interaction", options.self_interaction);
  read("max_neighbors", options.max_neighbors);
  read.expect_no_more();
  options.quantities = quantities;
  if (radii.is_valid()) options.radii = span_of(radii);
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
  Options read(given);
  cells::FofOptions options;
  Numbers lengths;
  read("linking_length", options.linking_length);
  read("linking_lengths", lengths);
  read("min_size", options.min_size);
  read("strict", options.strict);
  read("keep_roots", options.keep_roots);
  read.expect_no_more();
  if (lengths.is_valid()) options.linking_lengths = span_of(lengths);
  const std::vector<AtomSystem> systems = systems_of(points_of(positions), cells, periodic, starts);
  return run(call, [&](const Execution& e) { return cells::fof(systems, options, e); });
}

nb::tuple cells_knn(const Array& positions, const Cells& cells, const Periodic& periodic,
                    const std::optional<Starts>& starts, const nb::dict& given, const Call& call) {
  Options read(given);
  cells::KnnOptions options;
  read("k", options.k);
  read("exclude_self", options.exclude_self);
  read.expect_no_more();
  const std::vector<AtomSystem> systems = systems_of(points_of(positions), cells, periodic, starts);
  auto found = run(call, [&](const Execution& e) { return cells::knn(systems, options, e); });
  const std::size_t rows = found.size(), axes = cells.shape(1);
  return nb::make_tuple(array_of(std::move(found.index), {rows, options.k}),
                        array_of(std::move(found.distance), {rows, options.k}),
                        array_of(std::move(found.shift), {rows, options.k, axes}));
}

ArrayOf<std::int64_t> cells_radius_count(const Array& positions, const Cells& cells,
                                         const Periodic& periodic,
                                         const std::optional<Starts>& starts, const nb::dict& given,
                                         const Call& call) {
  Options read(given);
  cells::CountOptions options;
  read("radius", options.radius);
  read("strict", options.strict);
  read("exclude_self", options.exclude_self);
  read.expect_no_more();
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

// The arguments of calls for atoms, and their results as arrays; in one process and over ranks.
#pragma once

#include <algorithm>
#include <nanobind/nanobind.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <kith/cells.hpp>
#include <kith/neighbor_list.hpp>

#include "arrays.hpp"
#include "options.hpp"

namespace kith::python {

using Cells = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using Periodic = nb::ndarray<const bool, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Starts = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// One system for each cell: atoms [starts[s], starts[s + 1]).
inline std::vector<AtomSystem> systems_of(const PointsView& positions, const Cells& cells,
                                          const Periodic& periodic,
                                          const std::optional<Starts>& starts) {
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

struct ListArguments {
  ListArguments(std::string asked, const nb::dict& given) : quantities(std::move(asked)) {
    Options read(given);
    read("cutoff", options.cutoff);
    read("radii", radii);
    read("strict", options.strict);
    read("half", options.half);
    read("self_interaction", options.self_interaction);
    read("max_neighbors", options.max_neighbors);
    read.expect_no_more();
    options.quantities = quantities;
    if (radii.is_valid()) options.radii = span_of(radii);
  }
  ListArguments(const ListArguments&) = delete;
  ListArguments& operator=(const ListArguments&) = delete;

  std::string quantities;
  Numbers radii;
  NeighborListOptions options;
};

struct CellFofArguments {
  explicit CellFofArguments(const nb::dict& given) {
    Options read(given);
    read("linking_length", options.linking_length);
    read("linking_lengths", lengths);
    read("min_size", options.min_size);
    read("strict", options.strict);
    read("keep_roots", options.keep_roots);
    read.expect_no_more();
    if (lengths.is_valid()) options.linking_lengths = span_of(lengths);
  }
  Numbers lengths;
  cells::FofOptions options;
};

inline cells::KnnOptions cell_knn_options(const nb::dict& given) {
  Options read(given);
  cells::KnnOptions options;
  read("k", options.k);
  read("exclude_self", options.exclude_self);
  read.expect_no_more();
  return options;
}

inline cells::CountOptions cell_count_options(const nb::dict& given) {
  Options read(given);
  cells::CountOptions options;
  read("radius", options.radius);
  read("strict", options.strict);
  read("exclude_self", options.exclude_self);
  read.expect_no_more();
  return options;
}

/// One array for each quantity.
template <class Index>
nb::tuple arrays_of(const NeighborList<Index>& list, std::string_view quantities) {
  const std::size_t n = list.size(), axes = static_cast<std::size_t>(list.dimension());
  nb::list arrays;
  for (const char quantity : quantities) {
    if (quantity == 'i') arrays.append(array_over(list.i().data(), {n}, list));
    if (quantity == 'j') arrays.append(array_over(list.j().data(), {n}, list));
    if (quantity == 'S') arrays.append(array_over(list.shifts().data(), {n, axes}, list));
    if (quantity == 'd') arrays.append(array_over(list.distances().data(), {n}, list));
    if (quantity == 'D') arrays.append(array_over(list.vectors().data(), {n, axes}, list));
  }
  return nb::tuple(arrays);
}

/// Indices, distances and shifts.
inline nb::tuple arrays_of(cells::Neighbors found) {
  const std::size_t rows = found.size(), k = found.k;
  const auto axes = static_cast<std::size_t>(found.dimension);
  return nb::make_tuple(array_of(std::move(found.index), {rows, k}),
                        array_of(std::move(found.distance), {rows, k}),
                        array_of(std::move(found.shift), {rows, k, axes}));
}

}  // namespace kith::python

// The catalogue, as columns over the memory of the C++ struct.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <kith/catalogue.hpp>
#include <kith/detail/catalogue_columns.hpp>

#include "arguments.hpp"
#include "arrays.hpp"
#include "call.hpp"
#include "module.hpp"

namespace kith::python {
namespace {

/// Extents of a column's array; none if such a catalogue does not have it.
std::vector<std::size_t> shape_of(const CatalogueColumn& column, const Catalogue& catalogue) {
  const auto dimension = static_cast<std::size_t>(catalogue.dimension);
  const std::size_t width = column_width(column, catalogue);
  if (width == 0 && column.shape != ColumnShape::vector) return {};
  const bool is_plain = column.shape == ColumnShape::number ||
                        column.shape == ColumnShape::contaminant ||
                        (column.shape == ColumnShape::rotation && width == 1);
  if (is_plain) return {catalogue.count()};
  if (column.shape == ColumnShape::matrix) return {catalogue.count(), dimension, dimension};
  return {catalogue.count(), width};
}

std::size_t total(const std::vector<std::size_t>& shape) {
  std::size_t product = 1;
  for (const std::size_t extent : shape) product *= extent;
  return product;
}

/// All columns that the catalogue has, each over its memory.
Columns<nb::ndarray<nb::numpy>> columns_of(nb::handle self) {
  const auto& catalogue = nb::cast<const Catalogue&>(self);
  nb::dict columns;
  for_each_column(catalogue,
                  [&]<class T>(const CatalogueColumn& column, const std::vector<T>& values) {
                    static T nothing{};
                    const std::vector<std::size_t> shape = shape_of(column, catalogue);
                    if (shape.empty() || values.size() != total(shape)) return;
                    T* data = values.empty() ? &nothing : const_cast<T*>(values.data());
                    columns[column.name] =
                        nb::cast(nb::ndarray<nb::numpy, T>(data, shape.size(), shape.data(), self));
                  });
  return columns;
}

/// A catalogue from columns: the opposite, with a copy.
Catalogue from_columns(const nb::dict& columns, int dimension, int types) {
  Catalogue catalogue;
  catalogue.dimension = dimension;
  catalogue.types = types;
  for_each_column(catalogue, [&]<class T>(const CatalogueColumn& column, std::vector<T>& values) {
    if (!columns.contains(column.name)) return;
    const auto array =
        nb::cast<nb::ndarray<const T, nb::c_contig, nb::device::cpu>>(columns[column.name]);
    values.assign(array.data(), array.data() + array.size());
  });
  return catalogue;
}

/// Name, unit and words of every column, for the documentation of the class.
std::vector<std::pair<std::string, std::string>> column_words() {
  std::vector<std::pair<std::string, std::string>> list;
  for (const CatalogueColumn& column : catalogue_columns())
    if (column.values.index() != 0) list.emplace_back(column.name, column.description);
  return list;
}

Catalogue catalogue_of(const Array& points, const Members& members, const nb::dict& given,
                       const Call& call) {
  const CatalogueArguments arguments(given);
  const PointsView view = points_of(points);
  return run(call,
             [&](const Execution& e) { return catalogue(view, members, arguments.options, e); });
}

ArrayOf<std::int64_t> peaks_of(const Members& members, const Array& value, bool is_smallest,
                               const Call& call) {
  const ValuesView view = values_of(value);
  const Peak peak = is_smallest ? Peak::smallest : Peak::largest;
  return array_of(
      run(call, [&](const Execution& e) { return peak_members(members, view, peak, e); }));
}

}  // namespace

void bind_catalogue(nb::module_& module) {
  nb::class_<Catalogue>(module, "CoreCatalogue")
      .def_static("make", &from_columns)
      .def_prop_ro("count", &Catalogue::count)
      .def_ro("dimension", &Catalogue::dimension)
      .def_ro("types", &Catalogue::types)
      .def("columns", &columns_of);
  module.def("catalogue_columns", &column_words);
  module.def("catalogue", &catalogue_of);
  module.def("peak_members", &peaks_of);
}

}  // namespace kith::python

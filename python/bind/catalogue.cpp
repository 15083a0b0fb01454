// The catalogue, as columns over the memory of the C++ struct.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <kith/catalogue.hpp>

#include "arrays.hpp"
#include "call.hpp"
#include "columns.hpp"
#include "module.hpp"
#include "options.hpp"

namespace kith::python {
namespace {

template <class Member>
using value_of = typename std::remove_reference_t<decltype(std::declval<Catalogue>().*
                                                           std::declval<Member>())>::value_type;

std::vector<std::size_t> column_shape(const Catalogue& catalogue, int width) {
  const auto dimension = static_cast<std::size_t>(catalogue.dimension);
  if (width == kMatrix) return {catalogue.count(), dimension, dimension};
  if (width > 0) return {catalogue.count(), static_cast<std::size_t>(width)};
  return {catalogue.count()};
}

std::size_t total(const std::vector<std::size_t>& shape) {
  std::size_t product = 1;
  for (const std::size_t extent : shape) product *= extent;
  return product;
}

/// All columns that the catalogue has, each over its memory.
nb::dict columns_of(nb::handle self) {
  const auto& catalogue = nb::cast<const Catalogue&>(self);
  nb::dict columns;
  for_each_column(catalogue, [&](const char* name, auto member, int width) {
    using T = value_of<decltype(member)>;
    static T nothing{};
    const std::vector<T>& values = catalogue.*member;
    const std::vector<std::size_t> shape = column_shape(catalogue, width);
    if (width == kAbsent || values.size() != total(shape)) return;
    T* data = values.empty() ? &nothing : const_cast<T*>(values.data());
    columns[name] = nb::cast(nb::ndarray<nb::numpy, T>(data, shape.size(), shape.data(), self));
  });
  return columns;
}

/// A catalogue from columns: the opposite, with a copy.
Catalogue from_columns(const nb::dict& columns, int dimension, int types) {
  Catalogue catalogue;
  catalogue.dimension = dimension;
  catalogue.types = types;
  for_each_column(catalogue, [&](const char* name, auto member, int) {
    using T = value_of<decltype(member)>;
    if (!columns.contains(name)) return;
    const auto array = nb::cast<nb::ndarray<const T, nb::c_contig, nb::device::cpu>>(columns[name]);
    (catalogue.*member).assign(array.data(), array.data() + array.size());
  });
  return catalogue;
}

/// The options, and the arrays that they view.
struct CatalogueQuestion {
  CatalogueQuestion(const nb::dict& given) {
    Options read(given);
    read("box", options.box);
    read("mass", mass);
    read("same_mass", options.mass.same);
    read("velocity", velocity);
    read("type", type);
    read("types", options.types);
    read("contaminating_types", options.contaminating_types);
    read.expect_no_more();
    if (mass) options.mass = values_of(*mass);
    if (velocity) options.velocity = points_of(*velocity);
    if (type) options.type = {type->data(), type->size()};
  }
  std::optional<Array> mass, velocity;
  std::optional<nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig>> type;
  CatalogueOptions options;
};

Catalogue catalogue_of(const Array& points, const Members& members, const nb::dict& given,
                       const Call& call) {
  const CatalogueQuestion question(given);
  const PointsView view = points_of(points);
  return run(call,
             [&](const Execution& e) { return catalogue(view, members, question.options, e); });
}

nb::object peaks_of(const Members& members, const Array& value, bool is_smallest,
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
  module.def("catalogue", &catalogue_of);
  module.def("peak_members", &peaks_of);
}

}  // namespace kith::python

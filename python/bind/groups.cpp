// Friends of friends, and points in the order of their groups.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>
#include <optional>
#include <vector>

#include <kith/catalogue.hpp>
#include <kith/groups.hpp>
#include <kith/linking_lengths.hpp>
#include <kith/redshift_space.hpp>

#include "arguments.hpp"
#include "arrays.hpp"
#include "call.hpp"
#include "module.hpp"
#include "options.hpp"

namespace kith::python {
namespace {

Groups fof_of_points(const Array& points, const nb::dict& given, const Call& call) {
  const FofOptions options = fof_options(given);
  const PointsView view = points_of(points);
  return run(call, [&](const Execution& e) { return fof(view, options, e); });
}

Groups fof_of_tree(const AnyTree& tree, const nb::dict& given, const Call& call) {
  const FofOptions options = fof_options(given);
  return run(call, [&](const Execution& e) { return fof(tree, options, e); });
}

Groups fof_by_lengths(const Array& points, const Numbers& length, const nb::dict& rule,
                      const nb::dict& given, const Call& call) {
  const FofOptions options = fof_options(given);
  const LinkingLengths lengths = linking_lengths(length, rule);
  const PointsView view = points_of(points);
  return run(call, [&](const Execution& e) { return fof(view, lengths, options, e); });
}

Groups fof_of_tree_by_lengths(const AnyTree& tree, const Numbers& length, const nb::dict& rule,
                              const nb::dict& given, const Call& call) {
  const FofOptions options = fof_options(given);
  const LinkingLengths lengths = linking_lengths(length, rule);
  return run(call, [&](const Execution& e) { return fof(tree, lengths, options, e); });
}

Groups redshift_fof_of(const Array& points, const nb::dict& given, const nb::dict& sight,
                       const Call& call) {
  const FofOptions options = fof_options(given);
  const RedshiftSpace space = redshift_space(sight);
  const PointsView view = points_of(points);
  return run(call, [&](const Execution& e) { return redshift_fof(view, options, space, e); });
}

Groups redshift_fof_by_lengths(const Array& points, const Numbers& length, const nb::dict& rule,
                               const nb::dict& given, const nb::dict& sight, const Call& call) {
  const FofOptions options = fof_options(given);
  const LinkingLengths lengths = linking_lengths(length, rule);
  const RedshiftSpace space = redshift_space(sight);
  const PointsView view = points_of(points);
  return run(call,
             [&](const Execution& e) { return redshift_fof(view, lengths, options, space, e); });
}

/// Types as (points, is attached).
Groups fof_of_types(const std::vector<Array>& arrays, const std::vector<bool>& attached,
                    const nb::dict& given, const Call& call) {
  const FofOptions options = fof_options(given);
  std::vector<TypedPoints> types;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    types.push_back({points_of(arrays[i]), attached.at(i) ? Role::attached : Role::linked});
  }
  return run(call, [&](const Execution& e) { return fof(types, options, e); });
}

ArrayOf<std::int32_t> label_of(const Groups& groups) {
  const auto label = groups.label();
  return array_over(label.data(), {label.size()}, groups);
}

ArrayOf<std::int64_t> root_of(const Groups& groups) {
  const auto root = groups.root();
  return array_over(root.data(), {root.size()}, groups);
}

Members members_from(const nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig>& order,
                     const nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig>& offset) {
  Members members;
  members.order.assign(order.data(), order.data() + order.size());
  members.offset.assign(offset.data(), offset.data() + offset.size());
  return members;
}

/// An array over memory of a Python object, which it keeps alive.
template <class T>
ArrayOf<T> column_of(nb::handle owner, const std::vector<T>& values) {
  static T nothing{};
  T* data = values.empty() ? &nothing : const_cast<T*>(values.data());
  return ArrayOf<T>(nb::cast(nb::ndarray<nb::numpy, T>(data, {values.size()}, owner)));
}

}  // namespace

void bind_groups(nb::module_& module) {
  nb::class_<Groups>(module, "CoreGroups")
      .def_prop_ro("count", &Groups::count)
      .def_prop_ro("linking_length", &Groups::linking_length)
      .def("label", &label_of)
      .def("root", &root_of)
      .def("size", [](const Groups& groups) { return array_of(groups.sizes()); })
      .def("lowest", [](const Groups& groups) { return array_of(groups.lowest_members()); });
  nb::class_<Members>(module, "Members")
      .def_static("make", &members_from)
      .def("order", [](nb::handle self) { return column_of(self, nb::cast<Members&>(self).order); })
      .def("offset",
           [](nb::handle self) { return column_of(self, nb::cast<Members&>(self).offset); });
  module.def("fof_points", &fof_of_points);
  module.def("fof_tree", &fof_of_tree);
  module.def("fof_by_lengths", &fof_by_lengths);
  module.def("fof_tree_by_lengths", &fof_of_tree_by_lengths);
  module.def("redshift_fof", &redshift_fof_of);
  module.def("redshift_fof_by_lengths", &redshift_fof_by_lengths);
  module.def("fof_types", &fof_of_types);
  module.def("members", [](const Groups& groups, const Call& call) {
    return run(call, [&](const Execution& e) { return members(groups, e); });
  });
}

}  // namespace kith::python

// Neighbors within a distance: counts, lists and pairs.
#include <algorithm>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include <kith/radius.hpp>

#include "arguments.hpp"
#include "arrays.hpp"
#include "call.hpp"
#include "module.hpp"
#include "options.hpp"

namespace kith::python {

namespace {

/// Offsets, indices, distances, and how many queries had more than the most neighbors.
using FoundLists = std::tuple<ArrayOf<std::int64_t>, Indices, Reals, std::size_t>;

template <class T, class Index>
FoundLists lists(const AnyTree& tree, const std::optional<PointsView>& queries,
                 const RadiusOptions& options, const Call& call) {
  auto found = run(call, [&](const Execution& e) {
    return queries ? radius<T, Index>(tree, *queries, options, e)
                   : radius<T, Index>(tree, options, e);
  });
  const auto offsets = found.offsets();
  std::vector<std::int64_t> offset(offsets.begin(), offsets.end());
  const std::size_t total = found.total();
  const auto& shared = std::as_const(found);
  return {array_of(std::move(offset)), array_over(shared.indices(), {total}, found),
          array_over(shared.distances(), {total}, found), found.truncated()};
}

FoundLists radius_of(const AnyTree& tree, const std::optional<Array>& queries,
                     const nb::dict& given, bool is_long, const Call& given_call) {
  const RadiusArguments arguments(given);
  std::optional<PointsView> view;
  if (queries) view = points_of(*queries);
  const Call call = for_search(given_call, view ? view->size : tree.size(), tree);
  if (tree.scalar() == Scalar::float32) {
    return is_long ? lists<float, std::int64_t>(tree, view, arguments.options, call)
                   : lists<float, std::int32_t>(tree, view, arguments.options, call);
  }
  return is_long ? lists<double, std::int64_t>(tree, view, arguments.options, call)
                 : lists<double, std::int32_t>(tree, view, arguments.options, call);
}

ArrayOf<std::int64_t> radius_count_of(const AnyTree& tree, const std::optional<Array>& queries,
                                      const nb::dict& given, const Call& call) {
  const RadiusArguments arguments(given);
  std::optional<PointsView> view;
  if (queries) view = points_of(*queries);
  return array_of(run(call, [&](const Execution& e) {
    return view ? radius_count(tree, *view, arguments.options, e)
                : radius_count(tree, arguments.options, e);
  }));
}

template <class T, class Index>
std::tuple<Indices, Indices, Reals> pairs(const AnyTree& tree, const RadiusOptions& options,
                                          const Call& call) {
  auto found =
      run(call, [&](const Execution& e) { return radius_pairs<T, Index>(tree, options, e); });
  return {array_of(std::move(found.i)), array_of(std::move(found.j)),
          array_of(std::move(found.distance))};
}

std::tuple<Indices, Indices, Reals> pairs_of(const AnyTree& tree, const nb::dict& given,
                                             bool is_long, const Call& call) {
  const RadiusArguments arguments(given);
  if (tree.scalar() == Scalar::float32) {
    return is_long ? pairs<float, std::int64_t>(tree, arguments.options, call)
                   : pairs<float, std::int32_t>(tree, arguments.options, call);
  }
  return is_long ? pairs<double, std::int64_t>(tree, arguments.options, call)
                 : pairs<double, std::int32_t>(tree, arguments.options, call);
}

using ListIntegers = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig>;

/// Lists of Python numbers, as scipy returns them: in the order that they have, or sorted by index.
nb::typed<nb::list, nb::typed<nb::list, std::int64_t>> lists_of_numbers(const ListIntegers& offset,
                                                                        const ListIntegers& index,
                                                                        bool is_sorted) {
  nb::list lists;
  std::vector<std::int64_t> numbers;
  for (std::size_t i = 0; i + 1 < offset.size(); ++i) {
    numbers.assign(index.data() + offset.data()[i], index.data() + offset.data()[i + 1]);
    if (is_sorted) std::sort(numbers.begin(), numbers.end());
    nb::object list = nb::steal(PyList_New(static_cast<Py_ssize_t>(numbers.size())));
    if (!list.is_valid()) throw nb::python_error();
    for (std::size_t j = 0; j < numbers.size(); ++j) {
      PyList_SetItem(list.ptr(), static_cast<Py_ssize_t>(j), PyLong_FromLongLong(numbers[j]));
    }
    lists.append(std::move(list));
  }
  return lists;
}

}  // namespace

void bind_radius(nb::module_& module) {
  module.def("radius", &radius_of, nb::arg("tree"), nb::arg("queries").none(), nb::arg("options"),
             nb::arg("is_long"), nb::arg("call"));
  module.def("radius_count", &radius_count_of, nb::arg("tree"), nb::arg("queries").none(),
             nb::arg("options"), nb::arg("call"));
  module.def("radius_pairs", &pairs_of);
  module.def("lists_of_numbers", &lists_of_numbers);
}

}  // namespace kith::python

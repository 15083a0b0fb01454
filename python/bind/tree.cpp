// Boxes and trees.
#include <cmath>
#include <functional>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <string>
#include <utility>
#include <vector>

#include <kith/left_balanced.hpp>
#include <kith/tree.hpp>

#include "arrays.hpp"
#include "call.hpp"
#include "module.hpp"
#include "options.hpp"

namespace kith::python {
namespace {

TreeOptions tree_options(const nb::dict& given) {
  TreeOptions options;
  Options read(given);
  read("box", options.box);
  read.choice("builder", options.builder, {{"packed", Builder::packed}, {"cells", Builder::cells}});
  read.choice("curve", options.curve,
              {{"automatic", Curve::automatic},
               {"hilbert", Curve::hilbert},
               {"z", Curve::z},
               {"kd", Curve::kd}});
  read.choice("split_axis", options.split_axis,
              {{"widest", SplitAxis::widest},
               {"cyclic", SplitAxis::cyclic},
               {"variance", SplitAxis::variance}});
  read.choice("non_finite", options.non_finite,
              {{"error", NonFinite::error}, {"drop", NonFinite::drop}});
  read("max_leaf_size", options.max_leaf_size);
  read("coarsening", options.coarsening);
  read("max_volume_ratio", options.max_volume_ratio);
  read.expect_no_more();
  return options;
}

/// Columns of all nodes of a plane.
Columns<nb::ndarray<nb::numpy>> plane_columns(const AnyTree& tree, int plane) {
  const std::size_t count = tree.nodes(plane);
  const auto dimension = static_cast<std::size_t>(tree.dimension());
  std::vector<std::int64_t> begin, end, first, last;
  std::vector<double> lower, upper;
  for (std::size_t i = 0; i < count; ++i) {
    const Node node = tree.node(plane, i);
    begin.push_back(static_cast<std::int64_t>(node.begin));
    end.push_back(static_cast<std::int64_t>(node.end));
    first.push_back(static_cast<std::int64_t>(node.first));
    last.push_back(static_cast<std::int64_t>(node.last));
    lower.insert(lower.end(), node.lower.begin(), node.lower.end());
    upper.insert(upper.end(), node.upper.begin(), node.upper.end());
  }
  nb::dict columns;
  columns["begin"] = array_of(std::move(begin));
  columns["end"] = array_of(std::move(end));
  columns["first"] = array_of(std::move(first));
  columns["last"] = array_of(std::move(last));
  columns["lower"] = array_of(std::move(lower), {count, dimension});
  columns["upper"] = array_of(std::move(upper), {count, dimension});
  return columns;
}

Columns<nb::ndarray<nb::numpy>> cell_columns(const AnyTree& tree, int plane) {
  const std::size_t count = tree.nodes(plane);
  const auto dimension = static_cast<std::size_t>(tree.dimension());
  std::vector<std::int64_t> level;
  std::vector<double> lower, upper;
  for (std::size_t i = 0; i < count; ++i) {
    const Cell cell = tree.cell(plane, i);
    level.push_back(cell.level);
    lower.insert(lower.end(), cell.lower.begin(), cell.lower.end());
    upper.insert(upper.end(), cell.upper.begin(), cell.upper.end());
  }
  nb::dict columns;
  columns["level"] = array_of(std::move(level));
  columns["lower"] = array_of(std::move(lower), {count, dimension});
  columns["upper"] = array_of(std::move(upper), {count, dimension});
  return columns;
}

/// The splits of all nodes of a plane, 7 for each.
std::pair<ArrayOf<std::int8_t>, ArrayOf<double>> split_columns(const AnyTree& tree, int plane) {
  const std::size_t count = tree.nodes(plane);
  std::vector<std::int8_t> axis;
  std::vector<double> value;
  for (std::size_t i = 0; i < count; ++i)
    for (const Split& split : tree.splits(plane, i)) {
      axis.push_back(static_cast<std::int8_t>(split.axis));
      value.push_back(split.value);
    }
  return {array_of(std::move(axis), {count, 7}), array_of(std::move(value), {count, 7})};
}

std::pair<ArrayOf<std::int64_t>, ArrayOf<std::int8_t>> left_balanced_of(const AnyTree& tree,
                                                                        const nb::dict& given,
                                                                        const Call& call) {
  const TreeOptions options = tree_options(given);
  LeftBalanced found =
      run(call, [&](const Execution& e) { return left_balanced(tree, options.split_axis, e); });
  return {array_of(std::move(found.index)), array_of(std::move(found.axis))};
}

ArrayOf<std::int64_t> order_of(const AnyTree& tree) {
  return array_of(run({}, [&](const Execution&) { return tree.order(); }));
}

ArrayOf<double> coordinates_of(const AnyTree& tree) {
  auto values = run({}, [&](const Execution&) { return tree.coordinates(); });
  return array_of(std::move(values), {tree.size(), static_cast<std::size_t>(tree.dimension())});
}

std::pair<std::size_t, std::size_t> memory_estimate(std::size_t size, int dimension,
                                                    const std::string& scalar,
                                                    const nb::dict& options) {
  const auto kind = scalar == "float32" ? Scalar::float32 : Scalar::float64;
  const MemoryEstimate estimate = estimate_memory(size, dimension, kind, tree_options(options));
  return {estimate.peak, estimate.kept};
}

std::vector<double> axes(const Box& box, double (Box::*get)(int) const) {
  std::vector<double> values;
  for (int axis = 0; axis < std::max(1, box.dimension()); ++axis)
    values.push_back((box.*get)(axis));
  return values;
}

Box make_box(const std::vector<double>& side, const std::vector<double>& origin) {
  Box box = side.size() == 1 ? Box::periodic(side[0]) : Box::periodic(side);
  if (origin.size() == 1) return box.with_origin(origin[0]);
  return origin.empty() ? box : box.with_origin(origin);
}

void bind_box(nb::module_& module) {
  nb::class_<Box>(module, "CoreBox")
      .def(nb::init<>())
      .def_static("make", &make_box)
      .def_prop_ro("dimension", &Box::dimension)
      .def_prop_ro("side", [](const Box& box) { return axes(box, &Box::side); })
      .def_prop_ro("origin", [](const Box& box) { return axes(box, &Box::origin); });
}

}  // namespace

void bind_tree(nb::module_& module) {
  bind_box(module);
  nb::class_<AnyTree>(module, "CoreTree")
      .def_static("build",
                  [](const Array& points, const nb::dict& given, const Call& call) {
                    const PointsView view = points_of(points);
                    const TreeOptions options = tree_options(given);
                    return run(call, [&](const Execution& e) { return AnyTree(view, options, e); });
                  })
      .def_prop_ro("size", &AnyTree::size)
      .def_prop_ro("input_size", &AnyTree::input_size)
      .def_prop_ro("dimension", &AnyTree::dimension)
      .def_prop_ro("is_double", [](const AnyTree& t) { return t.scalar() == Scalar::float64; })
      .def_prop_ro("box", [](const AnyTree& t) { return t.box(); })
      .def_prop_ro("builder",
                   [](const AnyTree& t) { return static_cast<int>(t.options().builder); })
      .def_prop_ro("curve", [](const AnyTree& t) { return static_cast<int>(t.options().curve); })
      .def_prop_ro("scale_exponent", &AnyTree::scale_exponent)
      .def_prop_ro("memory", &AnyTree::memory)
      .def_prop_ro("planes", &AnyTree::planes)
      .def("nodes", &AnyTree::nodes)
      .def("plane", &plane_columns)
      .def("cells", &cell_columns)
      .def("splits", &split_columns)
      .def("order", &order_of)
      .def("coordinates", &coordinates_of)
      .def("check", [](const AnyTree& t) { run_work({}, [&](const Execution&) { t.check(); }); });
  module.def("left_balanced", &left_balanced_of);
  module.def("estimate_memory", &memory_estimate);
}

}  // namespace kith::python

// DBSCAN, spanning trees, hierarchies and HDBSCAN*.
#include <optional>
#include <vector>

#include <kith/clusters.hpp>
#include <kith/hdbscan.hpp>
#include <kith/hierarchy.hpp>
#include <kith/membership.hpp>
#include <kith/spanning_tree.hpp>
#include <kith/validity.hpp>

#include "arguments.hpp"
#include "arrays.hpp"
#include "call.hpp"
#include "hdbscan_columns.hpp"
#include "module.hpp"
#include "options.hpp"

namespace kith::python {
namespace {

CondenseOptions condense_options(const nb::dict& given) {
  CondenseOptions options;
  Options read(given);
  read_condensing(read, options);
  read.expect_no_more();
  return options;
}

FofOptions cut_options(const nb::dict& given) {
  FofOptions options;
  Options read(given);
  read_linking(read, options);
  read.expect_no_more();
  return options;
}

ArrayOf<std::uint8_t> core_of(const Clusters& clusters) {
  const auto is_core = clusters.is_core();
  return array_over(is_core.data(), {is_core.size()}, clusters);
}

/// The two ends of each edge.
ArrayOf<std::int64_t> ends_of(const SpanningTree& tree) {
  const auto index = tree.index();
  return array_of(std::vector<std::int64_t>(index.begin(), index.end()), {tree.size(), 2});
}

Columns<nb::ndarray<nb::numpy>> branches_of(const Hierarchy& hierarchy, std::size_t min_size) {
  std::vector<double> birth, death;
  std::vector<std::int64_t> parent, size, lowest;
  for (const Branch& branch : hierarchy.branches(min_size)) {
    birth.push_back(branch.birth);
    death.push_back(branch.death);
    parent.push_back(branch.parent);
    size.push_back(static_cast<std::int64_t>(branch.size));
    lowest.push_back(static_cast<std::int64_t>(branch.lowest));
  }
  nb::dict columns;
  columns["birth"] = array_of(std::move(birth));
  columns["death"] = array_of(std::move(death));
  columns["parent"] = array_of(std::move(parent));
  columns["size"] = array_of(std::move(size));
  columns["lowest"] = array_of(std::move(lowest));
  return columns;
}

ArrayOf<std::int64_t> counts_of(const Hierarchy& hierarchy, const Numbers& lengths,
                                std::size_t min_size) {
  std::vector<std::int64_t> rows;
  for (const GroupCount& count : hierarchy.count(span_of(lengths), min_size))
    for (const std::size_t value : {count.groups, count.points, count.largest})
      rows.push_back(static_cast<std::int64_t>(value));
  const std::size_t n = rows.size() / 3;
  return array_of(std::move(rows), {n, 3});
}

template <class T>
std::vector<T> column_in(const nb::dict& columns, const char* name) {
  const auto values =
      nb::cast<nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>>(columns[name]);
  return {values.data(), values.data() + values.size()};
}

/// The input of a prediction, from the columns that Python has.
HdbscanClusters clusters_in(const nb::dict& columns, double selection_epsilon) {
  HdbscanClusters clusters;
  clusters.label = column_in<std::int32_t>(columns, "label");
  clusters.selected = column_in<std::int64_t>(columns, "selected");
  CondensedTree& tree = clusters.condensed_tree;
  tree.parent = column_in<std::int64_t>(columns, "parent");
  tree.child = column_in<std::int64_t>(columns, "child");
  tree.lambda = column_in<double>(columns, "lambda");
  tree.size = column_in<std::int64_t>(columns, "size");
  tree.weight = column_in<double>(columns, "weight");
  clusters.selection_epsilon = selection_epsilon;
  return clusters;
}

nb::tuple prediction_of(const AnyTree& tree, const Hierarchy& all, const nb::dict& columns,
                        double selection_epsilon, const Array& points, const Call& call) {
  const HdbscanClusters clusters = clusters_in(columns, selection_epsilon);
  const PointsView view = points_of(points);
  HdbscanPrediction found =
      run(call, [&](const Execution& e) { return predict(tree, all, clusters, view, e); });
  return nb::make_tuple(array_of(std::move(found.label)), array_of(std::move(found.probability)));
}

using LabelArray = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

ArrayOf<double> memberships_of(const AnyTree& tree, const Hierarchy& all, const nb::dict& columns,
                               double selection_epsilon, const std::optional<Array>& points,
                               const Call& call) {
  const HdbscanClusters clusters = clusters_in(columns, selection_epsilon);
  const PointsView view = points ? points_of(*points) : PointsView{};
  auto rows = run(call, [&](const Execution& e) {
    return points ? memberships(tree, all, clusters, view, e) : memberships(tree, all, clusters, e);
  });
  const std::size_t count = points ? view.size : clusters.label.size();
  return array_of(std::move(rows), {count, clusters.count()});
}

nb::tuple dbcv_of(const Array& points, const LabelArray& label, const Call& call) {
  const PointsView view = points_of(points);
  const std::span<const std::int32_t> labels(label.data(), label.size());
  Dbcv found = run(call, [&](const Execution& e) { return dbcv(view, labels, e); });
  return nb::make_tuple(found.index, array_of(std::move(found.cluster)));
}

}  // namespace

void bind_clusters(nb::module_& module) {
  nb::class_<Clusters>(module, "CoreClusters")
      .def_prop_ro("groups", [](const Clusters& clusters) { return clusters.groups(); })
      .def("is_core", &core_of);
  nb::class_<SpanningTree>(module, "CoreSpanningTree")
      .def("index", &ends_of)
      .def("length", [](const SpanningTree& tree) { return array_of(tree.length()); })
      .def("to_bytes", [](const SpanningTree& tree) {
        const std::vector<std::byte> bytes = tree.bytes();
        return nb::bytes(bytes.data(), bytes.size());
      });
  module.def("spanning_tree_from_bytes", [](const nb::bytes& bytes) {
    return SpanningTree::from_bytes({static_cast<const std::byte*>(bytes.data()), bytes.size()});
  });
  nb::class_<Hierarchy>(module, "CoreHierarchy")
      .def_prop_ro("tree", &Hierarchy::spanning_tree)
      .def_prop_ro("input_size", &Hierarchy::input_size)
      .def("linkage",
           [](const Hierarchy& hierarchy) {
             return array_of(hierarchy.linkage(), {hierarchy.size(), 4});
           })
      .def("branches", &branches_of)
      .def("count", &counts_of);
  module.def("dbscan_points", [](const Array& points, const nb::dict& given, const Call& call) {
    const DbscanArguments asked(given);
    const PointsView view = points_of(points);
    return run(call, [&](const Execution& e) { return dbscan(view, asked.options, e); });
  });
  module.def("dbscan_tree", [](const AnyTree& tree, const nb::dict& given, const Call& call) {
    const DbscanArguments asked(given);
    return run(call, [&](const Execution& e) { return dbscan(tree, asked.options, e); });
  });
  module.def(
      "spanning_tree_points", [](const Array& points, const nb::dict& given, const Call& call) {
        const SpanningArguments asked(given);
        const PointsView view = points_of(points);
        return run(call, [&](const Execution& e) { return spanning_tree(view, asked.options, e); });
      });
  module.def(
      "spanning_tree_tree", [](const AnyTree& tree, const nb::dict& given, const Call& call) {
        const SpanningArguments asked(given);
        return run(call, [&](const Execution& e) { return spanning_tree(tree, asked.options, e); });
      });
  module.def("hierarchy", [](const SpanningTree& tree, const Call& call) {
    return run(call, [&](const Execution& e) { return hierarchy(tree, e); });
  });
  module.def("hierarchy_groups", [](const Hierarchy& all, const nb::dict& given, const Call& call) {
    const FofOptions options = cut_options(given);
    return run(call, [&](const Execution& e) { return all.groups(options, e); });
  });
  module.def("hdbscan_predict", &prediction_of);
  module.def("dbcv", &dbcv_of);
  module.def("hdbscan_memberships", &memberships_of, nb::arg("tree"), nb::arg("hierarchy"),
             nb::arg("columns"), nb::arg("selection_epsilon"), nb::arg("points").none(),
             nb::arg("call"));
  module.def("condense", [](const Hierarchy& all, const nb::dict& given, const Call& call) {
    const CondenseOptions options = condense_options(given);
    return columns_of(run(call, [&](const Execution& e) { return condense(all, options, e); }));
  });
}

}  // namespace kith::python

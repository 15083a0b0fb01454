// DBSCAN, spanning trees, hierarchies and HDBSCAN*.
#include <optional>
#include <vector>

#include <kith/clusters.hpp>
#include <kith/hdbscan.hpp>
#include <kith/hierarchy.hpp>
#include <kith/spanning_tree.hpp>

#include "arrays.hpp"
#include "call.hpp"
#include "module.hpp"
#include "options.hpp"

namespace kith::python {
namespace {

DbscanOptions dbscan_options(const nb::dict& given) {
  DbscanOptions options;
  Options read(given);
  read("box", options.box);
  read("eps", options.eps);
  read("min_samples", options.min_samples);
  read.choice("border", options.border,
              {{"nearest", Border::nearest}, {"sklearn", Border::sklearn}, {"none", Border::none}});
  read("border_links", options.border_links);
  read.choice("non_finite", options.non_finite,
              {{"error", NonFinite::error}, {"drop", NonFinite::drop}});
  read.expect_no_more();
  return options;
}

SpanningTreeOptions spanning_tree_options(const nb::dict& given) {
  SpanningTreeOptions options;
  Options read(given);
  read("box", options.box);
  read("core_k", options.core_k);
  read.choice("non_finite", options.non_finite,
              {{"error", NonFinite::error}, {"drop", NonFinite::drop}});
  read.expect_no_more();
  return options;
}

CondenseOptions condense_options(const nb::dict& given) {
  CondenseOptions options;
  Options read(given);
  read("min_cluster_size", options.min_cluster_size);
  read.choice("selection", options.selection,
              {{"eom", ClusterSelection::eom}, {"leaf", ClusterSelection::leaf}});
  read("selection_epsilon", options.selection_epsilon);
  read("allow_single_cluster", options.allow_single_cluster);
  read("max_cluster_size", options.max_cluster_size);
  read.expect_no_more();
  return options;
}

FofOptions cut_options(const nb::dict& given) {
  FofOptions options;
  Options read(given);
  read("linking_length", options.linking_length);
  read("b", options.b);
  read("mean_separation", options.mean_separation);
  read("volume", options.volume);
  read("min_size", options.min_size);
  read("strict", options.strict);
  read("keep_roots", options.keep_roots);
  read.expect_no_more();
  return options;
}

nb::object core_of(const Clusters& clusters) {
  const auto is_core = clusters.is_core();
  return array_over(is_core.data(), {is_core.size()}, clusters);
}

/// The two ends of each edge.
nb::object ends_of(const SpanningTree& tree) {
  const auto index = tree.index();
  return array_of(std::vector<std::int64_t>(index.begin(), index.end()), {tree.size(), 2});
}

nb::dict branches_of(const Hierarchy& hierarchy, std::size_t min_size) {
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

nb::object counts_of(const Hierarchy& hierarchy, const Numbers& lengths, std::size_t min_size) {
  std::vector<std::int64_t> rows;
  for (const GroupCount& count : hierarchy.count(span_of(lengths), min_size))
    for (const std::size_t value : {count.groups, count.points, count.largest})
      rows.push_back(static_cast<std::int64_t>(value));
  const std::size_t n = rows.size() / 3;
  return array_of(std::move(rows), {n, 3});
}

nb::dict columns_of(HdbscanClusters&& clusters) {
  CondensedTree& tree = clusters.condensed_tree;
  nb::dict columns;
  columns["label"] = array_of(std::move(clusters.label));
  columns["probability"] = array_of(std::move(clusters.probability));
  columns["outlier_score"] = array_of(std::move(clusters.outlier_score));
  columns["selected"] = array_of(std::move(clusters.selected));
  columns["stability"] = array_of(std::move(clusters.stability));
  columns["parent"] = array_of(std::move(tree.parent));
  columns["child"] = array_of(std::move(tree.child));
  columns["lambda"] = array_of(std::move(tree.lambda));
  columns["size"] = array_of(std::move(tree.size));
  return columns;
}

}  // namespace

void bind_clusters(nb::module_& module) {
  nb::class_<Clusters>(module, "CoreClusters")
      .def_prop_ro("groups", [](const Clusters& clusters) { return clusters.groups(); })
      .def("is_core", &core_of);
  nb::class_<SpanningTree>(module, "CoreSpanningTree")
      .def("index", &ends_of)
      .def("length", [](const SpanningTree& tree) { return array_of(tree.length()); })
      .def("bytes", [](const SpanningTree& tree) {
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
    const DbscanOptions options = dbscan_options(given);
    const PointsView view = points_of(points);
    return run(call, [&](const Execution& e) { return dbscan(view, options, e); });
  });
  module.def("dbscan_tree", [](const Tree& tree, const nb::dict& given, const Call& call) {
    const DbscanOptions options = dbscan_options(given);
    return run(call, [&](const Execution& e) { return dbscan(tree, options, e); });
  });
  module.def(
      "spanning_tree_points", [](const Array& points, const nb::dict& given, const Call& call) {
        const SpanningTreeOptions options = spanning_tree_options(given);
        const PointsView view = points_of(points);
        return run(call, [&](const Execution& e) { return spanning_tree(view, options, e); });
      });
  module.def("spanning_tree_tree", [](const Tree& tree, const nb::dict& given, const Call& call) {
    const SpanningTreeOptions options = spanning_tree_options(given);
    return run(call, [&](const Execution& e) { return spanning_tree(tree, options, e); });
  });
  module.def("hierarchy", [](const SpanningTree& tree, const Call& call) {
    return run(call, [&](const Execution& e) { return hierarchy(tree, e); });
  });
  module.def("hierarchy_groups", [](const Hierarchy& all, const nb::dict& given, const Call& call) {
    const FofOptions options = cut_options(given);
    return run(call, [&](const Execution& e) { return all.groups(options, e); });
  });
  module.def("condense", [](const Hierarchy& all, const nb::dict& given, const Call& call) {
    const CondenseOptions options = condense_options(given);
    return columns_of(run(call, [&](const Execution& e) { return condense(all, options, e); }));
  });
}

}  // namespace kith::python

// Clusters of HDBSCAN* as Python gets them, for both extension modules.
#pragma once

#include <utility>

#include <kith/hdbscan.hpp>

#include "arrays.hpp"

namespace kith::python {

inline Columns<nb::ndarray<nb::numpy>> columns_of(HdbscanClusters&& clusters) {
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
  columns["weight"] = array_of(std::move(tree.weight));
  return columns;
}

}  // namespace kith::python

// The implementation of SpanningTree.
#pragma once

#include <cmath>
#include <variant>

#include <kith/spanning_tree.hpp>

#include "base/access.hpp"
#include "base/array.hpp"
#include "geometry/sphere.hpp"

namespace kith {

class SpanningTree::Impl {
 public:
  std::size_t input_size = 0;
  std::size_t points = 0;  ///< without those that were dropped
  int dimension = 0;
  Box box;
  std::size_t core_k = 1;
  Measure measure = Measure::length;  ///< of the lengths that the caller sees
  int exponent =
      0;  ///< of the tree's frame: stored squared lengths are the caller's times 4^exponent
  std::shared_ptr<const void> storage;  ///< of the arrays below, if they do not own their memory
  Array<std::uint8_t> is_dropped;       ///< per input point; empty if none was
  Array<std::uint32_t> index;           ///< two per edge
  /// Squared lengths in the frame and the scalar type of the tree, ascending.
  std::variant<Array<float>, Array<double>> length2;
  Array<double> weight;  ///< per input point, 0 for dropped ones; empty without weights
  /// Squared core distances of the same type, per input point; with weights only.
  std::variant<Array<float>, Array<double>> core2;

  std::size_t edges() const { return index.size() / 2; }
  template <class F>
  decltype(auto) visit(F&& f) const {
    return std::visit(std::forward<F>(f), length2);
  }
  /// The length of an edge as the caller measures it, rounded as distances of neighbors are.
  template <class T>
  double length(T squared) const {
    return measured(static_cast<double>(std::sqrt(squared) * std::ldexp(T(1), -exponent)), measure);
  }
};

}  // namespace kith

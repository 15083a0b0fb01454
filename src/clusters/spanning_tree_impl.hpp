// What a SpanningTree holds.
#pragma once

#include <cmath>
#include <variant>

#include <kith/spanning_tree.hpp>

#include "base/array.hpp"

namespace kith {

class SpanningTree::Impl {
 public:
  std::size_t input_size = 0;
  std::size_t points = 0;  ///< without those that were dropped
  int dimension = 0;
  Box box;
  std::size_t core_k = 1;
  int exponent = 0;  ///< of the tree's frame: squared lengths are those times 4^exponent
  Array<std::uint8_t> is_dropped;  ///< per input point; empty if none was
  Array<std::uint32_t> index;      ///< two per edge
  /// Squared lengths in the frame and the scalar type of the tree, ascending.
  std::variant<Array<float>, Array<double>> length2;

  std::size_t edges() const { return index.size() / 2; }
  template <class F>
  decltype(auto) visit(F&& f) const {
    return std::visit(std::forward<F>(f), length2);
  }
  /// The length of an edge as the caller measures it, rounded as distances of neighbors are.
  template <class T>
  double length(T squared) const {
    return static_cast<double>(std::sqrt(squared) * std::ldexp(T(1), -exponent));
  }
};

}  // namespace kith

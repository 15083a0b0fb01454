// Shared by products with derivatives: arrays of any type, and results in the points' type.
#pragma once

#include <cstddef>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/variant.h>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include <kith/gradients.hpp>

#include "arrays.hpp"
#include "call.hpp"

namespace kith::python {

using Whole = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;  ///< of any shape and type

template <class T>
const T* data_of(const std::optional<Whole>& array) {
  return array ? static_cast<const T*>(array->data()) : nullptr;
}

template <class T>
ArrayOf<T> matrix(std::vector<T>&& values, std::size_t rows, std::size_t width) {
  return array_of(std::move(values), {rows, width});
}

/// work<T>(pairs) with T that of the points.
template <class Result, class Work>
Result with_type(const PairsOf& pairs, Work work) {
  if (pairs.points.scalar == Scalar::float32) return work.template operator()<float>();
  return work.template operator()<double>();
}

/// Gradients by points, or by points and queries.
using Gradients = std::variant<Reals, std::pair<Reals, Reals>>;

/// The result of a product of the reverse kind: gradients by points and, if there are some,
/// queries.
template <class T, class Product>
Gradients reverse(const PairsOf& pairs, const Call& call, Product product) {
  const auto d = static_cast<std::size_t>(pairs.points.dimension);
  std::vector<T> points(pairs.points.size * d), queries(pairs.queries.size * d);
  run_work(call, [&](const Execution& e) {
    product(PairGradient<T>{points.data(), pairs.queries.data ? queries.data() : nullptr}, e);
  });
  Reals by_points = matrix(std::move(points), pairs.points.size, d);
  if (!pairs.queries.data) return by_points;
  return std::pair<Reals, Reals>(std::move(by_points),
                                 matrix(std::move(queries), pairs.queries.size, d));
}

}  // namespace kith::python

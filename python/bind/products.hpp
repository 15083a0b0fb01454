// What products with derivatives have in common: arrays of any type, and results in the points'
// type.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
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
nb::object matrix(std::vector<T>&& values, std::size_t rows, std::size_t width) {
  return array_of(std::move(values), {rows, width});
}

/// work<T>(pairs) with T that of the points.
template <class Work>
nb::object with_type(const PairsOf& pairs, Work work) {
  return pairs.points.scalar == Scalar::float32 ? work.template operator()<float>()
                                                : work.template operator()<double>();
}

/// What a product of the reverse kind writes: gradients by points and, if there are some, queries.
template <class T, class Product>
nb::object reverse(const PairsOf& pairs, const Call& call, Product product) {
  const auto d = static_cast<std::size_t>(pairs.points.dimension);
  std::vector<T> points(pairs.points.size * d), queries(pairs.queries.size * d);
  run_work(call, [&](const Execution& e) {
    product(PairGradient<T>{points.data(), pairs.queries.data ? queries.data() : nullptr}, e);
  });
  nb::object by_points = matrix(std::move(points), pairs.points.size, d);
  if (!pairs.queries.data) return by_points;
  return nb::make_tuple(by_points, matrix(std::move(queries), pairs.queries.size, d));
}

}  // namespace kith::python

// Arrays on their way in and out, without a copy.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <span>
#include <utility>
#include <vector>

#include <kith/catalogue.hpp>
#include <kith/points.hpp>

namespace kith::python {

namespace nb = nanobind;

/// What kith/_arrays.py prepares: native float32 or float64 in memory of the CPU.
using Array = nb::ndarray<nb::ro, nb::device::cpu>;

/// Rows of coordinates whose numbers are adjacent. The array must outlive the view.
PointsView points_of(const Array& array);

/// One number per point.
ValuesView values_of(const Array& array);

/// Plain float64 numbers.
using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
inline std::span<const double> span_of(const Numbers& numbers) {
  return {numbers.data(), numbers.size()};
}

using Shape = std::initializer_list<std::size_t>;

/// An array of Python over memory that the owner keeps alive.
template <class T, class Owner>
nb::object array_over(const T* data, Shape shape, Owner owner) {
  auto* kept = new Owner(std::move(owner));
  nb::capsule capsule(kept, [](void* pointer) noexcept { delete static_cast<Owner*>(pointer); });
  // An empty result may have no memory; NumPy insists on an address.
  static T nothing{};
  T* address = data ? const_cast<T*>(data) : &nothing;
  return nb::cast(nb::ndarray<nb::numpy, T>(address, shape.size(), shape.begin(), capsule));
}

/// An array that takes over a vector.
template <class T>
nb::object array_of(std::vector<T>&& values, Shape shape) {
  auto* kept = new std::vector<T>(std::move(values));
  nb::capsule capsule(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  static T nothing{};
  T* address = kept->empty() ? &nothing : kept->data();
  return nb::cast(nb::ndarray<nb::numpy, T>(address, shape.size(), shape.begin(), capsule));
}
template <class T>
nb::object array_of(std::vector<T>&& values) {
  const std::size_t size = values.size();
  return array_of(std::move(values), {size});
}

}  // namespace kith::python

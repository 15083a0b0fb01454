// Passing arrays in and out, without a copy.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
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

/// The arrays that kith/_arrays.py prepares: native float32 or float64 in memory of the CPU.
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

/// "numpy.float32 | numpy.float64", at compile time.
template <class First, class... Rest>
constexpr auto scalar_names() {
  constexpr auto first = nb::detail::const_name("numpy.") + nb::detail::dtype_traits<First>::name;
  if constexpr (sizeof...(Rest) == 0)
    return first;
  else
    return first + nb::detail::const_name(" | ") + scalar_names<Rest...>();
}

/// An array of Python whose elements have one of these types. It is a plain object; the type stub
/// of the module states the types of results, and so type checkers know them.
template <class... T>
class ArrayOf : public nb::object {
 public:
  static constexpr auto Name = nb::detail::const_name("numpy.typing.NDArray[") +
                               scalar_names<T...>() + nb::detail::const_name("]");
  explicit ArrayOf(nb::object array) : nb::object(std::move(array)) {}
  template <class One>
  requires(sizeof...(T) > 1 && (std::same_as<One, T> || ...)) ArrayOf(ArrayOf<One> array)
      : nb::object(std::move(array)) {}
};

using Reals = ArrayOf<float, double>;                 ///< in the type of the points
using Indices = ArrayOf<std::int32_t, std::int64_t>;  ///< in the type that the caller chose
/// Arrays by name.
template <class Values>
using Columns = nb::typed<nb::dict, nb::str, Values>;

using Shape = std::initializer_list<std::size_t>;

/// An array of Python over memory that the owner keeps alive.
template <class T, class Owner>
ArrayOf<T> array_over(const T* data, Shape shape, Owner owner) {
  auto* kept = new Owner(std::move(owner));
  nb::capsule capsule(kept, [](void* pointer) noexcept { delete static_cast<Owner*>(pointer); });
  // An empty result may have no memory; NumPy insists on an address.
  static T nothing{};
  T* address = data ? const_cast<T*>(data) : &nothing;
  return ArrayOf<T>(
      nb::cast(nb::ndarray<nb::numpy, T>(address, shape.size(), shape.begin(), capsule)));
}

/// An array that takes over a vector.
template <class T>
ArrayOf<T> array_of(std::vector<T>&& values, Shape shape) {
  auto* kept = new std::vector<T>(std::move(values));
  nb::capsule capsule(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  static T nothing{};
  T* address = kept->empty() ? &nothing : kept->data();
  return ArrayOf<T>(
      nb::cast(nb::ndarray<nb::numpy, T>(address, shape.size(), shape.begin(), capsule)));
}
template <class T>
ArrayOf<T> array_of(std::vector<T>&& values) {
  const std::size_t size = values.size();
  return array_of(std::move(values), {size});
}

}  // namespace kith::python

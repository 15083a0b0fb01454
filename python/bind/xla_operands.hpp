// The buffers and attributes that XLA hands to a foreign function, as kith's arrays and options.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <kith/box.hpp>
#include <kith/catalogue.hpp>
#include <kith/error.hpp>
#include <kith/execution.hpp>
#include <kith/points.hpp>

#include "xla_ffi.hpp"

namespace kith::python {

/// The buffers and attributes of one call.
class Operands {
 public:
  explicit Operands(const xla::Call& call) : call_(call) {}

  const xla::Call& call() const { return call_; }
  const xla::Buffer& in(std::size_t i) const { return *call_.in.buffers[i]; }
  const xla::Buffer& out(std::size_t i) const { return *call_.out.buffers[i]; }
  std::size_t inputs() const { return static_cast<std::size_t>(call_.in.size); }
  static std::span<const std::int64_t> extents(const xla::Buffer& buffer) {
    return {buffer.extents, static_cast<std::size_t>(buffer.rank)};
  }
  static std::size_t elements(const xla::Buffer& buffer) {
    std::size_t product = 1;
    for (const std::int64_t extent : extents(buffer)) product *= static_cast<std::size_t>(extent);
    return product;
  }

  template <class T>
  const T* data(std::size_t i) const {
    return static_cast<const T*>(in(i).data);
  }
  template <class T>
  T* result(std::size_t i) const {
    return static_cast<T*>(out(i).data);
  }
  std::size_t extent(std::size_t i, std::size_t axis) const {
    return static_cast<std::size_t>(in(i).extents[axis]);
  }
  std::size_t result_extent(std::size_t i, std::size_t axis) const {
    return static_cast<std::size_t>(out(i).extents[axis]);
  }

  double number(const char* name) const { return scalar<double>(name); }
  std::int64_t integer(const char* name) const { return scalar<std::int64_t>(name); }
  std::size_t count(const char* name) const { return static_cast<std::size_t>(integer(name)); }

  Box box() const { return Box::periodic(array("side")).with_origin(array("origin")); }
  Execution execution() const { return {.threads = static_cast<int>(integer("threads"))}; }

  /// A matrix of coordinates.
  PointsView points(std::size_t i) const {
    const auto d = static_cast<int>(extent(i, 1));
    if (is_double(i)) return view(data<double>(i), extent(i, 0), d);
    return view(data<float>(i), extent(i, 0), d);
  }
  ValuesView values(std::size_t i) const {
    return {in(i).data, extent(i, 0), is_double(i) ? Scalar::float64 : Scalar::float32};
  }
  bool is_double(std::size_t i) const { return in(i).type == xla::DataType::f64; }

  /// Numbers of either type as float64; the first `count` of them.
  std::vector<double> numbers(std::size_t i, std::size_t count) const {
    if (is_double(i)) return {data<double>(i), data<double>(i) + count};
    return {data<float>(i), data<float>(i) + count};
  }
  /// float64 to a buffer of either type; the rest becomes 0.
  void put(std::size_t i, const std::vector<double>& values) const {
    const auto fill = [&](auto* to) {
      using T = std::remove_pointer_t<decltype(to)>;
      std::transform(values.begin(), values.end(), to, [](double x) { return static_cast<T>(x); });
      std::fill(to + values.size(), to + elements(out(i)), T(0));
    };
    if (out(i).type == xla::DataType::f64)
      fill(result<double>(i));
    else
      fill(result<float>(i));
  }
  template <class T>
  void put_number(std::size_t i, T value) const {
    *result<std::int32_t>(i) = static_cast<std::int32_t>(value);
  }

 private:
  const void* attribute(const char* name, xla::AttributeType type) const {
    const xla::Attributes& all = call_.attributes;
    for (std::int64_t i = 0; i < all.size; ++i)
      if (std::string_view(all.names[i]->text, all.names[i]->length) == name &&
          all.types[i] == type)
        return all.values[i];
    throw Error(ErrorCode::invalid_argument,
                std::string("kith.jax: the call has no attribute ") + name);
  }
  template <class T>
  T scalar(const char* name) const {
    const void* found = attribute(name, xla::AttributeType::scalar);
    return *static_cast<const T*>(static_cast<const xla::ScalarAttribute*>(found)->value);
  }
  std::span<const double> array(const char* name) const {
    const void* found = attribute(name, xla::AttributeType::array);
    const auto& values = *static_cast<const xla::ArrayAttribute*>(found);
    return {static_cast<const double*>(values.data), values.size};
  }

  const xla::Call& call_;
};

/// f<T>() with T that of the first buffer.
template <class F>
void with_type(const Operands& call, F f) {
  if (call.is_double(0))
    f.template operator()<double>();
  else
    f.template operator()<float>();
}

[[noreturn]] inline void overflow(const char* what, std::size_t found, std::size_t room) {
  throw Error(ErrorCode::too_large, "kith.jax: " + std::to_string(found) + " " + what +
                                        ", but room for " + std::to_string(room) + "; raise max_" +
                                        what);
}

}  // namespace kith::python

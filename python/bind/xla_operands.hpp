// The buffers and attributes that XLA hands to a foreign function, as kith's arrays and options.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <kith/box.hpp>
#include <kith/catalogue.hpp>
#include <kith/error.hpp>
#include <kith/execution.hpp>
#include <kith/points.hpp>

#include "xla/ffi/api/ffi.h"

namespace kith::python {

namespace ffi = xla::ffi;

/// The buffers and attributes of one call.
class Operands {
 public:
  Operands(ffi::RemainingArgs in, ffi::RemainingRets out, ffi::Dictionary attributes)
      : in_(in), out_(out), attributes_(attributes) {}

  ffi::AnyBuffer in(std::size_t i) const { return in_.get<ffi::AnyBuffer>(i).value(); }
  ffi::AnyBuffer out(std::size_t i) const { return *out_.get<ffi::AnyBuffer>(i).value(); }
  std::size_t inputs() const { return in_.size(); }

  template <class T>
  const T* data(std::size_t i) const {
    return static_cast<const T*>(in(i).untyped_data());
  }
  template <class T>
  T* result(std::size_t i) const {
    return static_cast<T*>(out(i).untyped_data());
  }
  std::size_t extent(std::size_t i, std::size_t axis) const {
    return static_cast<std::size_t>(in(i).dimensions()[axis]);
  }
  std::size_t result_extent(std::size_t i, std::size_t axis) const {
    return static_cast<std::size_t>(out(i).dimensions()[axis]);
  }

  double number(const char* name) const { return attributes_.get<double>(name).value(); }
  std::int64_t integer(const char* name) const {
    return attributes_.get<std::int64_t>(name).value();
  }
  std::size_t count(const char* name) const { return static_cast<std::size_t>(integer(name)); }

  Box box() const {
    const auto side = attributes_.get<ffi::Span<const double>>("side").value();
    const auto origin = attributes_.get<ffi::Span<const double>>("origin").value();
    return Box::periodic(std::span(side.begin(), side.size()))
        .with_origin(std::span(origin.begin(), origin.size()));
  }
  Execution execution() const { return {.threads = static_cast<int>(integer("threads"))}; }

  /// A matrix of coordinates.
  PointsView points(std::size_t i) const {
    const auto d = static_cast<int>(extent(i, 1));
    return is_double(i) ? view(data<double>(i), extent(i, 0), d)
                        : view(data<float>(i), extent(i, 0), d);
  }
  ValuesView values(std::size_t i) const {
    return {in(i).untyped_data(), extent(i, 0), is_double(i) ? Scalar::float64 : Scalar::float32};
  }
  bool is_double(std::size_t i) const { return in(i).element_type() == ffi::DataType::F64; }

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
      std::fill(to + values.size(), to + out(i).element_count(), T(0));
    };
    if (out(i).element_type() == ffi::DataType::F64)
      fill(result<double>(i));
    else
      fill(result<float>(i));
  }
  template <class T>
  void put_number(std::size_t i, T value) const {
    *result<std::int32_t>(i) = static_cast<std::int32_t>(value);
  }

 private:
  ffi::RemainingArgs in_;
  ffi::RemainingRets out_;
  ffi::Dictionary attributes_;
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

// The way of the library's own code to the data of public classes, which hide it from users.
#pragma once

#include <memory>
#include <utility>

#include <kith/export.hpp>

namespace kith {

namespace detail {

struct Access {
  template <class Public>
  static const auto& data(const Public& object) {
    return object.impl_;
  }
  template <class Public>
  static Public make(std::shared_ptr<const typename Public::Impl> data) {
    return Public(std::move(data));
  }
};

}  // namespace detail

template <class Public>
const typename Public::Impl& impl_of(const Public& object) {
  return *detail::Access::data(object);
}

template <class Public>
const std::shared_ptr<const typename Public::Impl>& shared_impl_of(const Public& object) {
  return detail::Access::data(object);
}

/// A public object of data that are complete.
template <class Public>
Public wrap_impl(std::shared_ptr<const typename Public::Impl> data) {
  return detail::Access::make<Public>(std::move(data));
}

}  // namespace kith

// The implementation of Clusters.
#pragma once

#include <optional>

#include <kith/clusters.hpp>

#include "base/access.hpp"
#include "base/array.hpp"

namespace kith {

class Clusters::Impl {
 public:
  std::optional<Groups> groups;
  Array<std::uint8_t> is_core;  ///< per input point
};

}  // namespace kith

// The implementation of Groups.
#pragma once

#include <cstdint>

#include <kith/groups.hpp>

#include "base/access.hpp"
#include "base/array.hpp"

namespace kith {

class Groups::Impl {
 public:
  Array<std::int32_t> label;    ///< per input point
  Array<std::uint64_t> size;    ///< per group
  Array<std::uint32_t> lowest;  ///< per group
  Array<std::int64_t> root;     ///< per input point, or empty
  double linking_length = 0;
};

}  // namespace kith

// A subhalo of one halo, before all are put together.
#pragma once

#include <cstdint>
#include <vector>

namespace kith {

/// Members are points.
struct HaloPart {
  std::vector<std::uint32_t> members;  ///< ascending

  // Of bound subhalos.
  std::vector<std::uint32_t> by_binding;  ///< the most bound one first
  std::int64_t host = -1;                 ///< the part around it, in the order of the result
};

}  // namespace kith

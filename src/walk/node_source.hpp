// A node among the sources of a list whose other sources are blocks.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kith {

/// Fewer than 2^4 planes and 2^27 nodes of a plane fit, which no tree exceeds above its leaves.
struct NodeSource {
  std::uint32_t code;

  static bool is_node(std::uint32_t source) { return source >> 31 != 0; }
  static NodeSource of(int plane, std::size_t node) {
    return {1u << 31 | static_cast<std::uint32_t>(plane) << 27 | static_cast<std::uint32_t>(node)};
  }
  int plane() const { return static_cast<int>(code >> 27 & 15); }
  std::size_t index() const { return code & ((1u << 27) - 1); }
};

}  // namespace kith

// The order of neighbors: by distance, then by original index.
#pragma once

#include <cstdint>

namespace kith {

/// A point at a distance, or a node that begins or ends there. `key` is d2, or the key of another
/// norm (norms.hpp).
template <class Key>
struct Candidate {
  Key key;
  std::uint32_t index;

  friend bool operator<(const Candidate& a, const Candidate& b) {
    return a.key < b.key || (a.key == b.key && a.index < b.index);
  }
};

}  // namespace kith

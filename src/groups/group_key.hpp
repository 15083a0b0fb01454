// The order of groups whose points are spread over ranks or slabs.
#pragma once

#include <algorithm>
#include <cstdint>

namespace kith {

struct GroupKey {
  std::uint64_t size, lowest;  ///< the lowest global index
  std::uint64_t major = 0;     ///< decides first; for groups inside halos, the halo

  /// A part of the same group.
  void add(const GroupKey& more) {
    size += more.size;
    lowest = std::min(lowest, more.lowest);
  }

  friend bool operator==(const GroupKey&, const GroupKey&) = default;
  friend bool operator<(const GroupKey& a, const GroupKey& b) {
    if (a.major != b.major) return a.major < b.major;
    return a.size != b.size ? a.size > b.size : a.lowest < b.lowest;
  }
};

}  // namespace kith

// The key of a wanted rank among keys that are spread over ranks: each counts its own in bins, the
// counts are added up, and the next round looks closer into the bin that the rank falls into.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace kith::mpi {

/// (coordinate, global index) as one number.
__extension__ using Key = unsigned __int128;

inline int bit_width(Key key) {
  const auto high = static_cast<std::uint64_t>(key >> 64), low = static_cast<std::uint64_t>(key);
  return high > 0 ? 64 + static_cast<int>(std::bit_width(high))
                  : static_cast<int>(std::bit_width(low));
}

/// The bits of a number, in the order of the numbers.
template <class T>
std::uint64_t ordered_bits(T value) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  constexpr Bits kSign = Bits{1} << (8 * sizeof(T) - 1);
  const Bits bits = std::bit_cast<Bits>(value);
  return bits & kSign ? static_cast<Bits>(~bits) : bits | kSign;
}

/// The key at which a set is split: `wanted` points come before it.
struct KeySearch {
  std::uint64_t wanted = 0;
  bool is_open = false;
  Key prefix = 0;  ///< keys that remain begin with these bits, and have `shift` more
  int shift = 0;
  std::uint64_t below = 0;  ///< keys before those that remain
  Key found = 0;
  std::vector<std::vector<Key>> candidates;  ///< on this rank, in no order
  std::size_t counts = 0;                    ///< where its counts begin
  int step = 0;                              ///< log2 of their number

  void begin(Key least, Key most) {
    shift = bit_width(least ^ most);
    prefix = least >> shift;
    is_open = true;
  }
  /// Counts the candidates in bins, and forgets what the last round has excluded.
  void count(std::vector<Key>& keys, std::int64_t* bins) const {
    std::erase_if(keys, [&](Key key) { return key >> shift != prefix; });
    const Key mask = (Key{1} << step) - 1;
    for (const Key key : keys) ++bins[static_cast<std::size_t>(key >> (shift - step) & mask)];
  }
  /// Continues with the bin that the wanted rank falls into. Keys differ, so that the last bin of
  /// all has one; if ids are given twice, the rank that gets both reports it.
  void narrow(const std::int64_t* bins) {
    std::size_t bin = 0;
    while (below + static_cast<std::uint64_t>(bins[bin]) <= wanted && bin + 1 < std::size_t{1}
                                                                                    << step)
      below += static_cast<std::uint64_t>(bins[bin++]);
    shift -= step;
    prefix = prefix << step | bin;
    if (below != wanted && shift > 0) return;
    found = prefix << shift;
    is_open = false;
    candidates = {};
  }
};

}  // namespace kith::mpi

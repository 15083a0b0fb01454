// The CPUs that a thread may use.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "base/shared.hpp"

namespace kith {

/// One bit for each CPU; of a fixed size, so that the ranks of a machine can combine theirs.
struct CpuMask {
  /// Linux counts at most 8,192 CPUs.
  static constexpr int kCpus = 16384;

  std::array<std::uint64_t, kCpus / 64> words = {};

  /// 0 where the system does not say.
  int count() const {
    int sum = 0;
    for (const std::uint64_t word : words) sum += std::popcount(word);
    return sum;
  }
};

/// The mask of the calling thread.
KITH_SHARED CpuMask cpus_of_thread();

}  // namespace kith

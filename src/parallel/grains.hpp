// How many points or nodes a task takes, so that starting it costs little beside its work.
#pragma once

#include <cstddef>

namespace kith {

inline constexpr std::size_t kLightPointGrain = std::size_t{1} << 16;  ///< a few operations each
inline constexpr std::size_t kPointGrain = std::size_t{1} << 14;       ///< some tens
inline constexpr std::size_t kHeavyPointGrain = std::size_t{1} << 12;  ///< hundreds
inline constexpr std::size_t kNodeGrain = std::size_t{1} << 12;

}  // namespace kith

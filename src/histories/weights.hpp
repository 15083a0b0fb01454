// The weights of members by their rank of binding.
#pragma once

#include <cmath>
#include <cstdint>

#include <kith/match.hpp>

namespace kith::histories {

/// Sums, quotients and roots are rounded once each, so the bits are the same everywhere.
inline double weight_of(RankWeight weight, std::uint64_t rank) {
  const double r = static_cast<double>(rank);
  switch (weight) {
    case RankWeight::equal: return 1;
    case RankWeight::inverse_rank: return 1 / (1 + r);
    case RankWeight::sqrt_rank: return 1 / (1 + std::sqrt(r));
  }
  return 0;
}

inline double weight_of(const MatchOptions& options, std::uint64_t rank) {
  const bool counts = options.most_bound == 0 || rank < options.most_bound;
  return counts ? weight_of(options.weight, rank) : 0;
}

}  // namespace kith::histories

// Candidates for subhalos (Springel et al. 2001): dense regions of a halo, each up to the saddle
// point where it meets a larger one.
//
// Members are added from the densest to the least dense. Each is linked to the two nearest denser
// members among its neighbors. Without a link it begins a region. With links into one region it
// joins that region. With links into two it is a saddle point: the smaller region becomes a
// candidate if it has enough members, and the two regions become one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/shared.hpp"
#include "parallel/workers.hpp"

namespace kith {

inline constexpr std::uint32_t kNoMember = std::numeric_limits<std::uint32_t>::max();

/// The densities of the members of a halo, and the nearest denser ones among their neighbors, or
/// kNoMember.
struct DensityField {
  std::vector<double> density;
  std::vector<std::array<std::uint32_t, 2>> denser;

  /// A strict order of all members: the lower of equally dense ones counts as denser.
  bool is_denser(std::size_t a, std::size_t b) const {
    return density[a] > density[b] || (density[a] == density[b] && a < b);
  }
};

/// All members in an order in which every candidate is a run.
struct Candidates {
  struct Run {
    std::size_t begin, end;

    std::size_t size() const { return end - begin; }
    bool contains(const Run& other) const { return begin <= other.begin && other.end <= end; }
  };
  std::vector<std::uint32_t> order;
  std::vector<Run> runs;  ///< those inside another come before it; the last one has all members
};

KITH_SHARED Candidates find_candidates(const DensityField& field, std::size_t min_size,
                                       const Workers& workers);

}  // namespace kith

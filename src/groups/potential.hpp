// Which of some points lies deepest in the potential of all of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <kith/execution.hpp>

#include "base/shared.hpp"
#include "groups/rounds.hpp"
#include "parallel/workers.hpp"

namespace kith {

/// Points of one group in float64, column after column, and their masses.
struct Bodies {
  std::size_t d = 0, count = 0;
  std::vector<double> x;  ///< [axis * count + i]
  std::vector<double> mass;
  /// Where blocks of members end: bodies may be some members only. Sums of blocks are added in
  /// order, as in the catalogue.
  std::vector<std::size_t> block_end;
  std::vector<std::uint64_t> number;  ///< places among the members

  double at(std::size_t i, std::size_t axis) const { return x[axis * count + i]; }
  std::vector<double> at(std::size_t i) const {
    std::vector<double> place(d);
    for (std::size_t axis = 0; axis < d; ++axis) place[axis] = at(i, axis);
    return place;
  }
  bool has_mass() const {
    return std::any_of(mass.begin(), mass.end(), [](double m) { return m > 0; });
  }
  void weigh_equally() { std::fill(mass.begin(), mass.end(), 1.0); }
};

enum class Chosen { all, by_type };

/// Members in their order, about the first one.
KITH_SHARED Bodies bodies_of(const Source& from, const MemberBlocks& blocks, Chosen chosen,
                             const Workers& workers);

/// (potential, point): the order in which points lie deep.
using Depth = std::pair<double, std::uint64_t>;

inline constexpr std::size_t kDirect = 1024;   ///< points up to which direct sums are fast enough
inline constexpr std::size_t kDeepestBy = 64;  ///< of a tree code, among which direct sums decide

/// The point with the least -sum over the others of m / sqrt(r^2 + softening^2), the first of
/// equals.
KITH_SHARED std::size_t deepest(const Bodies& bodies, double softening, const Workers& workers);

/// Bodies whose potentials are all direct sums: up to as many, a tree code takes longer.
inline constexpr std::size_t kAllDirect = 256;

/// The potential of every body by all others, -sum m / sqrt(r^2 + softening^2). Up to kAllDirect
/// bodies: direct sums. More: the tree code of octree.hpp over the bodies along the curve within
/// their bounds, which adds up in a fixed order, too.
KITH_SHARED std::vector<double> potentials(const Bodies& bodies, double softening,
                                           const Workers& workers);

/// The potentials of some bodies, by direct sums, at other places: rows of d numbers each.
KITH_SHARED std::vector<double> potentials_at(std::span<const double> rows, const Bodies& bodies,
                                              double softening, const Workers& workers);

/// Places of points along a curve through all of their group, within its bounds; bodies of equal
/// place are ordered by index.
KITH_SHARED std::vector<std::uint64_t> curve_places(const Bodies& bodies, const double* lower,
                                                    const double* upper, const Workers& workers);

}  // namespace kith

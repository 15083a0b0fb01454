// Shared by the parts of the definition: a halo, its candidates, their bound members.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "groups/source.hpp"
#include "subhalos/subfind.hpp"

namespace kith {

using List = std::vector<std::uint32_t>;

/// One halo; members are numbered in the order of their indices.
struct BruteHalo {
  std::size_t d;
  std::vector<std::vector<double>> x, v;
  std::vector<double> mass, heat;

  BruteHalo(const Source& from, std::span<const std::uint32_t> halo, const BindingRules& rules);

  std::size_t size() const { return mass.size(); }
};

/// Candidates in the order in which they are taken, for either method.
std::vector<List> brute_dense_candidates(const BruteHalo& halo, const BindingRules& rules);
std::vector<List> brute_phase_candidates(const BruteHalo& halo, std::size_t min_size);

/// The members that stay, the most bound first. `must_be_half`: none do if fewer than half of all
/// are bound at first.
List brute_bound(const BruteHalo& halo, List members, const BindingRules& rules, bool must_be_half);

}  // namespace kith

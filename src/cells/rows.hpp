// The neighbors of the atoms of a system, row by row, without keeping them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "atoms/rows.hpp"
#include "parallel/borrowed.hpp"
#include "parallel/pieces.hpp"

namespace kith {

/// Calls use(i, row, rows, scratch) with the neighbors, in no particular order, of each atom for
/// which wants(i). It returns whether the atom is done. Atoms are shared among threads.
template <class Wants, class Use>
void for_each_row(const AtomBins& bins, const AtomRule& rule, const Workers& workers,
                  const Wants& wants, const Use& use) {
  constexpr std::size_t kAtomGrain = 512;
  const AtomRows rows(bins, rule);
  Borrowed<AtomRows::Scratch> memory;
  workers.for_ranges(bins.size(), kAtomGrain, [&](std::size_t begin, std::size_t end) {
    const Borrowed<AtomRows::Scratch>::Loan scratch(memory);
    scratch->has_runs = false;
    WorkMeter meter(workers, std::size_t{1} << 20);
    std::size_t done = 0;
    for (std::size_t at = begin; at < end; ++at) {
      const std::uint32_t i = bins.index(at);
      if (!wants(i)) continue;
      done += use(i, rows.unsorted_row(at, *scratch), rows, *scratch) ? 1 : 0;
      meter.add(scratch->found.size());
    }
    workers.advance(done);
  });
}

template <class Use>
void for_each_row(const AtomBins& bins, const AtomRule& rule, const Workers& workers,
                  const Use& use) {
  for_each_row(
      bins, rule, workers, [](std::uint32_t) { return true; }, use);
}

/// The number of the first atom of each system, and of all atoms.
inline std::vector<std::size_t> first_atoms(std::span<const AtomSystem> systems) {
  std::vector<std::size_t> first{0};
  for (const AtomSystem& system : systems) first.push_back(first.back() + system.positions.size);
  return first;
}

}  // namespace kith

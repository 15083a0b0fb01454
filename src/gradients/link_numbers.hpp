// The random numbers of links: one for each pair of points and sample, in whichever list the pair
// is in.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include <kith/topology.hpp>

#include "base/philox.hpp"

namespace kith {

struct Link {
  std::size_t pair, i, j;
};

/// visit(link) for the links of rows [begin, end).
template <class Visit>
void for_each_link(const SoftLinks& links, std::size_t begin, std::size_t end, Visit visit) {
  for (std::size_t i = begin; i < end; ++i)
    for (auto pair = static_cast<std::size_t>(links.offset[i]);
         pair < static_cast<std::size_t>(links.offset[i + 1]); ++pair)
      visit(Link{pair, i, static_cast<std::size_t>(links.second[pair])});
}

/// visit(sample, number): 32 random bits for each sample of a link.
template <class Visit>
void for_each_number(const Link& link, std::uint64_t seed, std::size_t samples, Visit visit) {
  constexpr std::uint32_t kStream = 3;  // 0 to 2 are those of samples of points
  for (std::size_t sample = 0; sample < samples; sample += 4) {
    const PhiloxBlock block =
        philox({static_cast<std::uint32_t>(link.i), static_cast<std::uint32_t>(link.j),
                static_cast<std::uint32_t>(sample / 4), kStream},
               seed);
    for (std::size_t k = 0; k < 4 && sample + k < samples; ++k) visit(sample + k, block[k]);
  }
}

/// A link is drawn if its number is below this.
inline std::uint64_t link_limit(double probability) {
  return static_cast<std::uint64_t>(probability * 0x1p32);
}

/// The number as one in (0, 1).
inline double unit_number(std::uint32_t number) { return (number + 0.5) * 0x1p-32; }

/// log(p / (1 - p)) of a pair, from its distance in linking lengths.
inline double logit_of(double probability) {
  return std::log(probability) - std::log1p(-probability);
}

}  // namespace kith

// Far queries: those that may have neighbors beyond the points that are searched, on other ranks or
// in other slabs.
#pragma once

#include "neighbors/parts.hpp"
#include "parallel/grains.hpp"

namespace kith {

template <class T>
struct FarQueries {
  Subset<T> queries;
  Array<T> reach2;  ///< of each of them
};

/// The queries with reach2[position] >= 0.
template <class T>
FarQueries<T> select_far(const Planes<T>& planes, const Array<T>& reach2, const Workers& workers) {
  Array<std::uint8_t> mask(reach2.size(), workers.pool());
  workers.for_ranges(mask.size(), kLightPointGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) mask[i] = reach2[i] >= 0 ? 1 : 0;
  });
  FarQueries<T> result{Parts<T>::subset(planes, mask, workers), {}};
  result.reach2 = Array<T>(result.queries.position.size(), workers.pool());
  for (std::size_t i = 0; i < result.reach2.size(); ++i)
    result.reach2[i] = reach2[result.queries.position[i]];
  return result;
}

}  // namespace kith

// Rows of k that have fewer neighbors, or none: index -1 at distance infinity.
#pragma once

#include <algorithm>
#include <limits>

#include <kith/neighbors.hpp>

#include "neighbors/search_job.hpp"
#include "parallel/grains.hpp"
#include "parallel/workers.hpp"

namespace kith {

/// Entries from `begin` to `end` of the arrays that are not null.
template <class T, class Index>
void fill_empty(Index* index, T* distance, std::size_t begin, std::size_t end) {
  if (index) std::fill(index + begin, index + end, Index(-1));
  if (distance) std::fill(distance + begin, distance + end, std::numeric_limits<T>::infinity());
}

/// All rows.
template <class T, class Index>
void fill_empty(const NeighborRows<T, Index>& rows, std::size_t k, const Workers& workers) {
  workers.for_ranges(rows.rows * k, kLightPointGrain, [&](std::size_t begin, std::size_t end) {
    fill_empty(rows.index, rows.distance, begin, end);
  });
}

/// The rest of a row of a search.
template <class T>
void pad_row(const SearchJob<T>& job, std::size_t begin, std::size_t end) {
  fill_empty(job.index32, job.distance, begin, end);
  if (job.index64) std::fill(job.index64 + begin, job.index64 + end, -1);
}

}  // namespace kith

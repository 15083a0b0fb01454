// Results that are not in memory as a whole, such as those of many ranks.
#pragma once

#include <functional>

#include <kith/results.hpp>

namespace kith {

/// An array whose rows are read while it is written.
struct ResultRows : ResultArray {
  /// Instead of `data`: gives the memory of the rows [begin, begin + rows), until the next call.
  /// Writers ask for a few megabytes at a time, in order, some of them twice.
  std::function<const void*(std::size_t begin, std::size_t rows)> read = {};
};

/// As write_result for arrays in memory: the same bytes.
KITH_API void write_result(const std::string& path, const ResultAbout& about,
                           std::span<const ResultRows> arrays,
                           const ResultWriteOptions& options = {}, const Execution& execution = {});

/// The arrays that write_neighbors writes, with their names, units and descriptions: `index` and
/// `distance`, with `offset` before them if they are lists.
KITH_API std::vector<ResultRows> neighbor_rows(const detail::NeighborArrays& arrays);

}  // namespace kith

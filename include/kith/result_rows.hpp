// Results that are not in memory as a whole, such as those of many ranks.
#pragma once

#include <functional>
#include <optional>

#include <kith/results.hpp>

namespace kith {

/// An array whose rows are read while it is written.
struct ResultRows : ResultArray {
  /// Instead of `data`: gives the memory of the rows [begin, begin + rows), until the next call.
  /// Writers ask for a few megabytes at a time, in order, some of them twice.
  std::function<const void*(std::size_t begin, std::size_t rows)> read = {};
  /// Beside `read`: puts the rows [begin, begin + rows) into an existing file, from a byte on, as
  /// they are in memory, and syncs them. Writers of HDF5 without compression prefer it.
  std::function<void(const std::string& file, std::uint64_t offset, std::size_t begin,
                     std::size_t rows)>
      store = {};
};

/// As write_result for arrays in memory: the same bytes.
KITH_API void write_result(const std::string& path, const ResultAbout& about,
                           std::span<const ResultRows> arrays,
                           const ResultWriteOptions& options = {}, const Execution& execution = {});

/// The arrays of a catalogue file that have a row for each point, where they are not in memory as a
/// whole: instead of `members`, `label` and `id` of a CatalogueContent. What is missing is not
/// written.
struct CatalogueRows {
  std::uint64_t grouped = 0;  ///< points in groups
  /// int32, or int64 for style swift, see swift_labels.
  std::optional<ResultRows> label = {};
  std::optional<ResultRows> id = {};  ///< uint64, as `label` in the order of the points
  /// Style gadget: of each type, the rows in that type, by group; others: of all points.
  std::vector<ResultRows> order = {};
  std::optional<ResultRows> member_id = {};  ///< IDs by group; the first `grouped` are written
  /// [subhalo * types + k]: members of type about.types[k].
  std::span<const std::int64_t> subhalo_type_size = {};
};

/// Labels as SWIFT writes them: from 1, and 2147483647 for none.
KITH_API std::vector<std::int64_t> swift_labels(std::span<const std::int32_t> label);

/// The arrays that write_neighbors writes, with their names, units and descriptions: `index` and
/// `distance`, with `offset` before them if they are lists.
KITH_API std::vector<ResultRows> neighbor_rows(const detail::NeighborArrays& arrays);

}  // namespace kith

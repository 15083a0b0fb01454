// Trees as files have them: halos in any order, with the numbers of their descendants and main
// progenitors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <kith/io/halo_histories.hpp>

namespace kith::io {

/// Row numbers are those of the file; -1: none.
struct PlainTrees {
  std::size_t snapshots = 0;
  std::vector<std::int64_t> snapshot = {}, label = {};
  std::vector<std::int64_t> members = {};  ///< empty: unknown
  std::vector<std::int64_t> descendant = {};
  std::vector<std::int64_t> main_progenitor = {};  ///< empty: the first of the file
  std::vector<std::int64_t> best_progenitor = {};  ///< empty: unknown
  // As in HaloLinks; empty: unknown.
  std::vector<std::int64_t> second = {};
  std::vector<double> score = {}, second_score = {};
  std::vector<std::int64_t> is_mutual = {}, is_flyby = {};
  std::vector<std::int64_t> is_orphan = {}, host = {};  ///< empty: there are no orphans
};

/// Counts the snapshots of files that do not state their times; unknown times are NaN.
void fill_times(PlainTrees& plain, HaloHistories& histories);

/// Arranges them, with `columns` in the rows of the file. Progenitors keep the order of the file
/// behind the main one. Errors (io): numbers beyond the file, halos that are there twice,
/// descendants that are not later. `where` names the file.
void take_plain_trees(const PlainTrees& plain, const HaloColumns& columns, const std::string& where,
                      HaloHistories& histories);

}  // namespace kith::io

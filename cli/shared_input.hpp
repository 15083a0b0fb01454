// The part of a snapshot that this rank works on.
#pragma once

#include <kith/result_rows.hpp>

#include "input.hpp"
#include "ranks.hpp"

namespace kith::cli {

/// The particles of a type among those that this rank reads.
std::uint64_t own_size_of(const Input& input, int type);

/// The rows of an array are those of all ranks.
inline void take_from_all(ResultRows& array, const RowAccess& access) {
  array.read = access.read;
  array.store = access.store;
}

/// Opens the snapshot on every rank and has it checked; an error on one is an error on all.
Input open_together(const InputOptions& options, const std::function<void(const Input&)>& check);

/// Deals the points of all ranks out; these are those of this one.
void share_points(const Input& input, const Numbers& positions, const Execution& execution);
/// Reads them first.
void share_points(const Input& input, const Execution& execution);

}  // namespace kith::cli

// Rows of all ranks for the code on the first one: sent to it piece by piece, or written to the
// file that it names.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include <kith/detail/result_rows.hpp>

#include "mpi/transport/call.hpp"

namespace kith::mpi {

/// As Ranks::collect. The others send the first rank the rows that it asks for, or write them to
/// the file that it names.
void collect(Call& call, std::span<const ResultArray> arrays,
             const std::function<void(std::span<const ResultRows>)>& use);

/// Rows by their numbers among those of all ranks: row wanted[k] goes to place k of `to`. `start`:
/// where the rows of each rank begin, and the end. Collective. Memory: the rows that this rank
/// gives and those that it wants, once more.
void fetch_rows(Call& call, const ResultArray& own, const std::vector<std::uint64_t>& start,
                std::span<const std::int64_t> wanted, std::byte* to);

}  // namespace kith::mpi

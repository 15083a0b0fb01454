// Rows of all ranks on the first one, piece by piece as the code there asks for them.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include <kith/ranks.hpp>

#include "mpi/call.hpp"

namespace kith::mpi {

/// use(access) on the first rank. The others send it the rows that it asks for, or write them to
/// the file that it names. Errors of `use` are thrown on all ranks, on the first one unchanged.
/// Collective.
void collect(Call& call, std::span<const SharedRows> arrays,
             const std::function<void(std::span<const RowAccess>)>& use);

/// Rows by their numbers among those of all ranks: row wanted[k] goes to place k of `to`. `start`:
/// where the rows of each rank begin, and the end. Collective. Memory: the rows that this rank
/// gives and those that it wants, once more.
void fetch_rows(Call& call, const SharedRows& own, const std::vector<std::uint64_t>& start,
                std::span<const std::int64_t> wanted, std::byte* to);

}  // namespace kith::mpi

// Rows of all ranks on the first one, piece by piece as the code there asks for them.
#pragma once

#include <functional>
#include <span>

#include <kith/ranks.hpp>

#include "mpi/call.hpp"

namespace kith::mpi {

/// use(access) on the first rank. The others send it the rows that it asks for, or write them to
/// the file that it names. Errors of `use` are thrown on all ranks, on the first one unchanged.
/// Collective.
void collect(Call& call, std::span<const SharedRows> arrays,
             const std::function<void(std::span<const RowAccess>)>& use);

}  // namespace kith::mpi

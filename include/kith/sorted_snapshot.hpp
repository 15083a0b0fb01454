// A snapshot written again with its particles in another order, such as group after group.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <kith/execution.hpp>
#include <kith/export.hpp>
#include <kith/snapshot.hpp>

namespace kith {

/// The new order of one type: row k of the new file is row `row[k]` of the old snapshot.
struct TypeOrder {
  int type = 0;
  std::span<const std::uint32_t> row = {};
};

/// Writes all particles of a snapshot to one file, the types that are named in their new order and
/// the others as they were. Of HDF5 snapshots every dataset with a row per particle is copied, with
/// its attributes and those of the header, the parameters and so on; groups that speak about the
/// order of the particles (/Cells of SWIFT) are left out. Of other formats, which have one type,
/// the positions, velocities, masses and ids are written as write_snapshot does it.
///
/// The file appears under its name only when it is complete and on disk. Memory: the largest
/// dataset of one type. Errors: invalid_argument (an order that is no permutation, an ending that
/// is not .hdf5 or .h5), io, cancelled.
KITH_API void write_sorted_snapshot(const std::string& path, const Snapshot& snapshot,
                                    std::span<const TypeOrder> orders,
                                    const Execution& execution = {});

}  // namespace kith

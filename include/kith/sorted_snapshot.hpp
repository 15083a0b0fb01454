// Writes a snapshot with its particles in another order, for example sorted by group.
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

/// Writes all particles of a snapshot to one file, the named types in their new order and the
/// others unchanged. For HDF5 snapshots, every dataset with one row per particle is copied, with
/// its attributes and those of the header and the parameters, except texts of variable length (the
/// HDF5 library never returns from some damaged ones); groups that describe the order of the
/// particles (/Cells of SWIFT) are left out. For other formats, which have one type, positions,
/// velocities, masses and ids are written as by write_snapshot.
///
/// The file appears under its name only when it is complete and on disk. Memory: the largest
/// dataset of one type. Errors: invalid_argument (an order that is not a permutation, an ending
/// that is not .hdf5 or .h5), io, cancelled.
KITH_API void write_sorted_snapshot(const std::string& path, const Snapshot& snapshot,
                                    std::span<const TypeOrder> orders,
                                    const Execution& execution = {});

}  // namespace kith

// Writes a snapshot with its particles in another order, for example sorted by group.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <kith/execution.hpp>
#include <kith/export.hpp>
#include <kith/io/snapshot.hpp>

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

/// A sorted snapshot of processes that share the work, dataset by dataset. Each of them may read
/// rows; one creates the file, and renames it when all rows are in place and on disk. Without that
/// no file is left.
class KITH_API SortedCopy {
 public:
  static bool is_possible(const Snapshot& snapshot);  ///< it is in HDF5 files
  explicit SortedCopy(const Snapshot& snapshot);
  ~SortedCopy();

  struct Dataset {
    int type = 0;
    std::string path;
    std::uint64_t rows = 0;
    std::size_t row_bytes = 0;
  };
  /// The datasets with a row for each particle, in the order of the types.
  const std::vector<Dataset>& datasets() const;
  /// Rows [begin, begin + count) of the snapshot, in the bytes of the new file.
  void read(std::size_t dataset, std::uint64_t begin, std::uint64_t count, void* to,
            const Execution& execution = {}) const;

  void create(const std::string& path);
  const std::string& temporary() const;             ///< where rows are written to
  std::uint64_t offset(std::size_t dataset) const;  ///< of the first row there
  void commit();

  class Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace kith

// Results that are not in memory as a whole, such as those of many ranks.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <kith/io/results.hpp>

namespace kith {

/// Bytes of one row of an array.
constexpr std::size_t row_bytes(const ResultArray& array) {
  return array.width * bytes_of(array.type);
}

/// The rows of an array that are not in memory as a whole, for the code that writes it.
class RowSource {
 public:
  virtual ~RowSource() = default;
  /// The memory of the rows [begin, begin + rows), until the next call. Writers ask for a few
  /// megabytes at a time, in order, some of them twice.
  virtual const void* read(std::size_t begin, std::size_t rows) = 0;

  /// Whether `store` works. Writers of HDF5 without compression prefer it.
  virtual bool can_store() const { return false; }
  /// Writes the rows [begin, begin + rows) to an existing file, from a byte on, as they are in
  /// memory.
  virtual void store(const std::string& /*file*/, std::uint64_t /*offset*/, std::size_t /*begin*/,
                     std::size_t /*rows*/) {}
  /// Flushes to disk the rows that were stored in the last file, for all arrays; called before the
  /// file gets its name.
  virtual void sync() {}
};

/// An array whose rows may be read while it is written.
struct ResultRows : ResultArray {
  std::shared_ptr<RowSource> source = {};  ///< instead of `data`
  std::size_t first = 0;                   ///< of the rows of the source, the first in the array

  /// The memory of the rows [begin, begin + count), until the next call.
  const void* read(std::size_t begin, std::size_t count) const {
    return source ? source->read(first + begin, count)
                  : static_cast<const char*>(data) + begin * row_bytes(*this);
  }
};

/// As write_result for arrays in memory: the same bytes.
KITH_API void write_result(const std::string& path, const ResultAbout& about,
                           std::span<const ResultRows> arrays,
                           const ResultWriteOptions& options = {}, const Execution& execution = {});

/// The arrays of a catalogue file, in the numbers of its style. Missing arrays are not written.
struct CatalogueRows {
  std::uint64_t groups = 0, subhalos = 0;
  std::vector<ResultRows> columns = {};  ///< see CatalogueShare
  std::uint64_t grouped = 0;             ///< points in groups
  /// int32, or int64 for style swift, see swift_labels.
  std::optional<ResultRows> label = {};
  std::optional<ResultRows> id = {};             ///< uint64, as `label` in the order of the points
  std::optional<ResultRows> subhalo_label = {};  ///< int32, of the points
  /// Style gadget: of each type, the rows in that type, by group; others: of all points.
  std::vector<ResultRows> order = {};
  std::optional<ResultRows> member_id = {};  ///< IDs by group; the first `grouped` are written
};

/// As write_catalogue for a content in memory: the same bytes.
KITH_API void write_catalogue(const std::string& path, const ResultAbout& about,
                              const CatalogueRows& rows, const ResultWriteOptions& options = {},
                              const Execution& execution = {});

/// The columns of a catalogue file whose groups and subhalos are spread over processes: the rows of
/// one of them, in the numbers of the file. The rows of all processes, one after the other, are
/// those of the catalogue; a group whose row is the last of a process may have subhalos on the
/// processes behind.
///
///   CatalogueShare share(content, style, process);
///   for (int round = 0; round < CatalogueShare::kRounds; ++round) {
///     const std::vector<std::int64_t> mine = share.numbers();
///     share.take(/* those of all processes, one after the other */);
///   }
class KITH_API CatalogueShare {
 public:
  /// `content` has the rows of this process; parents of subhalos are rows of all processes.
  /// subhalo_type_size[subhalo * types + k]: members of type about.types[k], where `content` has
  /// subhalos without members. Both must outlive the share.
  CatalogueShare(const CatalogueContent& content, ResultStyle style, int process,
                 std::span<const std::int64_t> subhalo_type_size = {});
  ~CatalogueShare();

  static constexpr int kRounds = 2;
  std::vector<std::int64_t> numbers() const;  ///< as many on every process
  void take(std::span<const std::int64_t> all);

  // After the last round:
  std::span<const ResultRows> columns() const;  ///< the same ones on every process
  std::uint64_t groups() const;                 ///< of all processes
  std::uint64_t subhalos() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// Labels as SWIFT writes them: from 1, and 2147483647 for none.
KITH_API std::vector<std::int64_t> swift_labels(std::span<const std::int32_t> label);

/// The points by group and, where there are subhalos, inside a group by subhalo, the rest of the
/// group last. Members of a subhalo ascend or, if that is known, are in the order of binding.
KITH_API std::vector<std::uint32_t> members_in_order(const Members& members,
                                                     const Subhalos* subhalos);

/// The arrays that write_neighbors writes, with their names, units and descriptions: `index` and
/// `distance`, with `offset` before them if they are lists.
KITH_API std::vector<ResultArray> neighbor_rows(const detail::NeighborArrays& arrays);

}  // namespace kith

// Results that are not in memory as a whole, such as those of many ranks.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <kith/results.hpp>

namespace kith {

/// An array whose rows are read while it is written.
struct ResultRows : ResultArray {
  /// Instead of `data`: gives the memory of the rows [begin, begin + rows), until the next call.
  /// Writers ask for a few megabytes at a time, in order, some of them twice.
  std::function<const void*(std::size_t begin, std::size_t rows)> read = {};
  /// Beside `read`: puts the rows [begin, begin + rows) into an existing file, from a byte on, as
  /// they are in memory. Writers of HDF5 without compression prefer it.
  std::function<void(const std::string& file, std::uint64_t offset, std::size_t begin,
                     std::size_t rows)>
      store = {};
  /// Beside `store`: has what was stored in this file so far put on disk; called before the file
  /// gets its name, for one of its arrays.
  std::function<void(const std::string& file)> sync = {};
};

/// As write_result for arrays in memory: the same bytes.
KITH_API void write_result(const std::string& path, const ResultAbout& about,
                           std::span<const ResultRows> arrays,
                           const ResultWriteOptions& options = {}, const Execution& execution = {});

/// The arrays of a catalogue file where they are not in memory as a whole: instead of those of a
/// CatalogueContent, of which only `about` is used then. What is missing is not written.
struct CatalogueRows {
  std::uint64_t groups = 0, subhalos = 0;
  std::vector<ResultRows> columns = {};  ///< of CatalogueShare, with the rows of all processes
  std::uint64_t grouped = 0;             ///< points in groups
  /// int32, or int64 for style swift, see swift_labels.
  std::optional<ResultRows> label = {};
  std::optional<ResultRows> id = {};  ///< uint64, as `label` in the order of the points
  /// Style gadget: of each type, the rows in that type, by group; others: of all points.
  std::vector<ResultRows> order = {};
  std::optional<ResultRows> member_id = {};  ///< IDs by group; the first `grouped` are written
  /// For CatalogueShare, [subhalo * types + k]: members of type about.types[k].
  std::span<const std::int64_t> subhalo_type_size = {};
};

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
  /// `content` has the rows of this process; parents of subhalos are rows of all processes. It must
  /// outlive the share. Of `content.rows`, only `subhalo_type_size` is used.
  CatalogueShare(const CatalogueContent& content, ResultStyle style, int process);
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

/// The arrays that write_neighbors writes, with their names, units and descriptions: `index` and
/// `distance`, with `offset` before them if they are lists.
KITH_API std::vector<ResultRows> neighbor_rows(const detail::NeighborArrays& arrays);

}  // namespace kith

// Writers of arrays under paths or names, one for each container; all of them atomic.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <kith/detail/result_rows.hpp>

#include "files/hdf5.hpp"
#include "parallel/workers.hpp"
#include "results/about.hpp"

namespace kith::io {

Number number_of(NumberType type);

/// Arrays in memory, as writers take them.
std::vector<ResultRows> rows_of(std::span<const ResultArray> arrays);

/// The rows [begin, begin + count) as an array.
ResultRows sliced(const ResultRows& array, std::size_t begin, std::size_t count);

/// write(first row, rows, their memory) for a few rows of an array at a time, with a check of the
/// cancel token in between. Fewer at a time if they are compressed.
void in_pieces(const ResultRows& array, const Workers& workers,
               FunctionRef<void(std::size_t begin, std::size_t rows, const char* data)> write,
               bool is_packed = false);

/// Rows of one number, computed by value(row) when they are read.
template <ResultNumber T, class Value>
class ComputedRows : public RowSource {
 public:
  explicit ComputedRows(Value value) : value_(std::move(value)) {}
  const void* read(std::size_t begin, std::size_t rows) override {
    piece_.resize(rows);
    for (std::size_t i = 0; i < rows; ++i) piece_[i] = value_(begin + i);
    return piece_.data();
  }

 private:
  Value value_;
  std::vector<T> piece_;
};

template <ResultNumber T, class Value>
ResultRows computed_rows(const std::string& name, std::size_t rows, Value value) {
  ResultRows array{result_array<T>(name, nullptr, rows)};
  array.source = std::make_shared<ComputedRows<T, Value>>(std::move(value));
  return array;
}

/// Counts bytes between two syncs.
class Unsynced {
 public:
  /// Counts more bytes; true if it is time for a sync.
  bool is_too_much(std::size_t bytes) {
    bytes_ += bytes;
    if (bytes_ < kMost) return false;
    bytes_ = 0;
    return true;
  }

 private:
  static constexpr std::size_t kMost = std::size_t{32} << 20;
  std::size_t bytes_ = 0;
};

/// Writes arrays and facts to HDF5.
class Hdf5Writer {
 public:
  /// Which of several files this one is: a part, or the one that refers to the parts; by default
  /// it is the only one.
  struct Place {
    int part = 0, parts = 1;
    bool is_master = false;
  };
  Hdf5Writer(const std::string& path, int compression, const Place& place, const Workers& workers)
      : file_(path), path_(path), compression_(compression), place_(place), workers_(workers) {}

  bool is_part() const { return place_.parts > 1 && !place_.is_master; }
  const Place& place() const { return place_; }
  /// Files that a reader of this one has to open.
  int files() const { return is_part() ? place_.parts : 1; }
  /// The rows in this file, of this many in all; and the first row of each of files().
  std::uint64_t rows_here(std::uint64_t rows) const;
  std::vector<std::int64_t> first_rows(std::uint64_t rows) const;

  hdf5::OutputFile& file() { return file_; }
  /// The group, which is made if it is not there.
  hdf5::Group group(const std::string& path);
  void attributes(hdf5::Group group, const std::vector<Fact>& facts) const;
  void about(const ResultAbout& about);  ///< in the group Kith
  /// Under a path of at most two parts; returns the dataset, for its attributes.
  hdf5::Dataset write(const std::string& path, const ResultRows& array);
  hdf5::Dataset write(const std::string& path, const ResultArray& array) {
    return write(path, ResultRows{array});
  }
  void finish() {
    sync_stored();
    file_.finish();
  }
  void commit() {
    sync_stored();
    file_.commit();
  }
  void remove_old() const { file_.remove_old(); }

 private:
  hdf5::Dataset refer(const std::string& path, const ResultRows& array);
  void write_in_place(std::uint64_t offset, const ResultRows& array);
  void write_packed(hdf5::Dataset& dataset, const ResultRows& array);
  /// Syncs the rows that others have written.
  void sync_stored() {
    if (const auto stored = std::exchange(stored_, nullptr)) stored->sync();
  }

  hdf5::OutputFile file_;
  std::string path_;
  int compression_;
  Place place_;
  std::shared_ptr<RowSource> stored_ = {};  ///< of the last array that others wrote
  const Workers& workers_;
};

/// Makes one file, or several and the one that refers to them: fill(writer) for each.
void in_files(const std::string& path, const ResultWriteOptions& options, const Workers& workers,
              FunctionRef<void(Hdf5Writer&)> fill);

/// What Gadget-4 says about the unit of a dataset, and kith in words.
void describe_gadget(hdf5::Dataset& dataset, const ResultArray& array, const ResultAbout& about);

void write_gadget(const std::string& path, const ResultAbout& about, const CatalogueRows& rows,
                  const ResultWriteOptions& options, const Workers& workers);
void write_swift(const std::string& path, const ResultAbout& about, const CatalogueRows& rows,
                 const ResultWriteOptions& options, const Workers& workers);
void write_hdf5(const std::string& path, const ResultAbout& about,
                std::span<const ResultRows> arrays, const ResultWriteOptions& options,
                const Workers& workers);
void write_npz(const std::string& path, const ResultAbout& about,
               std::span<const ResultRows> arrays, const Workers& workers);
void write_csv(const std::string& path, const ResultAbout& about,
               std::span<const ResultRows> arrays, const Workers& workers);

}  // namespace kith::io

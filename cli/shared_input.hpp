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
  array.sync = access.sync;
}

/// The first rows of all ranks, of several arrays, on rank 0.
class FirstRows {
 public:
  explicit FirstRows(std::uint64_t rows) : rows_(rows) {}

  /// `own`: so many rows of this rank, or nothing on all ranks; `all` is filled on rank 0.
  template <class T>
  void add(const std::vector<T>& own, std::size_t rows, std::vector<T>& all) {
    width_.push_back(rows == 0 ? 0 : static_cast<std::int64_t>(own.size() / rows));
    arrays_.push_back({own.data(), rows, sizeof(T)});
    fill_.push_back([&all](const void* data, std::size_t count) {
      const T* values = static_cast<const T*>(data);
      all.assign(values, values + count);
    });
  }
  void take(const Execution& execution);  ///< collective; all ranks have added the same

 private:
  std::uint64_t rows_;
  std::vector<std::int64_t> width_;
  std::vector<SharedRows> arrays_;
  std::vector<std::function<void(const void*, std::size_t)>> fill_;
};

/// Opens the snapshot on every rank and has it checked; an error on one is an error on all.
Input open_together(const InputOptions& options, const std::function<void(const Input&)>& check);

/// Deals the points of all ranks out; these are those of this one.
void share_points(const Input& input, const Numbers& positions, const Execution& execution);
/// Reads them first.
void share_points(const Input& input, const Execution& execution);

}  // namespace kith::cli

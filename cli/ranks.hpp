// Many processes under a launcher such as mpirun: rank 0 speaks and writes. Some commands share
// their work out; the others run on rank 0 alone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <kith/detail/ranks.hpp>

namespace kith::cli {

/// This process among those that a launcher started, as its variables say; MPI is not touched.
struct Launched {
  int rank = 0, size = 1;
};
Launched launched();
inline bool is_first_rank() { return launched().rank == 0; }

/// Shares the work of a command with the other processes: starts MPI, from a library that is loaded
/// now. False: there is no such library, rank 0 works alone, and this is another one. Throws Error
/// if the library belongs to another MPI than the launcher.
bool share_work();
/// Of the memory that all ranks need, the part that this machine must have.
double share_of_machine();
/// The ranks that share the work; a process that works alone is the only rank.
Ranks& ranks();
/// f() on all ranks; an error on one is an error on all.
void on_all_ranks(const std::function<void()>& f);

/// f(), which all ranks call with the same data, and in which each collective call follows a call
/// of on_all_ranks(): an error that one rank meets in between is thrown on all.
void in_step(const std::function<void()>& f);
/// Ranks on this machine; 1 for a process alone.
int ranks_here();

std::uint64_t sum_of_all(std::uint64_t number);
/// The least of each value among those of all ranks, in place.
void least_of_all(std::span<double> values);
/// Replaces the values by those of rank 0.
void copy_from_first(std::span<double> values);

/// Rows of an array with `rows` rows that this rank works on.
struct Share {
  std::uint64_t begin = 0, count = 0;
};
Share share_of(std::uint64_t rows);

/// visit(value) for the numbers of an array in order.
template <class Value, class Visit>
void for_each_value(const ResultRows& array, Visit visit) {
  constexpr std::size_t kPiece = std::size_t{1} << 18;
  for (std::size_t begin = 0; begin < array.rows; begin += kPiece) {
    const std::size_t count = std::min(kPiece, array.rows - begin);
    const auto* values = static_cast<const Value*>(array.read(begin, count));
    for (std::size_t i = 0; i < count * array.width; ++i) visit(values[i]);
  }
}

/// The first rows of all ranks, of several arrays, on rank 0.
class FirstRows {
 public:
  explicit FirstRows(std::uint64_t rows) : rows_(rows) {}

  /// `own`: so many rows of this rank, or nothing on all ranks; `all` is filled on rank 0.
  template <class T>
  void add(const std::vector<T>& own, std::size_t rows, std::vector<T>& all) {
    arrays_.push_back(result_array("", own.data(), rows, rows == 0 ? 0 : own.size() / rows));
    fill_.push_back([&all](const void* data, std::size_t count) {
      const T* values = static_cast<const T*>(data);
      all.assign(values, values + count);
    });
  }
  void take(const Execution& execution);  ///< collective; all ranks have added the same

 private:
  void agree_on_widths();

  std::uint64_t rows_;
  std::vector<ResultArray> arrays_;
  std::vector<std::function<void(const void*, std::size_t)>> fill_;
};

/// The last thing that a process does.
void end_ranks();

}  // namespace kith::cli

// Many processes under a launcher such as mpirun: rank 0 speaks and writes. Some commands share
// their work out; the others run on rank 0 alone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>

#include <kith/ranks.hpp>

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
/// Those that share the work; null: this process works alone.
Ranks* ranks();
/// f() on all ranks; an error on one is an error on all.
void together(const std::function<void()>& f);

/// f(), which all ranks call with the same data, and in which each collective call follows a call
/// of together(): an error that one rank meets in between is thrown on all.
void in_step(const std::function<void()>& f);
/// Ranks on this machine; 1 for a process alone.
int ranks_here();

/// The sum of a number of each rank.
std::uint64_t sum_of_all(std::uint64_t number);

/// The rows of this rank, if the work on so many is shared.
struct Share {
  std::uint64_t begin = 0, count = 0;
};
Share share_of(std::uint64_t rows);

/// visit(value) for the rows of all ranks in order, each of one value.
template <class Value, class Visit>
void for_all_rows(const ReadRows& read, std::size_t rows, Visit visit) {
  constexpr std::size_t kPiece = std::size_t{1} << 18;
  for (std::size_t begin = 0; begin < rows; begin += kPiece) {
    const std::size_t count = std::min(kPiece, rows - begin);
    const auto* values = static_cast<const Value*>(read(begin, count));
    for (std::size_t i = 0; i < count; ++i) visit(values[i]);
  }
}

/// The last thing that a process does.
void end_ranks();

}  // namespace kith::cli

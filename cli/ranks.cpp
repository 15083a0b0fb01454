#include "ranks.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <exception>
#include <fmt/format.h>

#include <kith/error.hpp>

#include "one_rank.hpp"

namespace kith::cli {
namespace {

/// Open MPI and PRRTE; MPICH, Intel MPI and Cray MPI; Slurm with PMIx.
constexpr const char* kVariables[][2] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                         {"PMI_RANK", "PMI_SIZE"},
                                         {"PMIX_RANK", "SLURM_STEP_NUM_TASKS"}};
constexpr const char* kNodeVariables[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"};

Ranks* started = nullptr;
bool is_agreed = false;  ///< all ranks have thrown

int number(const char* text) { return text ? std::atoi(text) : -1; }

Ranks* load() {
#ifdef KITH_MPI_LIBRARY
  void* library = dlopen(KITH_MPI_LIBRARY, RTLD_NOW | RTLD_GLOBAL);
  if (!library) return nullptr;
  const auto start = reinterpret_cast<Ranks::Start>(dlsym(library, Ranks::kStart));
  return start ? start() : nullptr;
#else
  return nullptr;
#endif
}

}  // namespace

Launched launched() {
  for (const auto& [rank_name, size_name] : kVariables) {
    const int rank = number(std::getenv(rank_name)), size = number(std::getenv(size_name));
    if (size > 1 && rank >= 0 && rank < size) return {rank, size};
  }
  return {};
}

int ranks_here() {
  if (!started) return 1;
  for (const char* name : kNodeVariables)
    if (const int here = number(std::getenv(name)); here > 0 && here <= started->size())
      return here;
  return started->size();
}

double share_of_machine() {
  return started ? static_cast<double>(ranks_here()) / started->size() : 1;
}

bool share_work() {
  if (launched().size == 1) return true;
  if (!started) started = load();
  if (started && started->size() != launched().size)
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("the launcher started {} processes, but MPI knows {}; use the launcher of "
                    "the MPI that kith was built with",
                    launched().size, started->size()));
  if (!started && is_first_rank())
    fmt::print(stderr, "kith: libkith_mpi was not found; only one of {} processes does the work\n",
               launched().size);
  return started || is_first_rank();
}

Ranks& ranks() {
  static const std::unique_ptr<Ranks> alone = one_rank();
  return started ? *started : *alone;
}

void on_all_ranks(const std::function<void()>& f) {
  try {
    ranks().on_all_ranks(f);
  } catch (...) {
    is_agreed = true;
    throw;
  }
}

void in_step(const std::function<void()>& f) {
  std::exception_ptr own;
  try {
    f();
  } catch (...) {
    if (is_agreed) throw;
    own = std::current_exception();
  }
  on_all_ranks([&] {
    if (own) std::rethrow_exception(own);
  });
}

std::uint64_t sum_of_all(std::uint64_t number) {
  auto sum = static_cast<std::int64_t>(number);
  ranks().sum({&sum, 1});
  return static_cast<std::uint64_t>(sum);
}

namespace {

/// The values of all ranks, one rank after the other.
std::vector<double> gathered(std::span<const double> values) {
  std::vector<std::int64_t> bits;
  for (const double value : values) bits.push_back(std::bit_cast<std::int64_t>(value));
  std::vector<double> all;
  for (const std::int64_t number : ranks().gather(bits))
    all.push_back(std::bit_cast<double>(number));
  return all;
}

}  // namespace

void least_of_all(std::span<double> values) {
  const std::vector<double> all = gathered(values);
  for (std::size_t i = 0; i < all.size(); ++i)
    values[i % values.size()] = std::min(values[i % values.size()], all[i]);
}

void copy_from_first(std::span<double> values) {
  std::copy_n(gathered(values).begin(), values.size(), values.begin());
}

Share share_of(std::uint64_t rows) {
  const auto rank = static_cast<std::uint64_t>(ranks().rank());
  const auto size = static_cast<std::uint64_t>(ranks().size());
  return {rows / size * rank + std::min(rows % size, rank),
          rows / size + (rank < rows % size ? 1 : 0)};
}

/// Ranks without rows do not know them.
void FirstRows::agree_on_widths() {
  std::vector<std::int64_t> widths;
  for (const ResultArray& array : arrays_) widths.push_back(static_cast<std::int64_t>(array.width));
  const std::vector<std::int64_t> all = ranks().gather(widths);
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::size_t& width = arrays_[i % arrays_.size()].width;
    width = std::max(width, static_cast<std::size_t>(all[i]));
  }
}

void FirstRows::take(const Execution& execution) {
  agree_on_widths();
  ranks().collect(
      arrays_,
      [&](std::span<const ResultRows> all) {
        for (std::size_t a = 0; a < all.size(); ++a)
          if (rows_ > 0 && all[a].width > 0) fill_[a](all[a].read(0, rows_), rows_ * all[a].width);
      },
      execution);
}

void end_ranks() {
  if (started) started->end();
}

}  // namespace kith::cli

#include "ranks.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <exception>
#include <fmt/format.h>

#include <kith/error.hpp>

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

Ranks* ranks() { return started; }

void together(const std::function<void()>& f) {
  if (!started) return f();
  try {
    started->together(f);
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
  together([&] {
    if (own) std::rethrow_exception(own);
  });
}

std::uint64_t sum_of_all(std::uint64_t number) {
  auto sum = static_cast<std::int64_t>(number);
  if (started) started->sum({&sum, 1});
  return static_cast<std::uint64_t>(sum);
}

Share share_of(std::uint64_t rows) {
  if (!started) return {0, rows};
  const auto rank = static_cast<std::uint64_t>(started->rank());
  const auto size = static_cast<std::uint64_t>(started->size());
  return {rows / size * rank + std::min(rows % size, rank),
          rows / size + (rank < rows % size ? 1 : 0)};
}

void end_ranks() {
  if (started) started->end();
}

}  // namespace kith::cli

// All tests run in one launch; smaller numbers of ranks are sub-communicators of it.
#pragma once

#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <mpi.h>
#include <string>
#include <thread>
#include <vector>

#include "support/property.hpp"

namespace kith::test {

inline int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}
inline int world_size() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

/// Waits for all ranks without taking their CPU.
inline void quiet_barrier(MPI_Comm comm = MPI_COMM_WORLD) {
  MPI_Request request;
  MPI_Ibarrier(comm, &request);
  for (int is_done = 0; MPI_Test(&request, &is_done, MPI_STATUS_IGNORE), !is_done;)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

/// The first ranks of the world, as many as there are; the others wait.
template <class F>
void on_ranks(int count, F f) {
  const bool is_in = world_rank() < count;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, is_in ? 0 : MPI_UNDEFINED, world_rank(), &comm);
  if (is_in) {
    f(comm);
    MPI_Comm_free(&comm);
  }
  quiet_barrier();
}

/// The numbers of ranks that everything is tested with.
inline std::vector<int> rank_counts() {
  std::vector<int> counts;
  for (const int count : {1, 2, 3, 4, 5, 7, 8, 16})
    if (count <= world_size()) counts.push_back(count);
  return counts;
}

/// These ascending numbers of ranks, those that exist, each once.
inline std::vector<int> at_most_all(std::vector<int> counts) {
  for (int& count : counts) count = std::min(count, world_size());
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  return counts;
}

inline int rank_of(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}
inline int size_of(MPI_Comm comm) {
  int size = 1;
  MPI_Comm_size(comm, &size);
  return size;
}

/// Random cases on all numbers of ranks: check.template operator()<T>(comm, seed, threads), with
/// both scalar types and one or two threads by turns. Fewer where many ranks share few cores.
template <class Check>
void check_cases(double cases, Check check) {
  for (const int ranks : rank_counts())
    on_ranks(ranks, [&](MPI_Comm comm) {
      const double share = ranks > 8 ? 0.33 : ranks > 2 ? 0.5 : 1;
      const int count = std::max(4, static_cast<int>(share * cases * number_from("KITH_CASES", 1)));
      for (int i = 0; i < count; ++i) {
        const auto seed = static_cast<std::uint64_t>(ranks * 100 + i);
        const int threads = 1 + i / 2 % 2;
        SCOPED_TRACE("seed " + std::to_string(seed) + " on " + std::to_string(ranks) +
                     " ranks of " + std::to_string(threads) + " threads");
        if (i % 2 == 0)
          check.template operator()<float>(comm, seed, threads);
        else
          check.template operator()<double>(comm, seed, threads);
        quiet_barrier(comm);
      }
    });
}

}  // namespace kith::test

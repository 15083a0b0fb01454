// All tests run in one launch; smaller numbers of ranks are sub-communicators of it.
#pragma once

#include <chrono>
#include <gtest/gtest.h>
#include <mpi.h>
#include <string>
#include <thread>
#include <vector>

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

}  // namespace kith::test

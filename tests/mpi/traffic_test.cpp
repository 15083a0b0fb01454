// What goes over the network, counted by a layer between the library and MPI (PMPI): as much as the
// statistics say, and no collective operation whose size depends on the number of points.
#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <string>

#include <kith/kith.hpp>
#include <kith/mpi.hpp>

#include "mpi/scenes.hpp"

namespace {

struct Counter {
  bool is_on = false;
  std::uint64_t sent = 0, received = 0, messages = 0;
  std::uint64_t largest_collective = 0, collective = 0;

  void send(int count, MPI_Datatype type) {
    if (!is_on) return;
    ++messages;
    sent += bytes(count, type);
  }
  void receive(int count, MPI_Datatype type) {
    if (is_on) received += bytes(count, type);
  }
  void all(int count, MPI_Datatype type) {
    if (!is_on) return;
    collective += bytes(count, type);
    largest_collective = std::max(largest_collective, bytes(count, type));
  }
  static std::uint64_t bytes(int count, MPI_Datatype type) {
    int size = 0;
    PMPI_Type_size(type, &size);
    return static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(size);
  }
} counter;

}  // namespace

extern "C" {
int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  counter.send(count, type);
  return PMPI_Isend(data, count, type, to, tag, comm, request);
}
int MPI_Issend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
               MPI_Request* request) {
  counter.send(count, type);
  return PMPI_Issend(data, count, type, to, tag, comm, request);
}
int MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request* request) {
  counter.receive(count, type);
  return PMPI_Irecv(data, count, type, from, tag, comm, request);
}
int MPI_Recv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status* status) {
  counter.receive(count, type);
  return PMPI_Recv(data, count, type, from, tag, comm, status);
}
int MPI_Iallreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm, MPI_Request* request) {
  counter.all(count, type);
  return PMPI_Iallreduce(from, to, count, type, op, comm, request);
}
int MPI_Iallgather(const void* from, int count, MPI_Datatype type, void* to, int counts,
                   MPI_Datatype types, MPI_Comm comm, MPI_Request* request) {
  counter.all(count, type);
  return PMPI_Iallgather(from, count, type, to, counts, types, comm, request);
}
int MPI_Ibcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm,
               MPI_Request* request) {
  counter.all(count, type);
  return PMPI_Ibcast(data, count, type, root, comm, request);
}
// Operations that the library does without; one of them would be counted as it is.
int MPI_Alltoall(const void* from, int count, MPI_Datatype type, void* to, int counts,
                 MPI_Datatype types, MPI_Comm comm) {
  counter.all(1 << 30, MPI_BYTE);
  return PMPI_Alltoall(from, count, type, to, counts, types, comm);
}
int MPI_Allgatherv(const void* from, int count, MPI_Datatype type, void* to, const int* counts,
                   const int* offsets, MPI_Datatype types, MPI_Comm comm) {
  counter.all(1 << 30, MPI_BYTE);
  return PMPI_Allgatherv(from, count, type, to, counts, offsets, types, comm);
}
int MPI_Gatherv(const void* from, int count, MPI_Datatype type, void* to, const int* counts,
                const int* offsets, MPI_Datatype types, int root, MPI_Comm comm) {
  counter.all(1 << 30, MPI_BYTE);
  return PMPI_Gatherv(from, count, type, to, counts, offsets, types, root, comm);
}
}

namespace kith::test {
namespace {

std::uint64_t sum_of(const Statistics& statistics, const std::string& what) {
  std::uint64_t sum = 0;
  for (const auto& [name, value] : statistics.counts)
    if (name.size() > what.size() && name.ends_with(": " + what)) sum += value;
  return sum;
}

/// Everything that the library can do, on n points for each rank.
Counter traffic_of(MPI_Comm comm, std::size_t n, Statistics* statistics) {
  const auto set =
      scene_points<float>(Shape::clustered, 3, n, 9 + static_cast<unsigned>(rank_of(comm)));
  const Execution execution{.threads = 1, .statistics = statistics};
  counter = {.is_on = true};
  const auto domains = mpi::Domains::curve(comm, set.view(), {}, execution);
  mpi::knn(domains, {.k = 8}, execution);
  mpi::radius(domains, {.radius = 0.05}, RowOrder::input, execution);
  mpi::sph_density(domains, {.k = 8}, RowOrder::input, execution);
  mpi::fof(domains, {.linking_length = 0.01}, RowOrder::input, execution);
  counter.is_on = false;
  return counter;
}

TEST(MpiTraffic, IsWhatTheStatisticsSay) {
  on_ranks(std::min(8, world_size()), [](MPI_Comm comm) {
    Statistics statistics;
    const Counter found = traffic_of(comm, 300, &statistics);
    EXPECT_EQ(sum_of(statistics, "bytes sent"), found.sent);
    EXPECT_EQ(sum_of(statistics, "bytes received"), found.received);
    EXPECT_EQ(sum_of(statistics, "messages sent"), found.messages);
    EXPECT_GT(sum_of(statistics, "rounds"), 0u);
    EXPECT_GT(statistics.count("ghosts: peak memory"), 1000000u);
  });
}

TEST(MpiTraffic, CollectivesDoNotGrowWithPoints) {
  on_ranks(std::min(8, world_size()), [](MPI_Comm comm) {
    Statistics ignored;
    const std::uint64_t few = traffic_of(comm, 100, &ignored).largest_collective;
    const std::uint64_t many = traffic_of(comm, 3000, &ignored).largest_collective;
    // The counts of the first round, or of 256 cells for each edge between two ranks.
    const auto most =
        std::max<std::uint64_t>(4096, 256 * static_cast<std::uint64_t>(size_of(comm))) *
        sizeof(std::int64_t);
    EXPECT_LE(few, most);
    EXPECT_LE(many, most);
  });
}

/// A long chain of parts of space: each rank talks to its neighbors, not to all.
TEST(MpiTraffic, GoesToNeighborsOnly) {
  on_ranks(std::min(16, world_size()), [](MPI_Comm comm) {
    const int ranks = size_of(comm), rank = rank_of(comm);
    const auto set = make_set<float>("rod", 3, 400, [&](std::size_t i, int axis) {
      return axis == 0 ? rank + static_cast<double>(i) / 400
                       : static_cast<double>(i * 37 % 400) / 4000;
    });
    const auto domains = mpi::Domains::keep(comm, set.view(), {}, {.threads = 1});
    Statistics statistics;
    counter = {.is_on = true};
    mpi::knn(domains, {.k = 4, .order = RowOrder::tree}, {.threads = 1, .statistics = &statistics});
    counter.is_on = false;
    EXPECT_LE(counter.messages, 16u);  // requests and ghosts, announced and sent, two ways
    if (ranks > 1) {
      EXPECT_GT(statistics.count("ghosts"), 0u);
      EXPECT_LT(statistics.count("ghosts"), 100u);
    }
  });
}

}  // namespace
}  // namespace kith::test

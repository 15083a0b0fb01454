// Network traffic, counted by a layer between the library and MPI (PMPI): as much as the
// statistics say, and no collective operation whose size depends on the number of points or groups.
// functions_test.py checks that the library calls no operations but those that are counted here.
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
int MPI_Allreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  counter.all(count, type);
  return PMPI_Allreduce(from, to, count, type, op, comm);
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
}

namespace kith::test {
namespace {

std::uint64_t sum_of(const Statistics& statistics, const std::string& what) {
  std::uint64_t sum = 0;
  for (const auto& [name, value] : statistics.counts)
    if (name.size() > what.size() && name.ends_with(": " + what)) sum += value;
  return sum;
}

/// Spheres, centers and parts of groups, one of which lies on all ranks.
void find_halos(const mpi::Domains& domains, PointsView points, const Execution& execution) {
  const auto groups =
      mpi::fof(domains, {.linking_length = 0.01, .min_size = 5}, RowOrder::input, execution);
  mpi::members(domains, groups, execution);
  const Catalogue rows =
      mpi::catalogue(domains, points, groups, {.velocity = points, .gravity = 1}, execution);
  mpi::centers(domains, points, groups, {.kind = CenterKind::mass}, execution);
  mpi::subhalos(domains, points, groups, {.velocity = points, .linking_length = 0.3, .min_size = 5},
                execution);
  mpi::overdensities(domains, rows.center, {.density = {1e5}}, execution);
}

/// Gradients of distances, densities and halos.
void use_gradients(MPI_Comm comm, const mpi::Domains& domains, PointsView points,
                   const Execution& execution) {
  const auto near = mpi::knn(domains, {.k = 8}, execution);
  const PairsOf pairs{.points = points, .lists = lists_view(near.indices(), near.size(), 8)};
  std::vector<float> slope(near.size() * 8, 1), moved(points.size * 3);
  std::vector<double> ones(points.size, 1);
  mpi::distances_vjp<float>(comm, pairs, slope.data(), {.points = moved.data()}, execution);
  mpi::distances_jvp<float>(comm, pairs, {.points = moved.data()}, slope.data(), execution);
  mpi::list_density_vjp<float>(comm, pairs, {}, ones.data(), {.points = moved.data()}, execution);
  const auto groups = mpi::fof(domains, {.linking_length = 0.01}, RowOrder::input, execution);
  mpi::halos_jvp(domains, points, groups, {}, {.mass = ones.data()}, execution);
  std::vector<double> place(points.size * 3);
  mpi::halos_vjp(domains, points, groups, {}, {}, {.position = place.data()}, execution);
}

/// Everything that the library can do.
void use_all(const mpi::Domains& domains, PointsView points, const Execution& execution) {
  mpi::knn(domains, {.k = 8}, execution);
  mpi::knn(domains, points, {.k = 2}, execution);
  mpi::radius(domains, {.radius = 0.01}, RowOrder::input, execution);
  mpi::radius_count(domains, {.radius = 0.01}, RowOrder::input, execution);
  mpi::sph_density(domains, {.k = 8}, RowOrder::input, execution);
  mpi::for_each_neighborhood<float>(
      domains, {.k = 4}, [](const auto&) {}, execution);
  const std::vector<double> radii{0.001, 0.01};
  mpi::pair_counts(domains, domains, {.radii = radii}, execution);
  // Nearly as many groups as points.
  mpi::fof(domains, {.linking_length = 1e-5}, RowOrder::input, execution);
  const std::vector<double> lengths(points.size, 1e-3);
  mpi::fof(domains, LinkingLengths{lengths}, {}, RowOrder::input, execution);
  domains.to_tree_order(std::span<const float>(std::vector<float>(points.size)), execution);
  find_halos(domains, points, execution);
}

/// Points around six places.
PointSet<float> own_points(MPI_Comm comm, std::size_t n) {
  return scene_points<float>(Shape::clustered, 3, n, 9 + static_cast<unsigned>(rank_of(comm)));
}

TEST(MpiTraffic, IsWhatTheStatisticsSay) {
  on_ranks(std::min(8, world_size()), [](MPI_Comm comm) {
    Statistics statistics;
    const Execution execution{.threads = 1, .statistics = &statistics};
    const auto set = own_points(comm, 300);
    counter = {.is_on = true};
    const auto domains = mpi::Domains::curve(comm, set.view(), {}, execution);
    use_all(domains, set.view(), execution);
    use_gradients(comm, domains, set.view(), execution);
    mpi::hdbscan(domains, {}, RowOrder::input, execution);
    mpi::hierarchy(domains, {}, execution);
    counter.is_on = false;
    EXPECT_EQ(sum_of(statistics, "bytes sent"), counter.sent);
    EXPECT_EQ(sum_of(statistics, "bytes received"), counter.received);
    EXPECT_EQ(sum_of(statistics, "messages sent"), counter.messages);
    EXPECT_GT(sum_of(statistics, "rounds"), 0u);
    EXPECT_GT(statistics.count("ghosts: peak memory"), 1000000u);
  });
}

/// The largest collective operation of f().
template <class F>
std::uint64_t largest_collective(F f) {
  counter = {.is_on = true};
  f();
  counter.is_on = false;
  return counter.largest_collective;
}

TEST(MpiTraffic, CollectivesDoNotGrowWithPointsOrGroups) {
  on_ranks(std::min(8, world_size()), [](MPI_Comm comm) {
    const Execution execution{.threads = 1};
    for (const std::size_t n : {std::size_t{100}, std::size_t{4000}}) {
      const auto set = own_points(comm, n);
      const PointsView points = set.view();
      const mpi::DomainOptions cells{.tree = {.builder = Builder::cells}};
      // The counts of the first round, or of 256 cells for each edge between two ranks.
      const auto most =
          std::max<std::uint64_t>(4096, 256 * static_cast<std::uint64_t>(size_of(comm))) *
          sizeof(std::int64_t);
      const auto curve = mpi::Domains::curve(comm, points, {}, execution);
      EXPECT_LE(largest_collective([&] { mpi::Domains::curve(comm, points, {}, execution); }),
                most);
      EXPECT_LE(largest_collective([&] { mpi::Domains::curve(comm, points, cells, execution); }),
                most);
      EXPECT_LE(largest_collective([&] { mpi::Domains::kd(comm, points, {}, execution); }),
                std::uint64_t{1} << 19);
      // 64 boxes, or 16 bins for each cut between two ranks.
      EXPECT_LE(largest_collective([&] { mpi::Domains::keep(comm, points, {}, execution); }), 2500);
      EXPECT_LE(largest_collective([&] { use_all(curve, points, execution); }), 4500) << n;
      EXPECT_LE(largest_collective([&] { use_gradients(comm, curve, points, execution); }), 4500);
    }
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

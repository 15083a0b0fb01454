// Atoms in cells of any shape over ranks: the bits of one process.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <span>
#include <vector>

#include <kith/kith.hpp>
#include <kith/mpi.hpp>

#include "mpi/refusals.hpp"
#include "mpi/world.hpp"
#include "support/any_systems.hpp"

namespace kith::test {
namespace {

/// The atoms of all ranks, and the run of them that this rank has.
template <class T>
struct AtomsOfRanks {
  AtomsOfRanks(MPI_Comm comm, Draw& draw, double most) {
    const int dimension = draw.one_of({1, 2, 3, 3, 3});
    lattice = any_lattice(draw, dimension);
    const auto place = any_positions(draw, lattice, dimension,
                                     draw.below(8) == 0 ? std::size_t{0} : draw.size(most));
    x.assign(place.begin(), place.end());
    axes = static_cast<std::size_t>(dimension);
    const auto ranks = static_cast<std::size_t>(size_of(comm));
    const auto rank = static_cast<std::size_t>(rank_of(comm));
    const std::size_t n = size(), kind = draw.below(3);
    begin = kind == 0 ? n * rank / ranks : rank > ranks / 2 ? n : 0;
    end = kind == 0 ? n * (rank + 1) / ranks : rank < ranks / 2 ? 0 : n;
  }
  std::size_t size() const { return x.size() / axes; }
  std::size_t own_size() const { return end - begin; }
  AtomSystem all() const { return {view(x.data(), size(), static_cast<int>(axes)), lattice}; }
  AtomSystem own() const {
    return {view(x.data() + begin * axes, own_size(), static_cast<int>(axes)), lattice};
  }
  template <class Value>
  std::span<const Value> own_of(const std::vector<Value>& values) const {
    return values.empty() ? std::span<const Value>() : std::span(values).subspan(begin, own_size());
  }

  Lattice lattice;
  std::vector<T> x;
  std::size_t axes = 3, begin = 0, end = 0;
};

template <class Value>
void expect_run(std::span<const Value> own, std::span<const Value> all, std::size_t first,
                std::size_t count) {
  ASSERT_EQ(own.size(), count);
  ASSERT_TRUE(std::equal(own.begin(), own.end(), all.begin() + static_cast<std::ptrdiff_t>(first)));
}

/// The pairs of all whose i is an atom of this rank.
void expect_pairs_of(const NeighborList<std::int64_t>& all, const NeighborList<std::int64_t>& own,
                     std::size_t begin, std::size_t end) {
  const auto place = [&](std::size_t i) {
    return static_cast<std::size_t>(
        std::lower_bound(all.i().begin(), all.i().end(), static_cast<std::int64_t>(i)) -
        all.i().begin());
  };
  const std::size_t first = place(begin), count = place(end) - first;
  const auto axes = static_cast<std::size_t>(all.dimension());
  ASSERT_EQ(own.size(), count);
  expect_run(own.i(), all.i(), first, count);
  expect_run(own.j(), all.j(), first, count);
  expect_run(own.shifts(), all.shifts(), first * axes, count * axes);
  expect_run(own.distances(), all.distances(), first, count);
  expect_run(own.vectors(), all.vectors(), first * axes, count * axes);
}

std::vector<double> half_of_time(Draw& draw, std::size_t n, double scale) {
  std::vector<double> values;
  if (draw.below(2) == 0) return values;
  for (std::size_t i = 0; i < n; ++i) values.push_back(scale * draw.uniform());
  return values;
}

template <class T>
void check_atoms(MPI_Comm comm, std::uint64_t seed, int threads) {
  Draw draw(seed);
  const AtomsOfRanks<T> atoms(comm, draw, draw.below(3) == 0 ? 8 : 80.0);
  const Execution execution{.threads = threads}, alone{.threads = 1};
  const double length = std::exp(draw.uniform() * 2.5 - 2);
  NeighborListOptions options{.cutoff = length,
                              .strict = draw.below(2) == 0,
                              .half = draw.below(3) == 0,
                              .self_interaction = draw.below(4) == 0};
  if (!options.half && draw.below(3) == 0) options.max_neighbors = 1 + draw.below(20);
  const auto radii = half_of_time(draw, atoms.size(), 0.5 * length);
  if (!radii.empty()) options.cutoff = 0;
  NeighborListOptions own = options;
  options.radii = radii;
  own.radii = atoms.own_of(radii);
  expect_pairs_of(neighbor_list<std::int64_t>(atoms.all(), options, alone),
                  mpi::neighbor_list(comm, atoms.own(), own, execution), atoms.begin, atoms.end);

  const auto lengths = half_of_time(draw, atoms.size(), length);
  kith::cells::FofOptions linking{.linking_length = lengths.empty() ? 0.7 * length : 0,
                                  .min_size = 1 + draw.below(3),
                                  .strict = draw.below(3) == 0,
                                  .keep_roots = draw.below(3) == 0};
  kith::cells::FofOptions own_linking = linking;
  linking.linking_lengths = lengths;
  own_linking.linking_lengths = atoms.own_of(lengths);
  const Groups groups = kith::cells::fof(atoms.all(), linking, alone);
  const mpi::Groups own_groups = mpi::cells::fof(comm, atoms.own(), own_linking, execution);
  ASSERT_EQ(own_groups.count(), groups.count());
  EXPECT_EQ(own_groups.linking_length(), groups.linking_length());
  for (std::size_t i = 0; i < atoms.own_size(); ++i) {
    ASSERT_EQ(own_groups.label()[i], groups.label()[atoms.begin + i]);
    if (!own_groups.root().empty()) {
      ASSERT_EQ(own_groups.root()[i], groups.root()[atoms.begin + i]);
    }
  }
  for (std::size_t i = 0; i < own_groups.sizes().size(); ++i)
    ASSERT_EQ(own_groups.sizes()[i],
              static_cast<std::int64_t>(groups.size(own_groups.first() + i)));

  const kith::cells::CountOptions count{.radius = length, .exclude_self = draw.below(2) == 0};
  const auto counts = kith::cells::radius_count(atoms.all(), count, alone);
  const auto own_counts = mpi::cells::radius_count(comm, atoms.own(), count, execution);
  expect_run(std::span<const std::int64_t>(own_counts), std::span(counts), atoms.begin,
             atoms.own_size());

  const kith::cells::KnnOptions nearest{.k = 1 + draw.below(12),
                                        .exclude_self = draw.below(2) == 0};
  const auto near = kith::cells::knn(atoms.all(), nearest, alone);
  const auto own_near = mpi::cells::knn(comm, atoms.own(), nearest, execution);
  const std::size_t k = nearest.k, first = atoms.begin * k, rows = atoms.own_size() * k;
  EXPECT_EQ(own_near.k, near.k);
  EXPECT_EQ(own_near.dimension, near.dimension);
  expect_run(std::span(own_near.index), std::span(near.index), first, rows);
  expect_run(std::span(own_near.distance), std::span(near.distance), first, rows);
  expect_run(std::span(own_near.shift), std::span(near.shift), first * atoms.axes,
             rows * atoms.axes);
}

TEST(MpiAtoms, HaveTheBitsOfOneProcess) {
  check_cases(40, []<class T>(MPI_Comm comm, std::uint64_t seed, int threads) {
    check_atoms<T>(comm, seed, threads);
  });
}

/// Many atoms, so that a rank has only a few of the others around it.
TEST(MpiAtoms, AreFewAroundARank) {
  on_ranks(std::min(5, world_size()), [](MPI_Comm comm) {
    Draw draw(3);
    std::vector<double> x;
    for (int i = 0; i < 9000; ++i) x.push_back(20 * draw.uniform());
    const auto ranks = static_cast<std::size_t>(size_of(comm));
    const auto rank = static_cast<std::size_t>(rank_of(comm));
    const std::size_t begin = 3000 * rank / ranks, end = 3000 * (rank + 1) / ranks;
    Lattice lattice{{{{20, 0, 0}, {7, 20, 0}, {-3, 5, 20}}}, {true, true, true}};
    Statistics statistics;
    const auto found =
        mpi::neighbor_list(comm, {view(x.data() + 3 * begin, end - begin, 3), lattice},
                           {.cutoff = 1}, {.threads = 1, .statistics = &statistics});
    expect_pairs_of(
        neighbor_list<std::int64_t>(AtomSystem{view(x.data(), 3000, 3), lattice}, {.cutoff = 1}),
        found, begin, end);
    EXPECT_LT(statistics.count("ghosts"), 2000u);
  });
}

TEST(MpiAtoms, WrongArguments) {
  for (const int ranks : at_most_all({1, 3}))
    on_ranks(ranks, [&](MPI_Comm comm) {
      const std::vector<std::array<double, 3>> x = {{0, 0, 0}, {1, 1, 1}};
      const std::vector<std::array<double, 3>> far = {{0, 0, 0}, {1e12, 1, 1}},
                                               holes = {{0, 0, 0}, {std::nan(""), 1, 1}};
      const std::vector<double> radii = {1, 2}, few = {1}, negative = {1, -1};
      Lattice cube{{{{3, 0, 0}, {0, 3, 0}, {0, 0, 3}}}, {true, true, true}}, flat = cube;
      flat.vectors[1] = {3, 0, 0};
      const AtomSystem right{x, cube};
      const auto list = [&](const char* name, const AtomSystem& system,
                            const NeighborListOptions& wrong, bool is_shared = false) {
        NeighborListOptions good{.cutoff = 1};
        if (!wrong.radii.empty()) good = {.radii = radii};
        expect_refused(comm, {name, [&] { neighbor_list(system, wrong); },
                              [&](bool is_wrong) {
                                mpi::neighbor_list(comm, is_wrong ? system : right,
                                                   is_wrong ? wrong : good);
                              },
                              is_shared});
      };
      list("cutoff", right, {.cutoff = -1});
      list("NaN", right, {.cutoff = std::nan("")});
      list("few radii", right, {.radii = few});
      list("negative radius", right, {.radii = negative});
      list("half of the nearest", right, {.cutoff = 1, .half = true, .max_neighbors = 2});
      list("quantity", right, {.cutoff = 1, .quantities = "ix"});
      list("flat cell", {x, flat}, {.cutoff = 1}, true);
      list("not finite", {holes, cube}, {.cutoff = 1});
      list("far away", {far, cube}, {.cutoff = 1});
      expect_refused(
          comm, {"k", [&] { kith::cells::knn(right, {.k = 0}); },
                 [&](bool is_wrong) { mpi::cells::knn(comm, right, {.k = is_wrong ? 0u : 1u}); }});
      expect_refused(comm, {"radius", [&] { kith::cells::radius_count(right, {.radius = -1}); },
                            [&](bool is_wrong) {
                              mpi::cells::radius_count(comm, right,
                                                       {.radius = is_wrong ? -1.0 : 1});
                            }});
      const auto linking = [&](const char* name, const kith::cells::FofOptions& wrong) {
        expect_refused(comm, {name, [&] { kith::cells::fof(right, wrong); },
                              [&](bool is_wrong) {
                                kith::cells::FofOptions good{.linking_length = 1};
                                if (!wrong.linking_lengths.empty())
                                  good = {.linking_lengths = radii};
                                mpi::cells::fof(comm, right, is_wrong ? wrong : good);
                              }});
      };
      linking("none", {});
      linking("few lengths", {.linking_lengths = few});
      linking("min_size", {.linking_length = 1, .min_size = 0});
      if (ranks == 1) return;
      NeighborListOptions some{.radii = radii};
      if (rank_of(comm) == 1) some.radii = {};
      EXPECT_NE(error_of([&] { mpi::neighbor_list(comm, right, some); }).find("other ranks gave"),
                std::string::npos);
      Lattice other = cube;
      if (rank_of(comm) == 1) other.vectors[0][0] = 4;
      EXPECT_NE(error_of([&] { mpi::neighbor_list(comm, {x, other}, {.cutoff = 1}); }), "no error");
      EXPECT_EQ(mpi::neighbor_list(comm, right, {.cutoff = 2}).size(),
                2 * (2 * static_cast<std::size_t>(ranks) - 1));
    });
}

}  // namespace
}  // namespace kith::test

// Neighbor lists of atoms equal their definition.
#include <algorithm>
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <vector>

#include <kith/neighbor_list.hpp>

#include "atoms/brute.hpp"
#include "support/any_systems.hpp"
#include "support/expect_error.hpp"
#include "support/property.hpp"

namespace kith {
namespace {

using test::any_batch;
using test::Batch;
using test::Draw;
using test::expect_error;

template <class Index>
std::vector<BrutePair> pairs_of(const NeighborList<Index>& list) {
  std::vector<BrutePair> pairs(list.size());
  const auto width = static_cast<std::size_t>(list.dimension());
  for (std::size_t n = 0; n < list.size(); ++n) {
    pairs[n] = {list.i()[n], list.j()[n], {}, list.distances()[n], {}};
    for (std::size_t axis = 0; axis < width; ++axis) {
      pairs[n].shift[axis] = list.shifts()[n * width + axis];
      pairs[n].vector[axis] = list.vectors()[n * width + axis];
    }
  }
  return pairs;
}

void check_case(Draw& draw) {
  Batch batch = any_batch(draw);
  NeighborListOptions options{.cutoff = std::exp(draw.uniform() * 2.5 - 2),
                              .strict = draw.below(2) == 0,
                              .half = draw.below(3) == 0,
                              .self_interaction = draw.below(4) == 0};
  if (!options.half && draw.below(4) == 0) options.max_neighbors = 1 + draw.below(20);
  std::vector<double> radii;
  if (draw.below(4) == 0) {
    for (const AtomSystem& system : batch.systems)
      for (std::size_t i = 0; i < system.positions.size; ++i) radii.push_back(draw.uniform());
    options.radii = radii;
    if (!radii.empty()) options.cutoff = 0;
  }
  const auto expected = brute_neighbor_list(batch.systems, options);
  const Execution execution{.threads = static_cast<int>(1 + draw.below(3))};
  const auto found = neighbor_list<std::int64_t>(batch.systems, options, execution);
  ASSERT_EQ(found.size(), expected.size());
  const auto pairs = pairs_of(found);
  for (std::size_t n = 0; n < pairs.size(); ++n)
    ASSERT_TRUE(pairs[n] == expected[n]) << "pair " << n << ": " << pairs[n].i << " " << pairs[n].j
                                         << " for " << expected[n].i << " " << expected[n].j;
}

TEST(NeighborList, EqualsBruteForce) { test::for_cases(1500, check_case); }

TEST(NeighborList, AtTheCutoffOfACrystal) {
  const std::vector<std::array<double, 3>> one = {{0.25, 0.5, 7}};
  Lattice cube;
  for (std::size_t k = 0; k < 3; ++k) cube.vectors[k][k] = 3, cube.periodic[k] = true;
  const AtomSystem system{one, cube};
  EXPECT_EQ(neighbor_list(system, {.cutoff = 3}).size(), 6u);
  EXPECT_EQ(neighbor_list(system, {.cutoff = 3, .strict = true}).size(), 0u);
  EXPECT_EQ(neighbor_list(system, {.cutoff = 3, .half = true}).size(), 3u);
  EXPECT_EQ(neighbor_list(system, {.cutoff = 3, .self_interaction = true}).size(), 7u);
  EXPECT_EQ(neighbor_list(system, {.cutoff = 0}).size(), 0u);
  EXPECT_EQ(neighbor_list(system, {.cutoff = 0, .self_interaction = true}).size(), 1u);
  const auto list = neighbor_list(system, {.cutoff = 3, .quantities = "S", .half = true});
  EXPECT_EQ(std::vector<std::int32_t>(list.shifts().begin(), list.shifts().end()),
            (std::vector<std::int32_t>{0, 0, 1, 0, 1, 0, 1, 0, 0}));
  EXPECT_TRUE(list.i().empty() && list.j().empty() && list.distances().empty());
}

/// Atoms in a few clumps, far apart: bins outnumber atoms.
TEST(NeighborList, ClumpsAndManyAtoms) {
  Draw draw(7);
  std::vector<std::array<double, 3>> atoms;
  for (std::size_t clump = 0; clump < 10; ++clump) {
    const double center = 1000 * draw.uniform();
    for (int i = 0; i < 60; ++i)
      atoms.push_back({center + draw.normal(), 3 * center + draw.normal(), draw.normal()});
  }
  AtomSystem system{atoms, {}};
  system.lattice.vectors = {{{1000, 100, 0}, {0, 3000, 0}, {0, 0, 0}}};
  system.lattice.periodic = {true, true, false};
  for (const double cutoff : {0.3, 1.0, 40.0}) {
    const NeighborListOptions options{.cutoff = cutoff};
    const auto expected = brute_neighbor_list(std::span(&system, 1), options);
    for (const int threads : {1, 2, 5}) {
      const auto found = pairs_of(neighbor_list(system, options, {.threads = threads}));
      ASSERT_EQ(found.size(), expected.size());
      ASSERT_TRUE(found == expected);
    }
  }
}

TEST(NeighborList, WrongArguments) {
  const std::vector<std::array<double, 3>> one = {{0, 0, 0}};
  const std::vector<std::array<double, 2>> flat = {{0, 0}};
  const std::vector<std::array<double, 4>> many = {{0, 0, 0, 0}};
  const auto wrong = [](std::string_view words, const AtomSystem& system,
                        const NeighborListOptions& options) {
    expect_error(ErrorCode::invalid_argument, words, [&] { neighbor_list(system, options); });
  };
  wrong("cutoff = -1; give", {one}, {.cutoff = -1});
  wrong("cutoff = nan; give", {one}, {.cutoff = std::nan("")});
  wrong("positions in 4 dimensions", {many}, {.cutoff = 1});
  wrong("max_neighbors = 3 with half", {one}, {.cutoff = 1, .half = true, .max_neighbors = 3});
  wrong("the quantity 'x'", {one}, {.cutoff = 1, .quantities = "ijx"});
  const std::vector<double> radii = {1, 2};
  wrong("2 radii for 1 atoms", {one}, {.radii = radii});
  Lattice lattice;
  lattice.periodic[1] = true;
  wrong("lattice vector 1 is zero", {one, lattice}, {.cutoff = 1});
  lattice.vectors = {{{1, 0, 0}, {1, 1e-9, 0}, {0, 0, 1}}};
  lattice.periodic = {true, true, true};
  wrong("almost in one plane", {one, lattice}, {.cutoff = 1});
  lattice.vectors[0][0] = std::nan("");
  wrong("lattice vector 0 has the component nan", {one, lattice}, {.cutoff = 1});
  const std::vector<AtomSystem> mixed = {{one}, {flat}};
  expect_error(ErrorCode::invalid_argument, "systems of dimension 3 and 2",
               [&] { neighbor_list(mixed, {.cutoff = 1}); });
  const std::vector<std::array<double, 3>> bad = {{0, 0, 0}, {0, std::nan(""), 0}};
  expect_error(ErrorCode::non_finite, "coordinate 1 of atom 1 is nan",
               [&] { neighbor_list({bad}, {.cutoff = 1}); });
  lattice.vectors = {{{1e-3, 0, 0}, {0, 1e-3, 0}, {0, 0, 1e-3}}};
  expect_error(ErrorCode::too_large, "images of the cell", [&] {
    neighbor_list({one, lattice}, {.cutoff = 1});
  });
  const std::vector<std::array<double, 3>> far = {{1e9, 0, 0}};
  expect_error(ErrorCode::too_large, "wrap the positions", [&] {
    neighbor_list({far, lattice}, {.cutoff = 1e-4});
  });
}

}  // namespace
}  // namespace kith

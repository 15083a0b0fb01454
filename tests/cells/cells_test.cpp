// Groups, counts and neighbors in cells equal those of the neighbor list's definition.
#include <algorithm>
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <tuple>
#include <vector>

#include <kith/cells.hpp>

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

std::size_t atoms_of(const Batch& batch) {
  std::size_t atoms = 0;
  for (const AtomSystem& system : batch.systems) atoms += system.positions.size;
  return atoms;
}

/// The lowest atom that each one is connected with.
std::vector<std::int64_t> brute_roots(const Batch& batch, const NeighborListOptions& options) {
  std::vector<std::int64_t> root(atoms_of(batch));
  std::iota(root.begin(), root.end(), 0);
  const auto pairs = brute_neighbor_list(batch.systems, options);
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (const BrutePair& pair : pairs) {
      auto &a = root[static_cast<std::size_t>(pair.i)], &b = root[static_cast<std::size_t>(pair.j)];
      if (a == b) continue;
      a = b = std::min(a, b);
      has_changed = true;
    }
  }
  return root;
}

void check_fof(Draw& draw) {
  const Batch batch = any_batch(draw);
  cells::FofOptions options{.linking_length = std::exp(draw.uniform() * 2.5 - 2.5),
                            .min_size = draw.one_of<std::size_t>({1, 1, 2, 4}),
                            .strict = draw.below(2) == 0,
                            .keep_roots = true};
  NeighborListOptions list{.cutoff = options.linking_length, .strict = options.strict};
  std::vector<double> lengths, radii;
  if (draw.below(3) == 0 && atoms_of(batch) > 0) {
    for (std::size_t i = 0; i < atoms_of(batch); ++i) {
      lengths.push_back(draw.uniform());
      radii.push_back(lengths.back() / 2);
    }
    options.linking_length = list.cutoff = 0;
    options.linking_lengths = lengths;
    list.radii = radii;
  }
  const Groups groups =
      cells::fof(batch.systems, options, {.threads = static_cast<int>(1 + draw.below(3))});
  const std::vector<std::int64_t> root = brute_roots(batch, list);
  ASSERT_EQ(std::vector<std::int64_t>(groups.root().begin(), groups.root().end()), root);
  std::vector<std::tuple<std::int64_t, std::int64_t>> order;  // falling size, lowest member
  for (std::size_t i = 0; i < root.size(); ++i) {
    const auto size = std::count(root.begin(), root.end(), root[i]);
    if (root[i] == static_cast<std::int64_t>(i) && size >= static_cast<long>(options.min_size))
      order.emplace_back(-size, root[i]);
  }
  std::sort(order.begin(), order.end());
  ASSERT_EQ(groups.count(), order.size());
  for (std::size_t g = 0; g < order.size(); ++g) {
    ASSERT_EQ(groups.size(g), static_cast<std::size_t>(-std::get<0>(order[g])));
    ASSERT_EQ(groups.lowest(g), static_cast<std::size_t>(std::get<1>(order[g])));
    ASSERT_EQ(groups.label()[groups.lowest(g)], static_cast<std::int32_t>(g));
  }
}

TEST(Cells, GroupsAreComponentsOfTheList) { test::for_cases(600, check_fof); }

void check_counts(Draw& draw) {
  const Batch batch = any_batch(draw);
  const cells::CountOptions options{.radius = std::exp(draw.uniform() * 2.5 - 2),
                                    .strict = draw.below(2) == 0,
                                    .exclude_self = draw.below(2) == 0};
  std::vector<std::int64_t> expected(atoms_of(batch));
  for (const BrutePair& pair :
       brute_neighbor_list(batch.systems, {.cutoff = options.radius,
                                          .strict = options.strict,
                                          .self_interaction = !options.exclude_self}))
    ++expected[static_cast<std::size_t>(pair.i)];
  ASSERT_EQ(
      cells::radius_count(batch.systems, options, {.threads = static_cast<int>(1 + draw.below(3))}),
      expected);
}

TEST(Cells, CountsAreThoseOfTheList) { test::for_cases(300, check_counts); }

struct Near {
  double d2;
  std::int64_t j;
  std::array<std::int32_t, 3> shift;
  auto key() const { return std::tie(d2, j, shift); }
  friend bool operator<(const Near& a, const Near& b) { return a.key() < b.key(); }
};

/// All within a cutoff that holds enough, sorted; as far as the cutoff grows.
std::vector<std::vector<Near>> brute_near(const Batch& batch, const cells::KnnOptions& options) {
  std::vector<std::vector<Near>> rows;
  for (double cutoff = 1; cutoff < 1e6; cutoff *= cutoff < 8 ? 1.4 : 40) {
    bool has_images = false, is_complete = true;
    for (const AtomSystem& system : batch.systems)
      for (const bool axis : system.lattice.periodic) has_images |= axis;
    if (cutoff > 12 && has_images) break;  // too many images; such cases are left out
    rows.assign(atoms_of(batch), {});
    for (const BrutePair& pair : brute_neighbor_list(
             batch.systems, {.cutoff = cutoff, .self_interaction = !options.exclude_self})) {
      const auto& v = pair.vector;
      rows[static_cast<std::size_t>(pair.i)].push_back(
          {(v[0] * v[0] + v[1] * v[1]) + v[2] * v[2], pair.j, pair.shift});
    }
    for (auto& row : rows) {
      std::sort(row.begin(), row.end());
      is_complete &= row.size() >= options.k;
    }
    if (is_complete) return rows;
  }
  return rows;
}

void check_knn(Draw& draw) {
  const Batch batch = any_batch(draw);
  const cells::KnnOptions options{.k = draw.one_of<std::size_t>({1, 2, 5, 20}),
                                  .exclude_self = draw.below(2) == 0};
  const auto expected = brute_near(batch, options);
  const auto found =
      cells::knn(batch.systems, options, {.threads = static_cast<int>(1 + draw.below(3))});
  ASSERT_EQ(found.size(), expected.size());
  const auto width = static_cast<std::size_t>(found.dimension);
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (std::size_t n = 0; n < std::min(options.k, expected[i].size()); ++n) {
      const std::size_t at = i * options.k + n;
      const Near& near = expected[i][n];
      ASSERT_EQ(found.index[at], near.j) << i << " " << n;
      ASSERT_EQ(found.distance[at], std::sqrt(near.d2));
      for (std::size_t axis = 0; axis < width; ++axis)
        ASSERT_EQ(found.shift[at * width + axis], near.shift[axis]);
    }
  }
}

TEST(Cells, NeighborsAreTheNearestOfTheList) { test::for_cases(400, check_knn); }

/// Clumps of very different density, and one atom far away.
TEST(Cells, NeighborsInClumps) {
  Draw draw(3);
  std::vector<std::array<double, 3>> atoms;
  for (const double scale : {1e-6, 1e-2, 1.0})
    for (int i = 0; i < 150; ++i)
      atoms.push_back(
          {30 * scale + scale * draw.normal(), scale * draw.normal(), scale * draw.normal()});
  atoms.push_back({1e5, 0, 0});
  for (const bool is_periodic : {false, true}) {
    AtomSystem system{atoms, {}};
    system.lattice.vectors = {{{4e5, 0, 0}, {2e5, 3e5, 0}, {0, 0, 9e5}}};
    system.lattice.periodic = {is_periodic, is_periodic, is_periodic};
    const auto found = cells::knn(system, {.k = 9}, {.threads = 2});
    for (std::size_t i = 0; i < atoms.size(); ++i) {
      std::vector<std::pair<double, std::int64_t>> near;
      for (std::size_t j = 0; j < atoms.size(); ++j) {
        double d2 = 0;
        for (std::size_t axis = 0; axis < 3; ++axis)
          d2 += (atoms[j][axis] - atoms[i][axis]) * (atoms[j][axis] - atoms[i][axis]);
        near.emplace_back(d2, static_cast<std::int64_t>(j));
      }
      std::sort(near.begin(), near.end());
      for (std::size_t n = 0; n < 9; ++n) ASSERT_EQ(found.index[9 * i + n], near[n].second) << i;
    }
  }
}

TEST(Cells, RowsEndWhereAtomsDo) {
  const std::vector<std::array<double, 2>> two = {{0, 0}, {3, 4}};
  const auto found = cells::knn(AtomSystem{two}, {.k = 3});
  EXPECT_EQ(found.index, (std::vector<std::int64_t>{0, 1, -1, 1, 0, -1}));
  constexpr double kNone = std::numeric_limits<double>::infinity();
  EXPECT_EQ(found.distance, (std::vector<double>{0, 5, kNone, 0, 5, kNone}));
  EXPECT_EQ(found.shift.size(), 12u);
  EXPECT_EQ(cells::knn(AtomSystem{two}, {.k = 2, .exclude_self = true}).index,
            (std::vector<std::int64_t>{1, -1, 0, -1}));
}

/// An atom is a neighbor of itself through each image, but alone in its group.
TEST(Cells, ImagesOfOneAtom) {
  const std::vector<std::array<double, 3>> one = {{0.25, 0.5, 7}};
  AtomSystem system{one, {}};
  for (std::size_t k = 0; k < 3; ++k)
    system.lattice.vectors[k][k] = 3, system.lattice.periodic[k] = true;
  const auto found = cells::knn(system, {.k = 7});
  EXPECT_EQ(found.index, std::vector<std::int64_t>(7, 0));
  EXPECT_EQ(found.distance, (std::vector<double>{0, 3, 3, 3, 3, 3, 3}));
  EXPECT_EQ(std::vector<std::int32_t>(found.shift.begin() + 3, found.shift.begin() + 9),
            (std::vector<std::int32_t>{-1, 0, 0, 0, -1, 0}));
  EXPECT_EQ(cells::radius_count(system, {.radius = 3})[0], 7);
  EXPECT_EQ(cells::radius_count(system, {.radius = 3, .strict = true})[0], 1);
  EXPECT_EQ(cells::radius_count(system, {.radius = 3, .exclude_self = true})[0], 6);
  EXPECT_EQ(cells::fof(system, {.linking_length = 3}).count(), 1u);
}

TEST(Cells, NoAtoms) {
  const AtomSystem none{view(static_cast<const double*>(nullptr), 0, 3)};
  EXPECT_EQ(cells::fof(none, {.linking_length = 1}).count(), 0u);
  EXPECT_TRUE(cells::radius_count(none, {.radius = 1}).empty());
  EXPECT_EQ(cells::knn(none, {.k = 2}).size(), 0u);
  EXPECT_EQ(cells::knn(std::span<const AtomSystem>(), {.k = 2}).size(), 0u);
}

TEST(Cells, WrongArguments) {
  const std::vector<std::array<double, 3>> one = {{0, 0, 0}};
  const auto wrong = [](std::string_view words, auto call) {
    expect_error(ErrorCode::invalid_argument, words, call);
  };
  const AtomSystem system{one};
  wrong("cells.fof: linking_length = 0; give a positive", [&] { cells::fof(system, {}); });
  wrong("cells.fof: linking_length = -1", [&] { cells::fof(system, {.linking_length = -1}); });
  wrong("cells.fof: min_size = 0",
        [&] { cells::fof(system, {.linking_length = 1, .min_size = 0}); });
  const std::vector<double> lengths = {1, 2}, bad = {NAN};
  wrong("2 linking lengths for 1 atoms", [&] { cells::fof(system, {.linking_lengths = lengths}); });
  wrong("a linking length = nan", [&] { cells::fof(system, {.linking_lengths = bad}); });
  wrong("leave it 0", [&] { cells::fof(system, {.linking_length = 1, .linking_lengths = bad}); });
  wrong("cells.radius_count: radius = nan", [&] { cells::radius_count(system, {.radius = NAN}); });
  wrong("cells.knn: k = 0", [&] { cells::knn(system, {.k = 0}); });
  AtomSystem flat = system;
  flat.lattice.periodic[0] = true;
  wrong("cells.knn: lattice vector 0 is zero", [&] { cells::knn(flat, {}); });
  const std::vector<std::array<double, 3>> nan = {{0, NAN, 0}};
  expect_error(ErrorCode::non_finite, "cells.knn: coordinate 1 of atom 0",
               [&] { cells::knn(AtomSystem{nan}, {}); });
  expect_error(ErrorCode::out_of_memory, "cells.knn", [&] { cells::knn(system, {.k = SIZE_MAX}); });
}

}  // namespace
}  // namespace kith

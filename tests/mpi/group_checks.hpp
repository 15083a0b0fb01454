// Rows and members of groups on a rank beside those of one process.
#pragma once

#include <algorithm>
#include <gtest/gtest.h>

#include <kith/kith.hpp>
#include <kith/mpi.hpp>

#include "mpi/scenes.hpp"
#include "support/catalogues.hpp"
#include "support/property.hpp"

namespace kith::test {

/// The number of items on the ranks before this one.
inline std::uint64_t before_rank(MPI_Comm comm, std::uint64_t here) {
  std::uint64_t before = 0;
  MPI_Exscan(&here, &before, 1, MPI_UINT64_T, MPI_SUM, comm);
  return rank_of(comm) == 0 ? 0 : before;
}

/// Offsets of rows, whose members follow those of the ranks before.
inline void expect_offsets(std::span<const std::size_t> own, std::uint64_t before,
                           std::uint64_t here, const std::size_t* all) {
  for (std::size_t i = 0; i < own.size(); ++i)  // the last one may continue on the next rank
    ASSERT_EQ(own[i], std::min<std::uint64_t>(all[i] - before, here)) << "row " << i;
}

inline void expect_subhalos(MPI_Comm comm, const mpi::Subhalos& own, const Subhalos& all) {
  const std::uint64_t first = before_rank(comm, own.parent.size());
  const std::uint64_t before = before_rank(comm, own.index.size());
  ASSERT_EQ(own.offset.size(), own.parent.size() + 1);
  ASSERT_LE(first + own.parent.size(), all.parent.size());
  ASSERT_LE(before + own.index.size(), all.members.offset.back());
  expect_rows(own.catalogue, all.catalogue, first);
  EXPECT_TRUE(std::equal(own.parent.begin(), own.parent.end(),
                         all.parent.begin() + static_cast<std::ptrdiff_t>(first)));
  EXPECT_TRUE(std::equal(own.index.begin(), own.index.end(),
                         all.members.order.begin() + static_cast<std::ptrdiff_t>(before)));
  expect_offsets(own.offset, before, own.index.size(), &all.members.offset[first]);
  if (all.host.empty()) return;
  const auto expect_run = [](const auto& part, const auto& whole, std::uint64_t from) {
    ASSERT_LE(from + part.size(), whole.size());
    EXPECT_TRUE(
        std::equal(part.begin(), part.end(), whole.begin() + static_cast<std::ptrdiff_t>(from)));
  };
  expect_run(own.host, all.host, first);
  expect_run(own.most_bound, all.most_bound, first);
  expect_run(own.by_binding, all.by_binding, before);
  expect_run(own.peak, all.peak, first * all.peak.size() / all.host.size());
}

/// The members of one process in order, cut into the parts of the ranks.
template <class T>
void expect_members(MPI_Comm comm, const mpi::Members& members, const kith::Members& all,
                    const Scene<T>& scene, const Execution& execution, const Names& name = {}) {
  const int rank = rank_of(comm);
  const std::uint64_t here = members.index().size(), before = before_rank(comm, here);
  ASSERT_LE(before + here, all.offset.back());
  EXPECT_TRUE(std::equal(members.index().begin(), members.index().end(),
                         all.order.begin() + static_cast<std::ptrdiff_t>(before),
                         [&](auto own, auto one) { return own == name(one); }));
  expect_offsets(members.offset(), before, here, &all.offset[members.first()]);
  const PointsView part = scene.part(rank);
  std::vector<std::int64_t> index(part.size);
  for (std::size_t i = 0; i < part.size; ++i) index[i] = name(scene.begin(rank) + i);
  const auto carried = members.to_group_order(std::span<const std::int64_t>(index), execution);
  EXPECT_TRUE(
      std::equal(carried.begin(), carried.end(), members.index().begin(), members.index().end()));
}

}  // namespace kith::test

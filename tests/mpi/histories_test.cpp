// Matches and links over ranks: the bits of one process, for any distribution of the members.
#include <gtest/gtest.h>

#include <kith/kith.hpp>
#include <kith/mpi.hpp>

#include "histories/match_support.hpp"
#include "mpi/world.hpp"
#include "support/expect_error.hpp"

namespace kith::test {
namespace {

/// The share of one rank: consecutive members, cut at random.
LabeledSet share_of(const LabeledSet& all, Draw draw, int rank, int ranks) {
  std::vector<std::size_t> cut{0, all.id.size()};
  for (int r = 1; r < ranks; ++r) cut.push_back(draw.below(all.id.size() + 1));
  std::sort(cut.begin(), cut.end());
  LabeledSet own;
  const auto r = static_cast<std::size_t>(rank);
  for (std::size_t i = cut[r]; i < cut[r + 1]; ++i) own.add(all.id[i], all.label[i]);
  return own;
}

void expect_same(const Matches& found, const Matches& expected) {
  ASSERT_EQ(found.best, expected.best);
  ASSERT_EQ(found.second, expected.second);
  ASSERT_EQ(found.score, expected.score);
  ASSERT_EQ(found.second_score, expected.second_score);
  ASSERT_EQ(found.shared, expected.shared);
}

template <class Check>
void for_deals(int cases, Check check) {
  for (const int ranks : rank_counts())
    on_ranks(ranks, [&](MPI_Comm comm) {
      for (int i = 0; i < cases; ++i) {
        Draw draw(static_cast<std::uint64_t>(1000 * ranks + i));
        SCOPED_TRACE("seed " + std::to_string(draw.seed) + " on " + std::to_string(ranks));
        check(comm, draw, 1 + i % 2);
        quiet_barrier(comm);
      }
    });
}

TEST(MpiMatch, HasTheMatchesOfOneProcess) {
  for_deals(20, [](MPI_Comm comm, Draw& draw, int threads) {
    const LabeledSet a = labeled_set(draw), b = labeled_set(draw);
    const MatchOptions options{
        draw.one_of({RankWeight::equal, RankWeight::inverse_rank, RankWeight::sqrt_rank}),
        draw.one_of<std::uint64_t>({0, 1, 2, 20})};
    const LabeledSet own_a = share_of(a, draw, rank_of(comm), size_of(comm));
    const LabeledSet own_b = share_of(b, draw, rank_of(comm), size_of(comm));
    const Match expected = match(a.view(), b.view(), options, {.threads = 1});
    const Match found = mpi::match(comm, own_a.view(), own_b.view(), options, {.threads = threads});
    expect_same(found.forward, expected.forward);
    expect_same(found.reverse, expected.reverse);
  });
}

TEST(MpiTrees, HaveTheLinksOfOneProcess) {
  for_deals(10, [](MPI_Comm comm, Draw& draw, int threads) {
    const LinkOptions options{.reach = static_cast<int>(1 + draw.below(3))};
    std::vector<LabeledSet> sets(4), own;
    for (LabeledSet& set : sets) {
      set = labeled_set(draw);
      own.push_back(share_of(set, draw, rank_of(comm), size_of(comm)));
    }
    HaloLinker alone(options), together = mpi::halo_linker(comm, options);
    for (std::size_t s = 0; s < sets.size(); ++s) {
      alone.add(sets[s].view(), {.threads = 1});
      if (s == 2) {  // another linker continues
        HaloLinks links = together.links();
        std::vector<LabeledIds> latest;
        for (std::size_t t = s - std::min<std::size_t>(s, static_cast<std::size_t>(options.reach));
             t < s; ++t)
          latest.push_back(own[t].view());
        together = mpi::halo_linker(comm, options);
        together.resume(std::move(links), latest, {.threads = threads});
      }
      together.add(own[s].view(), {.threads = threads});
    }
    const HaloLinks &found = together.links(), &expected = alone.links();
    ASSERT_EQ(found.first, expected.first);
    ASSERT_EQ(found.descendant, expected.descendant);
    ASSERT_EQ(found.second, expected.second);
    ASSERT_EQ(found.score, expected.score);
    ASSERT_EQ(found.second_score, expected.second_score);
    ASSERT_EQ(found.is_mutual, expected.is_mutual);
    ASSERT_EQ(found.is_flyby, expected.is_flyby);
    ASSERT_EQ(found.progenitor, expected.progenitor);
  });
}

TEST(MpiMatch, RefusesOnAllRanksWhatOneProcessRefuses) {
  on_ranks(3, [](MPI_Comm comm) {
    const bool is_last = rank_of(comm) == size_of(comm) - 1;
    LabeledSet a, b;
    a.add(static_cast<std::uint64_t>(rank_of(comm)), 0);
    b.add(rank_of(comm) == 0 || is_last ? 5 : 6, 0);
    if (size_of(comm) > 1)
      expect_error(ErrorCode::invalid_argument, "ID 5 is twice a member of object 0 of b",
                   [&] { mpi::match(comm, a.view(), b.view()); });
    LabeledSet wrong;
    if (is_last) wrong.add(1, 100);
    expect_error(ErrorCode::invalid_argument, "100 is the largest of 1 labels of a",
                 [&] { mpi::match(comm, wrong.view(), LabeledSet{}.view()); });
    if (size_of(comm) > 1)
      expect_error(ErrorCode::invalid_argument, "most_bound", [&] {
        mpi::match(comm, {}, {}, {.most_bound = is_last ? std::uint64_t{3} : std::uint64_t{4}});
      });
    const Match none = mpi::match(comm, {}, {});
    EXPECT_EQ(none.forward.size() + none.reverse.size(), 0u);
  });
}

/// One object on all ranks, in the order of the ranks, and IDs in many objects.
TEST(MpiMatch, ObjectsExtendOverRanks) {
  for (const int ranks : at_most_all({2, 5, 16}))
    on_ranks(ranks, [](MPI_Comm comm) {
      LabeledSet a, b, own_a, own_b;
      constexpr std::uint64_t kMembers = 3000;
      for (std::uint64_t i = 0; i < kMembers; ++i) {
        const bool is_own = i * static_cast<std::uint64_t>(size_of(comm)) / kMembers ==
                            static_cast<std::uint64_t>(rank_of(comm));
        a.add(i << 32, 0);
        b.add(i << 32, static_cast<int>(i % 3));
        if (is_own) own_a.add(i << 32, 0);
        if (is_own) own_b.add(i << 32, static_cast<int>(i % 3));
        if (i % 7 != 0) continue;
        b.add(i << 32, 3);
        if (is_own) own_b.add(i << 32, 3);
      }
      const Match expected = match(a.view(), b.view(), {}, {.threads = 1});
      const Match found = mpi::match(comm, own_a.view(), own_b.view());
      expect_same(found.forward, expected.forward);
      expect_same(found.reverse, expected.reverse);
    });
}

}  // namespace
}  // namespace kith::test

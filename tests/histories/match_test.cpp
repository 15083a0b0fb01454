// Matching objects by the IDs of their members, against the definition.
#include <map>

#include <kith/match.hpp>

#include "histories/brute.hpp"
#include "histories/match_support.hpp"
#include "support/expect_error.hpp"
#include "support/property.hpp"

namespace kith {
namespace {

using test::Draw;
using test::expect_error;
using test::LabeledSet;

void expect_same(const Matches& found, const Matches& expected, const std::string& where) {
  EXPECT_EQ(found.best, expected.best) << where;
  EXPECT_EQ(found.second, expected.second) << where;
  EXPECT_EQ(found.score, expected.score) << where;
  EXPECT_EQ(found.second_score, expected.second_score) << where;
  EXPECT_EQ(found.shared, expected.shared) << where;
}

MatchOptions options_of(Draw& draw) {
  return {draw.one_of({RankWeight::equal, RankWeight::inverse_rank, RankWeight::sqrt_rank}),
          draw.one_of<std::uint64_t>({0, 1, 2, 20})};
}

void check_case(Draw& draw) {
  const LabeledSet a = test::labeled_set(draw), b = test::labeled_set(draw);
  const MatchOptions options = options_of(draw);
  const Match expected = histories::brute_match(a.view(), b.view(), options);
  for (const int threads : {1, 3}) {
    const Match found = match(a.view(), b.view(), options, {.threads = threads});
    const std::string where = "seed " + std::to_string(draw.seed);
    expect_same(found.forward, expected.forward, where + " forward");
    expect_same(found.reverse, expected.reverse, where + " reverse");
  }
}

TEST(Match, EqualsTheDefinition) { test::for_cases(6000, check_case); }

/// How many members each pair of objects shares, counted with a map.
std::map<std::pair<std::int32_t, std::int32_t>, std::int64_t> shared_counts(const LabeledSet& a,
                                                                            const LabeledSet& b) {
  std::map<std::uint64_t, std::int32_t> object;
  for (std::size_t i = 0; i < b.id.size(); ++i)
    if (b.label[i] >= 0) object[b.id[i]] = b.label[i];
  std::map<std::pair<std::int32_t, std::int32_t>, std::int64_t> count;
  for (std::size_t i = 0; i < a.id.size(); ++i)
    if (const auto at = object.find(a.id[i]); a.label[i] >= 0 && at != object.end())
      ++count[{a.label[i], at->second}];
  return count;
}

/// Sets that are scattered to buckets and joined in several ranges.
TEST(Match, LargeSetsAreCountedAndDoNotDependOnThreads) {
  constexpr std::size_t kMembers = 300000;
  std::mt19937_64 random(5);
  LabeledSet a, b;
  for (std::size_t i = 0; i < kMembers; ++i) {
    const std::uint64_t id = i * 0x9e3779b97f4a7c15ULL;
    a.add(id, static_cast<int>(i % 1000) - 3);
    if (i % 7 != 0) b.add(id, static_cast<int>((i + random() % 3) % 1000) - 5);
  }
  const MatchOptions equal{.weight = RankWeight::equal};
  const Match one = match(a.view(), b.view(), equal, {.threads = 1});
  const Match several = match(a.view(), b.view(), equal, {.threads = 4});
  expect_same(several.forward, one.forward, "forward");
  expect_same(several.reverse, one.reverse, "reverse");
  std::vector<std::int32_t> best(997, -1);
  std::vector<std::int64_t> shared(997, 0);
  for (const auto& [pair, count] : shared_counts(a, b)) {
    const auto o = static_cast<std::size_t>(pair.first);
    if (count <= shared[o]) continue;
    best[o] = pair.second;
    shared[o] = count;
  }
  EXPECT_EQ(one.forward.best, best);
  EXPECT_EQ(one.forward.shared, shared);
}

TEST(Match, MarginsCompareTheBestTwo) {
  LabeledSet a, b;
  for (const std::uint64_t id : {1, 2, 3, 4}) a.add(id, 0);
  for (const std::uint64_t id : {1, 2, 3}) b.add(id, 1);
  b.add(4, 0);
  a.add(9, 1);
  const Match found = match(a.view(), b.view(), {.weight = RankWeight::equal});
  EXPECT_EQ(found.forward.best, (std::vector<std::int32_t>{1, -1}));
  EXPECT_EQ(found.forward.second, (std::vector<std::int32_t>{0, -1}));
  EXPECT_EQ(found.forward.margin(0), 1 - 1.0 / 3);
  EXPECT_EQ(found.forward.margin(1), 0);
  EXPECT_EQ(found.reverse.margin(0), 1);
}

TEST(Match, EqualScoresAreOrderedByLabel) {
  LabeledSet a, b;
  for (const std::uint64_t id : {1, 2, 3, 4, 5, 6}) a.add(id, 0);
  for (const std::uint64_t id : {6, 5, 4, 3, 2, 1}) b.add(id, static_cast<int>(id % 3));
  const Match found = match(a.view(), b.view(), {.weight = RankWeight::equal});
  EXPECT_EQ(found.forward.best[0], 0);
  EXPECT_EQ(found.forward.second[0], 1);
  EXPECT_EQ(found.forward.margin(0), 0);
}

TEST(Match, EmptySetsHaveNoMatches) {
  LabeledSet a, nothing;
  a.add(7, 0);
  EXPECT_EQ(match(a.view(), nothing.view()).forward.best, std::vector<std::int32_t>{-1});
  EXPECT_EQ(match(nothing.view(), a.view()).forward.size(), 0);
  EXPECT_EQ(match(nothing.view(), nothing.view()).reverse.size(), 0);
  LabeledSet outside;
  outside.add(7, -1);
  EXPECT_EQ(match(outside.view(), a.view()).reverse.best, std::vector<std::int32_t>{-1});
}

TEST(Match, RefusesWhatItCannotMatch) {
  LabeledSet a;
  a.add(7, 0);
  a.add(7, 0);
  expect_error(ErrorCode::invalid_argument, "match: ID 7 is twice a member of object 0 of a",
               [&] { match(a.view(), {}); });
  const std::vector<std::uint64_t> id{1, 2};
  const std::vector<std::int32_t> label{0, 5};
  expect_error(ErrorCode::invalid_argument, "match: 5 is the largest of 2 labels of b", [&] {
    match({}, {id, label});
  });
  expect_error(ErrorCode::invalid_argument, "match: 2 IDs and 1 labels for a", [&] {
    match({id, std::span(label).first(1)}, {});
  });
  EXPECT_EQ(match({id, label, 6}, {}).forward.size(), 6);
}

TEST(Match, CanBeCancelled) {
  LabeledSet a;
  for (int i = 0; i < 1000; ++i) a.add(static_cast<std::uint64_t>(i), i);
  const CancelToken cancel;
  cancel.cancel();
  expect_error(ErrorCode::cancelled, "match",
               [&] { match(a.view(), a.view(), {}, {.cancel = &cancel}); });
}

}  // namespace
}  // namespace kith

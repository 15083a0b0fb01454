// Matches from disk are those in memory, however the sets are read and divided.
#include <algorithm>

#include <kith/io/stored_match.hpp>

#include "small_slabs.hpp"
#include "support/expect_error.hpp"
#include "support/property.hpp"

namespace kith {
namespace {

using test::Draw;
using test::kDisk;
using test::SmallSlabs;

/// A set in memory that is read in parts.
class Dealt : public StoredMembers {
 public:
  std::vector<std::uint64_t> id;
  std::vector<std::int32_t> label;
  std::size_t count = 0, pieces = 1;

  std::size_t objects() const override { return count; }
  std::size_t parts() const override { return pieces; }
  void read(std::size_t part, std::vector<std::uint64_t>& ids,
            std::vector<std::int32_t>& labels) const override {
    const std::size_t n = id.size(), begin = n * part / pieces, end = n * (part + 1) / pieces;
    const auto cut = [&](const auto& all) {
      const std::size_t last = std::min(end, all.size());
      return std::vector(all.begin() + static_cast<std::ptrdiff_t>(begin),
                         all.begin() + static_cast<std::ptrdiff_t>(last));
    };
    ids = cut(id);
    labels = cut(label);
  }
  LabeledIds view() const { return {id, label, count}; }
};

/// Some IDs are members of several objects, some of none.
Dealt drawn_set(Draw& draw, std::size_t n) {
  Dealt set;
  set.count = 1 + draw.size(40);
  set.pieces = 1 + draw.below(5);
  const std::uint64_t spread = draw.one_of({std::uint64_t{1}, std::uint64_t{1} << 40});
  for (std::uint64_t id = 0; id < n; ++id) {
    const std::size_t times = draw.below(8) == 0 ? 3 : 1;
    std::vector<std::int32_t> objects;
    for (std::size_t k = 0; k < times; ++k) {
      const auto object = static_cast<std::int32_t>(draw.below(set.count + 1)) - 1;
      if (std::count(objects.begin(), objects.end(), object) > 0) continue;
      objects.push_back(object);
      set.id.push_back(id * spread);
      set.label.push_back(object);
    }
  }
  return set;
}

void expect_same_matches(const Matches& found, const Matches& expected) {
  EXPECT_EQ(found.best, expected.best);
  EXPECT_EQ(found.second, expected.second);
  EXPECT_EQ(found.score, expected.score);
  EXPECT_EQ(found.second_score, expected.second_score);
  EXPECT_EQ(found.shared, expected.shared);
}

void check_match(Draw& draw) {
  const Dealt a = drawn_set(draw, draw.size(400)), b = drawn_set(draw, draw.size(400));
  const MatchOptions options{
      .weight = draw.one_of({RankWeight::equal, RankWeight::inverse_rank, RankWeight::sqrt_rank}),
      .most_bound = draw.below(2) == 0 ? 0 : draw.below(10)};
  const Execution execution{.threads = draw.one_of({1, 2, 4})};
  const Match expected = match(a.view(), b.view(), options, execution);
  const SmallSlabs small(1 + draw.size(100), 1 + draw.size(100));
  const Match found = match(a, b, options, kDisk, execution);
  expect_same_matches(found.forward, expected.forward);
  expect_same_matches(found.reverse, expected.reverse);
}
TEST(StoredMatch, IsThatInMemory) { test::for_cases(200, check_match); }

TEST(StoredMatch, SetsMayBeEmpty) {
  const Dealt none;
  EXPECT_EQ(match(none, none, {}, kDisk).forward.size(), 0U);
  Dealt some;
  some.id = {5, 6};
  some.label = {0, 1};
  some.count = 2;
  EXPECT_EQ(match(some, none, {}, kDisk).forward.best, (std::vector<std::int32_t>{-1, -1}));
}

/// Other members each time.
class Moody : public Dealt {
 public:
  void read(std::size_t part, std::vector<std::uint64_t>& ids,
            std::vector<std::int32_t>& labels) const override {
    Dealt::read(part, ids, labels);
    if (++times_ > 1) labels.back() = 1 - labels.back();
  }

 private:
  mutable int times_ = 0;
};

TEST(StoredMatch, RefusesWhatCannotWork) {
  const auto filled = [](auto set, std::size_t n, std::size_t objects) {
    for (std::size_t i = 0; i < n; ++i) {
      set.id.push_back(i);
      set.label.push_back(static_cast<std::int32_t>(i % objects));
    }
    set.count = objects;
    return set;
  };
  const Dealt good = filled(Dealt(), 10, 2);
  const ErrorCode wrong = ErrorCode::invalid_argument;
  const auto find = [&](const StoredMembers& set, const DiskOptions& disk = kDisk) {
    return [&good, &set, disk] { match(good, set, {}, disk); };
  };
  Dealt twice = good;
  twice.id[2] = 0;  // of object 0, as the first one
  test::expect_error(wrong, "ID 0 is twice a member of object 0 of b", find(twice));
  Dealt beyond = good;
  beyond.label[3] = 2;
  test::expect_error(wrong, "2 is the largest of", find(beyond));
  beyond.count = 0;
  test::expect_error(wrong, "label 2 of b, which has no objects", find(beyond));
  Dealt uneven = good;
  uneven.label.pop_back();
  test::expect_error(wrong, "10 IDs and 9 labels for b", find(uneven));
  test::expect_error(wrong, "have changed while they were read", find(filled(Moody(), 10, 2)));
  DiskOptions resumed = kDisk;
  resumed.resume = true;
  test::expect_error(wrong, "leave out resume", find(good, resumed));
  test::expect_error(ErrorCode::out_of_memory, "2 and 2 objects need at least",
                     find(good, {.max_memory = 50'000'000}));
  test::expect_error(ErrorCode::out_of_memory, "object 0 of b has 1000000 members, which need",
                     find(filled(Dealt(), 1'000'000, 1), {.max_memory = 60'000'000}));
  test::expect_error(ErrorCode::io, "/no/such/folder: cannot be used for scratch files",
                     find(good, {.max_memory = kDisk.max_memory, .scratch = "/no/such/folder"}));
}

TEST(StoredMatch, StopsWhenItIsCancelled) {
  Dealt set;
  set.id = {1, 2};
  set.label = {0, 0};
  set.count = 1;
  const CancelToken token;
  token.cancel();
  test::expect_error(ErrorCode::cancelled, "",
                     [&] { match(set, set, {}, kDisk, {.cancel = &token}); });
}

}  // namespace
}  // namespace kith

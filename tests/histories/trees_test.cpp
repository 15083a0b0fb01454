// Links and trees against their definitions, and histories that were planted.
#include <map>
#include <numeric>

#include <kith/merger_trees.hpp>

#include "histories/brute.hpp"
#include "histories/match_support.hpp"
#include "support/expect_error.hpp"

namespace kith {
namespace {

using test::Draw;
using test::expect_error;
using test::LabeledSet;
using Rows = std::vector<std::int64_t>;

HaloLinks links_of(const std::vector<LabeledSet>& sets, const LinkOptions& options,
                   const Execution& execution = {}) {
  HaloLinker linker(options);
  for (const LabeledSet& set : sets) linker.add(set.view(), execution);
  return linker.links();
}

void expect_same_links(const HaloLinks& found, const HaloLinks& expected,
                       const std::string& where) {
  EXPECT_EQ(found.first, expected.first) << where;
  EXPECT_EQ(found.descendant, expected.descendant) << where;
  EXPECT_EQ(found.second, expected.second) << where;
  EXPECT_EQ(found.score, expected.score) << where;
  EXPECT_EQ(found.second_score, expected.second_score) << where;
  EXPECT_EQ(found.is_mutual, expected.is_mutual) << where;
  EXPECT_EQ(found.is_flyby, expected.is_flyby) << where;
  EXPECT_EQ(found.progenitor, expected.progenitor) << where;
  EXPECT_EQ(found.is_orphan, expected.is_orphan) << where;
  EXPECT_EQ(found.host, expected.host) << where;
}

void expect_same_trees(const MergerTrees& found, const MergerTrees& expected,
                       const std::string& where) {
  EXPECT_EQ(found.snapshots, expected.snapshots) << where;
  EXPECT_EQ(found.snapshot, expected.snapshot) << where;
  EXPECT_EQ(found.label, expected.label) << where;
  EXPECT_EQ(found.members, expected.members) << where;
  EXPECT_EQ(found.descendant, expected.descendant) << where;
  EXPECT_EQ(found.first_progenitor, expected.first_progenitor) << where;
  EXPECT_EQ(found.next_progenitor, expected.next_progenitor) << where;
  EXPECT_EQ(found.last_progenitor, expected.last_progenitor) << where;
  EXPECT_EQ(found.main_leaf, expected.main_leaf) << where;
  EXPECT_EQ(found.root, expected.root) << where;
  EXPECT_EQ(found.second, expected.second) << where;
  EXPECT_EQ(found.best_progenitor, expected.best_progenitor) << where;
  EXPECT_EQ(found.score, expected.score) << where;
  EXPECT_EQ(found.second_score, expected.second_score) << where;
  EXPECT_EQ(found.is_mutual, expected.is_mutual) << where;
  EXPECT_EQ(found.is_flyby, expected.is_flyby) << where;
  EXPECT_EQ(found.is_swap, expected.is_swap) << where;
  EXPECT_EQ(found.roots, expected.roots) << where;
  EXPECT_EQ(found.is_orphan, expected.is_orphan) << where;
  EXPECT_EQ(found.host, expected.host) << where;
}

/// The ratios of mergers of halos, and the last large merger of each, by (snapshot, label).
using Mergers = std::map<std::pair<std::int32_t, std::int32_t>, std::pair<double, std::int32_t>>;

Mergers mergers_of(const MergerTrees& trees) {
  std::vector<double> mass(trees.members.begin(), trees.members.end());
  const std::vector<double> ratios = merger_ratios(trees, mass);
  Mergers mergers;
  for (std::size_t row = 0; row < trees.size(); ++row) {
    if (!trees.is_orphan.empty() && trees.is_orphan[row]) continue;
    const std::int64_t last = last_merger_row(trees, ratios, static_cast<std::int64_t>(row), 0.5);
    mergers[{trees.snapshot[row], trees.label[row]}] = {
        ratios[row], last < 0 ? -1 : trees.snapshot[static_cast<std::size_t>(last)]};
  }
  return mergers;
}

void expect_same_mergers(const MergerTrees& a, const MergerTrees& b, const std::string& where) {
  EXPECT_EQ(mergers_of(a), mergers_of(b)) << where;
}

Rows some_members(Draw& draw, std::size_t halos) {
  Rows members(halos);
  for (std::int64_t& number : members) number = static_cast<std::int64_t>(draw.below(5));
  return members;
}

void check_links(Draw& draw) {
  std::vector<LabeledSet> sets(draw.below(6));
  std::vector<LabeledIds> views;
  for (LabeledSet& set : sets) {
    set = test::labeled_set(draw);
    views.push_back(set.view());
  }
  LinkOptions options{.reach = static_cast<int>(1 + draw.below(4))};
  options.match.weight = draw.one_of({RankWeight::equal, RankWeight::sqrt_rank});
  options.match.most_bound = draw.one_of<std::uint64_t>({0, 1, 3});
  const std::string where = "seed " + std::to_string(draw.seed);
  const HaloLinks expected = histories::brute_links(views, options);
  for (const int threads : {1, 3})
    expect_same_links(links_of(sets, options, {.threads = threads}), expected, where);
  const Rows members = some_members(draw, expected.size());
  for (const MainBranch rule : {MainBranch::history, MainBranch::score})
    expect_same_trees(merger_trees(expected, members, rule),
                      histories::brute_trees(expected, members, rule), where);
}

TEST(Trees, EqualTheDefinition) { test::for_cases(6000, check_links); }

/// With orphans, all links are those of the definition, and mergers those without.
void check_orphans(Draw& draw) {
  std::vector<LabeledSet> sets(draw.below(5));
  std::vector<LabeledIds> views;
  for (LabeledSet& set : sets) {
    set = test::labeled_set(draw);
    views.push_back(set.view());
  }
  const HaloLinks links = links_of(sets, {.reach = static_cast<int>(1 + draw.below(3))});
  const Rows members = some_members(draw, links.size());
  const std::string where = "seed " + std::to_string(draw.seed);
  for (const MainBranch rule : {MainBranch::history, MainBranch::score}) {
    const auto expected = histories::brute_orphans(views, links, members, rule);
    OrphanFollower follower(links, members, rule);
    for (const LabeledSet& set : sets) follower.add(set.view(), {.threads = 2});
    expect_same_links(follower.links(), expected.links, where);
    EXPECT_EQ(follower.members(), expected.members) << where;
    const MergerTrees without = merger_trees(links, members, rule);
    const MergerTrees with = merger_trees(expected.links, expected.members, rule);
    expect_same_trees(with, histories::brute_trees(expected.links, expected.members, rule), where);
    expect_same_mergers(with, without, where);
  }
}

TEST(Trees, WithOrphansEqualTheDefinition) { test::for_cases(2000, check_orphans); }

/// Earlier links stay.
TEST(Trees, ContinueEarlierLinks) {
  test::for_cases(200, [](Draw& draw) {
    std::vector<LabeledSet> sets(1 + draw.below(6));
    for (LabeledSet& set : sets) set = test::labeled_set(draw);
    const LinkOptions options{.reach = static_cast<int>(1 + draw.below(3))};
    const std::size_t half = draw.below(sets.size() + 1);
    const HaloLinks before =
        links_of({sets.begin(), sets.begin() + static_cast<long>(half)}, options);
    std::vector<LabeledIds> latest;
    for (std::size_t s = half - std::min(half, static_cast<std::size_t>(options.reach)); s < half;
         ++s)
      latest.push_back(sets[s].view());
    HaloLinker linker(options, before, latest);
    for (std::size_t s = half; s < sets.size(); ++s) linker.add(sets[s].view());
    expect_same_links(linker.links(), links_of(sets, options), "seed " + std::to_string(draw.seed));
  });
}

/// A history: the IDs of each halo at each time.
using Snapshots = std::vector<std::vector<std::vector<int>>>;

struct Planted {
  HaloLinks links;
  MergerTrees trees;

  explicit Planted(const Snapshots& snapshots, int reach = 3,
                   MainBranch rule = MainBranch::history) {
    HaloLinker linker({.reach = reach});
    Rows members;
    for (const auto& halos : snapshots) {
      LabeledSet set;
      for (std::size_t h = 0; h < halos.size(); ++h) {
        for (const int id : halos[h]) set.add(static_cast<std::uint64_t>(id), static_cast<int>(h));
        members.push_back(static_cast<std::int64_t>(halos[h].size()));
      }
      linker.add({set.id, set.label, halos.size()});
    }
    links = linker.links();
    trees = merger_trees(links, members, rule);
  }
};

std::vector<int> ids(int begin, int end) {
  std::vector<int> all(static_cast<std::size_t>(end - begin));
  std::iota(all.begin(), all.end(), begin);
  return all;
}

std::vector<int> joined(std::vector<int> a, const std::vector<int>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

TEST(Trees, AMergerHasTwoProgenitors) {
  const auto large = ids(0, 10), small = ids(10, 14);
  const Planted planted({{large, small}, {large, small}, {joined(large, small)}});
  EXPECT_EQ(planted.links.descendant, (Rows{2, 3, 4, 4, -1}));
  const MergerTrees& t = planted.trees;
  EXPECT_EQ(t.snapshot, (std::vector<std::int32_t>{2, 1, 0, 1, 0}));
  EXPECT_EQ(t.label, (std::vector<std::int32_t>{0, 0, 0, 1, 1}));
  EXPECT_EQ(t.descendant, (Rows{-1, 0, 1, 0, 3}));
  EXPECT_EQ(t.first_progenitor, (Rows{1, 2, -1, 4, -1}));
  EXPECT_EQ(t.next_progenitor, (Rows{-1, 3, -1, -1, -1}));
  EXPECT_EQ(t.last_progenitor, (Rows{4, 2, 2, 4, 4}));
  EXPECT_EQ(t.main_leaf, (Rows{2, 2, 2, 4, 4}));
  EXPECT_EQ(t.roots, (Rows{0}));
  const std::vector<double> mass{14, 10, 10, 4, 5};
  EXPECT_EQ(merger_ratios(t, mass), (std::vector<double>{0, 0, 0, 0.5, 0}));
  EXPECT_EQ(last_merger_row(t, merger_ratios(t, mass), 0), 0);
  EXPECT_EQ(last_merger_row(t, merger_ratios(t, mass), 0, 0.6), -1);
  EXPECT_EQ(last_merger_row(t, merger_ratios(t, mass), 1), -1);
  EXPECT_EQ(half_mass_row(t, mass, 0), 2);
  EXPECT_EQ(half_mass_row(t, {{14, 10, 6, 4, 4}}, 0), 1);
}

/// A halo that is missing at one time, or at two, is linked over the gap; within reach alone.
TEST(Trees, AHaloThatVanishesIsFoundAgain) {
  const auto large = ids(0, 10), small = ids(10, 14);
  const Snapshots gone{{large, small}, {large}, {large}, {large, small}};
  EXPECT_EQ(Planted(gone).links.descendant, (Rows{2, 5, 3, 4, -1, -1}));
  EXPECT_EQ(Planted(gone).links.is_flyby, (std::vector<std::uint8_t>(6, 0)));
  EXPECT_EQ(Planted(gone, 2).links.descendant, (Rows{2, -1, 3, 4, -1, -1}));
}

/// While one passes through the other, its particles are counted to the other one.
TEST(Trees, APassageIsNoMerger) {
  const auto large = ids(0, 10), small = ids(10, 14);
  const Planted planted({{large, small}, {joined(large, small)}, {large, small}});
  EXPECT_EQ(planted.links.descendant, (Rows{2, 4, 3, -1, -1}));
  EXPECT_EQ(planted.links.is_flyby, (std::vector<std::uint8_t>{0, 1, 0, 0, 0}));
  EXPECT_EQ(planted.links.is_mutual, (std::vector<std::uint8_t>{1, 1, 1, 0, 0}));
  const Planted direct({{large, small}, {joined(large, small)}, {large, small}}, 1);
  EXPECT_EQ(direct.links.descendant, (Rows{2, 2, 3, -1, -1}));
}

/// A link over a gap does not take what a link from a later snapshot has.
TEST(Trees, ADirectLinkIsPreferred) {
  const auto body = ids(0, 10), part = ids(10, 14);
  // Half of the small halo is part of the large one for a while; the other half finds it again.
  const Planted planted({{body, part},
                         {joined(body, ids(10, 12)), ids(12, 14)},
                         {body, joined(ids(12, 14), ids(10, 12))}});
  EXPECT_EQ(planted.links.descendant, (Rows{2, 2, 4, 5, -1, -1}));
  EXPECT_EQ(planted.links.is_mutual, (std::vector<std::uint8_t>{1, 0, 1, 1, 0, 0}));
}

/// Two halos whose sizes change places keep their main branches; the score sees another one.
TEST(Trees, SwapsAreFlagged) {
  const auto a = ids(0, 12), b = ids(12, 20);
  // The center of the merged halo is that of the smaller one.
  const Planted merged({{a, b}, {joined(b, a)}});
  EXPECT_EQ(merged.links.descendant, (Rows{2, 2, -1}));
  EXPECT_EQ(merged.trees.label[1], 0);
  EXPECT_EQ(merged.trees.is_swap[0], 1);
  const Planted longer({{a, b}, {a, b}, {joined(b, ids(0, 5)), ids(5, 12)}});
  EXPECT_EQ(longer.links.descendant, (Rows{2, 3, 4, 4, -1, -1}));
  EXPECT_EQ(longer.trees.first_progenitor[0], 1);
  EXPECT_EQ(longer.trees.label[1], 0);  // the longest history
  EXPECT_EQ(longer.trees.is_swap[0], 1);
  const Planted by_score({{a, b}, {a, b}, {joined(b, ids(0, 5)), ids(5, 12)}}, 3,
                         MainBranch::score);
  EXPECT_EQ(by_score.trees.label[1], 1);
  EXPECT_EQ(by_score.trees.is_swap[0], 0);
}

TEST(Trees, OfNothingAreEmpty) {
  EXPECT_EQ(merger_trees({}, {}).size(), 0);
  const Planted planted(Snapshots{{}, {ids(0, 3)}, {}});
  EXPECT_EQ(planted.links.descendant, Rows{-1});
  EXPECT_EQ(planted.trees.roots, Rows{0});
}

TEST(Trees, RefuseWhatTheyCannotLink) {
  expect_error(ErrorCode::invalid_argument, "trees: reach = 0", [] { HaloLinker({.reach = 0}); });
  HaloLinks links = Planted(Snapshots{{ids(0, 3)}, {ids(0, 3)}}).links;
  expect_error(ErrorCode::invalid_argument, "trees: 0 snapshots to continue from; give the last 2",
               [&] { HaloLinker({}, links, {}); });
  const Rows members{3, 3};
  links.descendant[1] = 0;
  expect_error(ErrorCode::invalid_argument,
               "trees: the descendant of halo 0 of snapshot 1 is not in a later snapshot",
               [&] { merger_trees(links, members); });
  links.descendant.push_back(-1);
  expect_error(ErrorCode::invalid_argument, "trees: 3 descendants and 2 numbers of members",
               [&] { merger_trees(links, members); });
  expect_error(ErrorCode::invalid_argument, "half_mass_row: row 7 of trees with 0 rows",
               [] { half_mass_row({}, {}, 7); });
}

TEST(Trees, CanBeCancelled) {
  LabeledSet set;
  for (int i = 0; i < 1000; ++i) set.add(static_cast<std::uint64_t>(i), i);
  const CancelToken cancel;
  HaloLinker linker;
  linker.add(set.view());
  cancel.cancel();
  expect_error(ErrorCode::cancelled, "trees", [&] { linker.add(set.view(), {.cancel = &cancel}); });
  linker.add(set.view());
  EXPECT_EQ(linker.links().snapshots(), 2);
  EXPECT_EQ(linker.links().descendant[5], 1005);
}

}  // namespace
}  // namespace kith

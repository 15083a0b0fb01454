// The first k of some candidates, and the bound that enough points lie before.
#include "walk/k_smallest.hpp"

#include <gtest/gtest.h>
#include <random>

#include "support/property.hpp"
#include "tree/planes_view.hpp"
#include "walk/node_bound.hpp"

namespace kith {
namespace {

using test::Draw;

std::vector<Candidate<float>> draw_candidates(Draw& draw) {
  std::vector<Candidate<float>> all(draw.size(300));
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = {static_cast<float>(draw.below(12)), static_cast<std::uint32_t>(i)};
  std::shuffle(all.begin(), all.end(), draw.random);
  return all;
}

void check_k_smallest(Draw& draw) {
  auto all = draw_candidates(draw);
  const std::size_t k = draw.one_of<std::size_t>({0, 1, 2, 16, 64, 65, 200});
  const Candidate<float> limit{static_cast<float>(draw.below(14)), kNoIndex};
  KSmallest<float> first;
  first.reset(k, limit);
  for (const auto& candidate : all)
    if (first.wants(candidate)) first.add(candidate);
  std::erase_if(all, [&](const auto& candidate) { return limit < candidate; });
  std::sort(all.begin(), all.end());
  all.resize(std::min(k, all.size()));
  const auto& found = first.sorted();
  ASSERT_EQ(found.size(), all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    ASSERT_EQ(found[i].key, all[i].key);
    ASSERT_EQ(found[i].index, all[i].index);
  }
}

TEST(KSmallest, IsTheFirstOfTheSortedCandidates) { test::for_cases(2000, check_k_smallest); }

/// The definition: nodes in the order of their ends, until they hold enough.
void check_nodes(Draw& draw) {
  struct Node {
    Candidate<float> end;
    std::size_t points;
  };
  std::vector<Node> nodes;
  for (const auto& end : draw_candidates(draw)) nodes.push_back({end, 1 + draw.below(9)});
  const std::size_t need = draw.size(500);
  const Candidate<float> limit{static_cast<float>(draw.below(14)), kNoIndex};
  NodeBound<float> first;
  first.reset(need, limit);
  for (const Node& node : nodes)
    if (first.wants(node.end)) first.add(node.end, node.points);
  std::sort(nodes.begin(), nodes.end(), [](const Node& a, const Node& b) { return a.end < b.end; });
  Candidate<float> expected = limit;
  std::size_t held = 0;
  for (const Node& node : nodes) {
    if (limit < node.end) break;
    held += node.points;
    if (held < need) continue;
    expected = node.end;
    break;
  }
  ASSERT_EQ(first.last().key, expected.key);
  ASSERT_EQ(first.last().index, expected.index);
}

TEST(NodeBound, EndWhereEnoughPointsAreHeld) { test::for_cases(2000, check_nodes); }

}  // namespace
}  // namespace kith

#include "merger_files/tree_chains.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <unordered_map>

namespace kith::io {
namespace {

using Numbers = std::vector<std::int64_t>;

std::size_t place_of(std::int64_t number) { return static_cast<std::size_t>(number); }

Numbers all_rows(const MergerTrees& trees) {
  Numbers row(trees.size());
  std::iota(row.begin(), row.end(), 0);
  return row;
}

/// Sets of rows that are joined one by one; the lowest row is the name of a set.
class JoinedRows {
 public:
  explicit JoinedRows(const MergerTrees& trees) : parent_(all_rows(trees)) {}

  std::int64_t find(std::int64_t row) {
    while (parent_[place_of(row)] != row)
      row = parent_[place_of(row)] = parent_[place_of(parent_[place_of(row)])];
    return row;
  }
  void join(std::int64_t a, std::int64_t b) {
    if (b < 0) return;
    a = find(a);
    b = find(b);
    parent_[place_of(std::max(a, b))] = std::min(a, b);
  }

 private:
  Numbers parent_;
};

}  // namespace

GroupChains::GroupChains(const MergerTrees& trees, const Numbers& group)
    : first(all_rows(trees)), next(trees.size(), -1) {
  if (group.size() != trees.size()) return;
  Numbers row = first;
  const auto key = [&](std::int64_t r) {
    return std::tuple(trees.snapshot[place_of(r)], group[place_of(r)], trees.label[place_of(r)]);
  };
  std::sort(row.begin(), row.end(),
            [&](std::int64_t a, std::int64_t b) { return key(a) < key(b); });
  for (std::size_t k = 1; k < row.size(); ++k) {
    const std::size_t here = place_of(row[k]), before = place_of(row[k - 1]);
    if (group[here] < 0 || group[here] != group[before] ||
        trees.snapshot[here] != trees.snapshot[before])
      continue;
    first[here] = first[before];
    next[before] = row[k];
  }
}

Chains::Chains(const MergerTrees& trees, const Numbers& target)
    : first(trees.size(), -1), next(trees.size(), -1) {
  const auto key = [&](std::int64_t r) {
    return std::pair(-trees.snapshot[place_of(r)], trees.label[place_of(r)]);
  };
  Numbers row = all_rows(trees);
  std::sort(row.begin(), row.end(),
            [&](std::int64_t a, std::int64_t b) { return key(b) < key(a); });
  for (const std::int64_t r : row) {  // the first of a chain comes last
    const std::int64_t to = target[place_of(r)];
    if (to < 0) continue;
    next[place_of(r)] = first[place_of(to)];
    first[place_of(to)] = r;
  }
}

JoinedTrees::JoinedTrees(const MergerTrees& trees, const GroupChains& groups,
                         const std::vector<std::uint64_t>& most_bound_id)
    : row(all_rows(trees)), file_row(trees.size()), number(trees.size()) {
  JoinedRows joined(trees);
  for (std::size_t r = 0; r < trees.size(); ++r)
    for (const std::int64_t other : {trees.root[r], groups.first[r], trees.best_progenitor[r]})
      joined.join(static_cast<std::int64_t>(r), other);
  for (std::size_t r = 0; r < trees.host.size(); ++r)
    joined.join(static_cast<std::int64_t>(r), trees.host[r]);
  std::unordered_map<std::uint64_t, std::int64_t> row_of_id;
  for (std::size_t r = 0; r < most_bound_id.size(); ++r) {
    const auto here = static_cast<std::int64_t>(r);
    joined.join(here, row_of_id.try_emplace(most_bound_id[r], here).first->second);
  }
  Numbers name(trees.size());
  for (std::size_t r = 0; r < trees.size(); ++r)
    name[r] = joined.find(static_cast<std::int64_t>(r));
  std::stable_sort(row.begin(), row.end(), [&](std::int64_t a, std::int64_t b) {
    return name[place_of(a)] < name[place_of(b)];
  });
  for (std::size_t k = 0; k < row.size(); ++k) {
    if (k == 0 || name[place_of(row[k])] != name[place_of(row[k - 1])]) {
      start.push_back(static_cast<std::int64_t>(k));
      length.push_back(0);
    }
    file_row[place_of(row[k])] = static_cast<std::int64_t>(k);
    number[place_of(row[k])] = length.back()++;
    tree.push_back(static_cast<std::int64_t>(length.size()) - 1);
  }
}

}  // namespace kith::io

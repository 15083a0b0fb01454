// Merger trees: progenitors in order, and halos depth first.
//
// A descendant has a larger number than its progenitors, so loops over all numbers meet progenitors
// first, or descendants first in the other direction; no recursion is needed.
#include <algorithm>
#include <functional>
#include <numeric>

#include <kith/merger_trees.hpp>

#include "base/fail.hpp"
#include "histories/in_order.hpp"
#include "parallel/pieces.hpp"
#include "parallel/public_call.hpp"

namespace kith {
namespace {

using Numbers = std::vector<std::int64_t>;

std::size_t at(std::int64_t number) { return static_cast<std::size_t>(number); }

void check_links(const HaloLinks& links, std::span<const std::int64_t> members) {
  const std::size_t n = links.size();
  const bool is_complete = !links.first.empty() && links.first.front() == 0 &&
                           links.first.back() == static_cast<std::int64_t>(n) &&
                           std::is_sorted(links.first.begin(), links.first.end());
  if (!is_complete || members.size() != n || links.second.size() != n || links.score.size() != n ||
      links.second_score.size() != n || links.is_mutual.size() != n || links.is_flyby.size() != n ||
      links.progenitor.size() != n || (!links.host.empty() && links.host.size() != n) ||
      links.is_orphan.size() != links.host.size())
    refuse("trees: {} descendants and {} numbers of members; all arrays must have a row per halo",
           n, members.size());
}

/// The snapshot of each halo; errors if a descendant is not later.
std::vector<std::int32_t> snapshots_of(const Workers& workers, const HaloLinks& links) {
  std::vector<std::int32_t> snapshot(links.size());
  for (std::size_t s = 0; s < links.snapshots(); ++s)
    std::fill(snapshot.begin() + links.first[s], snapshot.begin() + links.first[s + 1],
              static_cast<std::int32_t>(s));
  for_each_in_order(workers, links.size(), [&](std::size_t i) {
    const std::int64_t to = links.descendant[i];
    const bool is_known = to < static_cast<std::int64_t>(links.size());
    if (!is_known || (to >= 0 && snapshot[at(to)] <= snapshot[i]))
      refuse("trees: the descendant of halo {} of snapshot {} is not in a later snapshot",
             static_cast<std::int64_t>(i) - links.first[at(snapshot[i])], snapshot[i]);
  });
  return snapshot;
}

/// Whether the first of two progenitors of one halo comes before the second.
using ComesFirst = std::function<bool(std::size_t, std::size_t)>;

/// Progenitors by descendant, the main one first.
class Progenitors {
 public:
  Progenitors(const Workers& workers, const HaloLinks& links, const ComesFirst& comes_first) {
    offset_.assign(links.size() + 1, 0);
    for_each_in_order(workers, links.size(), [&](std::size_t i) {
      if (links.descendant[i] >= 0) ++offset_[at(links.descendant[i]) + 1];
    });
    std::partial_sum(offset_.begin(), offset_.end(), offset_.begin());
    halos_.resize(offset_.back());
    std::vector<std::size_t> next(offset_.begin(), offset_.end() - 1);
    // The latest snapshot first; the stable sort below keeps this order of equal ones.
    for (std::size_t s = links.snapshots(); s-- > 0;)
      for (std::int64_t i = links.first[s]; i < links.first[s + 1]; ++i)
        if (const std::int64_t to = links.descendant[at(i)]; to >= 0) halos_[next[at(to)]++] = i;
    const auto place = [&](std::size_t i) {
      return halos_.begin() + static_cast<std::ptrdiff_t>(offset_[i]);
    };
    for_each_in_order(workers, links.size(), [&](std::size_t i) {
      std::stable_sort(place(i), place(i + 1),
                       [&](std::int64_t x, std::int64_t y) { return comes_first(at(x), at(y)); });
    });
  }

  std::span<const std::int64_t> of(std::size_t halo) const {
    return std::span(halos_).subspan(offset_[halo], offset_[halo + 1] - offset_[halo]);
  }

 private:
  std::vector<std::size_t> offset_;
  Numbers halos_;
};

/// The members of each halo, with those of its progenitors where there are most.
Numbers histories_of(const Workers& workers, const HaloLinks& links,
                     std::span<const std::int64_t> members) {
  Numbers history(members.begin(), members.end()), longest(links.size(), 0);
  for_each_in_order(workers, links.size(), [&](std::size_t i) {
    history[i] += longest[i];
    if (links.descendant[i] < 0) return;
    std::int64_t& most = longest[at(links.descendant[i])];
    most = std::max(most, history[i]);
  });
  return history;
}

ComesFirst by_history(Numbers history) {
  return [history = std::move(history)](std::size_t a, std::size_t b) {
    return history[a] > history[b];
  };
}

ComesFirst by_score(const HaloLinks& links) {
  return [&links](std::size_t a, std::size_t b) {
    if (links.is_mutual[a] != links.is_mutual[b]) return links.is_mutual[a] > links.is_mutual[b];
    return links.score[a] > links.score[b];
  };
}

/// Halos without a descendant, the latest snapshot first.
Numbers roots_of(const HaloLinks& links) {
  Numbers roots;
  for (std::size_t s = links.snapshots(); s-- > 0;)
    for (std::int64_t i = links.first[s]; i < links.first[s + 1]; ++i)
      if (links.descendant[at(i)] < 0) roots.push_back(i);
  return roots;
}

/// The halos of each subtree, with its root.
Numbers subtree_sizes(const Workers& workers, const HaloLinks& links) {
  Numbers size(links.size(), 1);
  for_each_in_order(workers, links.size(), [&](std::size_t i) {
    if (links.descendant[i] >= 0) size[at(links.descendant[i])] += size[i];
  });
  return size;
}

/// Where halos are in depth-first order.
Numbers depth_first_rows(const Workers& workers, const Numbers& roots, const Numbers& size,
                         const Progenitors& progenitors) {
  Numbers row(size.size());
  std::int64_t next = 0;
  for (const std::int64_t root : roots) {
    row[at(root)] = next;
    next += size[at(root)];
  }
  for_each_in_order(workers, row.size(), [&](std::size_t k) {
    const std::size_t halo = row.size() - 1 - k;  // descendants first
    std::int64_t place = row[halo] + 1;
    for (const std::int64_t progenitor : progenitors.of(halo)) {
      row[at(progenitor)] = place;
      place += size[at(progenitor)];
    }
  });
  return row;
}

/// Fills the columns of trees, row by row.
class Arrangement {
 public:
  Arrangement(const HaloLinks& links, const Numbers& row, MergerTrees& trees)
      : links_(links), row_(row), trees_(trees) {}

  void resize() {
    const std::size_t n = links_.size();
    trees_.snapshots = links_.snapshots();
    for (auto* column : {&trees_.snapshot, &trees_.label}) column->resize(n);
    for (auto* column : {&trees_.members, &trees_.descendant, &trees_.first_progenitor,
                         &trees_.next_progenitor, &trees_.last_progenitor, &trees_.main_leaf,
                         &trees_.root, &trees_.second, &trees_.best_progenitor})
      column->assign(n, -1);
    for (auto* column : {&trees_.score, &trees_.second_score}) column->resize(n);
    for (auto* column : {&trees_.is_mutual, &trees_.is_flyby, &trees_.is_swap}) column->resize(n);
    trees_.host.assign(links_.host.size(), -1);
    trees_.is_orphan.resize(links_.host.size());
  }

  /// The columns of one halo alone.
  void put(std::size_t halo, std::int32_t snapshot, std::int64_t members, std::int64_t size) {
    const std::size_t row = at(row_[halo]);
    trees_.snapshot[row] = snapshot;
    trees_.label[row] =
        static_cast<std::int32_t>(static_cast<std::int64_t>(halo) - links_.first[at(snapshot)]);
    trees_.members[row] = members;
    trees_.descendant[row] = row_of(links_.descendant[halo]);
    trees_.last_progenitor[row] = row_[halo] + size - 1;
    trees_.second[row] = row_of(links_.second[halo]);
    trees_.best_progenitor[row] = row_of(links_.progenitor[halo]);
    trees_.score[row] = links_.score[halo];
    trees_.second_score[row] = links_.second_score[halo];
    trees_.is_mutual[row] = links_.is_mutual[halo];
    trees_.is_flyby[row] = links_.is_flyby[halo];
    if (links_.host.empty()) return;
    trees_.host[row] = row_of(links_.host[halo]);
    trees_.is_orphan[row] = links_.is_orphan[halo];
  }

  void connect(std::size_t halo, std::span<const std::int64_t> progenitors) {
    const std::size_t row = at(row_[halo]);
    if (progenitors.empty()) return;
    trees_.first_progenitor[row] = row_[at(progenitors.front())];
    for (std::size_t k = 1; k < progenitors.size(); ++k)
      trees_.next_progenitor[at(row_[at(progenitors[k - 1])])] = row_[at(progenitors[k])];
    const std::int64_t best = links_.progenitor[halo];
    trees_.is_swap[row] =
        best >= 0 && best != progenitors.front() &&
        trees_.snapshot[at(row_[at(best)])] == trees_.snapshot[at(row_[at(progenitors.front())])];
  }

  /// Rows from the last to the first: ends of main branches; from the first to the last: roots.
  void finish(const Workers& workers, const Numbers& roots) {
    const std::size_t n = trees_.size();
    for_each_in_order(workers, n, [&](std::size_t k) {
      const std::size_t row = n - 1 - k;
      const std::int64_t main = trees_.first_progenitor[row];
      trees_.main_leaf[row] =
          main < 0 ? static_cast<std::int64_t>(row) : trees_.main_leaf[at(main)];
    });
    for (const std::int64_t root : roots) {
      const std::int64_t row = row_[at(root)];
      trees_.roots.push_back(row);
      std::fill(trees_.root.begin() + row,
                trees_.root.begin() + trees_.last_progenitor[at(row)] + 1, row);
    }
  }

 private:
  std::int64_t row_of(std::int64_t halo) const { return halo < 0 ? -1 : row_[at(halo)]; }
  const HaloLinks& links_;
  const Numbers& row_;
  MergerTrees& trees_;
};

MergerTrees arranged(const Workers& workers, const HaloLinks& links,
                     std::span<const std::int64_t> members, const ComesFirst& comes_first) {
  const std::vector<std::int32_t> snapshot = snapshots_of(workers, links);
  const Progenitors progenitors(workers, links, comes_first);
  const Numbers roots = roots_of(links), size = subtree_sizes(workers, links);
  const Numbers row = depth_first_rows(workers, roots, size, progenitors);
  MergerTrees trees;
  Arrangement arrangement(links, row, trees);
  arrangement.resize();
  for_each_in_order(workers, links.size(),
                    [&](std::size_t i) { arrangement.put(i, snapshot[i], members[i], size[i]); });
  for_each_in_order(workers, links.size(),
                    [&](std::size_t i) { arrangement.connect(i, progenitors.of(i)); });
  arrangement.finish(workers, roots);
  return trees;
}

void check_masses(const char* call, const MergerTrees& trees, std::size_t numbers) {
  if (numbers != trees.size())
    refuse("{}: {} numbers for {} halos; give one for each row", call, numbers, trees.size());
}

void check_row(const char* call, const MergerTrees& trees, std::int64_t row) {
  if (row < 0 || row >= static_cast<std::int64_t>(trees.size()))
    refuse("{}: row {} of trees with {} rows", call, row, trees.size());
}

}  // namespace

const char* name(MainBranch rule) { return rule == MainBranch::history ? "history" : "score"; }

double MergerTrees::margin(std::size_t row) const {
  return descendant[row] < 0 || !(score[row] > 0) ? 0 : 1 - second_score[row] / score[row];
}

std::int64_t MergerTrees::linked_to(std::size_t row) const {
  if (host.empty()) return descendant[row];
  if (is_orphan[row]) return -1;
  const std::int64_t to = descendant[row];
  return to >= 0 && is_orphan[at(to)] ? host[row] : to;
}

MergerTrees merger_trees(const HaloLinks& links, std::span<const std::int64_t> members,
                         MainBranch rule, const Execution& execution) {
  return public_call("trees", execution, [&](Workers& workers) {
    check_links(links, members);
    const Stage stage(workers, "arrange", 1);
    return arranged(workers, links, members,
                    rule == MainBranch::history ? by_history(histories_of(workers, links, members))
                                                : by_score(links));
  });
}

MergerTrees histories::merger_trees_in_order(const HaloLinks& links,
                                             std::span<const std::int64_t> members,
                                             std::span<const std::int64_t> order) {
  return public_call("trees", Execution{}, [&](Workers& workers) {
    check_links(links, members);
    return arranged(workers, links, members,
                    [&](std::size_t a, std::size_t b) { return order[a] < order[b]; });
  });
}

std::vector<double> merger_ratios(const MergerTrees& trees, std::span<const double> mass) {
  return public_call("trees", [&] {
    check_masses("merger_ratios", trees, mass.size());
    std::vector<double> peak(mass.begin(), mass.end()), ratio(mass.size(), 0);
    for (std::size_t row = peak.size(); row-- > 0;)
      if (const std::int64_t main = trees.first_progenitor[row]; main >= 0)
        peak[row] = std::max(peak[row], peak[at(main)]);
    for (std::size_t row = 0; row < peak.size(); ++row) {
      const std::int64_t into = trees.linked_to(row);
      if (into < 0 || trees.first_progenitor[at(into)] < 0) continue;
      const std::size_t main = at(trees.first_progenitor[at(into)]);
      if (main != row && peak[main] > 0) ratio[row] = peak[row] / peak[main];
    }
    return ratio;
  });
}

std::int64_t half_mass_row(const MergerTrees& trees, std::span<const double> mass,
                           std::int64_t row) {
  return public_call("trees", [&] {
    check_masses("half_mass_row", trees, mass.size());
    check_row("half_mass_row", trees, row);
    for (std::int64_t earlier = trees.main_leaf[at(row)]; earlier > row; --earlier)
      if (mass[at(earlier)] >= mass[at(row)] / 2) return earlier;
    return row;
  });
}

std::int64_t last_merger_row(const MergerTrees& trees, std::span<const double> ratios,
                             std::int64_t row, double least) {
  return public_call("trees", [&]() -> std::int64_t {
    check_masses("last_merger_row", trees, ratios.size());
    check_row("last_merger_row", trees, row);
    const std::int64_t leaf = trees.main_leaf[at(row)];
    std::int64_t latest = leaf + 1;
    const auto meet = [&](std::size_t merger) {
      const std::int64_t into = ratios[merger] >= least ? trees.linked_to(merger) : -1;
      if (into < row || into > leaf) return;
      if (trees.first_progenitor[at(into)] != static_cast<std::int64_t>(merger))
        latest = std::min(latest, into);
    };
    // Mergers are among the progenitors; with orphans, they are anywhere.
    const bool is_anywhere = !trees.host.empty();
    const std::size_t end = is_anywhere ? trees.size() : at(trees.last_progenitor[at(row)]) + 1;
    for (std::size_t merger = is_anywhere ? 0 : at(row); merger < end; ++merger) meet(merger);
    return latest > leaf ? -1 : latest;
  });
}

}  // namespace kith

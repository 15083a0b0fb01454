#include <algorithm>

#include "histories/brute.hpp"

namespace kith::histories {
namespace {

std::size_t place(std::int64_t number) { return static_cast<std::size_t>(number); }

/// The links from one snapshot to another, with the snapshots in between.
class BruteLinks {
 public:
  BruteLinks(std::span<const LabeledIds> snapshots, const LinkOptions& options)
      : snapshots_(snapshots), options_(options) {
    for (const LabeledIds& halos : snapshots) {
      const auto none = std::max_element(halos.label.begin(), halos.label.end());
      const std::size_t count = halos.objects > 0           ? halos.objects
                                : none == halos.label.end() ? 0
                                                            : static_cast<std::size_t>(*none + 1);
      links_.first.push_back(links_.first.back() + static_cast<std::int64_t>(count));
    }
    const auto n = place(links_.first.back());
    links_.descendant = links_.second = links_.progenitor = std::vector<std::int64_t>(n, -1);
    links_.score = links_.second_score = std::vector<double>(n, 0);
    links_.is_mutual = links_.is_flyby = std::vector<std::uint8_t>(n, 0);
  }

  HaloLinks links() {
    // From the last snapshot back: claims from snapshots in between are known.
    for (std::size_t s = snapshots_.size(); s-- > 0;) {
      const std::size_t reach = place(options_.reach);
      for (std::size_t t = std::min(s + reach, snapshots_.size() - 1); t > s; --t) merge(s, t);
      for (std::size_t t = s + 1; t <= s + reach && t < snapshots_.size(); ++t) find_mutual(s, t);
    }
    return links_;
  }

 private:
  /// Links without mutuality; the nearest snapshot comes last and stays.
  void merge(std::size_t s, std::size_t t) {
    const Match match = brute_match(snapshots_[s], snapshots_[t], options_.match);
    for (std::size_t h = 0; h < match.forward.size(); ++h)
      if (match.forward.best[h] >= 0) put(s, t, h, match.forward);
    if (t != s + 1) return;
    for (std::size_t h = 0; h < match.reverse.size(); ++h)
      if (match.reverse.best[h] >= 0)
        links_.progenitor[place(links_.first[t]) + h] = links_.first[s] + match.reverse.best[h];
  }

  void find_mutual(std::size_t s, std::size_t t) {
    const Match match = brute_match(snapshots_[s], snapshots_[t], options_.match);
    for (std::size_t h = 0; h < match.forward.size(); ++h) {
      const std::int32_t best = match.forward.best[h];
      const std::size_t halo = place(links_.first[s]) + h;
      if (best < 0 || links_.is_mutual[halo]) continue;
      if (match.reverse.best[place(best)] != static_cast<std::int32_t>(h)) continue;
      if (is_claimed_between(s, links_.first[t] + best)) continue;
      const std::int64_t merged = links_.descendant[halo];
      links_.is_flyby[halo] = merged >= 0 && merged < links_.first[t];
      links_.is_mutual[halo] = 1;
      put(s, t, h, match.forward);
    }
  }

  bool is_claimed_between(std::size_t s, std::int64_t descendant) const {
    for (std::size_t i = place(links_.first[s + 1]); i < links_.descendant.size(); ++i)
      if (links_.is_mutual[i] && links_.descendant[i] == descendant) return true;
    return false;
  }

  void put(std::size_t s, std::size_t t, std::size_t h, const Matches& matches) {
    const std::size_t halo = place(links_.first[s]) + h;
    links_.descendant[halo] = links_.first[t] + matches.best[h];
    links_.second[halo] = matches.second[h] < 0 ? -1 : links_.first[t] + matches.second[h];
    links_.score[halo] = matches.score[h];
    links_.second_score[halo] = matches.second_score[h];
  }

  std::span<const LabeledIds> snapshots_;
  LinkOptions options_;
  HaloLinks links_;
};

/// Walks down the trees and writes a row for each halo that it meets.
class BruteTrees {
 public:
  BruteTrees(const HaloLinks& links, std::span<const std::int64_t> members, MainBranch rule)
      : links_(links), members_(members), rule_(rule), row_(links.size(), -1) {}

  MergerTrees trees() {
    trees_.snapshots = links_.snapshots();
    for (std::size_t s = links_.snapshots(); s-- > 0;)
      for (std::int64_t i = links_.first[s]; i < links_.first[s + 1]; ++i)
        if (links_.descendant[place(i)] < 0) {
          const auto root = static_cast<std::int64_t>(trees_.size());
          trees_.roots.push_back(root);
          visit(i, root, -1);
        }
    for (std::size_t row = 0; row < trees_.size(); ++row) finish(row);
    return trees_;
  }

 private:
  std::int32_t snapshot(std::int64_t i) const {
    const auto after = std::upper_bound(links_.first.begin(), links_.first.end(), i);
    return static_cast<std::int32_t>(after - links_.first.begin() - 1);
  }

  std::int64_t history(std::int64_t i) const {
    std::int64_t longest = 0;
    for (const std::int64_t p : progenitors(i)) longest = std::max(longest, history(p));
    return members_[place(i)] + longest;
  }

  std::vector<std::int64_t> progenitors(std::int64_t i) const {
    std::vector<std::int64_t> found;
    for (std::size_t p = 0; p < links_.size(); ++p)
      if (links_.descendant[p] == i) found.push_back(static_cast<std::int64_t>(p));
    return found;
  }

  bool comes_first(std::int64_t a, std::int64_t b) const {
    const std::size_t x = place(a), y = place(b);
    if (rule_ == MainBranch::history && history(a) != history(b)) return history(a) > history(b);
    if (rule_ == MainBranch::score && links_.is_mutual[x] != links_.is_mutual[y])
      return links_.is_mutual[x] != 0;
    if (rule_ == MainBranch::score && links_.score[x] != links_.score[y])
      return links_.score[x] > links_.score[y];
    return snapshot(a) != snapshot(b) ? snapshot(a) > snapshot(b) : a < b;
  }

  void visit(std::int64_t i, std::int64_t root, std::int64_t descendant) {
    const std::size_t row = trees_.size();
    row_[place(i)] = static_cast<std::int64_t>(row);
    halo_.push_back(i);
    trees_.snapshot.push_back(snapshot(i));
    trees_.label.push_back(static_cast<std::int32_t>(i - links_.first[place(snapshot(i))]));
    trees_.members.push_back(members_[place(i)]);
    trees_.descendant.push_back(descendant);
    trees_.root.push_back(root);
    for (auto* column : {&trees_.first_progenitor, &trees_.next_progenitor}) column->push_back(-1);
    for (auto* column : {&trees_.last_progenitor, &trees_.main_leaf})
      column->push_back(static_cast<std::int64_t>(row));
    auto sorted = progenitors(i);
    std::sort(sorted.begin(), sorted.end(),
              [&](std::int64_t a, std::int64_t b) { return comes_first(a, b); });
    for (std::size_t k = 0; k < sorted.size(); ++k) {
      const auto next = static_cast<std::int64_t>(trees_.size());
      if (k == 0) trees_.first_progenitor[row] = next;
      if (k > 0) trees_.next_progenitor[place(row_[place(sorted[k - 1])])] = next;
      visit(sorted[k], root, static_cast<std::int64_t>(row));
      if (k == 0) trees_.main_leaf[row] = trees_.main_leaf[place(next)];
    }
    trees_.last_progenitor[row] = static_cast<std::int64_t>(trees_.size()) - 1;
  }

  void finish(std::size_t row) {
    const std::size_t i = place(halo_[row]);
    const auto row_of = [&](std::int64_t halo) { return halo < 0 ? -1 : row_[place(halo)]; };
    trees_.second.push_back(row_of(links_.second[i]));
    const std::int64_t best = row_of(links_.progenitor[i]), main = trees_.first_progenitor[row];
    trees_.best_progenitor.push_back(best);
    trees_.score.push_back(links_.score[i]);
    trees_.second_score.push_back(links_.second_score[i]);
    trees_.is_mutual.push_back(links_.is_mutual[i]);
    trees_.is_flyby.push_back(links_.is_flyby[i]);
    trees_.is_swap.push_back(best >= 0 && main >= 0 && best != main &&
                             trees_.snapshot[place(main)] == trees_.snapshot[row] - 1);
    if (links_.host.empty()) return;
    trees_.host.push_back(row_of(links_.host[i]));
    trees_.is_orphan.push_back(links_.is_orphan[i]);
  }

  const HaloLinks& links_;
  std::span<const std::int64_t> members_;
  MainBranch rule_;
  std::vector<std::int64_t> row_, halo_;
  MergerTrees trees_;
};

}  // namespace

HaloLinks brute_links(std::span<const LabeledIds> snapshots, const LinkOptions& options) {
  return BruteLinks(snapshots, options).links();
}

MergerTrees brute_trees(const HaloLinks& links, std::span<const std::int64_t> members,
                        MainBranch rule) {
  return BruteTrees(links, members, rule).trees();
}

}  // namespace kith::histories

// Merger trees, linked once more with hash tables from the last snapshot back, and the rules that
// all trees obey.
#include <algorithm>
#include <cmath>
#include <deque>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <unordered_map>

#include "verify/verify.hpp"

namespace kith::cli {
namespace {

using Number = std::int64_t;

/// A halo as (snapshot, number in its catalogue).
using Halo = std::pair<Number, Number>;
constexpr Halo kNone{-1, -1};

struct Link {
  Halo to = kNone, second = kNone;
  double score = 0, second_score = 0;
  bool is_mutual = false, is_flyby = false;
};

/// The IDs of each halo, and the halos of each ID.
struct Members {
  std::vector<std::vector<std::uint64_t>> ids;
  std::unordered_map<std::uint64_t, std::vector<Number>> halos;

  explicit Members(const HaloMembers& set) : ids(set.halos) {
    for (std::size_t i = 0; i < set.id.size(); ++i) {
      if (set.label[i] < 0) continue;
      ids[static_cast<std::size_t>(set.label[i])].push_back(set.id[i]);
      halos[set.id[i]].push_back(set.label[i]);
    }
  }
};

double weight_of_rank(const MatchOptions& options, std::size_t rank) {
  if (options.most_bound > 0 && rank >= options.most_bound) return 0;
  const auto r = static_cast<double>(rank);
  if (options.weight == RankWeight::inverse_rank) return 1 / (1 + r);
  return options.weight == RankWeight::equal ? 1 : 1 / (1 + std::sqrt(r));
}

/// The best two partners of one halo.
struct BestTwo {
  Number best = -1, second = -1;
  double score = 0, second_score = 0;
};

std::vector<BestTwo> best_two(const Members& from, const Members& to, const MatchOptions& options) {
  std::vector<BestTwo> all;
  for (const auto& ids : from.ids) {
    std::map<Number, double> score;
    for (std::size_t rank = 0; rank < ids.size(); ++rank)
      if (const auto found = to.halos.find(ids[rank]); found != to.halos.end())
        for (const Number halo : found->second) score[halo] += weight_of_rank(options, rank);
    BestTwo& two = all.emplace_back();
    for (const auto& [halo, sum] : score)
      if (sum > two.score) {
        two.best = halo;
        two.score = sum;
      }
    for (const auto& [halo, sum] : score)
      if (halo != two.best && sum > two.second_score) {
        two.second = halo;
        two.second_score = sum;
      }
  }
  return all;
}

Link link_of(const BestTwo& two, Number snapshot) {
  Link link{.to = {snapshot, two.best}, .score = two.score, .second_score = two.second_score};
  if (two.second >= 0) link.second = {snapshot, two.second};
  return link;
}

/// Links the halos of snapshot s, where `later` are the snapshots within reach behind it.
std::vector<Link> links_from(Number s, const Members& here, const std::deque<Members>& later,
                             const MatchOptions& options, std::map<Halo, bool>& is_claimed) {
  std::vector<Link> links(here.ids.size());
  for (std::size_t gap = 1; gap <= later.size(); ++gap) {
    const Members& there = later[gap - 1];
    const Number t = s + static_cast<Number>(gap);
    const std::vector<BestTwo> forward = best_two(here, there, options);
    const std::vector<BestTwo> back = best_two(there, here, options);
    for (std::size_t h = 0; h < links.size(); ++h) {
      if (forward[h].best < 0 || links[h].is_mutual) continue;
      const auto other = static_cast<std::size_t>(forward[h].best);
      const bool is_mutual =
          back[other].best == static_cast<Number>(h) && !is_claimed[{t, forward[h].best}];
      const bool has_merged = links[h].to != kNone;
      if (has_merged && !is_mutual) continue;
      links[h] = link_of(forward[h], t);
      links[h].is_mutual = is_mutual;
      links[h].is_flyby = is_mutual && has_merged;
    }
  }
  for (const Link& link : links)
    if (link.is_mutual) is_claimed[link.to] = true;
  return links;
}

std::string halo_text(const Halo& halo) {
  return halo == kNone ? "none" : fmt::format("halo {} of snapshot {}", halo.second, halo.first);
}

bool is_orphan(const MergerTrees& trees, std::size_t row) {
  return !trees.is_orphan.empty() && trees.is_orphan[row];
}

/// The descendant by members: an orphan is none, but the halo before it has kept its own.
Number linked_descendant(const MergerTrees& trees, std::size_t row) {
  const Number to = trees.descendant[row];
  return to >= 0 && is_orphan(trees, static_cast<std::size_t>(to)) ? trees.host[row] : to;
}

/// The links of a file by halo.
class Stored {
 public:
  explicit Stored(const MergerTrees& trees) : trees_(trees) {
    for (std::size_t row = 0; row < trees.size(); ++row)
      if (!is_orphan(trees, row)) row_[halo(row)] = row;
  }

  std::size_t halos() const { return row_.size(); }

  std::string complaint(const Halo& from, const Link& expected) const {
    const auto found = row_.find(from);
    if (found == row_.end()) return fmt::format("{} is missing", halo_text(from));
    const std::size_t row = found->second;
    const Halo to = other(linked_descendant(trees_, row));
    if (to != expected.to)
      return fmt::format("the descendant of {} is {}, not {}", halo_text(from),
                         halo_text(expected.to), halo_text(to));
    if (other(trees_.second[row]) != expected.second || trees_.score[row] != expected.score ||
        trees_.second_score[row] != expected.second_score)
      return fmt::format("the score of {} is {}, and {} with {}, not {} and {} with {}",
                         halo_text(from), expected.score, expected.second_score,
                         halo_text(expected.second), trees_.score[row], trees_.second_score[row],
                         halo_text(other(trees_.second[row])));
    if ((trees_.is_mutual[row] != 0) != expected.is_mutual ||
        (trees_.is_flyby[row] != 0) != expected.is_flyby)
      return fmt::format("the link of {} is {}mutual and {}a flyby", halo_text(from),
                         expected.is_mutual ? "" : "not ", expected.is_flyby ? "" : "not ");
    return "";
  }

 private:
  Halo halo(std::size_t row) const { return {trees_.snapshot[row], trees_.label[row]}; }
  Halo other(Number row) const { return row < 0 ? kNone : halo(static_cast<std::size_t>(row)); }

  const MergerTrees& trees_;
  std::map<Halo, std::size_t> row_;
};

/// The rules of all trees: rows are depth first, and links stay within reach.
std::string broken_rule(const HaloHistories& histories) {
  const MergerTrees& t = histories.trees;
  const bool has_reach = !histories.catalogue.empty();
  for (std::size_t row = 0; row < t.size(); ++row) {
    const auto here = static_cast<Number>(row);
    const auto wrong = [&](const char* what) {
      return fmt::format("{}: {}", halo_text({t.snapshot[row], t.label[row]}), what);
    };
    if (t.main_leaf[row] < here || t.main_leaf[row] > t.last_progenitor[row])
      return wrong("its main branch ends outside its progenitors");
    Number next = here + 1;
    for (Number p = t.first_progenitor[row]; p >= 0;
         p = t.next_progenitor[static_cast<std::size_t>(p)]) {
      if (p != next) return wrong("its progenitors are not depth first");
      if (t.descendant[static_cast<std::size_t>(p)] != here)
        return wrong("one of its progenitors has another descendant");
      next = t.last_progenitor[static_cast<std::size_t>(p)] + 1;
    }
    if (next != t.last_progenitor[row] + 1) return wrong("its progenitors end elsewhere");
    if (t.descendant[row] < 0) continue;
    const auto to = static_cast<std::size_t>(t.descendant[row]);
    const int gap = t.snapshot[to] - t.snapshot[row];
    if (gap < 1) return wrong("its descendant is not later");
    if (has_reach && gap > histories.options.links.reach)
      return wrong("its descendant is beyond the reach of links");
  }
  return "";
}

/// The progenitors by members of each row.
std::vector<std::vector<std::size_t>> linked_progenitors(const MergerTrees& t) {
  std::vector<std::vector<std::size_t>> progenitors(t.size());
  for (std::size_t row = 0; row < t.size(); ++row)
    if (const Number to = is_orphan(t, row) ? -1 : linked_descendant(t, row); to >= 0)
      progenitors[static_cast<std::size_t>(to)].push_back(row);
  return progenitors;
}

/// The main progenitor of each halo is the one that the rule chooses.
std::string wrong_main_progenitor(const HaloHistories& histories) {
  const MergerTrees& t = histories.trees;
  const auto progenitors = linked_progenitors(t);
  std::vector<std::size_t> in_time(t.size());
  std::iota(in_time.begin(), in_time.end(), 0);
  std::stable_sort(in_time.begin(), in_time.end(),
                   [&](std::size_t a, std::size_t b) { return t.snapshot[a] < t.snapshot[b]; });
  std::vector<Number> history(t.members);
  for (const std::size_t row : in_time) {
    Number most = 0;
    for (const std::size_t p : progenitors[row]) most = std::max(most, history[p]);
    history[row] += most;
  }
  const bool by_history = histories.options.main_branch == MainBranch::history;
  const auto key = [&](std::size_t r) {
    const double first = by_history ? static_cast<double>(history[r]) : t.is_mutual[r];
    return std::tuple(-first, by_history ? 0 : -t.score[r], -t.snapshot[r], t.label[r]);
  };
  for (std::size_t row = 0; row < t.size(); ++row)
    for (const std::size_t p : progenitors[row])
      if (t.first_progenitor[row] < 0 ||
          key(p) < key(static_cast<std::size_t>(t.first_progenitor[row])))
        return fmt::format("the main progenitor of {} is {}",
                           halo_text({t.snapshot[row], t.label[row]}),
                           halo_text({t.snapshot[p], t.label[p]}));
  return "";
}

/// The particle that is followed behind a row of a halo that vanishes.
struct Followed {
  std::size_t row;
  std::uint64_t id;
};

/// Halos that vanish, and they alone, have an orphan in each later snapshot, at the host that has
/// their first member.
class OrphanCheck {
 public:
  explicit OrphanCheck(const HaloHistories& histories)
      : histories_(histories), t_(histories.trees) {
    for (std::size_t row = 0; row < t_.size(); ++row) row_[{t_.snapshot[row], t_.label[row]}] = row;
  }

  std::string complaint(const Execution& execution) {
    for (std::size_t s = 0; s < histories_.catalogue.size(); ++s) {
      const HaloMembers set =
          read_halo_members(histories_.catalogue[s], histories_.options.halos, execution);
      const Members members(set);
      const auto snapshot = static_cast<Number>(s);
      if (auto wrong = wrong_orphan(snapshot, members); !wrong.empty()) return wrong;
      if (auto wrong = begin(snapshot, members); !wrong.empty()) return wrong;
    }
    return known_ == std::count(t_.is_orphan.begin(), t_.is_orphan.end(), 1)
               ? ""
               : fmt::format("{} orphans, where {} are expected",
                             std::count(t_.is_orphan.begin(), t_.is_orphan.end(), 1), known_);
  }

 private:
  /// The orphans of this snapshot.
  std::string wrong_orphan(Number s, const Members& members) {
    Number label = static_cast<Number>(members.ids.size());
    for (Followed& each : followed_) {
      const Halo here{s, label++};
      const Number to = t_.descendant[each.row];
      const auto found = row_.find(here);
      if (found == row_.end() || static_cast<Number>(found->second) != to ||
          !is_orphan(t_, found->second))
        return fmt::format("the orphan of particle {} is not {}", each.id, halo_text(here));
      each.row = found->second;
      ++known_;
      const Number host = t_.host[each.row];
      const Halo expected = host_of(s, members, each.id);
      const Halo stored = host < 0 ? kNone
                                   : Halo{t_.snapshot[static_cast<std::size_t>(host)],
                                          t_.label[static_cast<std::size_t>(host)]};
      if (stored != expected)
        return fmt::format("the host of {} is {}, not {}", halo_text(here), halo_text(expected),
                           halo_text(stored));
    }
    return "";
  }

  static Halo host_of(Number s, const Members& members, std::uint64_t id) {
    const auto found = members.halos.find(id);
    if (found == members.halos.end()) return kNone;
    const auto key = [&](Number halo) {
      return std::pair(members.ids[static_cast<std::size_t>(halo)].size(), halo);
    };
    return {s, *std::min_element(found->second.begin(), found->second.end(),
                                 [&](Number a, Number b) { return key(a) < key(b); })};
  }

  /// Halos that vanish behind this snapshot.
  std::string begin(Number s, const Members& members) {
    for (std::size_t h = 0; h < members.ids.size(); ++h) {
      const auto at = row_.find({s, static_cast<Number>(h)});
      if (at == row_.end()) return fmt::format("{} is missing", halo_text({s, Number(h)}));
      const std::size_t row = at->second;
      const Number to = linked_descendant(t_, row);
      const bool is_last = s + 1 == static_cast<Number>(histories_.catalogue.size());
      const bool vanishes =
          to < 0 ? !is_last
                 : t_.first_progenitor[static_cast<std::size_t>(to)] != static_cast<Number>(row);
      if (vanishes && !members.ids[h].empty())
        followed_.push_back({row, members.ids[h].front()});
      else if (to != t_.descendant[row])
        return fmt::format("{} has an orphan", halo_text({s, Number(h)}));
    }
    return "";
  }

  const HaloHistories& histories_;
  const MergerTrees& t_;
  std::map<Halo, std::size_t> row_;
  std::vector<Followed> followed_;
  std::ptrdiff_t known_ = 0;
};

std::string wrong_link(const HaloHistories& histories, const Execution& execution) {
  const Stored stored(histories.trees);
  std::deque<Members> later;
  std::map<Halo, bool> is_claimed;
  std::size_t halos = 0;
  for (std::size_t s = histories.catalogue.size(); s-- > 0;) {
    Members here(read_halo_members(histories.catalogue[s], histories.options.halos, execution));
    const auto snapshot = static_cast<Number>(s);
    const std::vector<Link> links =
        links_from(snapshot, here, later, histories.options.links.match, is_claimed);
    for (std::size_t h = 0; h < links.size(); ++h)
      if (auto wrong = stored.complaint({snapshot, static_cast<Number>(h)}, links[h]);
          !wrong.empty())
        return wrong;
    halos += links.size();
    later.push_front(std::move(here));
    if (later.size() > static_cast<std::size_t>(histories.options.links.reach)) later.pop_back();
  }
  if (halos != stored.halos())
    return fmt::format("{} halos in the trees, {} in the catalogues", stored.halos(), halos);
  return "";
}

}  // namespace

std::vector<std::string> verify_trees(const HaloHistories& histories, const Execution& execution) {
  const auto expect_none = [](const std::string& complaint) {
    if (!complaint.empty()) throw Mismatch(complaint);
  };
  std::vector<std::string> checked;
  expect_none(broken_rule(histories));
  checked.push_back(fmt::format("order of {} halos in {} trees", histories.trees.size(),
                                histories.trees.roots.size()));
  if (histories.catalogue.empty()) return checked;  // of another program
  expect_none(wrong_link(histories, execution));
  const auto orphans =
      std::count(histories.trees.is_orphan.begin(), histories.trees.is_orphan.end(), 1);
  checked.push_back(fmt::format("descendants of {} halos",
                                histories.trees.size() - static_cast<std::size_t>(orphans)));
  expect_none(wrong_main_progenitor(histories));
  checked.emplace_back("main progenitors");
  if (!histories.options.orphans) return checked;
  expect_none(OrphanCheck(histories).complaint(execution));
  checked.push_back(fmt::format("{} orphans", orphans));
  return checked;
}

}  // namespace kith::cli

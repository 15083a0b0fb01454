#include <algorithm>

#include "histories/brute.hpp"

namespace kith::histories {
namespace {

std::size_t at_place(std::int64_t number) { return static_cast<std::size_t>(number); }

/// The IDs of one halo, the most bound one first.
std::vector<std::uint64_t> ids_of(const LabeledIds& set, std::int64_t halo) {
  std::vector<std::uint64_t> ids;
  for (std::size_t i = 0; i < set.id.size(); ++i)
    if (set.label[i] == halo) ids.push_back(set.id[i]);
  return ids;
}

/// The smallest halo of a snapshot that has an ID.
std::int64_t host_of(const LabeledIds& set, std::int64_t halos, std::uint64_t id) {
  std::int64_t host = -1;
  std::size_t members = 0;
  for (std::int64_t halo = 0; halo < halos; ++halo) {
    const auto ids = ids_of(set, halo);
    if (std::find(ids.begin(), ids.end(), id) == ids.end()) continue;
    if (host >= 0 && ids.size() >= members) continue;
    host = halo;
    members = ids.size();
  }
  return host;
}

struct Orphan {
  std::int64_t halo;  ///< that vanished
  std::uint64_t id;
};

class OrphanMaker {
 public:
  OrphanMaker(std::span<const LabeledIds> snapshots, const HaloLinks& links)
      : snapshots_(snapshots), links_(links), orphans_(snapshots.size()), number_(links.size()) {}

  /// The orphans of each snapshot.
  void find(const MergerTrees& trees) {
    for (std::size_t s = 0; s < snapshots_.size(); ++s)
      for (std::int64_t halo = 0; halo < halos(s); ++halo)
        for (std::size_t row = 0; row < trees.size(); ++row)
          if (trees.snapshot[row] == static_cast<std::int32_t>(s) && trees.label[row] == halo)
            follow(trees, row, ids_of(snapshots_[s], halo));
  }

  BruteOrphans make(std::span<const std::int64_t> members) {
    for (std::size_t s = 0; s < snapshots_.size(); ++s) {
      const std::int64_t begin = all_.links.first.back();
      for (std::int64_t halo = 0; halo < halos(s); ++halo)
        number_[at_place(links_.first[s] + halo)] = begin + halo;
      all_.links.first.push_back(begin + halos(s) + static_cast<std::int64_t>(orphans_[s].size()));
    }
    for (std::size_t s = 0; s < snapshots_.size(); ++s) {
      for (std::int64_t i = links_.first[s]; i < links_.first[s + 1]; ++i) {
        put_halo(at_place(i), orphan_of(i, s + 1));
        all_.members.push_back(members[at_place(i)]);
      }
      for (const Orphan& each : orphans_[s]) {
        put_orphan(s, each);
        all_.members.push_back(1);
      }
    }
    return all_;
  }

 private:
  std::int64_t halos(std::size_t s) const { return links_.first[s + 1] - links_.first[s]; }
  std::int64_t number(std::int64_t halo) const { return halo < 0 ? -1 : number_[at_place(halo)]; }

  void follow(const MergerTrees& trees, std::size_t row, const std::vector<std::uint64_t>& ids) {
    const std::int64_t to = trees.descendant[row];
    const bool is_main =
        to >= 0 && trees.first_progenitor[at_place(to)] == static_cast<std::int64_t>(row);
    const std::size_t s = at_place(trees.snapshot[row]);
    for (std::size_t t = s + 1; t < snapshots_.size() && !is_main && !ids.empty(); ++t)
      orphans_[t].push_back({links_.first[s] + trees.label[row], ids.front()});
  }

  /// The number of the orphan that a halo is in a snapshot, or -1.
  std::int64_t orphan_of(std::int64_t halo, std::size_t s) const {
    for (std::size_t k = 0; s < snapshots_.size() && k < orphans_[s].size(); ++k)
      if (orphans_[s][k].halo == halo)
        return all_.links.first[s] + halos(s) + static_cast<std::int64_t>(k);
    return -1;
  }

  void put_halo(std::size_t i, std::int64_t orphan) {
    HaloLinks& to = all_.links;
    const std::int64_t linked = number(links_.descendant[i]);
    to.descendant.push_back(orphan >= 0 ? orphan : linked);
    to.host.push_back(orphan >= 0 ? linked : -1);
    to.is_orphan.push_back(0);
    to.second.push_back(number(links_.second[i]));
    to.progenitor.push_back(number(links_.progenitor[i]));
    to.score.push_back(links_.score[i]);
    to.second_score.push_back(links_.second_score[i]);
    to.is_mutual.push_back(links_.is_mutual[i]);
    to.is_flyby.push_back(links_.is_flyby[i]);
  }

  void put_orphan(std::size_t s, const Orphan& orphan) {
    HaloLinks& to = all_.links;
    const std::int64_t host = host_of(snapshots_[s], halos(s), orphan.id);
    to.descendant.push_back(orphan_of(orphan.halo, s + 1));
    to.host.push_back(host < 0 ? -1 : number(links_.first[s] + host));
    to.is_orphan.push_back(1);
    for (auto* column : {&to.second, &to.progenitor}) column->push_back(-1);
    for (auto* column : {&to.score, &to.second_score}) column->push_back(0);
    for (auto* column : {&to.is_mutual, &to.is_flyby}) column->push_back(0);
  }

  std::span<const LabeledIds> snapshots_;
  const HaloLinks& links_;
  std::vector<std::vector<Orphan>> orphans_;
  std::vector<std::int64_t> number_;  ///< of each halo, with orphans
  BruteOrphans all_;
};

}  // namespace

BruteOrphans brute_orphans(std::span<const LabeledIds> snapshots, const HaloLinks& links,
                           std::span<const std::int64_t> members, MainBranch rule) {
  OrphanMaker maker(snapshots, links);
  maker.find(brute_trees(links, members, rule));
  return maker.make(members);
}

}  // namespace kith::histories

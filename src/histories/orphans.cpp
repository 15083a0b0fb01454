// Orphans: the most bound members of halos that vanish, snapshot after snapshot.
#include <algorithm>
#include <limits>
#include <unordered_map>

#include <kith/merger_trees.hpp>

#include "base/fail.hpp"
#include "parallel/pieces.hpp"
#include "parallel/public_call.hpp"

namespace kith {
namespace {

using Ranks = HaloRanks;

std::size_t place_of(std::int64_t number) { return static_cast<std::size_t>(number); }

/// Whether each halo vanishes, in the order of links.
std::vector<bool> vanishing(const HaloLinks& links, const MergerTrees& trees) {
  std::vector<bool> vanishes(links.size());
  for (std::size_t row = 0; row < trees.size(); ++row) {
    const std::int64_t to = trees.descendant[row];
    const bool is_last = place_of(trees.snapshot[row]) + 1 == links.snapshots();
    vanishes[place_of(links.first[place_of(trees.snapshot[row])] + trees.label[row])] =
        to < 0 ? !is_last : trees.first_progenitor[place_of(to)] != static_cast<std::int64_t>(row);
  }
  return vanishes;
}

/// The members of each object, of all ranks.
std::vector<std::int64_t> object_sizes(const Workers& workers, const LabeledIds& halos,
                                       std::size_t objects, const Ranks& ranks) {
  std::vector<std::int64_t> size(objects, 0);
  for_each_in_order(workers, halos.label.size(), [&](std::size_t i) {
    if (halos.label[i] >= 0) ++size[place_of(halos.label[i])];
  });
  if (ranks.sum) ranks.sum(size);
  return size;
}

/// The labels of the halos that have some particles: of several, the one with the fewest members.
std::vector<std::int32_t> hosts_of(const Workers& workers, const LabeledIds& halos,
                                   const std::vector<std::uint64_t>& ids,
                                   const std::vector<std::int64_t>& size, const Ranks& ranks) {
  constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
  constexpr int kLabelBits = 31;
  std::unordered_map<std::uint64_t, std::size_t> wanted;
  std::vector<std::size_t> same(ids.size());  // an ID may be followed twice
  for (std::size_t k = 0; k < ids.size(); ++k)
    same[k] = wanted.try_emplace(ids[k], k).first->second;
  std::vector<std::int64_t> best(ids.size(), kNone);
  for_each_in_order(workers, halos.id.size(), [&](std::size_t i) {
    if (halos.label[i] < 0) return;
    const auto found = wanted.find(halos.id[i]);
    if (found == wanted.end()) return;
    const std::int64_t members = std::min(size[place_of(halos.label[i])], kNone >> kLabelBits);
    std::int64_t& least = best[found->second];
    least = std::min(least, members << kLabelBits | halos.label[i]);
  });
  if (ranks.least) ranks.least(best);
  std::vector<std::int32_t> host(ids.size());
  for (std::size_t k = 0; k < ids.size(); ++k) {
    const std::int64_t found = best[same[k]];
    host[k] = found == kNone
                  ? -1
                  : static_cast<std::int32_t>(found & ((std::int64_t{1} << kLabelBits) - 1));
  }
  return host;
}

/// The first member of each object; of several ranks, that of the first one.
std::vector<std::uint64_t> first_members(const Workers& workers, const LabeledIds& halos,
                                         std::size_t objects, const Ranks& ranks) {
  constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
  std::vector<std::int64_t> owner(objects, kNone), id(objects, 0);
  for_each_in_order(workers, halos.id.size(), [&](std::size_t i) {
    if (halos.label[i] < 0) return;
    const std::size_t object = place_of(halos.label[i]);
    if (std::exchange(owner[object], ranks.rank) == kNone)
      id[object] = static_cast<std::int64_t>(halos.id[i]);
  });
  if (ranks.least) {
    ranks.least(owner);
    for (std::size_t o = 0; o < objects; ++o)
      if (owner[o] != ranks.rank) id[o] = 0;
    ranks.sum(id);  // one rank has the number
  }
  return {id.begin(), id.end()};
}

}  // namespace

class OrphanFollower::Impl {
 public:
  Impl(const HaloLinks& links, std::span<const std::int64_t> members, MainBranch rule,
       const Execution& execution, HaloRanks ranks)
      : links_(links),
        members_(members.begin(), members.end()),
        vanishes_(vanishing(links, merger_trees(links, members, rule, execution))),
        ranks_(std::move(ranks)) {}

  void add(const Workers& workers, const LabeledIds& halos) {
    const std::size_t snapshot = host_.size();
    if (snapshot == links_.snapshots())
      refuse("trees: {} snapshots were linked, and one more is to be followed", snapshot);
    const auto objects = place_of(links_.first[snapshot + 1] - links_.first[snapshot]);
    check(halos, objects, snapshot);
    const auto size = object_sizes(workers, halos, objects, ranks_);
    followed_ids_ = ids_;
    before_.push_back(before_.back() + static_cast<std::int64_t>(ids_.size()));
    host_.push_back(hosts_of(workers, halos, ids_, size, ranks_));
    const auto first = first_members(workers, halos, objects, ranks_);
    for (std::size_t h = 0; h < objects; ++h) {
      const std::int64_t halo = links_.first[snapshot] + static_cast<std::int64_t>(h);
      if (!vanishes_[place_of(halo)] || size[h] == 0) continue;
      ids_.push_back(first[h]);
      halo_.push_back(halo);
    }
  }

  std::span<const std::uint64_t> ids() const { return followed_ids_; }
  std::span<const std::int32_t> hosts() const {
    return host_.empty() ? std::span<const std::int32_t>() : host_.back();
  }

  HaloLinks links() const {
    if (host_.size() != links_.snapshots())
      refuse("trees: {} of {} snapshots were followed", host_.size(), links_.snapshots());
    HaloLinks all;
    for (std::size_t s = 0; s < links_.snapshots(); ++s) {
      all.first.push_back(number(s, links_.first[s + 1]) +
                          static_cast<std::int64_t>(host_[s].size()));
      for (std::int64_t halo = links_.first[s]; halo < links_.first[s + 1]; ++halo)
        put_halo(all, halo);
      for (std::size_t k = 0; k < host_[s].size(); ++k) put_orphan(all, s, k);
    }
    for (std::size_t k = 0; k < halo_.size(); ++k) {
      const std::size_t s = snapshot_of(halo_[k]);
      const std::size_t halo = place_of(number(s, halo_[k]));
      all.host[halo] = std::exchange(all.descendant[halo], orphan(s + 1, k));
    }
    return all;
  }

  std::vector<std::int64_t> members() const {
    std::vector<std::int64_t> all;
    for (std::size_t s = 0; s < host_.size(); ++s) {
      all.insert(all.end(), members_.begin() + links_.first[s],
                 members_.begin() + links_.first[s + 1]);
      all.insert(all.end(), host_[s].size(), 1);
    }
    return all;
  }

 private:
  static void check(const LabeledIds& halos, std::size_t objects, std::size_t snapshot) {
    if (halos.id.size() != halos.label.size())
      refuse("trees: {} IDs and {} labels for a snapshot; give one label for each ID",
             halos.id.size(), halos.label.size());
    const auto largest = std::max_element(halos.label.begin(), halos.label.end());
    if (largest != halos.label.end() && *largest >= 0 && place_of(*largest) >= objects)
      refuse("trees: halo {} in snapshot {}, which had {} before; give the same catalogues",
             *largest, snapshot, objects);
  }

  std::size_t snapshot_of(std::int64_t halo) const {
    const auto after = std::upper_bound(links_.first.begin(), links_.first.end(), halo);
    return static_cast<std::size_t>(after - links_.first.begin()) - 1;
  }

  /// The number, among halos and orphans, of a halo of this snapshot.
  std::int64_t number(std::size_t snapshot, std::int64_t halo) const {
    return halo + before_[snapshot];
  }
  std::int64_t number_of(std::int64_t halo) const {
    return halo < 0 ? -1 : number(snapshot_of(halo), halo);
  }
  std::int64_t orphan(std::size_t snapshot, std::size_t k) const {
    return number(snapshot, links_.first[snapshot + 1]) + static_cast<std::int64_t>(k);
  }

  void put_halo(HaloLinks& all, std::int64_t halo) const {
    const std::size_t i = place_of(halo);
    all.descendant.push_back(number_of(links_.descendant[i]));
    all.second.push_back(number_of(links_.second[i]));
    all.score.push_back(links_.score[i]);
    all.second_score.push_back(links_.second_score[i]);
    all.is_mutual.push_back(links_.is_mutual[i]);
    all.is_flyby.push_back(links_.is_flyby[i]);
    all.progenitor.push_back(number_of(links_.progenitor[i]));
    all.is_orphan.push_back(0);
    all.host.push_back(-1);
  }

  void put_orphan(HaloLinks& all, std::size_t s, std::size_t k) const {
    const bool is_last = s + 1 == links_.snapshots();
    all.descendant.push_back(is_last ? -1 : orphan(s + 1, k));
    for (auto* column : {&all.second, &all.progenitor}) column->push_back(-1);
    for (auto* column : {&all.score, &all.second_score}) column->push_back(0);
    for (auto* column : {&all.is_mutual, &all.is_flyby}) column->push_back(0);
    all.is_orphan.push_back(1);
    all.host.push_back(host_[s][k] < 0 ? -1 : number(s, links_.first[s] + host_[s][k]));
  }

  HaloLinks links_;
  std::vector<std::int64_t> members_;
  std::vector<bool> vanishes_;
  Ranks ranks_;
  std::vector<std::uint64_t> ids_, followed_ids_;  ///< of the next snapshot, of the last one
  std::vector<std::int64_t> halo_;                 ///< that they are of
  std::vector<std::vector<std::int32_t>> host_;    ///< of each orphan in each snapshot
  std::vector<std::int64_t> before_{0};            ///< orphans in all snapshots before
};

OrphanFollower::OrphanFollower(const HaloLinks& links, std::span<const std::int64_t> members,
                               MainBranch rule, const Execution& execution, HaloRanks ranks)
    : impl_(public_call("trees", [&] {
        return std::make_unique<Impl>(links, members, rule, execution, std::move(ranks));
      })) {}
OrphanFollower::OrphanFollower(OrphanFollower&&) noexcept = default;
OrphanFollower& OrphanFollower::operator=(OrphanFollower&&) noexcept = default;
OrphanFollower::~OrphanFollower() = default;

void OrphanFollower::add(const LabeledIds& halos, const Execution& execution) {
  public_call("trees", execution, [&](Workers& workers) {
    const Stage stage(workers, "follow", 1);
    impl_->add(workers, halos);
  });
}

std::span<const std::uint64_t> OrphanFollower::ids() const { return impl_->ids(); }
std::span<const std::int32_t> OrphanFollower::hosts() const { return impl_->hosts(); }

HaloLinks OrphanFollower::links() const {
  return public_call("trees", [&] { return impl_->links(); });
}
std::vector<std::int64_t> OrphanFollower::members() const {
  return public_call("trees", [&] { return impl_->members(); });
}

}  // namespace kith

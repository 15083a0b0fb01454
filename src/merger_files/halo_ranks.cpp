// The members of catalogues, and of groups that are found, over ranks.
#include <numeric>
#include <optional>

#include <kith/detail/halo_ranks.hpp>

#include "base/fail.hpp"
#include "merger_files/members_reader.hpp"
#include "parallel/public_call.hpp"

namespace kith {
namespace io {
namespace {

/// Finds groups or subhalos of the particles of all ranks; every rank gets all their rows.
class FinderOverRanks {
 public:
  FinderOverRanks(Ranks& ranks, const HaloMembersOptions& options, const Execution& execution)
      : ranks_(ranks), options_(options), execution_(execution) {}

  HaloMembers members(const std::string& path) {
    ranks_.on_all_ranks([&] {
      snapshot_.emplace(path, SnapshotOptions{}, execution_);
      type_ = linked_type(*snapshot_, options_);
      found_.path = found_.snapshot = path;
      found_.types = {type_};
      add_facts(snapshot_->info(), found_);
      particles_.emplace(*snapshot_, type_, options_, execution_);
      linking_ = linking(*snapshot_, type_, options_, execution_);
    });
    ranks_.take(particles_->points(), {.box = found_.box}, execution_);
    const GroupsOfAll groups = ranks_.fof(linking_, execution_);
    if (options_.subhalos)
      find_subhalos(groups.linking_length);
    else
      find_groups(groups.label);
    return std::move(found_);
  }

 private:
  void find_groups(std::span<const std::int32_t> label) {
    Catalogue own =
        ranks_.catalogue(particles_->points(), particles_->rows(found_.box), execution_);
    ranks_.on_all_ranks([&] {
      found_.label.assign(label.begin(), label.end());
      found_.id = std::move(particles_->id);
    });
    const std::size_t rows = own.count();
    gather(own.size, rows, 1);
    gather(own.center, rows, 3);
    if (particles_->have_velocity) gather(own.velocity, rows, 3);
    if (particles_->have_mass) gather(own.mass, rows, 1);
    ranks_.on_all_ranks([&] { take_groups(std::move(own), *particles_, found_); });
  }

  void find_subhalos(double linking_length) {
    SubhaloOptions bound;
    std::uint64_t points = 0;
    ranks_.on_all_ranks([&] {
      bound = binding(snapshot_->info(), *particles_, linking_length, options_);
      points = snapshot_->size({&type_, 1});
    });
    SubhalosOfRank of_rank = ranks_.subhalos(particles_->points(), bound, {&points, 1}, execution_);
    take_members(of_rank.label);
    Subhalos& own = of_rank.own;
    const std::size_t rows = own.parent.size();
    std::vector<std::uint64_t> most_bound(rows);
    ranks_.fetch(result_array("", particles_->id.data(), particles_->id.size()), own.most_bound,
                 most_bound.data(), execution_);
    gather(most_bound, rows, 1);
    gather(own.catalogue.size, rows, 1);
    gather(own.catalogue.mass, rows, 1);
    gather(own.catalogue.velocity, rows, 3);
    gather(own.catalogue.max_circular_velocity, rows, 1);
    gather(own.peak, rows, 3);
    gather(own.parent, rows, 1);
    ranks_.on_all_ranks([&] {
      found_.columns.most_bound_id = std::move(most_bound);
      take_subhalos(std::move(own.catalogue), std::move(own.peak), std::move(own.parent), found_);
    });
  }

  /// Members in order of binding, each rank a part of them; labels travel as IDs do.
  void take_members(const std::vector<std::int32_t>& label) {
    std::vector<std::uint64_t> labels, ids, sorted;
    ranks_.on_all_ranks([&] { labels.assign(label.begin(), label.end()); });
    const auto in_order = [&](std::span<const std::uint64_t> values, auto& to) {
      ranks_.order(
          values, true, [&](std::int64_t, std::uint64_t value) { to.push_back(value); },
          execution_);
    };
    in_order(particles_->id, ids);
    in_order(labels, sorted);
    ranks_.on_all_ranks([&] {
      for (std::size_t k = 0; k < ids.size(); ++k)
        if (const auto subhalo = static_cast<std::int32_t>(sorted[k]); subhalo >= 0) {
          found_.id.push_back(ids[k]);
          found_.label.push_back(subhalo);
        }
    });
  }

  /// Replaces the rows of this rank by those of all ranks.
  template <class T>
  void gather(std::vector<T>& own, std::size_t rows, std::size_t width) {
    const auto mine = static_cast<std::int64_t>(rows);
    const std::vector<std::int64_t> counts = ranks_.gather({&mine, 1});
    std::vector<std::int64_t> wanted;
    std::vector<T> all;
    ranks_.on_all_ranks([&] {
      wanted.resize(
          static_cast<std::size_t>(std::accumulate(counts.begin(), counts.end(), std::int64_t{0})));
      std::iota(wanted.begin(), wanted.end(), 0);
      all.resize(wanted.size() * width);
    });
    ranks_.fetch(result_array("", own.data(), rows, width), wanted, all.data(), execution_);
    own = std::move(all);
  }

  Ranks& ranks_;
  const HaloMembersOptions& options_;
  const Execution& execution_;
  std::optional<Snapshot> snapshot_;
  std::optional<LinkedParticles> particles_;
  int type_ = 0;
  FofOptions linking_;
  HaloMembers found_;
};

}  // namespace
}  // namespace io

HaloMembers read_halo_members(Ranks& ranks, const std::string& path,
                              const HaloMembersOptions& options, const Execution& execution) {
  if (ranks.size() == 1) return read_halo_members(path, options, execution);
  return public_call("halos", [&] {
    HaloMembersOptions own = options;
    own.part = static_cast<std::uint64_t>(ranks.rank());
    own.parts = static_cast<std::uint64_t>(ranks.size());
    std::optional<HaloMembers> members;
    std::string catalogue = path;
    ranks.on_all_ranks([&] {
      if (const io::MembersReader reader = io::members_reader(catalogue, own))
        members = reader(catalogue, own, execution);
    });
    if (members) return *std::move(members);
    return io::FinderOverRanks(ranks, own, execution).members(catalogue);
  });
}

}  // namespace kith

// Friends of friends over ranks, in phase space, for all split halos at once: one more axis keeps
// them apart. On it, members of one halo differ by 0, which changes no bit of their distances.
#include "mpi/groups/split_subhalos.hpp"

#include <algorithm>
#include <cmath>

#include "mpi/groups/fof.hpp"
#include "mpi/groups/rank_team.hpp"
#include "subhalos/phase_space.hpp"

namespace kith::mpi {
namespace {

class PhaseSearch {
 public:
  PhaseSearch(Call& call, const GroupColumns& columns, const SplitGroups& split,
              const SubhaloOptions& options, const PropertyColumns& scaled)
      : call_(call),
        columns_(columns),
        split_(split),
        options_(options),
        scaled_(scaled),
        from_({.points = scaled_.points(), .velocity = scaled_.velocity()}, scaled_.box()),
        halos_(split.labels().size()) {}

  SplitSubhalos run(const Execution& execution) {
    make_rows();
    number_members();
    const Execution inner{.threads = execution.threads, .cancel = execution.cancel};
    const auto width = static_cast<int>(stride());
    const Domains domains =
        Domains::curve(call_.communicator().comm(), view(rows_.data(), mine_, width), {}, inner);
    const Groups groups = fof_in_classes(
        domains, {.linking_length = options_.linking_length, .min_size = options_.min_size},
        RowOrder::input, first_, inner);
    SplitSubhalos result;
    deal(impl_of(groups), result);
    std::vector<std::int64_t> label;
    call_.prepare([&] {
      rows_ = {};
      label.assign(columns_.count(), -1);
      std::size_t from = 0;
      for (const GroupPiece& piece : split_.pieces())
        for (std::size_t i = piece.begin; i < piece.end; ++i) label[i] = groups.label()[from++];
    });
    call_.quick([] {});
    result.columns.emplace(call_, columns_, Labeled{label, columns_.index(), result.cuts});
    return result;
  }

 private:
  /// Phase space, and the axis that keeps halos apart.
  std::size_t stride() const { return 2 * from_.d + 1; }

  /// Rows of phase space for the parts here, scaled as one process scales them.
  void make_rows() {
    RankTeam team(call_, columns_, split_, from_);
    team.begin();
    const std::vector<PhaseUnits> units =
        phase_units(team, std::ldexp(options_.position_scale, scaled_.length()),
                    std::ldexp(options_.velocity_scale, scaled_.speed()));
    call_.phase([&](Workers& workers) {
      for (const GroupPiece& piece : split_.pieces()) mine_ += piece.size();
      rows_.resize(mine_ * stride());
      double* to = rows_.data();
      for (std::size_t p = 0; p < units.size(); ++p) {
        const GroupPiece& piece = split_.pieces()[p];
        put_phase_rows(team.parts()[p], from_.d, units[p], stride(), to, workers);
        const double apart =
            4 * options_.linking_length * static_cast<double>(split_.set_of(piece));
        for_each_in_order(workers, piece.size(),
                          [&](std::size_t i) { to[(i + 1) * stride() - 1] = apart; });
        to += piece.size() * stride();
      }
    });
  }

  /// Members of split halos are numbered rank by rank, so that each halo has a run of numbers.
  void number_members() {
    std::vector<std::uint64_t> counts;
    call_.quick([&] {
      counts.resize(2 * static_cast<std::size_t>(call_.ranks()));
      first_.resize(halos_);
    });
    // Of all, and those of another rank's halo among them.
    const std::uint64_t mine[2] = {mine_, split_.is_owner() ? mine_ - split_.own().size() : mine_};
    call_.communicator().gather_all(mine, sizeof mine, counts.data());
    std::uint64_t before = 0;
    std::size_t halo = 0;
    for (std::size_t r = 0; 2 * r < counts.size(); ++r) {
      if (counts[2 * r] > counts[2 * r + 1]) first_[halo++] = before + counts[2 * r + 1];
      before += counts[2 * r];
    }
    total_ = before;
  }
  std::uint64_t halo_size(std::size_t halo) const {
    return (halo + 1 < halos_ ? first_[halo + 1] : total_) - first_[halo];
  }
  /// Of a subhalo, by its lowest member.
  std::size_t halo_of(std::int64_t lowest) const {
    return static_cast<std::size_t>(class_of(first_, static_cast<std::uint64_t>(lowest))) - 1;
  }

  /// Subhalos go to the ranks of their halo, in proportion to its parts there.
  void deal(const Groups::Impl& groups, SplitSubhalos& out) {
    std::vector<std::uint64_t> sizes, wanted;
    std::vector<std::int64_t> members;  // of subhalos, in each halo
    std::vector<GroupKey> rows;
    call_.quick([&] {
      members.resize(halos_);
      for (std::size_t i = 0; i < groups.size.size(); ++i) {
        rows.push_back({static_cast<std::uint64_t>(groups.size[i]),
                        static_cast<std::uint64_t>(groups.lowest[i])});
        sizes.push_back(rows.back().size);
        members[halo_of(groups.lowest[i])] += groups.size[i];
      }
    });
    call_.communicator().sum(members.data(), members.size());
    call_.quick([&] { wanted = shares(members); });
    out.cuts = cut_groups(call_, sizes, wanted);
    rows = dealt_rows(call_, rows, groups.first, out.cuts);
    call_.quick([&] {
      for (const GroupKey& row : rows) {
        const std::size_t halo = halo_of(static_cast<std::int64_t>(row.lowest));
        out.parent.push_back(static_cast<std::int64_t>(split_.labels()[halo]));
        if (!split_.is_owner() || split_.labels()[halo] != split_.own().label) ++out.behind;
      }
    });
  }

  /// Members of subhalos on the ranks before each one.
  std::vector<std::uint64_t> shares(const std::vector<std::int64_t>& members) const {
    std::vector<std::uint64_t> shares;
    std::uint64_t before = 0;
    for (std::size_t halo = 0, next = 0; halo <= halos_; ++halo) {
      const int owner = halo < halos_ ? owner_of(halo) : call_.ranks() - 1;
      while (static_cast<int>(shares.size()) <= owner) shares.push_back(before);
      if (halo == halos_) break;
      const auto here = static_cast<std::uint64_t>(members[halo]);
      for (; next < split_.wanted().size() && split_.wanted()[next].set == halo; ++next) {
        const double part =
            static_cast<double>(split_.wanted()[next].below) / static_cast<double>(halo_size(halo));
        shares.push_back(
            before + std::min(here, static_cast<std::uint64_t>(part * static_cast<double>(here))));
      }
      before += here;
    }
    return shares;
  }

  int owner_of(std::size_t halo) const { return split_.owners()[halo]; }

  Call& call_;
  const GroupColumns& columns_;
  const SplitGroups& split_;
  const SubhaloOptions& options_;
  const PropertyColumns& scaled_;
  Source from_;
  std::size_t halos_;  ///< that are split
  std::size_t mine_ = 0;
  std::vector<double> rows_;
  std::vector<std::uint64_t> first_;  ///< number of each halo's first member
  std::uint64_t total_ = 0;
};

}  // namespace

SplitSubhalos split_subhalos(Call& call, const GroupColumns& columns, const SplitGroups& split,
                             const SubhaloOptions& options, const Execution& execution) {
  const PropertyColumns scaled = columns.scaled(options.box);
  std::optional<PhaseSearch> search;
  call.quick([&] { search.emplace(call, columns, split, options, scaled); });
  return search->run(execution);
}

}  // namespace kith::mpi

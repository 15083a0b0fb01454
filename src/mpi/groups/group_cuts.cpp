#include "mpi/groups/group_cuts.hpp"

#include <algorithm>
#include <numeric>

#include "groups/source.hpp"

namespace kith::mpi {
namespace {

/// The members of a group before a cut that is wanted behind `into` of them.
std::uint64_t possible_cut(std::uint64_t into, std::uint64_t size) {
  if (size <= kSumBlock) return 2 * into < size ? 0 : size;
  return std::min(size, (into + kSumBlock / 2) / kSumBlock * kSumBlock);
}

/// Groups and members, of the ranks before this one and of all.
struct Before {
  std::uint64_t groups = 0, members = 0, all_groups = 0, all_members = 0;

  Before(Call& call, std::span<const std::uint64_t> sizes) {
    struct Counts {
      std::uint64_t groups, members;
    };
    std::vector<Counts> counts;
    call.quick([&] { counts.resize(static_cast<std::size_t>(call.ranks())); });
    const Counts mine{sizes.size(), std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0})};
    call.communicator().gather_all(&mine, sizeof mine, counts.data());
    for (int r = 0; r < call.ranks(); ++r) {
      const Counts& of = counts[static_cast<std::size_t>(r)];
      all_groups += of.groups;
      all_members += of.members;
      if (r >= call.rank()) continue;
      groups += of.groups;
      members += of.members;
    }
  }
};

/// Each cut is found by the rank that has the group that it falls into.
GroupCuts cuts_at(Call& call, std::span<const std::uint64_t> sizes, const Before& before,
                  std::span<const std::uint64_t> wanted) {
  const auto ranks = static_cast<std::size_t>(call.ranks());
  std::vector<std::int64_t> found;
  GroupCuts cuts;
  call.quick([&] {
    found.resize(2 * ranks);
    cuts.cut.resize(ranks + 1);
  });
  std::uint64_t at = before.members;
  auto next =
      static_cast<std::size_t>(std::lower_bound(wanted.begin(), wanted.end(), at) - wanted.begin());
  for (std::size_t i = 0; i < sizes.size(); at += sizes[i++])
    for (; next < ranks && wanted[next] < at + sizes[i]; ++next) {
      const std::uint64_t cut = possible_cut(wanted[next] - at, sizes[i]);
      const bool is_behind = cut == sizes[i];
      found[2 * next] = static_cast<std::int64_t>(before.groups + i + (is_behind ? 1 : 0));
      found[2 * next + 1] = static_cast<std::int64_t>(is_behind ? 0 : cut);
    }
  call.communicator().sum(found.data(), found.size());
  for (std::size_t r = 0; r < ranks; ++r)
    cuts.cut[r] = wanted[r] < before.all_members
                      ? GroupCut{static_cast<std::uint64_t>(found[2 * r]),
                                 static_cast<std::uint64_t>(found[2 * r + 1])}
                      : GroupCut{before.all_groups, 0};
  cuts.cut[ranks] = {before.all_groups, 0};
  return cuts;
}

}  // namespace

int GroupCuts::owner(std::uint64_t label) const {
  // Among ranks without members, the last one has the row that begins behind them.
  const auto after = std::upper_bound(
      cut.begin(), cut.end() - 1, label, [](std::uint64_t of, const GroupCut& each) {
        return of < each.label || (of == each.label && each.is_inside());
      });
  return static_cast<int>(after - cut.begin()) - 1;
}

int GroupCuts::last(std::uint64_t label) const {
  const auto after =
      std::upper_bound(cut.begin(), cut.end() - 1, label,
                       [](std::uint64_t of, const GroupCut& each) { return of < each.label; });
  return static_cast<int>(after - cut.begin()) - 1;
}

bool GroupCuts::any_split() const {
  return std::any_of(cut.begin(), cut.end(), [](const GroupCut& each) { return each.is_inside(); });
}

GroupCuts cut_groups(Call& call, std::span<const std::uint64_t> sizes,
                     std::span<const std::uint64_t> wanted) {
  const Before before(call, sizes);
  return cuts_at(call, sizes, before, wanted);
}

GroupCuts cut_groups_evenly(Call& call, std::span<const std::uint64_t> sizes) {
  const Before before(call, sizes);
  const auto ranks = static_cast<std::uint64_t>(call.ranks());
  std::vector<std::uint64_t> wanted;
  call.quick([&] {
    const std::uint64_t share = before.all_members / ranks, rest = before.all_members % ranks;
    for (std::uint64_t r = 0; r < ranks; ++r) wanted.push_back(r * share + r * rest / ranks);
  });
  return cuts_at(call, sizes, before, wanted);
}

}  // namespace kith::mpi

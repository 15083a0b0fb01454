#include "mpi/groups/members.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>

#include "base/checked_sort.hpp"
#include "mpi/groups/split_groups.hpp"
#include "parallel/grains.hpp"

namespace kith::mpi {
namespace {

/// A member as it is announced to the rank of its place.
struct Member {
  std::int64_t label, index;
};

/// Global indices of this rank's members of the groups that are cut.
class CutSets {
 public:
  explicit CutSets(const GroupCuts& cuts) {
    list_cuts(cuts, label_, wanted);
    index_.resize(label_.size());
  }

  void add(std::int64_t label, std::int64_t index) {
    const auto at =
        std::lower_bound(label_.begin(), label_.end(), static_cast<std::uint64_t>(label));
    if (at != label_.end() && *at == static_cast<std::uint64_t>(label))
      index_[static_cast<std::size_t>(at - label_.begin())].push_back(
          static_cast<std::uint64_t>(index));
  }

  std::vector<std::span<const std::uint64_t>> sorted(const Workers& workers) {
    std::vector<std::span<const std::uint64_t>> sets;
    for (auto& index : index_) {
      if (!std::is_sorted(index.begin(), index.end()))
        checked_sort(index.begin(), index.end(), [&] { workers.check_cancelled(); });
      sets.emplace_back(index);
    }
    return sets;
  }

  std::vector<WantedKey> wanted;

 private:
  std::vector<std::uint64_t> label_;
  std::vector<std::vector<std::uint64_t>> index_;
};

class Gathering {
 public:
  Gathering(Call& call, const Labeled& labeled, Members::Impl& out)
      : call_(call), labeled_(labeled), cuts_(labeled.cuts), out_(out) {}

  void run() {
    find_bounds();
    Array<Member> members;
    call_.phase([&](Workers& workers) {
      plan(workers);
      members = Array<Member>(out_.route.row.size(), workers.pool());
      workers.for_ranges(members.size(), kLightPointGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          const std::uint32_t row = out_.route.row[i];
          members[i] = {labeled_.label[row], labeled_.index[row]};
        }
      });
    });
    Received<Member> arrived = call_.exchange(out_.route.out, members.data());
    members = {};
    call_.phase([&](Workers& workers) {
      out_.route.in = std::move(arrived.runs);
      sort(arrived.all(), workers);
    });
    call_.note_traffic("members");
  }

 private:
  /// The least index of each rank's part, where its first group began on another.
  void find_bounds() {
    call_.quick([&] { bound_.resize(static_cast<std::size_t>(call_.ranks())); });
    if (!cuts_.any_split()) return;
    std::optional<CutSets> cut;
    std::vector<std::span<const std::uint64_t>> sets;
    call_.phase([&](Workers& workers) {
      cut.emplace(cuts_);
      for (std::size_t i = 0; i < labeled_.label.size(); ++i)
        if (labeled_.label[i] >= 0) cut->add(labeled_.label[i], labeled_.index[i]);
      sets = cut->sorted(workers);
    });
    const auto found = Selection<std::uint64_t>(call_, sets, cut->wanted).run();
    for (std::size_t r = 0, at = 0; r < bound_.size(); ++r)
      if (cuts_.cut[r].is_inside()) bound_[r] = found[at++];
  }

  int rank_of_member(std::uint64_t label, std::uint64_t index) const {
    const int owner = cuts_.owner(label), last = cuts_.last(label);
    const auto after =
        std::upper_bound(bound_.begin() + owner + 1, bound_.begin() + last + 1, index);
    return static_cast<int>(after - bound_.begin()) - 1;
  }

  /// Rows of members by rank, in order.
  void plan(const Workers& workers) {
    const std::span<const std::int64_t> label = labeled_.label;
    out_.row_count = label.size();
    std::vector<std::size_t> counts(static_cast<std::size_t>(call_.ranks()));
    Array<std::int32_t> to(label.size(), workers.pool());
    workers.for_ranges(label.size(), kLightPointGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        to[i] = label[i] < 0 ? -1
                             : rank_of_member(static_cast<std::uint64_t>(label[i]),
                                              static_cast<std::uint64_t>(labeled_.index[i]));
    });
    for (const std::int32_t rank : to)
      if (rank >= 0) ++counts[static_cast<std::size_t>(rank)];
    std::vector<std::size_t> at(counts.size());
    std::exclusive_scan(counts.begin(), counts.end(), at.begin(), std::size_t{0});
    for (std::size_t r = 0; r < counts.size(); ++r)
      if (counts[r] > 0) out_.route.out.add(static_cast<int>(r), counts[r]);
    out_.route.row = Array<std::uint32_t>(out_.route.out.total(), workers.pool());
    for (std::size_t i = 0; i < to.size(); ++i)
      if (to[i] >= 0)
        out_.route.row[at[static_cast<std::size_t>(to[i])]++] = static_cast<std::uint32_t>(i);
  }

  /// By label as they arrive, then by index in each group where they did not arrive in order.
  void sort(std::span<const Member> members, const Workers& workers) {
    if (members.size() > most_points)
      fail(ErrorCode::too_large, "{}: {} members of groups on one rank; it holds at most {}",
           call_.name(), members.size(), most_points);
    const GroupCut& cut = cuts_.of(call_.rank());
    out_.first = cuts_.first_row(call_.rank());
    // A group that began on another rank comes first.
    const std::uint64_t groups = cuts_.of(call_.rank() + 1).label +
                                 (cuts_.of(call_.rank() + 1).is_inside() ? 1 : 0) - cut.label;
    std::vector<std::size_t> offset(groups + 1);
    for (const Member& member : members)
      ++offset[static_cast<std::size_t>(member.label) - cut.label + 1];
    std::partial_sum(offset.begin(), offset.end(), offset.begin());
    out_.index.resize(members.size());
    out_.route.local = Array<std::uint32_t>(members.size(), workers.pool());
    std::vector<std::size_t> next(offset.begin(), offset.end() - 1);
    for (std::size_t i = 0; i < members.size(); ++i) {
      const std::size_t at = next[static_cast<std::size_t>(members[i].label) - cut.label]++;
      out_.index[at] = members[i].index;
      out_.route.local[i] = static_cast<std::uint32_t>(at);
    }
    sort_groups(offset, workers);
    out_.offset.assign(offset.begin() + (cut.is_inside() ? 1 : 0), offset.end());
  }

  void sort_groups(const std::vector<std::size_t>& offset, const Workers& workers) {
    std::vector<std::pair<std::int64_t, std::uint32_t>> order;  // index and place before
    Array<std::uint32_t> moved;                                 // the new place of each
    for (std::size_t group = 0; group + 1 < offset.size(); ++group) {
      const std::size_t begin = offset[group], end = offset[group + 1];
      const std::span<std::int64_t> index(out_.index.data() + begin, end - begin);
      if (std::is_sorted(index.begin(), index.end())) continue;
      if (moved.empty()) {
        moved = Array<std::uint32_t>(out_.index.size(), workers.pool());
        std::iota(moved.begin(), moved.end(), 0u);
      }
      order.clear();
      for (std::size_t i = 0; i < index.size(); ++i)
        order.emplace_back(index[i], static_cast<std::uint32_t>(begin + i));
      checked_sort(order.begin(), order.end(), [&] { workers.check_cancelled(); });
      for (std::size_t i = 0; i < order.size(); ++i) {
        index[i] = order[i].first;
        moved[order[i].second] = static_cast<std::uint32_t>(begin + i);
      }
    }
    if (moved.empty()) return;
    for (std::uint32_t& place : out_.route.local) place = moved[place];
  }

  Call& call_;
  const Labeled& labeled_;
  const GroupCuts& cuts_;
  std::vector<std::uint64_t> bound_;  ///< of the indices of each rank's first group
  Members::Impl& out_;
};

/// Of each label.
Array<std::int64_t> global_indices(Call& call, const Domains::Impl& domains,
                                   const Groups::Impl& groups) {
  Array<std::int64_t> index;
  const bool is_input = groups.order == RowOrder::input;
  call.phase([&](Workers& workers) {
    const std::size_t rows =
        is_input && domains.first
            ? domains.input_size
            : domains.visit([](const auto& part) { return part.planes.points; });
    index = Array<std::int64_t>(rows, workers.pool());
    workers.for_ranges(rows, kLightPointGrain, [&](std::size_t begin, std::size_t end) {
      if (is_input && domains.first)
        return std::iota(&index[begin], &index[begin] + (end - begin),
                         static_cast<std::int64_t>(*domains.first + begin));
      domains.visit([&](const auto& part) {
        for (std::size_t i = begin; i < end; ++i)
          index[i] = static_cast<std::int64_t>(part.global[part.planes.index(i)]);
      });
    });
  });
  return is_input && !domains.first ? in_input_order(call, domains, index, kAnyValue)
                                    : std::move(index);
}

}  // namespace

void find_members(Call& call, const Domains::Impl& domains, const Groups::Impl& groups,
                  Members::Impl& out) {
  call.quick([&] {
    const std::size_t rows =
        groups.domains ? groups.index.size()
        : groups.order == RowOrder::tree
            ? domains.visit([](const auto& part) { return part.planes.points; })
            : domains.input_size;
    const std::size_t labels =
        groups.order == RowOrder::tree ? groups.tree_label.size() : groups.label.size();
    if (labels != rows || groups.cuts.cut.size() != static_cast<std::size_t>(call.ranks()) + 1)
      refuse("{}: {} labels for {} points; pass the domains that the groups were made of",
             call.name(), labels, rows);
  });
  Array<std::int64_t> made;
  if (!groups.domains) made = global_indices(call, domains, groups);
  const Array<std::int64_t>& label =
      groups.order == RowOrder::tree ? groups.tree_label : groups.label;
  const Array<std::int64_t>& index = groups.domains ? groups.index : made;
  gather_members(call, {{label.data(), label.size()}, {index.data(), index.size()}, groups.cuts},
                 out);
}

void gather_members(Call& call, const Labeled& labeled, Members::Impl& out) {
  Gathering(call, labeled, out).run();
}

namespace {

/// The same with values that travel as smaller ones.
template <class Small>
void put_small(Call& call, const Domains::Impl& domains, const Array<std::int64_t>& values,
               std::int64_t* to) {
  const Route& route = domains.route;
  Array<Small> sent;
  call.work([&](Workers& workers) {
    if (route.size() < domains.input_size) std::fill(to, to + domains.input_size, std::int64_t{-1});
    Array<std::uint32_t> arrival;  // by local index
    if (!route.local.empty()) arrival = Array<std::uint32_t>(values.size(), workers.pool());
    for (std::size_t i = 0; i < arrival.size(); ++i)
      arrival[route.local[i]] = static_cast<std::uint32_t>(i);
    sent = Array<Small>(values.size(), workers.pool());
    domains.visit([&](const auto& part) {
      workers.for_ranges(values.size(), kLightPointGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          const std::uint32_t local = part.planes.index(i);
          sent[arrival.empty() ? local : arrival[local]] = static_cast<Small>(values[i]);
        }
      });
    });
  });
  const Array<Small> back = call.exchange(route.in, sent.data(), route.out);
  call.phase([&](Workers& workers) {
    workers.for_ranges(back.size(), kLightPointGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) to[route.row_of(i)] = back[i];
    });
  });
}

}  // namespace

void put_in_input_order(Call& call, const Domains::Impl& domains, const Array<std::int64_t>& values,
                        std::uint64_t limit, std::int64_t* to) {
  if (limit <= std::uint64_t{1} << 31)
    put_small<std::int32_t>(call, domains, values, to);
  else
    put_small<std::int64_t>(call, domains, values, to);
}

Array<std::int64_t> in_input_order(Call& call, const Domains::Impl& domains,
                                   const Array<std::int64_t>& values, std::uint64_t limit) {
  Array<std::int64_t> result;
  call.phase(
      [&](Workers& workers) { result = Array<std::int64_t>(domains.input_size, workers.pool()); });
  put_in_input_order(call, domains, values, limit, result.data());
  return result;
}

Members members(const Domains& domains, const Groups& groups, const Execution& execution) {
  return public_call("members", [&] {
    Call call("members", *impl_of(domains).communicator, execution);
    std::shared_ptr<Members::Impl> impl;
    call.quick([&] { impl = std::make_shared<Members::Impl>(); });
    impl->domains = shared_impl_of(domains);
    find_members(call, impl_of(domains), impl_of(groups), *impl);
    return wrap_impl<Members>(std::move(impl));
  });
}

void Members::carry(const void* from, std::size_t count, std::size_t bytes,
                    const std::function<void*(std::size_t count)>& room,
                    const Execution& execution) const {
  public_call("to_group_order", [&] {
    Call call("to_group_order", *impl_->domains->communicator, execution);
    call.quick([&] {
      if (count != impl_->row_count)
        refuse("to_group_order: {} values for {} labels; give one for each", count,
               impl_->row_count);
    });
    const Array<std::byte> values = send_values(call, impl_->route, from, bytes);
    call.quick([&] {
      void* to = room(impl_->index.size());
      if (values.size() > 0) std::memcpy(to, values.data(), values.size());
    });
    call.note_traffic("payload");
  });
}

std::uint64_t Members::first() const { return impl_->first; }
std::size_t Members::count() const { return impl_->offset.size() - 1; }
std::span<const std::int64_t> Members::index() const { return impl_->index; }
std::span<const std::size_t> Members::offset() const { return impl_->offset; }

}  // namespace kith::mpi

#include "mpi/members.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <tuple>

#include "base/checked_sort.hpp"
#include "mpi/mail.hpp"

namespace kith::mpi {
namespace {

/// A member as it is announced to the rank of its group.
struct Member {
  std::int64_t label, index;
};

class Gathering {
 public:
  Gathering(Call& call, const Domains::Impl& domains, const Groups::Impl& groups,
            Members::Impl& out)
      : call_(call), domains_(domains), groups_(groups), out_(out) {}

  void run() {
    Array<std::int64_t> made;
    if (!groups_.domains) made = global_indices();
    const Array<std::int64_t>& index = groups_.domains ? groups_.index : made;
    Array<Member> members;
    Runs runs;
    call_.phase([&](Workers& workers) {
      plan(workers);
      members = Array<Member>(out_.route.row.size(), workers.pool());
      for (std::size_t i = 0; i < members.size(); ++i) {
        const std::uint32_t row = out_.route.row[i];
        members[i] = {labels()[row], index[row]};
      }
      runs = out_.route.out.times(sizeof(Member));
    });
    Arrived arrived = call_.exchange(runs, reinterpret_cast<const std::byte*>(members.data()));
    call_.phase([&](Workers& workers) {
      out_.route.in = std::move(arrived.runs);
      for (std::size_t& at : out_.route.in.offset) at /= sizeof(Member);
      sort(rows_of<Member>(arrived.bytes), workers);
    });
    call_.note_traffic("members");
  }

 private:
  const Array<std::int64_t>& labels() const {
    return groups_.order == RowOrder::tree ? groups_.tree_label : groups_.label;
  }

  /// Of each label.
  Array<std::int64_t> global_indices() {
    Array<std::int64_t> index;
    call_.phase([&](Workers& workers) {
      domains_.visit([&](const auto& part) {
        index = Array<std::int64_t>(part.planes.points, workers.pool());
        for (std::size_t i = 0; i < index.size(); ++i)
          index[i] = static_cast<std::int64_t>(part.global[part.planes.index(i)]);
      });
    });
    if (groups_.order == RowOrder::tree) return index;
    return in_input_order(call_, domains_, index);
  }

  int rank_of_label(std::int64_t label) const {
    const auto after = std::upper_bound(groups_.start.begin() + 1, groups_.start.end(),
                                        static_cast<std::uint64_t>(label));
    return static_cast<int>(after - groups_.start.begin()) - 1;
  }

  /// Rows of members by rank, in order.
  void plan(const Workers& workers) {
    const Array<std::int64_t>& label = labels();
    out_.row_count = label.size();
    std::vector<std::size_t> counts(static_cast<std::size_t>(call_.ranks()));
    Array<std::int32_t> to(label.size(), workers.pool());
    workers.for_ranges(label.size(), std::size_t{1} << 16, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) to[i] = label[i] < 0 ? -1 : rank_of_label(label[i]);
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

  void sort(std::span<const Member> members, const Workers& workers) {
    if (members.size() > kMaxPoints)
      fail(ErrorCode::too_large, "{}: {} members of groups on one rank; it holds at most {}",
           call_.name(), members.size(), kMaxPoints);
    std::vector<std::tuple<std::int64_t, std::int64_t, std::uint32_t>> order(members.size());
    for (std::size_t i = 0; i < members.size(); ++i)
      order[i] = {members[i].label, members[i].index, static_cast<std::uint32_t>(i)};
    checked_sort(order.begin(), order.end(), [&] { workers.check_cancelled(); });
    out_.first = groups_.first;
    out_.offset.assign(groups_.size.size() + 1, 0);
    for (const Member& member : members)
      ++out_.offset[static_cast<std::size_t>(member.label) - groups_.first + 1];
    std::partial_sum(out_.offset.begin(), out_.offset.end(), out_.offset.begin());
    out_.index.resize(order.size());
    out_.route.local = Array<std::uint32_t>(order.size(), workers.pool());
    for (std::size_t i = 0; i < order.size(); ++i) {
      out_.index[i] = std::get<1>(order[i]);
      out_.route.local[std::get<2>(order[i])] = static_cast<std::uint32_t>(i);
    }
  }

  Call& call_;
  const Domains::Impl& domains_;
  const Groups::Impl& groups_;
  Members::Impl& out_;
};

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
    if (labels != rows || groups.start.size() != static_cast<std::size_t>(call.ranks()) + 1)
      refuse("{}: {} labels for {} points; pass the domains that the groups were made of",
             call.name(), labels, rows);
  });
  Gathering(call, domains, groups, out).run();
}

Array<std::int64_t> in_input_order(Call& call, const Domains::Impl& domains,
                                   const Array<std::int64_t>& values) {
  Array<std::int64_t> result;
  Array<std::uint32_t> position;
  call.phase([&](Workers& workers) {
    result = Array<std::int64_t>(domains.input_size, workers.pool());
    std::fill(result.begin(), result.end(), std::int64_t{-1});
    position = Array<std::uint32_t>(values.size(), workers.pool());
    domains.visit([&](const auto& part) {
      for (std::size_t i = 0; i < values.size(); ++i)
        position[part.planes.index(i)] = static_cast<std::uint32_t>(i);
    });
  });
  carried_back(
      call, domains.route,
      [&](std::size_t local) -> const void* { return &values[position[local]]; },
      sizeof(std::int64_t), result.data());
  return result;
}

Members members(const Domains& domains, const Groups& groups, const Execution& execution) {
  return public_call("members", [&] {
    Call call("members", *domains.impl()->communicator, execution);
    std::shared_ptr<Members::Impl> impl;
    call.quick([&] { impl = std::make_shared<Members::Impl>(); });
    impl->domains = domains.impl();
    find_members(call, *domains.impl(), groups.impl(), *impl);
    return Members(std::move(impl));
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
    const Array<std::byte> values = carried(call, impl_->route, from, bytes);
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

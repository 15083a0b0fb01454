#include "mpi/groups/group_order.hpp"

#include <algorithm>
#include <numeric>

#include "base/checked_sort.hpp"
#include "mpi/domains/sample_sort.hpp"
#include "mpi/transport/rows.hpp"

namespace kith::mpi {
namespace {

struct Numbered {
  GroupKey key;
  std::uint32_t number;
  bool operator<(const Numbered& other) const { return key < other.key; }
};

class Ordering {
 public:
  explicit Ordering(Call& call) : call_(call) {}

  GroupRows run(const std::vector<GroupKey>& keys, std::vector<std::int64_t>& label) {
    call_.work([&](Workers& workers) { sort(keys, workers); });
    std::vector<GroupKey> sorted;
    call_.prepare([&] {
      for (const Numbered& each : own_) sorted.push_back(each.key);
    });
    const auto [out, arrived] = deal_in_order(call_, sorted);
    call_.phase([&, &from = arrived](Workers& workers) { merge(from.all(), workers); });
    number();
    deal();
    const Array<std::int64_t> labels = call_.exchange(arrived.runs, labels_.data(), out);
    call_.prepare([&] {
      label.resize(own_.size());
      for (std::size_t i = 0; i < own_.size(); ++i) label[own_[i].number] = labels[i];
    });
    return std::move(rows_);
  }

 private:
  void sort(const std::vector<GroupKey>& keys, const Workers& workers) {
    own_.resize(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i)
      own_[i] = {keys[i], static_cast<std::uint32_t>(i)};
    checked_sort(own_.begin(), own_.end(), [&] { workers.check_cancelled(); });
  }

  void merge(std::span<const GroupKey> keys, const Workers& workers) {
    merged_.resize(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i)
      merged_[i] = {keys[i], static_cast<std::uint32_t>(i)};
    checked_sort(merged_.begin(), merged_.end(), [&] { workers.check_cancelled(); });
    labels_.resize(keys.size());
  }

  void number() {
    std::vector<std::uint64_t> groups;
    call_.quick([&] { groups.resize(static_cast<std::size_t>(call_.ranks())); });
    const std::uint64_t mine = merged_.size();
    call_.communicator().gather_all(&mine, sizeof mine, groups.data());
    first_ = std::accumulate(groups.begin(), groups.begin() + call_.rank(), std::uint64_t{0});
    std::uint64_t label = first_;
    for (const Numbered& each : merged_) labels_[each.number] = static_cast<std::int64_t>(label++);
  }

  void deal() {
    std::vector<GroupKey> rows;
    std::vector<std::uint64_t> sizes;
    call_.prepare([&] {
      for (const Numbered& each : merged_) {
        rows.push_back(each.key);
        sizes.push_back(each.key.size);
      }
    });
    rows_.cuts = cut_groups_evenly(call_, sizes);
    rows_.rows = dealt_rows(call_, rows, first_, rows_.cuts);
  }

  Call& call_;
  std::vector<Numbered> own_, merged_;
  std::uint64_t first_ = 0;           ///< label of this rank after the sort
  std::vector<std::int64_t> labels_;  ///< by arrival
  GroupRows rows_;
};

}  // namespace

std::vector<GroupKey> dealt_rows(Call& call, const std::vector<GroupKey>& rows,
                                 std::uint64_t first_label, const GroupCuts& cuts) {
  const Received<GroupKey> arrived = send_rows(call, rows, [&](const GroupKey& key) {
    return cuts.owner(first_label + static_cast<std::uint64_t>(&key - rows.data()));
  });
  std::vector<GroupKey> dealt;
  call.quick([&] { dealt.assign(arrived.all().begin(), arrived.all().end()); });
  return dealt;
}

GroupRows order_groups(Call& call, const std::vector<GroupKey>& keys,
                       std::vector<std::int64_t>& label) {
  return Ordering(call).run(keys, label);
}

}  // namespace kith::mpi

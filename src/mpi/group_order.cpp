#include "mpi/group_order.hpp"

#include <algorithm>
#include <numeric>

#include "base/checked_sort.hpp"
#include "mpi/mail.hpp"
#include "mpi/sample_splitters.hpp"

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
    std::size_t count = 0;
    call_.prepare([&] { count = own_.size(); });
    const auto splitters =
        sample_splitters<GroupKey>(call_, count, [&](std::size_t i) { return own_[i].key; });
    Runs out, back;
    std::vector<GroupKey> sorted;
    call_.prepare([&] {
      out = sorted_runs(own_, splitters, sizeof(GroupKey),
                        [](const Numbered& row, const GroupKey& key) { return row.key < key; });
      back = out;
      for (std::size_t& at : back.offset) at = at / sizeof(GroupKey) * sizeof(std::int64_t);
      for (const Numbered& each : own_) sorted.push_back(each.key);
    });
    const Arrived arrived = call_.exchange(out, reinterpret_cast<const std::byte*>(sorted.data()));
    call_.phase([&](Workers& workers) { merge(arrived, workers); });
    number();
    deal();
    Runs in;
    call_.prepare([&] {
      in = arrived.runs;
      for (std::size_t& at : in.offset) at = at / sizeof(GroupKey) * sizeof(std::int64_t);
    });
    const Array<std::byte> bytes =
        call_.exchange(in, reinterpret_cast<const std::byte*>(labels_.data()), back);
    call_.prepare([&] {
      label.resize(own_.size());
      for (std::size_t i = 0; i < own_.size(); ++i)
        label[own_[i].number] = rows_of<std::int64_t>(bytes)[i];
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

  void merge(const Arrived& arrived, const Workers& workers) {
    const std::span<const GroupKey> keys = rows_of<GroupKey>(arrived.bytes);
    merged_.resize(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i)
      merged_[i] = {keys[i], static_cast<std::uint32_t>(i)};
    checked_sort(merged_.begin(), merged_.end(), [&] { workers.check_cancelled(); });
    labels_.resize(keys.size());
    counts_.resize(static_cast<std::size_t>(call_.ranks()));
  }

  /// Groups and points of one rank.
  struct Counts {
    std::uint64_t groups, points;
  };

  void number() {
    Counts mine{merged_.size(), 0};
    for (const Numbered& each : merged_) mine.points += each.key.size;
    call_.communicator().gather_all(&mine, sizeof mine, counts_.data());
    std::uint64_t label = 0;
    for (int r = 0; r < call_.ranks(); ++r) {
      const Counts& counts = counts_[static_cast<std::size_t>(r)];
      total_ += counts.points;
      if (r >= call_.rank()) continue;
      label += counts.groups;
      before_ += counts.points;
    }
    for (const Numbered& each : merged_) labels_[each.number] = static_cast<std::int64_t>(label++);
  }

  /// Cuts the rows anew: a group goes to the rank in whose share of the points its middle lies.
  void deal() {
    std::vector<GroupKey> sorted;
    Runs runs;
    call_.prepare([&] {
      std::vector<int> to;
      std::uint64_t offset = before_;
      for (const Numbered& each : merged_) {
        sorted.push_back(each.key);
        to.push_back(rank_of_point(offset + each.key.size / 2));
        offset += each.key.size;
      }
      runs = runs_of(std::span<const GroupKey>(sorted),
                     [&](const GroupKey& key) { return to[index_of(key, sorted)]; });
      rows_.start.resize(counts_.size() + 1);
    });
    const Arrived arrived = call_.exchange(runs, reinterpret_cast<const std::byte*>(sorted.data()));
    call_.quick([&] {
      const std::span<const GroupKey> rows = rows_of<GroupKey>(arrived.bytes);
      rows_.rows.assign(rows.begin(), rows.end());
    });
    const std::uint64_t mine = rows_.rows.size();
    call_.communicator().gather_all(&mine, sizeof mine, rows_.start.data());
    std::exclusive_scan(rows_.start.begin(), rows_.start.end(), rows_.start.begin(),
                        std::uint64_t{0});
  }

  static std::size_t index_of(const GroupKey& key, const std::vector<GroupKey>& keys) {
    return static_cast<std::size_t>(&key - keys.data());
  }

  int rank_of_point(std::uint64_t offset) const {
    const double share = static_cast<double>(offset) / static_cast<double>(total_);
    return std::min(static_cast<int>(share * call_.ranks()), call_.ranks() - 1);
  }

  Call& call_;
  std::vector<Numbered> own_, merged_;
  std::vector<Counts> counts_;            ///< of each rank
  std::uint64_t before_ = 0, total_ = 0;  ///< points in groups: of the ranks before, of all
  std::vector<std::int64_t> labels_;      ///< by arrival
  GroupRows rows_;
};

}  // namespace

GroupRows order_groups(Call& call, const std::vector<GroupKey>& keys,
                       std::vector<std::int64_t>& label) {
  return Ordering(call).run(keys, label);
}

}  // namespace kith::mpi

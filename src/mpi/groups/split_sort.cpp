#include "mpi/groups/split_sort.hpp"

#include <algorithm>
#include <bit>

#include "base/checked_sort.hpp"
#include "mpi/transport/rows.hpp"

namespace kith::mpi {
namespace {

Key key_of(const double* row) {
  return Key{std::bit_cast<std::uint64_t>(row[0])} << 64 | std::bit_cast<std::uint64_t>(row[1]);
}

/// Sorts rows of this width by their keys, which are returned.
std::vector<Key> sort_locally(std::size_t width, std::vector<double>& values,
                              const Workers& workers) {
  std::vector<std::pair<Key, const double*>> order;
  order.reserve(values.size() / width);
  for (std::size_t at = 0; at < values.size(); at += width)
    order.emplace_back(key_of(&values[at]), &values[at]);
  checked_sort(order.begin(), order.end(), [&] { workers.check_cancelled(); });
  std::vector<double> sorted;
  sorted.reserve(values.size());
  std::vector<Key> keys;
  keys.reserve(order.size());
  for (const auto& [key, row] : order) {
    keys.push_back(key);
    sorted.insert(sorted.end(), row, row + width);
  }
  values = std::move(sorted);
  return keys;
}

class SplitSort {
 public:
  SplitSort(Call& call, const SplitGroups& split, const RowCuts& cuts, KeyedRows& rows)
      : call_(call), split_(split), cuts_(cuts), rows_(rows) {}

  void run() {
    std::vector<std::span<const Key>> sets;
    call_.phase([&](Workers& workers) {
      keys_.resize(cuts_.size());
      for (std::size_t p = 0; p < pieces().size(); ++p)
        keys_[split_.set_of(pieces()[p])] = sort_locally(rows_.width, rows_.values[p], workers);
      sets.assign(keys_.begin(), keys_.end());
      list_wanted();
    });
    bound_ = Selection<Key>(call_, sets, wanted_).run();
    Runs out;
    std::vector<double> sent;
    call_.work([&](Workers&) {
      for (std::size_t p = 0; p < pieces().size(); ++p) {
        add_runs(split_.set_of(pieces()[p]), out);
        sent.insert(sent.end(), rows_.values[p].begin(), rows_.values[p].end());
        rows_.values[p] = {};
      }
      keys_.clear();
    });
    const Received<double> arrived = call_.exchange(out, sent.data(), rows_.width);
    call_.phase([&](Workers& workers) {
      sent = {};
      take_rows(arrived.all(), workers);
    });
  }

 private:
  const std::vector<GroupPiece>& pieces() const { return split_.pieces(); }

  /// Keys are searched for where a rank begins neither at the first row nor behind the last.
  bool is_wanted(std::size_t set, std::uint64_t begin) const {
    return begin > 0 && begin < cuts_[set].back();
  }
  void list_wanted() {
    for (std::size_t set = 0; set < cuts_.size(); ++set)
      for (const std::uint64_t begin : cuts_[set])
        if (is_wanted(set, begin)) wanted_.push_back({set, begin});
  }

  /// The rows of one part, by the ranks of their places.
  void add_runs(std::size_t set, Runs& out) const {
    std::size_t next = 0;  // the first bound of this group
    while (next < wanted_.size() && wanted_[next].set < set) ++next;
    const std::vector<Key>& keys = keys_[set];
    auto from = keys.begin();
    for (std::size_t part = 0; part + 1 < cuts_[set].size(); ++part) {
      const std::uint64_t end = cuts_[set][part + 1];
      auto to = end == 0 ? keys.begin() : keys.end();
      if (is_wanted(set, end)) to = std::lower_bound(from, keys.end(), bound_[next++]);
      if (to != from)
        out.extend(split_.owners()[set] + static_cast<int>(part),
                   static_cast<std::size_t>(to - from));
      from = to;
    }
  }

  /// Rows of the first part's group come from ranks up to this one, those of the own group from
  /// this one on; of those that come from this rank, the first part's are before.
  void take_rows(std::span<const double> arrived, const Workers& workers) {
    for (std::size_t p = 0; p < pieces().size(); ++p) {
      const auto& cuts = cuts_[split_.set_of(pieces()[p])];
      const auto part = static_cast<std::size_t>(call_.rank() - pieces()[p].owner);
      const std::size_t size = static_cast<std::size_t>(cuts[part + 1] - cuts[part]) * rows_.width;
      rows_.values[p].assign(arrived.begin(), arrived.begin() + static_cast<std::ptrdiff_t>(size));
      arrived = arrived.subspan(size);
      sort_locally(rows_.width, rows_.values[p], workers);
    }
  }

  Call& call_;
  const SplitGroups& split_;
  const RowCuts& cuts_;
  KeyedRows& rows_;
  std::vector<std::vector<Key>> keys_;  ///< of each split group, ascending
  std::vector<WantedKey> wanted_;
  std::vector<Key> bound_;
};

}  // namespace

void KeyedRows::add(std::size_t p, std::uint64_t key, std::uint64_t index) {
  values[p].push_back(std::bit_cast<double>(key));
  values[p].push_back(std::bit_cast<double>(index));
}

void sort_rows(Call& call, const SplitGroups& split, const RowCuts& cuts, KeyedRows& rows) {
  SplitSort(call, split, cuts, rows).run();
}

}  // namespace kith::mpi

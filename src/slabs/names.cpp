#include "slabs/names.hpp"

#include <algorithm>
#include <limits>

#include "base/checked_sort.hpp"
#include "base/fail.hpp"
#include "groups/group_key.hpp"
#include "parallel/union_find.hpp"
#include "slabs/passes.hpp"
#include "slabs/pieces.hpp"

namespace kith::slabs {
namespace {

struct Numbered {
  GroupKey key;
  std::uint32_t group;
  bool operator<(const Numbered& other) const { return key < other.key; }
};

template <class T>
class Naming {
 public:
  Naming(const SlabStore<T>& store, SlabSets sets, std::size_t min_size, const Budget& budget,
         Workers& workers)
      : store_(store),
        sets_(std::move(sets)),
        min_size_(min_size),
        budget_(budget),
        workers_(workers) {}

  void run(StoredGroups::Impl& out) {
    run_pass(
        *store_.scratch, "labels", [&](auto& archive) { out.each_state(archive); },
        [&] {
          add_up();
          find_lowest();
          number(out);
          write_labels(out);
        });
  }

 private:
  std::size_t count() const { return sets_.parent.size(); }

  /// The sizes of groups; group_[set] for the sets of groups that are large enough.
  void add_up() {
    const UnionFind<std::uint32_t> linked(sets_.parent.data());
    for (std::size_t i = 0; i < count(); ++i) linked.flatten(static_cast<std::uint32_t>(i));
    std::vector<std::uint64_t> total(count());
    for (std::size_t i = 0; i < count(); ++i) total[sets_.parent[i]] += sets_.size[i];
    group_.assign(count(), kNoSet);
    for (std::size_t i = 0; i < count(); ++i) {
      if (sets_.parent[i] != i || total[i] < min_size_) continue;
      group_[i] = static_cast<std::uint32_t>(keys_.size());
      keys_.push_back({total[i], ~std::uint64_t{0}});
    }
    check_tables("fof", sets_.bytes() + keys_.size() * sizeof(GroupKey), budget_);
    for (std::size_t i = 0; i < count(); ++i) group_[i] = group_[sets_.parent[i]];
    sets_.parent = {};
    sets_.size = {};
  }

  /// The lowest member of a set is known by its place in its slab: finds these points in the input.
  void find_lowest() {
    std::vector<std::uint64_t> order;  // lowest member << 32 | set, slab by slab
    std::vector<std::size_t> next{0};  // of each slab
    for (std::size_t slab = 0; slab < store_.slabs(); ++slab) {
      for (std::size_t set = sets_.begin[slab]; set < sets_.begin[slab + 1]; ++set)
        if (group_[set] != kNoSet)
          order.push_back(std::uint64_t{sets_.lowest[set]} << 32 | std::uint64_t{set});
      checked_sort(order.begin() + static_cast<std::ptrdiff_t>(next.back()), order.end(),
                   [&] { workers_.check_cancelled(); });
      next.push_back(order.size());
    }
    sets_.lowest = {};
    const std::vector<std::size_t> end(next.begin() + 1, next.end());
    std::vector<std::uint32_t> passed(store_.slabs());
    std::vector<std::uint16_t> slabs;
    const Stage stage(workers_, "lowest members", store_.size);
    for_pieces(store_.size, budget_.piece_points, workers_,
               [&](std::uint64_t begin, std::size_t n) {
                 read_slabs(begin, n, slabs);
                 for (std::size_t i = 0; i < n; ++i) {
                   const std::uint16_t slab = slabs[i];
                   if (slab == kNoSlab) continue;
                   const std::uint32_t row = passed[slab]++;
                   if (next[slab] == end[slab] || order[next[slab]] >> 32 != row) continue;
                   const auto set = static_cast<std::uint32_t>(order[next[slab]++]);
                   std::uint64_t& lowest = keys_[group_[set]].lowest;
                   lowest = std::min(lowest, first_index + begin + i);
                 }
               });
  }

  void read_slabs(std::uint64_t begin, std::size_t n, std::vector<std::uint16_t>& slabs) const {
    slabs.resize(n);
    store_.scratch->read(store_.numbers + begin * sizeof(std::uint16_t), std::span(slabs));
  }

  void number(StoredGroups::Impl& out) {
    if (keys_.size() > std::size_t{std::numeric_limits<std::int32_t>::max()})
      fail(ErrorCode::too_large, "fof: {} groups; there can be 2^31 - 1: raise min_size",
           keys_.size());
    std::vector<Numbered> order;
    for (const GroupKey& key : keys_)
      order.push_back({key, static_cast<std::uint32_t>(order.size())});
    keys_ = {};
    checked_sort(order.begin(), order.end(), [&] { workers_.check_cancelled(); });
    std::vector<std::uint32_t> label(order.size());
    for (const auto& [key, group] : order) {
      label[group] = static_cast<std::uint32_t>(out.size.size());
      out.size.push_back(static_cast<std::int64_t>(key.size));
      out.lowest.push_back(static_cast<std::int64_t>(key.lowest));
      out.grouped += key.size;
    }
    for (std::uint32_t& group : group_)
      if (group != kNoSet) group = label[group];
  }

  void write_labels(StoredGroups::Impl& out) {
    out.label = store_.scratch->reserve(store_.size * sizeof(std::int32_t));
    OrderOfInput order = store_.input_order();
    std::vector<std::uint32_t> sets;
    std::vector<std::int32_t> label;
    const Stage stage(workers_, "labels", store_.size);
    for_pieces(store_.size, budget_.piece_points, workers_,
               [&](std::uint64_t begin, std::size_t n) {
                 sets.resize(n);
                 order.read(sets_.of_point, sizeof(std::uint32_t), begin, n, &kNoSet, sets.data());
                 label.resize(n);
                 for (std::size_t i = 0; i < n; ++i)
                   label[i] = sets[i] == kNoSet ? -1 : static_cast<std::int32_t>(group_[sets[i]]);
                 store_.scratch->write(out.label + begin * sizeof(std::int32_t),
                                       std::span<const std::int32_t>(label));
               });
  }

  const SlabStore<T>& store_;
  SlabSets sets_;
  std::size_t min_size_;
  const Budget& budget_;
  Workers& workers_;
  std::vector<std::uint32_t> group_;  ///< of each set; kNoSet: none. In the end its label
  std::vector<GroupKey> keys_;        ///< of the groups
};

}  // namespace

template <class T>
void name_groups(const SlabStore<T>& store, SlabSets sets, std::size_t min_size,
                 const Budget& budget, Workers& workers, StoredGroups::Impl& out) {
  Naming<T>(store, std::move(sets), min_size, budget, workers).run(out);
}

template void name_groups(const SlabStore<float>&, SlabSets, std::size_t, const Budget&, Workers&,
                          StoredGroups::Impl&);
template void name_groups(const SlabStore<double>&, SlabSets, std::size_t, const Budget&, Workers&,
                          StoredGroups::Impl&);

}  // namespace kith::slabs

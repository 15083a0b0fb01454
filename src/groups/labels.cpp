// Every pass is a parallel loop. Few groups, as a `min_size` leaves them, are sorted by comparison.
// Many are brought to the order of their lowest members by marking these in the array of the
// labels, which is in input order, and then to that of their sizes by one stable scatter; single
// points, mostly the bulk of them, only have to be counted.
#include "groups/labels.hpp"

#include <algorithm>
#include <atomic>
#include <limits>

#include "base/fail.hpp"
#include "parallel/radix_sort.hpp"
#include "parallel/union_find.hpp"

namespace kith {
namespace {

constexpr std::size_t kGrain = std::size_t{1} << 16;
constexpr std::uint32_t kNone = 0xffffffff;    // as a label: -1
constexpr std::uint32_t kSingle = 0xfffffffe;  // beyond every point
/// Groups of this size or more are few and sorted by comparison.
constexpr std::uint32_t kLargeGroup = 4095;
/// So are all groups, if there are more than this many points to each; with a lower `min_size` than
/// this it is not worth counting them.
constexpr std::size_t kFew = 64;
constexpr std::uint32_t kFewSize = 4;

/// A run of points with one root. Several ranges may add to a root at once. Relaxed: the values are
/// read after the loop has ended.
struct Run {
  std::uint32_t root = kNone, size = 0, lowest = kNone;

  void add(std::uint32_t index) {
    ++size;
    lowest = std::min(lowest, index);
  }
  void add_size_to(std::uint32_t* sizes) const {
    std::atomic_ref(sizes[root]).fetch_add(size, std::memory_order_relaxed);
  }
  void lower(std::uint32_t* lowests) const {
    const std::atomic_ref shared(lowests[root]);
    std::uint32_t seen = shared.load(std::memory_order_relaxed);
    while (lowest < seen &&
           !shared.compare_exchange_weak(seen, lowest, std::memory_order_relaxed)) {
    }
  }
};

template <class T>
class Numbering {
 public:
  Numbering(const Planes<T>& planes, const FofOptions& options, std::uint32_t* parent,
            const Workers& workers)
      : planes_(planes),
        workers_(workers),
        parent_(parent),
        min_size_(static_cast<std::uint32_t>(std::clamp<std::size_t>(options.min_size, 1, kNone))),
        needs_all_(min_size_ == 1 || options.keep_roots),
        size_(planes.points, workers.pool()),
        lowest_(planes.points, workers.pool()) {}

  /// Flattens the sets and counts their members. A root comes before its points in tree order and
  /// mostly lies in the same range: such points are counted without atomics first, the others
  /// afterwards. Then the lowest members, or on the way if all groups need them.
  void count() const {
    fill(lowest_, kNone);
    each_range([&](std::size_t begin, std::size_t end) { count_at_home(begin, end); });
    each_range([&](std::size_t begin, std::size_t end) { count_abroad(begin, end); });
    if (!needs_all_) find_lowest();
  }

  void keep_roots(Array<std::int64_t>& out) const {
    fill(out, std::int64_t{-1});
    each_range([&](std::size_t begin, std::size_t end) {
      each_point(begin, end,
                 [&](std::size_t i, std::uint32_t index) { out[index] = lowest_[parent_[i]]; });
    });
    // From here on, only groups that are kept have one.
    each_range([&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        if (size_[i] < min_size_) lowest_[i] = kNone;
    });
  }

  /// Sets label and group arrays.
  void number(Groups::Impl& groups) const {
    if (min_size_ < kFewSize) return number_many(groups);
    Array<std::uint32_t> roots = pack<std::uint32_t>(
        workers_, planes_.points, [&](std::size_t i) { return size_[i] >= min_size_; });
    if (roots.size() <= planes_.points / kFew)
      number_few(roots, groups);
    else
      number_many(groups);
  }

 private:
  void each_range(FunctionRef<void(std::size_t, std::size_t)> body) const {
    workers_.for_ranges(planes_.points, kGrain, [&](std::size_t begin, std::size_t end) {
      body(begin, end);
      workers_.advance(end - begin);
    });
  }
  /// Calls body(i, original index) for points in tree order; ranges begin with a block. The indices
  /// of blocks to come are asked for in time: they lie too far apart for the machine to guess.
  template <class Body>
  void each_point(std::size_t begin, std::size_t end, Body body) const {
    constexpr std::size_t kAhead = 16;
    for (std::size_t at = begin; at < end; at += kLanes) {
      const std::size_t block = at / kLanes;
      const std::uint32_t* index = planes_.block_index(block);
      __builtin_prefetch(planes_.block_index(std::min(block + kAhead, planes_.block_count() - 1)));
      const std::size_t points = std::min(kLanes, end - at);
      for (std::size_t lane = 0; lane < points; ++lane) body(at + lane, index[lane]);
    }
  }
  template <class V>
  void fill(const Array<V>& out, V value) const {
    workers_.for_ranges(out.size(), kGrain, [&](std::size_t begin, std::size_t end) {
      std::fill(out.data() + begin, out.data() + end, value);
    });
  }

  void count_at_home(std::size_t begin, std::size_t end) const {
    const UnionFind<std::uint32_t> sets(parent_);
    std::fill(size_.data() + begin, size_.data() + end, 0);
    each_point(begin, end, [&](std::size_t i, std::uint32_t index) {
      const std::uint32_t root = sets.flatten(static_cast<std::uint32_t>(i));
      if (root < begin) return;
      ++size_[root];
      if (needs_all_) lowest_[root] = std::min(lowest_[root], index);
    });
  }

  void count_abroad(std::size_t begin, std::size_t end) const {
    each_run(
        begin, end, [&](std::uint32_t root) { return root < begin; },
        [&](const Run& run) {
          run.add_size_to(size_.data());
          if (needs_all_) run.lower(lowest_.data());
        });
  }

  /// Of the groups that are kept alone: their points are few as a rule.
  void find_lowest() const {
    each_range([&](std::size_t begin, std::size_t end) {
      each_run(
          begin, end, [&](std::uint32_t root) { return size_[root] >= min_size_; },
          [&](const Run& run) { run.lower(lowest_.data()); });
    });
  }

  /// Calls use(run) for the runs of points whose roots are wanted.
  template <class Wants, class Use>
  void each_run(std::size_t begin, std::size_t end, Wants wants, Use use) const {
    Run run;
    each_point(begin, end, [&](std::size_t i, std::uint32_t index) {
      const std::uint32_t root = parent_[i];
      if (!wants(root)) return;
      if (root != run.root) {
        if (run.size > 0) use(run);
        run = {root};
      }
      run.add(index);
    });
    if (run.size > 0) use(run);
  }

  // ---- few groups

  void number_few(Array<std::uint32_t>& roots, Groups::Impl& groups) const {
    std::sort(roots.begin(), roots.end(), [&](std::uint32_t a, std::uint32_t b) {
      return size_[a] != size_[b] ? size_[a] > size_[b] : lowest_[a] < lowest_[b];
    });
    make_room(roots.size(), groups);
    for (std::size_t group = 0; group < roots.size(); ++group)
      name_group(static_cast<std::uint32_t>(group), roots[group], groups);
    if (planes_.points < groups.label.size()) fill(groups.label, -1);  // some were dropped
    each_range([&](std::size_t begin, std::size_t end) {
      each_point(begin, end, [&](std::size_t i, std::uint32_t index) {
        groups.label[index] = static_cast<std::int32_t>(lowest_[parent_[i]]);
      });
    });
  }

  void make_room(std::size_t count, Groups::Impl& groups) const {
    if (count > std::size_t{std::numeric_limits<std::int32_t>::max()})
      fail(ErrorCode::too_large,
           "fof: {} groups; labels have 32 bits: leave out the single points with min_size = 2",
           count);
    groups.lowest = Array<std::uint32_t>(count, workers_.pool());
    groups.size = Array<std::uint32_t>(count, workers_.pool());
  }

  /// Leaves the label in place of the lowest member.
  void name_group(std::uint32_t group, std::uint32_t root, const Groups::Impl& groups) const {
    groups.lowest[group] = lowest_[root];
    groups.size[group] = size_[root];
    lowest_[root] = group;
  }

  // ---- many groups

  void number_many(Groups::Impl& groups) const {
    auto* mark = reinterpret_cast<std::uint32_t*>(groups.label.data());
    fill(groups.label, -1);
    mark_lowest(mark);
    const Array<std::uint32_t> order =
        sorted_by_size(pack<std::uint32_t>(workers_, groups.label.size(),
                                           [&](std::size_t i) { return mark[i] < kSingle; }),
                       mark);
    const Array<std::uint32_t> singles = pack<std::uint32_t>(
        workers_, groups.label.size(), [&](std::size_t i) { return mark[i] == kSingle; });
    make_room(order.size() + singles.size(), groups);
    workers_.for_ranges(order.size(), kGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t group = begin; group < end; ++group)
        name_group(static_cast<std::uint32_t>(group), mark[order[group]], groups);
    });
    number_singles(singles, order.size(), mark, groups);
    each_range([&](std::size_t begin, std::size_t end) {
      each_point(begin, end, [&](std::size_t i, std::uint32_t index) {
        if (const std::uint32_t label = lowest_[parent_[i]]; label != kNone) mark[index] = label;
      });
    });
  }

  /// At the lowest member of each group that is kept: its root, or kSingle if it is alone. Points
  /// that are alone lose their lowest member: they get their labels without it.
  void mark_lowest(std::uint32_t* mark) const {
    each_range([&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        if (size_[i] < min_size_) continue;
        const bool is_single = size_[i] == 1;
        mark[lowest_[i]] = is_single ? kSingle : static_cast<std::uint32_t>(i);
        if (is_single) lowest_[i] = kNone;
      }
    });
  }

  /// Points that are alone come last, as they stand; their labels are known at once.
  void number_singles(const Array<std::uint32_t>& singles, std::size_t first, std::uint32_t* mark,
                      const Groups::Impl& groups) const {
    workers_.for_ranges(singles.size(), kGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const std::size_t group = first + i;
        groups.lowest[group] = singles[i];
        groups.size[group] = 1;
        mark[singles[i]] = static_cast<std::uint32_t>(group);
      }
    });
  }

  /// Lowest members by falling size of their groups, then ascending as they come.
  Array<std::uint32_t> sorted_by_size(Array<std::uint32_t> order, const std::uint32_t* mark) const {
    auto size_of = [&](std::uint32_t lowest) { return size_[mark[lowest]]; };
    auto comes_first = [&](std::uint32_t a, std::uint32_t b) {
      const std::uint32_t size_a = size_of(a), size_b = size_of(b);
      return size_a != size_b ? size_a > size_b : a < b;
    };
    if (order.size() < kLargeGroup) {
      std::sort(order.begin(), order.end(), comes_first);
      return order;
    }
    Array<std::uint32_t> sorted(order.size(), workers_.pool());
    Array<std::uint16_t> codes(order.size(), workers_.pool());
    const std::vector<std::size_t> start = scatter_to_buckets(
        workers_, order.size(), kLargeGroup + 1,
        [&](std::size_t i) { return kLargeGroup - std::min(size_of(order[i]), kLargeGroup); },
        [&](std::size_t i) { return order[i]; }, codes.data(), sorted.data());
    std::sort(sorted.begin(), sorted.begin() + start[1], comes_first);
    return sorted;
  }

  const Planes<T>& planes_;
  const Workers& workers_;
  std::uint32_t* parent_;
  std::uint32_t min_size_;
  bool needs_all_;                      // the lowest members of all groups
  Array<std::uint32_t> size_, lowest_;  // per point; used where the point is a root
};

}  // namespace

template <class T>
void number_groups(const Planes<T>& planes, const FofOptions& options, std::uint32_t* parent,
                   Workers& workers, Groups::Impl& groups) {
  const Stage stage(workers, "labels", 4 * planes.points);
  const Numbering<T> numbering(planes, options, parent, workers);
  numbering.count();
  if (options.keep_roots) numbering.keep_roots(groups.root);
  numbering.number(groups);
}

template void number_groups(const Planes<float>&, const FofOptions&, std::uint32_t*, Workers&,
                            Groups::Impl&);
template void number_groups(const Planes<double>&, const FofOptions&, std::uint32_t*, Workers&,
                            Groups::Impl&);

}  // namespace kith

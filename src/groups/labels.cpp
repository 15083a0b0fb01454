// Every pass is a parallel loop. Groups are brought to the order of their lowest members by marking
// these in the array of the labels, which is in input order, and then to that of their sizes by one
// stable scatter. Single points, mostly the bulk of the groups, only have to be counted.
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

/// What is known of a group, at the place of its root.
struct Members {
  std::uint32_t* size;
  std::uint32_t* lowest;
};

/// A run of points with one root whose home is another range; several ranges may add to it at once.
struct Run {
  std::uint32_t root = kNone, size = 0, lowest = kNone;

  void add_to(const Members& members) const {
    if (size == 0) return;
    // Relaxed: the sums are read after the loop has ended.
    std::atomic_ref(members.size[root]).fetch_add(size, std::memory_order_relaxed);
    const std::atomic_ref shared(members.lowest[root]);
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
        min_size_(static_cast<std::uint32_t>(std::min<std::size_t>(options.min_size, kNone))),
        size_(planes.points, workers.pool()),
        lowest_(planes.points, workers.pool()),
        members_{size_.data(), lowest_.data()} {}

  /// Flattens the sets and counts their members. A root comes before its points in tree order and
  /// mostly lies in the same range: such points are counted without atomics first, the others
  /// afterwards.
  void count() const {
    each_range([&](std::size_t begin, std::size_t end) { count_at_home(begin, end); });
    each_range([&](std::size_t begin, std::size_t end) { count_abroad(begin, end); });
  }

  void keep_roots(Array<std::int64_t>& out) const {
    workers_.for_ranges(out.size(), kGrain, [&](std::size_t begin, std::size_t end) {
      std::fill(out.data() + begin, out.data() + end, -1);
    });
    each_range([&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) out[planes_.index(i)] = lowest_[parent_[i]];
    });
  }

  /// Sets label and group arrays.
  void number(Groups::Impl& groups) const {
    auto* mark = reinterpret_cast<std::uint32_t*>(groups.label.data());
    mark_lowest(mark, groups.label.size());
    const Array<std::uint32_t> order =
        sorted_by_size(pack<std::uint32_t>(workers_, groups.label.size(),
                                           [&](std::size_t i) { return mark[i] < kSingle; }),
                       mark);
    const Array<std::uint32_t> singles = pack<std::uint32_t>(
        workers_, groups.label.size(), [&](std::size_t i) { return mark[i] == kSingle; });
    const std::size_t count = order.size() + singles.size();
    if (count > std::size_t{std::numeric_limits<std::int32_t>::max()})
      fail(ErrorCode::too_large,
           "fof: {} groups; labels have 32 bits: leave out the single points with min_size = 2",
           count);
    groups.lowest = Array<std::uint32_t>(count, workers_.pool());
    groups.size = Array<std::uint32_t>(count, workers_.pool());
    number_groups(order, mark, groups);
    number_singles(singles, order.size(), mark, groups);
    each_range([&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        if (const std::uint32_t label = lowest_[parent_[i]]; label != kNone)
          mark[planes_.index(i)] = label;
    });
  }

 private:
  void each_range(FunctionRef<void(std::size_t, std::size_t)> body) const {
    workers_.for_ranges(planes_.points, kGrain, [&](std::size_t begin, std::size_t end) {
      body(begin, end);
      workers_.advance(end - begin);
    });
  }

  void count_at_home(std::size_t begin, std::size_t end) const {
    const UnionFind<std::uint32_t> sets(parent_);
    std::fill(size_.data() + begin, size_.data() + end, 0);
    std::fill(lowest_.data() + begin, lowest_.data() + end, kNone);
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t root = sets.flatten(static_cast<std::uint32_t>(i));
      if (root < begin) continue;
      ++size_[root];
      lowest_[root] = std::min(lowest_[root], planes_.index(i));
    }
  }

  void count_abroad(std::size_t begin, std::size_t end) const {
    Run run;
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t root = parent_[i];
      if (root >= begin) continue;
      if (root != run.root) {
        run.add_to(members_);
        run = {root};
      }
      ++run.size;
      run.lowest = std::min(run.lowest, planes_.index(i));
    }
    run.add_to(members_);
  }

  /// At the lowest member of each group that is kept: its root, or kSingle if it is alone.
  /// Elsewhere kNone.
  void mark_lowest(std::uint32_t* mark, std::size_t input_size) const {
    workers_.for_ranges(input_size, kGrain, [&](std::size_t begin, std::size_t end) {
      std::fill(mark + begin, mark + end, kNone);
    });
    each_range([&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        if (parent_[i] != i) continue;
        if (size_[i] >= min_size_)
          mark[lowest_[i]] = size_[i] == 1 ? kSingle : static_cast<std::uint32_t>(i);
        if (size_[i] < min_size_ || size_[i] == 1) lowest_[i] = kNone;
      }
    });
  }

  /// Groups in their order, each given by its lowest member. Leaves the label in place of the
  /// lowest member.
  void number_groups(const Array<std::uint32_t>& order, const std::uint32_t* mark,
                     const Groups::Impl& groups) const {
    workers_.for_ranges(order.size(), kGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t group = begin; group < end; ++group) {
        const std::uint32_t root = mark[order[group]];
        groups.lowest[group] = order[group];
        groups.size[group] = size_[root];
        lowest_[root] = static_cast<std::uint32_t>(group);
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
  Array<std::uint32_t> size_, lowest_;  // per point; used where the point is a root
  Members members_;
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

// Every pass is a parallel loop. Few groups, as a `min_size` leaves them, are sorted by comparison.
// Many are brought to the order of their lowest members by marking these in the array of the
// labels, which is in input order, and then to that of their sizes by one stable scatter; single
// points, mostly the bulk of them, only have to be counted.
#include "groups/labels.hpp"

#include <algorithm>
#include <limits>

#include "base/fail.hpp"
#include "parallel/grains.hpp"
#include "parallel/radix_sort.hpp"

namespace kith {
namespace {

constexpr std::uint32_t kNone = kNoMember;     // as a label: -1
constexpr std::uint32_t kSingle = 0xfffffffe;  // beyond every point
/// Groups of this size or more are few and sorted by comparison.
constexpr std::uint32_t kLargeGroup = 4095;
/// So are all groups, if there are more than this many points to each; with a lower `min_size` than
/// this it is not worth counting them.
constexpr std::size_t kFew = 64;
constexpr std::uint32_t kFewSize = 4;

template <class Points>
class Naming {
 public:
  Naming(const Points& points, const CountedSets& sets, std::size_t min_size,
         const Workers& workers)
      : points_(points),
        workers_(workers),
        root_(sets.root),
        min_size_(static_cast<std::uint32_t>(std::clamp<std::size_t>(min_size, 1, kNone))),
        size_(sets.size),
        lowest_(sets.lowest) {}

  /// Sets label and group arrays.
  void run(Groups::Impl& groups) const {
    if (min_size_ < kFewSize) return number_many(groups);
    Array<std::uint32_t> roots = pack<std::uint32_t>(
        workers_, points_.points, [&](std::size_t i) { return size_[i] >= min_size_; });
    if (roots.size() <= points_.points / kFew)
      number_few(roots, groups);
    else
      number_many(groups);
  }

 private:
  void each_range(FunctionRef<void(std::size_t, std::size_t)> body) const {
    workers_.for_ranges(points_.points, kLightPointGrain, [&](std::size_t begin, std::size_t end) {
      body(begin, end);
      workers_.advance(end - begin);
    });
  }
  template <class V>
  void fill(const Array<V>& out, V value) const {
    workers_.for_ranges(out.size(), kLightPointGrain, [&](std::size_t begin, std::size_t end) {
      std::fill(out.data() + begin, out.data() + end, value);
    });
  }

  // ---- few groups

  void number_few(Array<std::uint32_t>& roots, Groups::Impl& groups) const {
    std::sort(roots.begin(), roots.end(), [&](std::uint32_t a, std::uint32_t b) {
      return size_[a] != size_[b] ? size_[a] > size_[b] : lowest_[a] < lowest_[b];
    });
    make_room(roots.size(), groups);
    for (std::size_t group = 0; group < roots.size(); ++group)
      name_group(static_cast<std::uint32_t>(group), roots[group], groups);
    if (points_.points < groups.label.size()) fill(groups.label, -1);  // some were dropped
    each_range([&](std::size_t begin, std::size_t end) {
      each_point(points_, begin, end, [&](std::size_t i, std::uint32_t index) {
        groups.label[index] = static_cast<std::int32_t>(lowest_[root_[i]]);
      });
    });
  }

  void make_room(std::size_t count, Groups::Impl& groups) const {
    if (count > std::size_t{std::numeric_limits<std::int32_t>::max()})
      fail(ErrorCode::too_large,
           "fof: {} groups; labels have 32 bits: leave out the single points with min_size = 2",
           count);
    groups.lowest = Array<std::uint32_t>(count, workers_.pool());
    groups.size = Array<std::uint64_t>(count, workers_.pool());
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
    workers_.for_ranges(order.size(), kLightPointGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t group = begin; group < end; ++group)
        name_group(static_cast<std::uint32_t>(group), mark[order[group]], groups);
    });
    number_singles(singles, order.size(), mark, groups);
    each_range([&](std::size_t begin, std::size_t end) {
      each_point(points_, begin, end, [&](std::size_t i, std::uint32_t index) {
        if (const std::uint32_t label = lowest_[root_[i]]; label != kNone) mark[index] = label;
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

  /// Groups of one point come last, in their order; their labels are known at once.
  void number_singles(const Array<std::uint32_t>& singles, std::size_t first, std::uint32_t* mark,
                      const Groups::Impl& groups) const {
    workers_.for_ranges(singles.size(), kLightPointGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const std::size_t group = first + i;
        groups.lowest[group] = singles[i];
        groups.size[group] = 1;
        mark[singles[i]] = static_cast<std::uint32_t>(group);
      }
    });
  }

  /// Lowest members by falling size of their groups, then ascending in their order.
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

  const Points& points_;
  const Workers& workers_;
  const std::uint32_t* root_;
  std::uint32_t min_size_;
  const Array<std::uint32_t>&size_, &lowest_;
};

}  // namespace

template <class Points>
void write_roots(const Points& points, const CountedSets& sets, const Workers& workers,
                 const Array<std::int64_t>& root) {
  workers.for_ranges(root.size(), kLightPointGrain, [&](std::size_t begin, std::size_t end) {
    std::fill(root.data() + begin, root.data() + end, std::int64_t{-1});
  });
  workers.for_ranges(points.points, kLightPointGrain, [&](std::size_t begin, std::size_t end) {
    each_point(points, begin, end, [&](std::size_t i, std::uint32_t index) {
      const std::uint32_t lowest = sets.lowest[sets.root[i]];
      root[index] = lowest == kNoMember ? -1 : std::int64_t{lowest};
    });
    workers.advance(end - begin);
  });
}

void forget_small_sets(const CountedSets& sets, std::size_t min_size, const Workers& workers) {
  workers.for_ranges(sets.size.size(), kLightPointGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      if (sets.size[i] < min_size) sets.lowest[i] = kNoMember;
    workers.advance(end - begin);
  });
}

template <class Points>
void name_sets(const Points& points, const CountedSets& sets, std::size_t min_size,
               const Workers& workers, Groups::Impl& groups) {
  Naming<Points>(points, sets, min_size, workers).run(groups);
}

template <class Points>
void write_groups(const Points& points, std::uint32_t* parent, std::size_t min_size,
                  bool keep_roots, Workers& workers, Groups::Impl& groups) {
  const Stage stage(workers, "labels", 4 * points.points);
  const CountedSets sets = count_sets(points, parent, keep_roots ? 1 : min_size, workers);
  if (keep_roots) {
    write_roots(points, sets, workers, groups.root);
    forget_small_sets(sets, min_size, workers);
  }
  name_sets(points, sets, min_size, workers, groups);
}

template void write_groups(const InputOrder&, std::uint32_t*, std::size_t, bool, Workers&,
                           Groups::Impl&);
template void write_groups(const Planes<float>&, std::uint32_t*, std::size_t, bool, Workers&,
                           Groups::Impl&);
template void write_groups(const Planes<double>&, std::uint32_t*, std::size_t, bool, Workers&,
                           Groups::Impl&);
template void write_roots(const InputOrder&, const CountedSets&, const Workers&,
                          const Array<std::int64_t>&);
template void name_sets(const InputOrder&, const CountedSets&, std::size_t, const Workers&,
                        Groups::Impl&);
template void write_roots(const Planes<float>&, const CountedSets&, const Workers&,
                          const Array<std::int64_t>&);
template void write_roots(const Planes<double>&, const CountedSets&, const Workers&,
                          const Array<std::int64_t>&);
template void name_sets(const Planes<float>&, const CountedSets&, std::size_t, const Workers&,
                        Groups::Impl&);
template void name_sets(const Planes<double>&, const CountedSets&, std::size_t, const Workers&,
                        Groups::Impl&);

}  // namespace kith

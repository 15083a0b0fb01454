#include "groups/sets.hpp"

#include <algorithm>
#include <atomic>

#include "parallel/grains.hpp"
#include "parallel/union_find.hpp"

namespace kith {
namespace {

/// A run of points with one root. Several ranges may add to a root at once. Relaxed: the values are
/// read after the loop has ended.
struct Run {
  std::uint32_t root = kNoMember, size = 0, lowest = kNoMember;

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

template <class Points>
class Counting {
 public:
  Counting(const Points& points, std::uint32_t* parent, std::size_t lowest_from,
           const Workers& workers)
      : points_(points),
        workers_(workers),
        parent_(parent),
        lowest_from_(lowest_from),
        needs_all_(lowest_from <= 1),
        sets_{parent, Array<std::uint32_t>(points.points, workers.pool()),
              Array<std::uint32_t>(points.points, workers.pool())} {}

  /// A root comes before its points in tree order and mostly lies in the same range: such points
  /// are counted without atomics first, the others afterwards. Then the lowest members, or on the
  /// way if all sets need them.
  CountedSets run() {
    each_range([&](std::size_t begin, std::size_t end) { count_at_home(begin, end); });
    each_range([&](std::size_t begin, std::size_t end) { count_abroad(begin, end); });
    if (!needs_all_) find_lowest();
    return std::move(sets_);
  }

 private:
  void each_range(FunctionRef<void(std::size_t, std::size_t)> body) const {
    workers_.for_ranges(points_.points, kLightPointGrain, [&](std::size_t begin, std::size_t end) {
      body(begin, end);
      workers_.advance(end - begin);
    });
  }

  void count_at_home(std::size_t begin, std::size_t end) const {
    const UnionFind<std::uint32_t> sets(parent_);
    std::fill(sets_.size.data() + begin, sets_.size.data() + end, 0);
    std::fill(sets_.lowest.data() + begin, sets_.lowest.data() + end, kNoMember);
    auto count = [&](std::size_t i) {
      const std::uint32_t root = sets.flatten(static_cast<std::uint32_t>(i));
      if (root >= begin) ++sets_.size[root];
      return root;
    };
    if (!needs_all_) {  // then the points themselves need not be read
      for (std::size_t i = begin; i < end; ++i) count(i);
      return;
    }
    each_point(points_, begin, end, [&](std::size_t i, std::uint32_t index) {
      const std::uint32_t root = count(i);
      if (root >= begin) sets_.lowest[root] = std::min(sets_.lowest[root], index);
    });
  }

  void count_abroad(std::size_t begin, std::size_t end) const {
    auto is_abroad = [&](std::uint32_t root) { return root < begin; };
    if (!needs_all_)
      return each_run(InputOrder{points_.points}, {begin, end}, is_abroad,
                      [&](const Run& run) { run.add_size_to(sets_.size.data()); });
    each_run(points_, {begin, end}, is_abroad, [&](const Run& run) {
      run.add_size_to(sets_.size.data());
      run.lower(sets_.lowest.data());
    });
  }

  /// The lowest members of the large sets alone: their points are usually few.
  void find_lowest() const {
    each_range([&](std::size_t begin, std::size_t end) {
      each_run(
          points_, {begin, end},
          [&](std::uint32_t root) { return sets_.size[root] >= lowest_from_; },
          [&](const Run& run) { run.lower(sets_.lowest.data()); });
    });
  }

  /// Calls use(run) for the runs of points whose roots are wanted.
  template <class Order, class Wants, class Use>
  void each_run(const Order& order, IndexRange range, Wants wants, Use use) const {
    Run run;
    each_point(order, range.begin, range.end, [&](std::size_t i, std::uint32_t index) {
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

  const Points& points_;
  const Workers& workers_;
  std::uint32_t* parent_;
  std::size_t lowest_from_;
  bool needs_all_;
  CountedSets sets_;
};

}  // namespace

template <class Points>
// NOLINTNEXTLINE(readability-non-const-parameter): paths are shortened
CountedSets count_sets(const Points& points, std::uint32_t* parent, std::size_t lowest_from,
                       const Workers& workers) {
  return Counting<Points>(points, parent, lowest_from, workers).run();
}

template CountedSets count_sets(const InputOrder&, std::uint32_t*, std::size_t, const Workers&);
template CountedSets count_sets(const Planes<float>&, std::uint32_t*, std::size_t, const Workers&);
template CountedSets count_sets(const Planes<double>&, std::uint32_t*, std::size_t, const Workers&);

}  // namespace kith

// The kd order (kd.hpp), straight into the blocks of a tree.
//
// Large sets are split by all threads: a sample brackets the wanted rank, one pass counts what lies
// below the bracket and collects what lies inside it, selection there gives the exact point at
// which to split, and a second pass moves every point to its side in another array. Sets that fit a
// cache are split in place, one thread each. Either way a set is split into the same two.
#include <array>
#include <atomic>
#include <limits>

#include "parallel/radix_sort.hpp"
#include "tree/kd.hpp"
#include "tree/kd_select.hpp"
#include "tree/order.hpp"

namespace kith {
namespace {

/// Sets up to this size are split by one thread.
constexpr std::size_t kInCache = std::size_t{1} << 15;
constexpr std::size_t kGrain = std::size_t{1} << 14;

/// Points that move with their coordinates, for compiled dimensions.
template <int D, class T>
struct KdRecords {
  using Scalar = T;
  struct Item {
    T row[D];
    std::uint32_t number;
  };
  static constexpr Axes<D> axes() { return Axes<D>(D); }
  static T x(const Item& item, int axis) { return item.row[axis]; }
  static const T* row(const Item& item) { return item.row; }
  static std::uint32_t index(const Item& item) { return item.number; }
};

/// Rows that stay while their numbers move, for other dimensions.
template <class T>
struct KdNumbers {
  using Scalar = T;
  using Item = std::uint32_t;
  const T* rows;
  const std::uint32_t* indices;
  int dimension;

  Axes<kAnyDimension> axes() const { return Axes<kAnyDimension>(dimension); }
  const T* row(Item item) const {
    return rows + std::size_t{item} * static_cast<unsigned>(dimension);
  }
  T x(Item item, int axis) const { return row(item)[axis]; }
  std::uint32_t index(Item item) const { return indices[item]; }
};

/// What a split needs to know of a set.
template <int D, class T>
struct KdSet {
  std::size_t begin, size;
  int depth;            ///< splits above it
  Bounds<D, T> bounds;  ///< tight
};

template <int D, class Points>
class KdSort {
 public:
  using T = typename Points::Scalar;
  using Item = typename Points::Item;
  using Set = KdSet<D, T>;

  KdSort(const Points& points, SplitAxis rule, const Workers& workers)
      : points_(points), axes_(points.axes()), rule_(rule), workers_(workers) {}

  /// Splits sets until each fits a cache; both arrays hold n items, the points are in `items`
  /// before and after.
  std::vector<Set> split_large(Array<Item>& items, Array<Item>& other) {
    std::vector<Set> sets{{0, items.size(), 0, bounds_of(items.data(), items.size())}};
    while (std::ranges::any_of(sets, [](const Set& set) { return set.size > kInCache; })) {
      std::vector<std::array<Set, 2>> halves(sets.size());
      workers_.for_each(sets.size(), [&](std::size_t i) {
        halves[i] = split_to(sets[i], items.data(), other.data());
      });
      sets.clear();
      for (const auto& pair : halves)
        for (const Set& half : pair)
          if (half.size > 0) sets.push_back(half);
      std::swap(items, other);
    }
    return sets;
  }

  /// Splits a set in place down to blocks.
  void split_small(Item* items, std::size_t n, int depth, KdSelect<Points>& select) {
    for (; n > kLanes; ++depth) {
      const std::size_t lesser = kd_lesser_size(n);
      select.run(items, n, lesser, axis_of(items, n, depth));
      split_small(items, lesser, depth + 1, select);
      items += lesser;
      n -= lesser;
    }
    sort_by_index(items, n);
  }

  Bounds<D, T> bounds_of(const Item* items, std::size_t n) const {
    return reduce(
        workers_, n, kGrain, Bounds<D, T>::empty(),
        [&](std::size_t begin, std::size_t end) { return bounds_of(items, begin, end); },
        [&](Bounds<D, T> all, const Bounds<D, T>& more) {
          all.add(more, axes_);
          return all;
        });
  }

  std::uint64_t work() const { return work_; }
  void add_work(std::uint64_t work) { work_.fetch_add(work, std::memory_order_relaxed); }

 private:
  using Key = KdKey<T>;
  /// A part of a large set, with what the bracket has shown.
  struct Part {
    std::size_t below = 0;    ///< items below the bracket
    std::vector<Key> inside;  ///< keys inside it
    std::size_t lesser_at = 0, greater_at = 0;
    Bounds<D, T> lesser = Bounds<D, T>::empty(), greater = Bounds<D, T>::empty();
  };

  Key key(const Item& item, int axis) const { return {points_.x(item, axis), points_.index(item)}; }

  Bounds<D, T> bounds_of(const Item* items, std::size_t begin, std::size_t end) const {
    auto bounds = Bounds<D, T>::empty();
    for (std::size_t i = begin; i < end; ++i) bounds.add(points_.row(items[i]), axes_);
    return bounds;
  }

  /// The axis for a set in cache.
  int axis_of(const Item* items, std::size_t n, int depth) const {
    if (rule_ == SplitAxis::cyclic) return depth % axes_.count();
    const Bounds<D, T> bounds = bounds_of(items, 0, n);
    return rule_ == SplitAxis::widest ? widest_axis(bounds, axes_)
                                      : variance_of(items, n, bounds).axis();
  }
  int axis_of(const Set& set, const Item* items) const {
    if (rule_ == SplitAxis::cyclic) return set.depth % axes_.count();
    if (rule_ == SplitAxis::widest) return widest_axis(set.bounds, axes_);
    return variance_of(items, set.size, set.bounds).axis();
  }
  VarianceSums<D, T> variance_of(const Item* items, std::size_t n,
                                 const Bounds<D, T>& bounds) const {
    const VarianceSums<D, T> none(bounds, axes_);
    return reduce(
        workers_, n, kGrain, none,
        [&](std::size_t begin, std::size_t end) {
          VarianceSums<D, T> sums = none;
          for (std::size_t i = begin; i < end; ++i) sums.add(points_.row(items[i]));
          return sums;
        },
        [](VarianceSums<D, T> all, const VarianceSums<D, T>& more) {
          all.add(more);
          return all;
        });
  }

  /// Both sides of a set that lies in `from`, in `to`; a set in no need of a split is copied.
  std::array<Set, 2> split_to(const Set& set, const Item* from, Item* to) {
    from += set.begin;
    to += set.begin;
    if (set.size <= kInCache) {
      std::copy_n(from, set.size, to);
      return {set, Set{}};
    }
    const std::size_t lesser = kd_lesser_size(set.size);
    const int axis = axis_of(set, from);
    std::vector<Part> parts(range_count(set.size, kGrain));
    const Key at = split_key(from, set.size, lesser, axis, parts);
    place_parts(at, lesser, parts);
    workers_.for_ranges(set.size, kGrain, [&](std::size_t begin, std::size_t end) {
      move(from, begin, end, at, axis, to, parts[begin / kGrain]);
    });
    std::array<Set, 2> halves{
        Set{set.begin, lesser, set.depth + 1, Bounds<D, T>::empty()},
        Set{set.begin + lesser, set.size - lesser, set.depth + 1, Bounds<D, T>::empty()}};
    for (const Part& part : parts) {
      halves[0].bounds.add(part.lesser, axes_);
      halves[1].bounds.add(part.greater, axes_);
    }
    return halves;
  }

  /// The key of the first item on the greater side.
  Key split_key(const Item* items, std::size_t n, std::size_t lesser, int axis,
                std::vector<Part>& parts) {
    for (int attempt = 0;; ++attempt) {
      const auto [first, last] = bracket(items, n, lesser, axis, attempt);
      workers_.for_ranges(n, kGrain, [&](std::size_t begin, std::size_t end) {
        look(items, begin, end, axis, first, last, parts[begin / kGrain]);
      });
      add_work(n);
      std::size_t below = 0;
      std::vector<Key> inside;
      for (const Part& part : parts) {
        below += part.below;
        inside.insert(inside.end(), part.inside.begin(), part.inside.end());
      }
      if (lesser < below || lesser - below >= inside.size()) continue;  // the sample has misled
      const auto wanted = inside.begin() + static_cast<std::ptrdiff_t>(lesser - below);
      std::nth_element(inside.begin(), wanted, inside.end());
      return *wanted;
    }
  }

  /// Two keys between which the wanted rank is very likely to lie; in the end, all keys.
  std::array<Key, 2> bracket(const Item* items, std::size_t n, std::size_t rank, int axis,
                             int attempt) {
    constexpr std::size_t kSample = 4096;
    constexpr int kAttempts = 4;
    constexpr T kInfinity = std::numeric_limits<T>::infinity();
    std::array<Key, 2> ends{Key{-kInfinity, 0}, Key{kInfinity, 0}};
    if (attempt == kAttempts) return ends;
    std::vector<Key> sample(kSample);
    SamplePlaces places(n + static_cast<std::size_t>(attempt));
    for (Key& entry : sample) entry = key(items[places.next(n)], axis);
    std::sort(sample.begin(), sample.end());
    const double share = static_cast<double>(rank) / static_cast<double>(n);
    const double at = share * kSample, spread = 4 * std::sqrt(at * (1 - share)) + 2;
    if (at - spread >= 0) ends[0] = sample[static_cast<std::size_t>(at - spread)];
    if (at + spread < kSample) ends[1] = sample[static_cast<std::size_t>(at + spread)];
    return ends;
  }

  void look(const Item* items, std::size_t begin, std::size_t end, int axis, Key first, Key last,
            Part& part) const {
    part.below = 0;
    part.inside.clear();
    for (std::size_t i = begin; i < end; ++i) {
      const T x = points_.x(items[i], axis);
      part.below += x < first.x ? 1 : 0;
      if (x >= first.x && x <= last.x) {  // seldom
        const Key item = key(items[i], axis);
        if (item < first)
          ++part.below;
        else if (item < last)
          part.inside.push_back(item);
      }
    }
  }

  /// Where each part puts its items, so that both sides keep the order of the items.
  static void place_parts(Key at, std::size_t lesser, std::vector<Part>& parts) {
    std::size_t low = 0, begin = 0;
    for (Part& part : parts) {
      part.lesser_at = low;
      part.greater_at = lesser + begin - low;
      low += part.below;
      for (const Key& entry : part.inside) low += entry < at ? 1 : 0;
      begin += kGrain;
    }
  }

  void move(const Item* from, std::size_t begin, std::size_t end, Key at, int axis, Item* to,
            Part& part) const {
    Item* side[2] = {to + part.greater_at, to + part.lesser_at};
    const Item *lesser = side[1], *greater = side[0];
    for (std::size_t i = begin; i < end; ++i) {
      const bool is_lesser = key(from[i], axis) < at;
      *side[is_lesser]++ = from[i];
    }
    // What was just written is still in cache.
    part.lesser = bounds_of(lesser, 0, static_cast<std::size_t>(side[1] - lesser));
    part.greater = bounds_of(greater, 0, static_cast<std::size_t>(side[0] - greater));
  }

  /// The items of a block, by a network without branches.
  void sort_by_index(Item* items, std::size_t n) const {
    constexpr std::uint8_t kPairs[19][2] = {{0, 2}, {1, 3}, {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6},
                                            {3, 7}, {0, 1}, {2, 3}, {4, 5}, {6, 7}, {2, 4}, {3, 5},
                                            {1, 4}, {3, 6}, {1, 2}, {3, 4}, {5, 6}};
    std::uint64_t words[kLanes];
    Item copy[kLanes];
    for (std::size_t i = 0; i < n; ++i) {
      words[i] = std::uint64_t{points_.index(items[i])} << 3 | i;
      copy[i] = items[i];
    }
    for (std::size_t i = n; i < kLanes; ++i) words[i] = ~std::uint64_t{0};
    for (const auto& [a, b] : kPairs) {
      const std::uint64_t least = std::min(words[a], words[b]), most = std::max(words[a], words[b]);
      words[a] = least;
      words[b] = most;
    }
    for (std::size_t i = 0; i < n; ++i) items[i] = copy[words[i] & 7];
  }

  Points points_;
  Axes<D> axes_;
  SplitAxis rule_;
  const Workers& workers_;
  std::atomic<std::uint64_t> work_{0};
};

template <class T>
void make_blocks(const Workers& workers, Planes<T>& planes) {
  planes.blocks = Array<T>(planes.block_count() * planes.block_stride(), workers.pool());
}

template <int D, class T>
void order_records(const Input<T>& input, SplitAxis rule, const Workers& workers,
                   Planes<T>& planes) {
  using Points = KdRecords<D, T>;
  using Item = typename Points::Item;
  const std::size_t n = input.size;
  KdSort<D, Points> sort(Points(), rule, workers);
  Array<Item> items(n, workers.pool());
  workers.for_ranges(n, kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      input.load(i, Points::axes(), items[i].row);
      items[i].number = input.index(i);
    }
  });
  Array<Item> other(n > kInCache ? n : 0, workers.pool());
  const std::vector<KdSet<D, T>> sets = sort.split_large(items, other);
  other = {};
  make_blocks(workers, planes);
  workers.for_each(sets.size(), [&](std::size_t i) {
    const auto& set = sets[i];
    const Points points;
    KdSelect<Points> select(points);
    sort.split_small(items.data() + set.begin, set.size, set.depth, select);
    for (std::size_t at = set.begin; at < set.begin + set.size; ++at)
      store_point(planes, at, items[at].row, items[at].number, Points::axes());
    sort.add_work(select.work());
    workers.advance(set.size);
  });
  workers.count("split work", sort.work());
}

/// Numbers of rows; a set in cache gets rows of its own, side by side.
template <class T>
void order_numbers(const Input<T>& input, SplitAxis rule, const Workers& workers,
                   Planes<T>& planes) {
  using Points = KdNumbers<T>;
  const std::size_t n = input.size, d = static_cast<std::size_t>(input.dimension);
  const Axes<kAnyDimension> axes(input.dimension);
  Array<T> rows(n * d, workers.pool());
  Array<std::uint32_t> indices(n, workers.pool()), items(n, workers.pool());
  workers.for_ranges(n, kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      input.load(i, axes, rows.data() + i * d);
      indices[i] = input.index(i);
      items[i] = static_cast<std::uint32_t>(i);
    }
  });
  const Points all{rows.data(), indices.data(), input.dimension};
  KdSort<kAnyDimension, Points> sort(all, rule, workers);
  Array<std::uint32_t> other(n > kInCache ? n : 0, workers.pool());
  const auto sets = sort.split_large(items, other);
  other = {};
  make_blocks(workers, planes);
  struct Scratch {
    std::vector<T> rows;
    std::vector<std::uint32_t> indices, items;
  };
  Borrowed<Scratch> scratches;
  workers.for_each(sets.size(), [&](std::size_t i) {
    const auto& set = sets[i];
    const typename Borrowed<Scratch>::Loan scratch(scratches);
    scratch->rows.resize(set.size * d);
    scratch->indices.resize(set.size);
    scratch->items.resize(set.size);
    for (std::size_t at = 0; at < set.size; ++at) {
      const std::uint32_t item = items[set.begin + at];
      std::copy_n(all.row(item), d, scratch->rows.data() + at * d);
      scratch->indices[at] = all.index(item);
      scratch->items[at] = static_cast<std::uint32_t>(at);
    }
    const Points points{scratch->rows.data(), scratch->indices.data(), input.dimension};
    KdSort<kAnyDimension, Points> inside(points, rule, workers);
    KdSelect<Points> select(points);
    inside.split_small(scratch->items.data(), set.size, set.depth, select);
    for (std::size_t at = 0; at < set.size; ++at) {
      const std::uint32_t item = scratch->items[at];
      store_point(planes, set.begin + at, points.row(item), points.index(item), axes);
    }
    sort.add_work(select.work());
    workers.advance(set.size);
  });
  workers.count("split work", sort.work());
}

}  // namespace

template <class T>
void order_points_kd(const Input<T>& input, SplitAxis rule, const Workers& workers,
                     Planes<T>& planes) {
  with_dimension(input.dimension, [&]<int D>() {
    if constexpr (D == kAnyDimension)
      order_numbers(input, rule, workers, planes);
    else
      order_records<D>(input, rule, workers, planes);
  });
}

template void order_points_kd(const Input<float>&, SplitAxis, const Workers&, Planes<float>&);
template void order_points_kd(const Input<double>&, SplitAxis, const Workers&, Planes<double>&);

}  // namespace kith

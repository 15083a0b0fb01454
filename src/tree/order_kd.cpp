// The kd order (kd.hpp), straight into the blocks of a tree.
//
// Points are columns. Large sets are split by all threads: a sample brackets the wanted rank, one
// pass over a column counts the keys below the bracket and collects those inside it, selection
// there gives the exact point at which to split, and a second pass moves every point to its side in
// other columns. Sets that fit a cache are finished by one thread each (kd_small.hpp).
#include <array>
#include <atomic>
#include <cmath>
#include <limits>

#include "parallel/borrowed.hpp"
#include "parallel/grains.hpp"
#include "tree/kd.hpp"
#include "tree/kd_small.hpp"
#include "tree/order.hpp"

namespace kith {
namespace {

/// Numbers without a pattern that an input could follow by accident; the same in every run.
class SamplePlaces {
 public:
  explicit SamplePlaces(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u) {}
  /// The next place in [0, n), n < 2^32.
  std::size_t next(std::size_t n) {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    return static_cast<std::size_t>(((z ^ z >> 27) >> 32) * n >> 32);
  }

 private:
  std::uint64_t state_;
};

/// Points column by column.
template <class T>
struct KdColumns {
  Array<T> x;
  Array<std::uint32_t> index;
  std::size_t size = 0;

  KdColumns() = default;
  KdColumns(std::size_t n, std::size_t dimension, const Workers& workers)
      : x(n * dimension, workers.pool()), index(n, workers.pool()), size(n) {}
  T* column(int axis) { return x.data() + static_cast<std::size_t>(axis) * size; }
};

/// A set of points that is to be split.
template <int D, class T>
struct KdSet {
  std::size_t begin, size;
  int depth;            ///< splits above it
  Bounds<D, T> bounds;  ///< tight
};

/// Splits sets until each fits a cache.
template <int D, class T>
class KdLarge {
 public:
  using Set = KdSet<D, T>;
  using Columns = KdColumns<T>;

  KdLarge(Axes<D> axes, SplitAxis rule, const Workers& workers)
      : axes_(axes), rule_(rule), workers_(workers) {}

  /// The points are in `points` before and after; `other` has the same size.
  std::vector<Set> run(Columns& points, Columns& other) {
    std::vector<Set> sets{{0, points.size, 0, bounds_of(points)}};
    while (std::ranges::any_of(sets, is_large)) {
      std::vector<std::array<Set, 2>> halves(sets.size());
      workers_.for_each(sets.size(), [&](std::size_t i) {
        halves[i] =
            is_large(sets[i]) ? split(sets[i], points, other) : copy(sets[i], points, other);
      });
      sets.clear();
      for (const auto& pair : halves)
        for (const Set& half : pair)
          if (half.size > 0) sets.push_back(half);
      std::swap(points, other);
    }
    return sets;
  }

  std::uint64_t work() const { return work_; }

 private:
  using Key = KdKey<T>;
  /// A part of a set, with the counts of its bracket.
  struct Part {
    std::size_t below = 0;    ///< points below the bracket
    std::vector<Key> inside;  ///< keys inside it
    std::size_t lesser_at = 0, greater_at = 0;
    Bounds<D, T> lesser = Bounds<D, T>::empty(), greater = Bounds<D, T>::empty();
  };
  /// The column along which a set is split.
  struct Column {
    const T* x;
    const std::uint32_t* index;
    std::size_t size;
    Key operator[](std::size_t i) const { return {x[i], index[i]}; }
  };

  static bool is_large(const Set& set) { return set.size > KdSmall<D, T>::kMost; }

  Bounds<D, T> bounds_of(Columns& points) const {
    return reduce(
        workers_, points.size, kPointGrain, Bounds<D, T>::empty(),
        [&](std::size_t begin, std::size_t end) {
          auto bounds = Bounds<D, T>::empty();
          for (int axis = 0; axis < axes_.count(); ++axis)
            widen(points.column(axis) + begin, end - begin, bounds.lo[axis], bounds.hi[axis]);
          return bounds;
        },
        [&](Bounds<D, T> all, const Bounds<D, T>& more) {
          all.add(more, axes_);
          return all;
        });
  }

  int axis_of(const Set& set, Columns& points) const {
    if (rule_ == SplitAxis::cyclic) return set.depth % axes_.count();
    if (rule_ == SplitAxis::widest) return widest_axis(set.bounds, axes_);
    const VarianceSums<D, T> none(set.bounds, axes_);
    return reduce(
               workers_, set.size, kPointGrain, none,
               [&](std::size_t begin, std::size_t end) {
                 VarianceSums<D, T> sums = none;
                 T x[kAxisRoom<D>];
                 for (std::size_t i = set.begin + begin; i < set.begin + end; ++i) {
                   for (int axis = 0; axis < axes_.count(); ++axis)
                     x[axis] = points.column(axis)[i];
                   sums.add(x);
                 }
                 return sums;
               },
               [](VarianceSums<D, T> all, const VarianceSums<D, T>& more) {
                 all.add(more);
                 return all;
               })
        .axis();
  }

  /// A set that needs no split is copied along with the others.
  std::array<Set, 2> copy(const Set& set, Columns& from, Columns& to) const {
    for (int axis = 0; axis < axes_.count(); ++axis)
      std::copy_n(from.column(axis) + set.begin, set.size, to.column(axis) + set.begin);
    std::copy_n(from.index.data() + set.begin, set.size, to.index.data() + set.begin);
    return {set, Set{}};
  }

  /// Both sides of a set, in other columns.
  std::array<Set, 2> split(const Set& set, Columns& from, Columns& to) {
    const std::size_t lesser = kd_lesser_size(set.size);
    const int axis = axis_of(set, from);
    const Column column{from.column(axis) + set.begin, from.index.data() + set.begin, set.size};
    std::vector<Part> parts(range_count(set.size, kPointGrain));
    const Key at = split_key(column, lesser, parts);
    place_parts(at, lesser, parts);
    workers_.for_ranges(set.size, kPointGrain, [&](std::size_t begin, std::size_t end) {
      move(from, set.begin, begin, end, side_of(column, begin, end, at), to,
           parts[begin / kPointGrain]);
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

  /// The key of the first point on the greater side.
  Key split_key(const Column& column, std::size_t lesser, std::vector<Part>& parts) {
    for (int attempt = 0;; ++attempt) {
      const auto ends = bracket(column, lesser, attempt);
      const Key &first = ends[0], &last = ends[1];  // clang 14 cannot capture structured bindings
      workers_.for_ranges(column.size, kPointGrain, [&](std::size_t begin, std::size_t end) {
        look(column, begin, end, first, last, parts[begin / kPointGrain]);
      });
      work_.fetch_add(column.size, std::memory_order_relaxed);  // a sum: no order needed
      std::size_t below = 0;
      std::vector<Key> inside;
      for (const Part& part : parts) {
        below += part.below;
        inside.insert(inside.end(), part.inside.begin(), part.inside.end());
      }
      // Was the sample not representative?
      if (lesser < below || lesser - below >= inside.size()) continue;
      const auto wanted = inside.begin() + static_cast<std::ptrdiff_t>(lesser - below);
      std::nth_element(inside.begin(), wanted, inside.end());
      return *wanted;
    }
  }

  /// Two keys between which the wanted rank is very likely to lie; in the end, all keys. Sample and
  /// bracket grow slower than the set: about n^(2/3).
  std::array<Key, 2> bracket(const Column& column, std::size_t rank, int attempt) {
    constexpr int kAttempts = 4;
    constexpr T kInfinity = std::numeric_limits<T>::infinity();
    std::array<Key, 2> ends{Key{-kInfinity, 0}, Key{kInfinity, 0}};
    if (attempt == kAttempts) return ends;
    const double n = static_cast<double>(column.size);
    std::vector<Key> sample(static_cast<std::size_t>(std::cbrt(n * n) / 4) + 16);
    SamplePlaces places(column.size + static_cast<std::size_t>(attempt));
    for (Key& entry : sample) entry = column[places.next(column.size)];
    const double share = static_cast<double>(rank) / n,
                 at = share * static_cast<double>(sample.size()),
                 spread = 3.5 * std::sqrt(at * (1 - share)) + 2;
    auto begin = sample.begin();
    if (at - spread >= 0) {
      begin += static_cast<std::ptrdiff_t>(at - spread);
      std::nth_element(sample.begin(), begin, sample.end());
      ends[0] = *begin;
    }
    if (at + spread < static_cast<double>(sample.size())) {
      const auto end = sample.begin() + static_cast<std::ptrdiff_t>(at + spread);
      std::nth_element(begin, end, sample.end());
      ends[1] = *end;
    }
    return ends;
  }

  static void look(const Column& column, std::size_t begin, std::size_t end, Key first, Key last,
                   Part& part) {
    std::array<std::uint16_t, kPointGrain> seldom;  // places whose coordinate does not decide
    std::size_t below = 0, count = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const T x = column.x[i];
      below += x < first.x ? 1 : 0;
      seldom[count] = static_cast<std::uint16_t>(i - begin);
      count += ((x >= first.x) & (x <= last.x)) ? 1 : 0;
    }
    part.inside.clear();
    for (std::size_t i = 0; i < count; ++i) {
      const Key key = column[begin + seldom[i]];
      if (key < first)
        ++below;
      else if (key < last)
        part.inside.push_back(key);
    }
    part.below = below;
  }

  /// Where each part puts its points, so that both sides keep their order.
  static void place_parts(Key at, std::size_t lesser, std::vector<Part>& parts) {
    std::size_t low = 0, begin = 0;
    for (Part& part : parts) {
      part.lesser_at = low;
      part.greater_at = lesser + begin - low;
      low += part.below;
      for (const Key& key : part.inside) low += key < at ? 1 : 0;
      begin += kPointGrain;
    }
  }

  using Sides = std::array<std::uint8_t, kPointGrain>;

  /// 1 for points on the greater side.
  static Sides side_of(const Column& column, std::size_t begin, std::size_t end, Key at) {
    Sides sides;
    for (std::size_t i = begin; i < end; ++i) sides[i - begin] = column[i] < at ? 0 : 1;
    return sides;
  }

  void move(Columns& from, std::size_t set, std::size_t begin, std::size_t end, const Sides& sides,
            Columns& to, Part& part) const {
    const std::size_t n = end - begin;
    for (int axis = 0; axis < axes_.count(); ++axis) {
      T *lesser = to.column(axis) + set + part.lesser_at,
        *greater = to.column(axis) + set + part.greater_at;
      const std::size_t low = move(from.column(axis) + set + begin, n, sides, lesser, greater);
      // The rows that were just written are still in cache.
      widen(lesser, low, part.lesser.lo[axis], part.lesser.hi[axis]);
      widen(greater, n - low, part.greater.lo[axis], part.greater.hi[axis]);
    }
    move(from.index.data() + set + begin, n, sides, to.index.data() + set + part.lesser_at,
         to.index.data() + set + part.greater_at);
  }

  /// Values to their sides; returns how many are on the lesser one.
  template <class Value>
  static std::size_t move(const Value* from, std::size_t n, const Sides& sides, Value* lesser,
                          Value* greater) {
    const auto gap = static_cast<std::size_t>(greater - lesser);
    std::size_t low = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t is_greater = sides[i];
      // Choosing between two pointers would compile to a branch.
      lesser[low + ((0 - is_greater) & (gap + i - 2 * low))] = from[i];
      low += 1 - is_greater;
    }
    return low;
  }

  Axes<D> axes_;
  SplitAxis rule_;
  const Workers& workers_;
  std::atomic<std::uint64_t> work_{0};
};

template <int D, class T>
class KdOrder {
 public:
  KdOrder(Axes<D> axes, SplitAxis rule, const Workers& workers)
      : axes_(axes), rule_(rule), workers_(workers) {}

  void run(const Input<T>& input, Planes<T>& planes) {
    if (input.size == 0) return;
    KdColumns<T> points = load(input);
    KdLarge<D, T> large(axes_, rule_, workers_);
    KdColumns<T> other;
    if (points.size > KdSmall<D, T>::kMost) other = make(points.size);
    const auto sets = large.run(points, other);
    other = {};
    planes.blocks = Array<T>(planes.block_count() * planes.block_stride(), workers_.pool());
    workers_.for_each(sets.size(), [&](std::size_t i) {
      const typename Borrowed<KdSmall<D, T>>::Loan small(small_);
      finish(sets[i], points, *small, planes);
      workers_.advance(sets[i].size);
    });
    workers_.count("split work", large.work() + work_);
  }

 private:
  KdColumns<T> make(std::size_t n) const {
    return KdColumns<T>(n, static_cast<std::size_t>(axes_.count()), workers_);
  }

  KdColumns<T> load(const Input<T>& input) const {
    KdColumns<T> points = make(input.size);
    workers_.for_ranges(input.size, kPointGrain, [&](std::size_t begin, std::size_t end) {
      T x[kAxisRoom<D>];
      T taint = 0;  // not 0 if values were overwritten meanwhile: medians of NaN have no place
      for (std::size_t i = begin; i < end; ++i) {
        input.load(i, axes_, x);
        for (int axis = 0; axis < axes_.count(); ++axis) {
          points.column(axis)[i] = x[axis];
          taint += x[axis] * 0;
        }
        points.index[i] = input.index(i);
      }
      if (taint != 0) fail_for_changed_points();
    });
    return points;
  }

  void finish(const KdSet<D, T>& set, KdColumns<T>& points, KdSmall<D, T>& small,
              const Planes<T>& planes) {
    const T* columns[kAxisRoom<D>];
    for (int axis = 0; axis < axes_.count(); ++axis)
      columns[axis] = points.column(axis) + set.begin;
    const std::uint32_t* index = points.index.data() + set.begin;
    const std::uint64_t before = small.work();
    small.run(columns, set.size, set.depth, axes_, rule_,
              [&](std::size_t first, const std::uint16_t* places, std::size_t n) {
                T* block = planes.block((set.begin + first) / kLanes);
                for (int axis = 0; axis < axes_.count(); ++axis, block += kLanes)
                  for (std::size_t i = 0; i < n; ++i) block[i] = columns[axis][places[i]];
                for (std::size_t i = 0; i < n; ++i)
                  planes.index(set.begin + first + i) = index[places[i]];
              });
    work_.fetch_add(set.size + small.work() - before, std::memory_order_relaxed);  // a sum
  }

  Axes<D> axes_;
  SplitAxis rule_;
  const Workers& workers_;
  Borrowed<KdSmall<D, T>> small_;
  std::atomic<std::uint64_t> work_{0};
};

}  // namespace

template <class T>
void order_points_kd(const Input<T>& input, SplitAxis rule, const Workers& workers,
                     Planes<T>& planes) {
  with_dimension(input.dimension, [&]<int D>() {
    KdOrder<D, T>(Axes<D>(input.dimension), rule, workers).run(input, planes);
  });
}

template void order_points_kd(const Input<float>&, SplitAxis, const Workers&, Planes<float>&);
template void order_points_kd(const Input<double>&, SplitAxis, const Workers&, Planes<double>&);

}  // namespace kith

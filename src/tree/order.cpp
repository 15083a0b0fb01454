// In 2-D and 3-D records of (coordinates, index) are scattered once to the 4096 top cells of the
// curve, each bucket is sorted in cache by 18 more bits, and runs that still share a cell are
// sorted again in a grid that fits their bounds; so any dynamic range works, and one far outlier
// costs one more round.
#include "tree/order.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "base/fail.hpp"
#include "geometry/curve_key.hpp"
#include "geometry/z_order.hpp"
#include "parallel/borrowed.hpp"
#include "parallel/radix_sort.hpp"

namespace kith {
namespace {

template <int D, class T>
struct Record {
  T x[D];
  std::uint32_t index;
};

/// Buckets beyond this many records do not fit the cache and are scattered again.
constexpr std::size_t kInCache = std::size_t{1} << 16;
/// Sets up to this size skip the scatter.
constexpr std::size_t kNoScatter = 2048;
/// Points of one cell that are few enough to stay as they are (Hilbert) or to be sorted by
/// insertion (z).
constexpr std::size_t kShortRun = 16;

template <int D, class T, template <int, class> class Cells>
class CurveSort {
 public:
  using Rec = Record<D, T>;
  using Key = CurveKey<D, T, Cells>;
  static constexpr std::size_t kBuckets = std::size_t{1} << Key::Tables::kTopBits;

  explicit CurveSort(Workers& workers) : workers_(workers) {}

  /// All of the input into the blocks.
  void run(const Input<T>& input, const Planes<T>& planes) {
    auto record = [&](std::size_t i) {
      Rec r;
      input.load(i, kAxes, r.x);
      r.index = input.index(i);
      return r;
    };
    const std::size_t n = input.size;
    Array<Rec> records(n, workers_.pool());
    if (n <= kNoScatter) {
      for (std::size_t i = 0; i < n; ++i) records[i] = record(i);
      sort(records.data(), n);
      store(records.data(), 0, n, planes);
      return;
    }
    Bounds<D, T> bounds;
    std::copy_n(input.bounds.lo, D, bounds.lo);
    std::copy_n(input.bounds.hi, D, bounds.hi);
    const Key key = Key::long_key(bounds);
    const std::vector<std::size_t> start = scatter(n, key, record, records.data());
    for_buckets(start,
                [&](std::size_t bucket, std::size_t begin, std::size_t count, Scratch& scratch) {
                  Rec* from = records.data() + begin;
                  if (count > kInCache) {
                    sort(from, count);
                    store(from, begin, count, planes);
                  } else {
                    sort_and_store({from, count, begin}, key, bucket, planes, scratch);
                  }
                });
  }

 private:
  static constexpr Axes<D> kAxes{D};

  /// Records of one top cell, and the position of the first of them in the tree.
  struct Bucket {
    const Rec* records;
    std::size_t size, position;
  };

  struct Scratch {
    KeySorter keys;
    std::vector<Rec> sorted, copy;
    Rec* room(std::size_t n) {
      if (sorted.size() < n) sorted.resize(n + n / 2);
      return sorted.data();
    }
  };

  /// Records in curve order of their top cells; in a grid that cannot split, in the first bucket.
  template <class RecordOf>
  std::vector<std::size_t> scatter(std::size_t n, const Key& key, RecordOf record, Rec* out) {
    Array<std::uint16_t> codes(n, workers_.pool());
    const bool can_split = key.can_split();
    return scatter_to_buckets(
        workers_, n, kBuckets,
        [&](std::size_t i) { return can_split ? key.bucket(record(i).x) : 0; }, record,
        codes.data(), out);
  }

  template <class Body>
  void for_buckets(const std::vector<std::size_t>& start, Body body) {
    workers_.for_ranges(kBuckets, 16, [&](std::size_t first, std::size_t last) {
      const typename Borrowed<Scratch>::Loan scratch(scratch_);
      for (std::size_t bucket = first; bucket < last; ++bucket)
        if (const std::size_t count = start[bucket + 1] - start[bucket]; count > 0)
          body(bucket, start[bucket], count, *scratch);
      workers_.advance(start[last] - start[first]);
    });
  }

  /// A bucket into the blocks. Records go there at once if no run of one cell has to be sorted
  /// again: another copy of all of them takes a tenth of the whole sort.
  void sort_and_store(const Bucket& bucket, const Key& key, std::size_t top,
                      const Planes<T>& planes, Scratch& scratch) {
    if (!key.can_split()) return store(bucket.records, bucket.position, bucket.size, planes);
    const unsigned state = Key::tables().top_state[top];
    const std::uint64_t* words = sorted_words(bucket.records, bucket.size, key, state, scratch);
    if (Key::kIsExact || has_long_run(words, bucket.size)) {
      Rec* to = scratch.room(bucket.size);
      sort_by_words(bucket.records, to, bucket.size, words, scratch);
      return store(to, bucket.position, bucket.size, planes);
    }
    for (std::size_t i = 0; i < bucket.size; ++i) {
      const Rec& record = bucket.records[static_cast<std::uint32_t>(words[i])];
      store_point(planes, bucket.position + i, record.x, record.index, kAxes);
    }
  }

  void sort_bucket(const Rec* from, Rec* to, std::size_t n, const Key& key, std::size_t bucket,
                   Scratch& scratch) {
    if (!key.can_split()) {
      std::copy_n(from, n, to);
      return;
    }
    sort_by_cells(from, to, n, key, Key::tables().top_state[bucket], scratch);
  }

  /// Sorts by the low bits of a key, then the runs of one cell. From and to do not overlap.
  void sort_by_cells(const Rec* from, Rec* to, std::size_t n, const Key& key, unsigned state,
                     Scratch& scratch) {
    sort_by_words(from, to, n, sorted_words(from, n, key, state, scratch), scratch);
  }

  /// Words of the low bits of a key and of the number of a record, sorted.
  const std::uint64_t* sorted_words(const Rec* from, std::size_t n, const Key& key, unsigned state,
                                    Scratch& scratch) const {
    return scratch.keys.sort(n, [&](std::size_t i) { return key.low(from[i].x, state); });
  }

  static bool has_long_run(const std::uint64_t* words, std::size_t n) {
    bool has_any = false;
    for (std::size_t i = kShortRun; i < n; ++i)
      has_any |= words[i] >> 32 == words[i - kShortRun] >> 32;
    return has_any;
  }

  /// Records in the order of their words; then the runs of one cell are sorted.
  void sort_by_words(const Rec* from, Rec* to, std::size_t n, const std::uint64_t* words,
                     Scratch& scratch) {
    std::vector<IndexRange> runs;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < n; ++i) {
      to[i] = from[static_cast<std::uint32_t>(words[i])];
      if (words[i] >> 32 == words[begin] >> 32) continue;
      end_run(to, begin, i, runs);
      begin = i;
    }
    end_run(to, begin, n, runs);
    for (const IndexRange& run : runs) sort_in_cache(to + run.begin, run.size(), scratch);
  }

  void end_run(Rec* records, std::size_t begin, std::size_t end, std::vector<IndexRange>& runs) {
    if (end - begin > kShortRun) {
      runs.push_back({begin, end});
    } else if constexpr (Key::kIsExact) {
      if (end - begin > 1) sort_by_insertion(records + begin, end - begin);
    }
  }

  static void sort_by_insertion(Rec* records, std::size_t n) {
    for (std::size_t i = 1; i < n; ++i) {
      const Rec moving = records[i];
      std::size_t at = i;
      for (; at > 0 && z_less(moving.x, records[at - 1].x, kAxes); --at)
        records[at] = records[at - 1];
      records[at] = moving;
    }
  }

  /// Sorts records in place, in a grid that fits their bounds.
  void sort(Rec* records, std::size_t n) {
    if (n > kInCache) return sort_large(records, n);
    const typename Borrowed<Scratch>::Loan scratch(scratch_);
    sort_in_cache(records, n, *scratch);
  }

  void sort_in_cache(Rec* records, std::size_t n, Scratch& scratch) {
    const Key key = Key::short_key(bounds_of(records, n));
    if (!key.can_split()) return;  // equal points stay in the order of their indices
    if (scratch.copy.size() < n) scratch.copy.resize(n + n / 2);
    std::copy_n(records, n, scratch.copy.data());
    sort_by_cells(scratch.copy.data(), records, n, key, 0, scratch);
  }

  void sort_large(Rec* records, std::size_t n) {
    const Key key = Key::long_key(bounds_of(records, n));
    if (!key.can_split()) return;
    Array<Rec> copy(n, workers_.pool());
    const std::vector<std::size_t> start = scatter(
        n, key, [&](std::size_t i) -> const Rec& { return records[i]; }, copy.data());
    for_buckets(start,
                [&](std::size_t bucket, std::size_t begin, std::size_t count, Scratch& scratch) {
                  if (count > kInCache) {
                    std::copy_n(copy.data() + begin, count, records + begin);
                    sort_large(records + begin, count);
                  } else {
                    sort_bucket(copy.data() + begin, records + begin, count, key, bucket, scratch);
                  }
                });
  }

  Bounds<D, T> bounds_of(const Rec* records, std::size_t n) const {
    return reduce(
        workers_, n, kInCache, Bounds<D, T>::empty(),
        [&](std::size_t begin, std::size_t end) {
          Bounds<D, T> bounds = Bounds<D, T>::empty();
          for (std::size_t i = begin; i < end; ++i) bounds.add(records[i].x, kAxes);
          return bounds;
        },
        [](Bounds<D, T> a, const Bounds<D, T>& b) {
          a.add(b, kAxes);
          return a;
        });
  }

  void store(const Rec* records, std::size_t at, std::size_t n, const Planes<T>& planes) const {
    for (std::size_t i = 0; i < n; ++i)
      store_point(planes, at + i, records[i].x, records[i].index, kAxes);
  }

  Workers& workers_;
  Borrowed<Scratch> scratch_;
};

template <int D, class T>
void order_along(const Input<T>& input, Curve curve, Workers& workers, const Planes<T>& planes) {
  if (curve == Curve::hilbert)
    CurveSort<D, T, EqualCells>(workers).run(input, planes);
  else
    CurveSort<D, T, DigitCells>(workers).run(input, planes);
}

/// Fills the lanes after the last point.
template <class T>
void pad_last_block(const Planes<T>& planes) {
  for (std::size_t at = planes.points; at < planes.lanes_up(planes.points); ++at) {
    for (int axis = 0; axis < planes.dimension; ++axis)
      planes.coordinate(at, axis) = std::numeric_limits<T>::quiet_NaN();
    planes.index(at) = kNoIndex;
  }
}

/// Whether all coordinates of some full blocks are finite: 0 times such a number is 0, and NaN
/// otherwise. Lane by lane, so that the compiler may use vectors: about 3 instructions per point.
template <class T>
bool has_finite_blocks(const Planes<T>& planes, std::size_t begin, std::size_t end) {
  T taint[kLanes] = {};
  for (std::size_t block = begin; block < end; ++block) {
    const T* x = planes.block(block);
    for (int axis = 0; axis < planes.dimension; ++axis, x += kLanes)
      for (std::size_t lane = 0; lane < kLanes; ++lane) taint[lane] += x[lane] * T(0);
  }
  return std::all_of(std::begin(taint), std::end(taint), [](T t) { return t == 0; });
}

/// The rows were checked in one pass and loaded in another. A thread of the caller may have
/// overwritten them in between. No search could handle NaN; other values change the answer.
template <class T>
void check_unchanged(const Planes<T>& planes, const Workers& workers) {
  constexpr std::size_t kBlocks = std::size_t{1} << 13;
  const std::size_t full = planes.points / kLanes;
  std::atomic<bool> is_changed = false;
  workers.for_ranges(full, kBlocks, [&](std::size_t begin, std::size_t end) {
    // Relaxed: the end of the loop orders it before the load below.
    if (!has_finite_blocks(planes, begin, end)) is_changed.store(true, std::memory_order_relaxed);
  });
  for (std::size_t i = full * kLanes; i < planes.points; ++i)
    for (int axis = 0; axis < planes.dimension; ++axis)
      if (!std::isfinite(planes.coordinate(i, axis))) fail_for_changed_points();
  if (is_changed.load(std::memory_order_relaxed)) fail_for_changed_points();
}

}  // namespace

void fail_for_changed_points() {
  refuse(
      "points: they changed while the call ran, to values that are not finite; leave them as they "
      "are until it returns");
}

template <class T>
void order_points(const Input<T>& input, Order order, Workers& workers, Planes<T>& planes) {
  planes.dimension = input.dimension;
  planes.points = input.size;
  if (order.curve == Curve::kd) {
    order_points_kd(input, order.split_axis, workers, planes);
    return pad_last_block(planes);
  }
  planes.blocks = Array<T>(planes.block_count() * planes.block_stride(), workers.pool());
  with_dimension(input.dimension, [&]<int D>() {
    if constexpr (D == kAnyDimension)
      order_points_any(input, order.curve, workers, planes);
    else
      order_along<D>(input, order.curve, workers, planes);
  });
  pad_last_block(planes);
  check_unchanged(planes, workers);
}

template void order_points(const Input<float>&, Order, Workers&, Planes<float>&);
template void order_points(const Input<double>&, Order, Workers&, Planes<double>&);

}  // namespace kith

// For dimensions without compiled code: pairs of a 64-bit place on the curve and the point's number
// are sorted, and runs that share a place are keyed again in their own bounds.
#include "geometry/curve_key.hpp"
#include "geometry/z_order.hpp"
#include "parallel/grains.hpp"
#include "parallel/radix_sort.hpp"
#include "tree/order.hpp"

namespace kith {
namespace {

constexpr int kAny = kAnyDimension;
constexpr std::size_t kAnyShortRun = 16;

template <class T, template <int, class> class Cells>
class AnySort {
 public:
  AnySort(const Input<T>& input, const Workers& workers)
      : input_(input), workers_(workers), axes_(input.dimension) {}

  void run(const Planes<T>& planes) {
    const std::size_t n = input_.size;
    Array<KeyIndex> keys(n, workers_.pool());
    workers_.for_ranges(n, kPointGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) keys[i].index = static_cast<std::uint32_t>(i);
    });
    sort(keys.data(), n);
    workers_.for_ranges(n, kPointGrain, [&](std::size_t begin, std::size_t end) {
      T x[kMaxDimension];
      for (std::size_t i = begin; i < end; ++i) {
        input_.load(keys[i].index, axes_, x);
        store_point(planes, i, x, input_.index(keys[i].index), axes_);
      }
    });
  }

 private:
  using Box = Bounds<kAny, T>;
  using Key = WideCurveKey<T, Cells>;

  /// Sorts pairs whose indices ascend, by place on the curve; equal points by index.
  void sort(KeyIndex* keys, std::size_t n) {
    const Key key(bounds_of(keys, n), axes_.count());
    if (!key.can_split()) return;
    workers_.for_ranges(n, kPointGrain, [&](std::size_t begin, std::size_t end) {
      T x[kMaxDimension];
      for (std::size_t i = begin; i < end; ++i) {
        input_.load(keys[i].index, axes_, x);
        keys[i].key = key(x);
      }
    });
    sort_keys(workers_, keys, n);
    const std::vector<IndexRange> runs = runs_of(keys, n);
    workers_.for_each(runs.size(), [&](std::size_t i) {
      KeyIndex* run = keys + runs[i].begin;
      if (runs[i].size() > kAnyShortRun)
        sort(run, runs[i].size());
      else if constexpr (Key::kIsExact)
        sort_by_insertion(run, runs[i].size());
    });
  }

  /// Runs of equal keys that need more sorting, in order.
  std::vector<IndexRange> runs_of(const KeyIndex* keys, std::size_t n) const {
    const std::size_t shortest = Key::kIsExact ? 2 : kAnyShortRun + 1;
    return reduce(
        workers_, n, kPointGrain, std::vector<IndexRange>(),
        [&](std::size_t begin, std::size_t end) {
          std::vector<IndexRange> found;
          // A run belongs to the range in which it starts, wherever it ends.
          while (begin < end && begin > 0 && keys[begin].key == keys[begin - 1].key) ++begin;
          while (begin < end) {
            std::size_t last = begin + 1;
            while (last < n && keys[last].key == keys[begin].key) ++last;
            if (last - begin >= shortest) found.push_back({begin, last});
            begin = last;
          }
          return found;
        },
        [](std::vector<IndexRange> all, const std::vector<IndexRange>& more) {
          all.insert(all.end(), more.begin(), more.end());
          return all;
        });
  }

  void sort_by_insertion(KeyIndex* keys, std::size_t n) const {
    T x[kAnyShortRun][kMaxDimension];
    std::uint32_t slot[kAnyShortRun], index[kAnyShortRun];
    for (std::size_t i = 0; i < n; ++i) {
      index[i] = keys[i].index;
      input_.load(index[i], axes_, x[i]);
      std::size_t at = i;
      for (; at > 0 && z_less(x[i], x[slot[at - 1]], axes_); --at) slot[at] = slot[at - 1];
      slot[at] = static_cast<std::uint32_t>(i);
    }
    for (std::size_t i = 0; i < n; ++i) keys[i].index = index[slot[i]];
  }

  Box bounds_of(const KeyIndex* keys, std::size_t n) const {
    return reduce(
        workers_, n, kPointGrain, Box::empty(),
        [&](std::size_t begin, std::size_t end) {
          Box bounds = Box::empty();
          T x[kMaxDimension];
          for (std::size_t i = begin; i < end; ++i) {
            input_.load(keys[i].index, axes_, x);
            bounds.add(x, axes_);
          }
          return bounds;
        },
        [&](Box a, const Box& b) {
          a.add(b, axes_);
          return a;
        });
  }

  const Input<T>& input_;
  const Workers& workers_;
  Axes<kAny> axes_;
};

}  // namespace

template <class T>
void order_points_any(const Input<T>& input, Curve curve, const Workers& workers,
                      Planes<T>& planes) {
  if (curve == Curve::hilbert)
    AnySort<T, EqualCells>(input, workers).run(planes);
  else
    AnySort<T, DigitCells>(input, workers).run(planes);
}

template void order_points_any(const Input<float>&, Curve, const Workers&, Planes<float>&);
template void order_points_any(const Input<double>&, Curve, const Workers&, Planes<double>&);

}  // namespace kith

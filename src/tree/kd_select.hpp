// Selection for the kd order: the k least of n points by (coordinate, index) to the front, in
// place.
//
// Pivots come from samples, one a little above the wanted rank, then one a little below it (Floyd
// and Rivest), so that one and a half passes do nearly all the work; passes have no branches that
// depend on the data. Up to 32 points are ranked by comparing all with all.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace kith {

/// What points are ordered by. All keys of a set differ.
template <class T>
struct KdKey {
  T x;
  std::uint32_t index;

  // Without branches: which one is less is a toss-up.
  friend bool operator<(const KdKey& a, const KdKey& b) {
    return (a.x < b.x) | ((a.x == b.x) & (a.index < b.index));
  }
};

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

/// Points are anything with Scalar, Item, x(item, axis) and index(item).
template <class Points>
class KdSelect {
 public:
  using T = typename Points::Scalar;
  using Item = typename Points::Item;

  explicit KdSelect(const Points& points) : points_(points) {}

  /// Puts the k least of n items, 0 < k < n, before the others.
  void run(Item* items, std::size_t n, std::size_t k, int axis) {
    axis_ = axis;
    const auto x = [&](const Item& item) { return points_.x(item, axis_); };
    if (!narrow(items, n, k, x)) return;
    if (n > kRanked)
      select_equal(items, n, k);
    else
      rank(items, n, k);
  }

  /// Items that were looked at so far.
  std::uint64_t work() const { return work_; }

 private:
  static constexpr std::size_t kRanked = 32;
  static constexpr int kRounds = 24;
  static constexpr std::size_t kMaxSample = 512;
  using Count = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;

  KdKey<T> key(const Item& item) const { return {points_.x(item, axis_), points_.index(item)}; }

  /// Narrows the items down to few of which k are still wanted at the front, or to equal ones;
  /// false when nothing is left to do.
  template <class Value>
  bool narrow(Item*& items, std::size_t& n, std::size_t& k, Value value) {
    for (int round = 0; n > kRanked; ++round) {
      if (round == kRounds) {
        // Samples that mislead time after time are very unlikely, not impossible.
        select_by_key(items, n, k);
        return false;
      }
      const auto at = pivot(items, n, k, round, value);
      std::size_t below = partition(items, n, [&](const Item& item) { return value(item) < at; });
      if (below == 0) {
        // The pivot is the least: its equals come first.
        below = partition(items, n, [&](const Item& item) { return value(item) <= at; });
        if (k < below) {
          n = below;
          return true;
        }
      }
      if (below == k) return false;
      if (below > k) {
        n = below;
      } else {
        items += below;
        n -= below;
        k -= below;
      }
    }
    return k > 0 && k < n;
  }

  /// Many items of one coordinate: by index.
  void select_equal(Item* items, std::size_t n, std::size_t k) {
    const auto index = [&](const Item& item) { return points_.index(item); };
    if (narrow(items, n, k, index)) select_by_key(items, n, k);
  }

  /// A value whose rank is, likely, just past k; or just below it when k is nearer to the end.
  template <class Value>
  auto pivot(const Item* items, std::size_t n, std::size_t k, int round, Value value) {
    const auto size = std::clamp<std::size_t>(
        static_cast<std::size_t>(std::cbrt(static_cast<float>(n) * static_cast<float>(n)) / 4), 5,
        kMaxSample);
    decltype(value(*items)) sample[kMaxSample];
    SamplePlaces places(static_cast<std::uint64_t>(n + static_cast<std::size_t>(round)));
    for (std::size_t i = 0; i < size; ++i) sample[i] = value(items[places.next(n)]);
    work_ += size;
    const float share = static_cast<float>(k) / static_cast<float>(n);
    const float at = share * static_cast<float>(size);
    const float spread = std::sqrt(at * (1 - share)) + 0.5f;
    const float aim = 2 * k <= n ? at + spread : at - spread;
    const auto place = static_cast<std::size_t>(std::clamp(aim, 0.f, static_cast<float>(size - 1)));
    std::nth_element(sample, sample + place, sample + size);
    return sample[place];
  }

  /// Items that are `lesser` first; returns their number. Items move through a gap that runs ahead,
  /// so that no step waits for the outcome of a comparison.
  template <class Lesser>
  std::size_t partition(Item* items, std::size_t n, Lesser lesser) {
    work_ += n;
    const Item first = items[0];
    std::size_t below = 0, gap = 0;
    for (std::size_t i = 1; i < n; ++i) {
      const Item item = items[i];
      items[gap] = items[below];
      items[below] = item;
      gap = i;
      below += lesser(item) ? 1 : 0;
    }
    items[gap] = items[below];
    items[below] = first;
    below += lesser(first) ? 1 : 0;
    return below;
  }

  /// Few items: each one's rank is the number of coordinates up to its own.
  void rank(Item* items, std::size_t n, std::size_t k) {
    work_ += n;
    T x[kRanked];
    Count ranks[kRanked] = {};
    for (std::size_t i = 0; i < n; ++i) x[i] = points_.x(items[i], axis_);
    for (std::size_t i = n; i < kRanked; ++i) x[i] = std::numeric_limits<T>::infinity();
    if (n <= kRanked / 2)
      count_up_to<kRanked / 2>(x, n, ranks);
    else
      count_up_to<kRanked>(x, n, ranks);
    Item lesser[kRanked], greater[kRanked];
    std::size_t low = 0, high = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const bool is_lesser = static_cast<std::size_t>(ranks[i]) <= k;
      lesser[low] = greater[high] = items[i];
      low += is_lesser ? 1 : 0;
      high += is_lesser ? 0 : 1;
    }
    if (low != k) return select_by_key(items, n, k);  // equal coordinates lie on both sides
    std::copy_n(lesser, low, items);
    std::copy_n(greater, high, items + low);
  }

  /// ranks[i] becomes the number of coordinates up to x[i]; loops of constant length become
  /// vectors.
  template <std::size_t N>
  static void count_up_to(const T* x, std::size_t n, Count* ranks) {
    for (std::size_t j = 0; j < n; ++j) {
      const T value = x[j];
      for (std::size_t i = 0; i < N; ++i) ranks[i] += value <= x[i] ? 1 : 0;
    }
  }

  void select_by_key(Item* items, std::size_t n, std::size_t k) {
    std::nth_element(items, items + k, items + n, [&](const Item& a, const Item& b) {
      ++work_;
      return key(a) < key(b);
    });
  }

  const Points& points_;
  int axis_ = 0;
  std::uint64_t work_ = 0;
};

}  // namespace kith

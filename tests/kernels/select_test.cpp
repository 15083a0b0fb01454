// Sorting candidates (Keys, Selector) and appending the lanes that pass a test, on every SIMD
// target, against the standard library.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/select_test.cpp"
#include <hwy/foreach_target.h>  // includes this file once per target

#include "kernels/near-inl.h"
#include "kernels/rank-inl.h"
#include "kernels/select-inl.h"

#ifndef KITH_TESTS_KERNELS_SELECT_TYPES  // the same for all targets
#define KITH_TESTS_KERNELS_SELECT_TYPES
namespace kith {

struct Appended {
  float floats[2 * kLanes];
  double doubles[2 * kLanes];
  std::uint32_t words[2 * kLanes], numbers[2 * kLanes];
  std::uint64_t pairs[2 * kLanes];
  std::size_t count[5];
};

/// Which of 8 points are near a point and near a box, and which boxes; and equal parents.
struct NearSeen {
  unsigned points, points_of_box, boxes, parents;
};

/// The results of rank_bound and keep_within.
template <class T>
struct Bounded {
  T most;
  std::size_t kept;
};

}  // namespace kith
#endif

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

template <class T>
void sort_slots(T* d2, std::uint32_t* index, std::size_t stride, const std::size_t* counts,
                std::size_t keep) {
  Selector<T> selector;
  selector.sort({d2, index, stride}, counts, keep);
}
void sort_floats(float* d2, std::uint32_t* index, std::size_t stride, const std::size_t* counts,
                 std::size_t keep) {
  sort_slots(d2, index, stride, counts, keep);
}
void sort_doubles(double* d2, std::uint32_t* index, std::size_t stride, const std::size_t* counts,
                  std::size_t keep) {
  sort_slots(d2, index, stride, counts, keep);
}

/// Packs four slots to keys and back. Returns whether all is as before.
template <class T>
bool keys_come_back(T* d2, std::uint32_t* index, std::size_t rows) {
  const std::vector<T> d2_before(d2, d2 + kColumns * rows);
  const std::vector<std::uint32_t> index_before(index, index + kColumns * rows);
  Keys<T> keys;
  keys.reserve(rows);
  const Slots<T> slots{d2, index, rows};
  keys.pack(slots, rows);
  std::fill_n(d2, kColumns * rows, T(-1));
  std::fill_n(index, kColumns * rows, 0u);
  keys.unpack(rows, slots);
  // The order of rows within a vector is free.
  for (std::size_t q = 0; q < kColumns; ++q) {
    std::vector<Candidate<T>> before, after;
    for (std::size_t i = 0; i < rows; ++i) {
      before.push_back({d2_before[q * rows + i], index_before[q * rows + i]});
      after.push_back({d2[q * rows + i], index[q * rows + i]});
    }
    std::sort(before.begin(), before.end());
    std::sort(after.begin(), after.end());
    for (std::size_t i = 0; i < rows; ++i)
      if (before[i].key != after[i].key || before[i].index != after[i].index) return false;
  }
  return true;
}
bool float_keys_come_back(float* d2, std::uint32_t* index, std::size_t rows) {
  return keys_come_back(d2, index, rows);
}
bool double_keys_come_back(double* d2, std::uint32_t* index, std::size_t rows) {
  return keys_come_back(d2, index, rows);
}

/// The bound of a rank, and how many candidates it keeps.
template <class T>
Bounded<T> bound_slot(T* d2, std::uint32_t* index, std::size_t count, std::size_t rank) {
  const T most = rank_bound(d2, count, rank);
  return {most, keep_within(d2, index, count, most)};
}
Bounded<float> bound_floats(float* d2, std::uint32_t* index, std::size_t count, std::size_t rank) {
  return bound_slot(d2, index, count, rank);
}
Bounded<double> bound_doubles(double* d2, std::uint32_t* index, std::size_t count,
                              std::size_t rank) {
  return bound_slot(d2, index, count, rank);
}

/// Appends the lanes of 0 ... 7 whose bits are set, in steps of a vector.
template <class T>
std::size_t append_lanes(unsigned bits, T* to) {
  const Tag<T> tag;
  std::size_t count = 0;
  for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(tag)) {
    const unsigned part = bits >> lane & ((1u << hn::Lanes(tag)) - 1);
    append(tag, hn::Iota(tag, static_cast<T>(lane)), part, to + count);
    count += count_bits(part);
  }
  return count;
}

void append_all(unsigned bits, Appended& out) {
  out.count[0] = append_lanes(bits, out.floats);
  out.count[1] = append_lanes(bits, out.doubles);
  out.count[2] = append_lanes(bits, out.words);
  out.count[3] = static_cast<std::size_t>(append(out.numbers, 100, bits) - out.numbers);
  out.count[4] = static_cast<std::size_t>(append_pairs(out.pairs, 100, bits, 7) - out.pairs);
}

void see_near(const float* block, const float* chunk, const float* point, float reach2,
              const std::uint32_t* parents, NearSeen& out) {
  const Range<2, float> range{Axes<2>(2), reach2, {0, 0.9f}};
  Bounds<2, float> box = Bounds<2, float>::empty();
  box.add(point, range.axes);
  out.points = points_near<true>(point, block, range);
  out.points_of_box = points_near<true>(box, block, range);
  out.boxes = boxes_near<true>(box, chunk, range);
  out.parents = equal_parents(parents, 3);
}

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <gtest/gtest.h>
#include <random>

#include "geometry/distance.hpp"
#include "kernels/target.hpp"
#include "support/exact_cases.hpp"

namespace kith {
namespace {

HWY_EXPORT(sort_floats);
HWY_EXPORT(sort_doubles);
HWY_EXPORT(float_keys_come_back);
HWY_EXPORT(double_keys_come_back);
HWY_EXPORT(bound_floats);
HWY_EXPORT(bound_doubles);
HWY_EXPORT(append_all);
HWY_EXPORT(see_near);

constexpr std::size_t kSlots = 4;

void sort(float* d2, std::uint32_t* index, std::size_t stride, const std::size_t* counts,
          std::size_t keep) {
  HWY_DYNAMIC_DISPATCH(sort_floats)(d2, index, stride, counts, keep);
}
void sort(double* d2, std::uint32_t* index, std::size_t stride, const std::size_t* counts,
          std::size_t keep) {
  HWY_DYNAMIC_DISPATCH(sort_doubles)(d2, index, stride, counts, keep);
}

Bounded<float> bound(float* d2, std::uint32_t* index, std::size_t count, std::size_t rank) {
  return HWY_DYNAMIC_DISPATCH(bound_floats)(d2, index, count, rank);
}
Bounded<double> bound(double* d2, std::uint32_t* index, std::size_t count, std::size_t rank) {
  return HWY_DYNAMIC_DISPATCH(bound_doubles)(d2, index, count, rank);
}

template <class F>
void on_every_target(F f) {
  for (const std::string& target : available_targets()) {
    SCOPED_TRACE(target);
    force_target(target);
    f();
    if (::testing::Test::HasFatalFailure()) break;
  }
  force_target("");
}

/// Four slots of candidates with many ties, zeros, the largest number and infinity.
template <class T>
struct Scene {
  std::size_t stride, counts[kSlots];
  std::vector<T> d2;
  std::vector<std::uint32_t> index;

  Scene(std::mt19937& random, std::size_t most) : stride((most + 64) / 16 * 16) {
    d2.resize(kSlots * stride);
    index.resize(kSlots * stride);
    for (std::size_t q = 0; q < kSlots; ++q) {
      counts[q] = random() % (most + 1);
      std::vector<std::uint32_t> numbers(counts[q]);
      for (std::size_t i = 0; i < counts[q]; ++i)
        numbers[i] = static_cast<std::uint32_t>(i * 37 + random() % 37);
      std::shuffle(numbers.begin(), numbers.end(), random);
      for (std::size_t i = 0; i < counts[q]; ++i) {
        d2[q * stride + i] = number(random);
        index[q * stride + i] = numbers[i];
      }
    }
  }
  static T number(std::mt19937& random) {
    switch (random() % 8) {
      case 0: return 0;
      case 1: return std::numeric_limits<T>::denorm_min();
      case 2: return std::numeric_limits<T>::max();
      case 3: return std::numeric_limits<T>::infinity();
      default: return static_cast<T>(random() % 9) / 7;
    }
  }
  std::vector<Candidate<T>> slot(std::size_t q, std::size_t count) const {
    std::vector<Candidate<T>> result;
    for (std::size_t i = 0; i < count; ++i)
      result.push_back({d2[q * stride + i], index[q * stride + i]});
    return result;
  }
};

template <class T>
void check_selection(std::size_t most, std::size_t keep, std::mt19937& random) {
  Scene<T> scene(random, most);
  std::vector<Candidate<T>> expected[kSlots];
  for (std::size_t q = 0; q < kSlots; ++q) {
    expected[q] = scene.slot(q, scene.counts[q]);
    std::sort(expected[q].begin(), expected[q].end());
    expected[q].resize(std::min(keep, expected[q].size()));
  }
  sort(scene.d2.data(), scene.index.data(), scene.stride, scene.counts, keep);
  for (std::size_t q = 0; q < kSlots; ++q) {
    const auto found = scene.slot(q, expected[q].size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      ASSERT_EQ(found[i].key, expected[q][i].key) << "most " << most << " keep " << keep;
      ASSERT_EQ(found[i].index, expected[q][i].index) << "most " << most << " keep " << keep;
    }
  }
  test::ExactCases::count();
}

TEST(Selector, GivesTheFirstInOrderOnEveryTarget) {
  on_every_target([] {
    std::mt19937 random(3);
    for (const std::size_t most : {0, 1, 15, 16, 17, 40, 130, 700})
      for (const std::size_t keep : {1, 2, 15, 16, 17, 64, 1000})
        for (int round = 0; round < 8; ++round) {
          check_selection<float>(most, keep, random);
          check_selection<double>(most, keep, random);
          if (::testing::Test::HasFatalFailure()) return;
        }
  });
}

/// All that are not after the rank-th stay, in their order, and little more.
template <class T>
void check_rank(std::size_t most, std::mt19937& random) {
  Scene<T> scene(random, most);
  const std::size_t count = scene.counts[0], rank = 1 + random() % (most + 1);
  const std::vector<Candidate<T>> before = scene.slot(0, count);
  std::vector<T> sorted(scene.d2.begin(), scene.d2.begin() + static_cast<std::ptrdiff_t>(count));
  std::sort(sorted.begin(), sorted.end());
  const Bounded<T> got = bound(scene.d2.data(), scene.index.data(), count, rank);
  ASSERT_TRUE(std::isfinite(got.most));
  if (count < rank) return;
  const T last = sorted[rank - 1];
  if (std::isfinite(last)) {
    ASSERT_GE(got.most, last);
  }
  if (last >= std::numeric_limits<T>::min() && last < 1) {
    ASSERT_LE(got.most, last * T(1.07));
  }
  std::vector<Candidate<T>> expected;
  for (const auto& candidate : before)
    if (candidate.key <= got.most) expected.push_back(candidate);
  ASSERT_EQ(got.kept, expected.size());
  for (std::size_t i = 0; i < got.kept; ++i) {
    ASSERT_EQ(scene.d2[i], expected[i].key);
    ASSERT_EQ(scene.index[i], expected[i].index);
  }
}

TEST(Rank, BoundKeepsEnoughAndLittleMoreOnEveryTarget) {
  on_every_target([] {
    std::mt19937 random(5);
    for (const std::size_t most : {1, 7, 8, 9, 40, 130})
      for (int round = 0; round < 20; ++round) {
        check_rank<float>(most, random);
        check_rank<double>(most, random);
        if (::testing::Test::HasFatalFailure()) return;
      }
  });
}

TEST(Selector, SortsMoreCandidatesThanTheNetworkTakes) {
  on_every_target([] {
    std::mt19937 random(4);
    check_selection<float>(40000, 20, random);
    check_selection<double>(40000, 40000, random);
  });
}

TEST(Keys, ComeBackAsTheyWentOnEveryTarget) {
  on_every_target([] {
    std::mt19937 random(5);
    for (int round = 0; round < 50; ++round) {
      constexpr std::size_t kRows = 32;
      std::vector<float> a(kSlots * kRows);
      std::vector<double> b(kSlots * kRows);
      std::vector<std::uint32_t> index(kSlots * kRows);
      for (std::size_t i = 0; i < a.size(); ++i) {
        a[i] = Scene<float>::number(random);
        b[i] = Scene<double>::number(random);
        index[i] = static_cast<std::uint32_t>(random());
      }
      auto again = index;
      ASSERT_TRUE(HWY_DYNAMIC_DISPATCH(float_keys_come_back)(a.data(), index.data(), kRows));
      ASSERT_TRUE(HWY_DYNAMIC_DISPATCH(double_keys_come_back)(b.data(), again.data(), kRows));
    }
  });
}

TEST(Append, AllSetsOfLanesOnEveryTarget) {
  on_every_target([] {
    for (unsigned bits = 0; bits < 256; ++bits) {
      Appended out{};
      HWY_DYNAMIC_DISPATCH(append_all)(bits, out);
      std::size_t at = 0;
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        if (!(bits >> lane & 1)) continue;
        ASSERT_EQ(out.floats[at], static_cast<float>(lane));
        ASSERT_EQ(out.doubles[at], static_cast<double>(lane));
        ASSERT_EQ(out.words[at], lane);
        ASSERT_EQ(out.numbers[at], 100 + lane);
        ASSERT_EQ(out.pairs[at], std::uint64_t{100 + lane} << 32 | 7);
        ++at;
      }
      for (const std::size_t count : out.count) ASSERT_EQ(count, at) << bits;
    }
  });
}

TEST(Near, BitsAreThoseOfTheReferenceOnEveryTarget) {
  on_every_target([] {
    std::mt19937 random(6);
    std::uniform_real_distribution<float> draw(0, 0.9f);
    const Axes<2> axes(2);
    Metric<2, float> metric{axes};
    metric.side[1] = 0.9f;
    for (int round = 0; round < 300; ++round) {
      alignas(64) float block[2 * kLanes], chunk[4 * kLanes];
      alignas(64) std::uint32_t parents[kLanes];
      const float point[2] = {draw(random), draw(random)}, reach2 = draw(random) / 3;
      unsigned near = 0, boxes = 0, equal = 0;
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        auto box = Bounds<2, float>::empty();
        const float p[2] = {draw(random), draw(random)}, q[2] = {draw(random), draw(random)};
        box.add(p, axes);
        box.add(q, axes);
        for (std::size_t axis = 0; axis < 2; ++axis) {
          block[axis * kLanes + lane] = p[axis];
          chunk[axis * kLanes + lane] = box.lo[axis];
          chunk[(2 + axis) * kLanes + lane] = box.hi[axis];
        }
        parents[lane] = static_cast<std::uint32_t>(random() % 3 + 1);
        auto from = Bounds<2, float>::empty();
        from.add(point, axes);
        near |= unsigned{metric.distance2(point, p) <= reach2} << lane;
        boxes |= unsigned{metric.lower2(from, box) <= reach2} << lane;
        equal |= unsigned{parents[lane] == 3} << lane;
      }
      NearSeen out{};
      HWY_DYNAMIC_DISPATCH(see_near)(block, chunk, point, reach2, parents, out);
      ASSERT_EQ(out.points, near);
      ASSERT_EQ(out.points_of_box, near);
      ASSERT_EQ(out.boxes, boxes);
      ASSERT_EQ(out.parents, equal);
      test::ExactCases::count();
    }
  });
}

}  // namespace
}  // namespace kith
#endif

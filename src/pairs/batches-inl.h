// Batches of block pairs of one class become numbers: by a kernel for the number of limits in
// question, or pair by pair.
#if defined(KITH_PAIRS_BATCHES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KITH_PAIRS_BATCHES_INL_H_
#undef KITH_PAIRS_BATCHES_INL_H_
#else
#define KITH_PAIRS_BATCHES_INL_H_
#endif

#include <algorithm>
#include <cmath>
#include <hwy/highway.h>
#include <memory>

#include "pairs/classes.hpp"
#include "pairs/job.hpp"
#include "pairs/kernels-inl.h"
#include "pairs/scatter-inl.h"
#include "pairs/tally.hpp"

HWY_BEFORE_NAMESPACE();
namespace kith {
namespace HWY_NAMESPACE {

/// The places of pairs one by one; see scatter().
template <int D, class T>
using Scatter = void (*)(const PairBatch<D, T>&, std::size_t, std::size_t, Axes<D>,
                         const ScatterQuestion<T>&, std::int32_t*);

template <PairMeasure Measure, int D, class T, bool Weighted>
class PairBatches {
  static constexpr bool kProjected = Measure == PairMeasure::projected;
  static constexpr bool kHasKernels = D != kAnyDimension && Measure != PairMeasure::survey;
  static constexpr std::size_t kPairs = kLanes * kLanes;
  static constexpr std::size_t kEntries = 16;  ///< that are scattered at once

 public:
  using Tally = PairTally<Weighted>;
  using Sum = typename Tally::Sum;

  /// `scatter` without and with wrapping.
  PairBatches(const PairJob<T>& job, Scatter<D, T> plain, Scatter<D, T> wrapped)
      : job_(job),
        scatter_{plain, wrapped},
        from_(*job.receivers),
        to_(*job.sources),
        axes_(from_.view.dimension),
        is_alone_(job.is_pairwise()),
        tally_(job.bins() + 1, job.with_lengths, job.words, job.table) {
    for (int place = 0; place < axes_.count(); ++place) side_[place] = job.side[job.order[place]];
    batch_.rows = rows_.get();
    batch_.blocks = to_.view.blocks;
    batch_.stride = block_stride<T>(axes_);
    batch_.side = side_;
    batch_.order = job.order;
    batch_.second_limit = job.second_limit();
    ask_.bins = &job.first;
    const T count = static_cast<T>(job.second), width = job.second_end / count;
    ask_.second = {count, job.second_end, width, T(1) / width, job.second_is_closed};
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      ask_.histogram[lane] = tally_.histogram(lane);
      outside_[lane] = tally_.histogram(lane) + static_cast<std::int32_t>(job.bins());
    }
    if (job.with_lengths) ask_.length2 = length2_;
  }

  Tally& tally() { return tally_; }

  /// The receivers of the next sources: blocks [begin, end).
  void receive(std::size_t begin, std::size_t end) {
    begin_ = begin;
    for (std::size_t block = begin; block < end; ++block)
      rows_->load(block - begin, from_.view.blocks + block * block_stride<T>(axes_), job_.order,
                  axes_);
  }

  HWY_NOINLINE void run(const PairClasses::Class& batch) {
    if (++runs_ % kRunsPerCheck == 0) (*job_.checkpoint)();
    const PairClass pair = PairClass::of(batch.code, job_.first.size());
    batch_.entries = batch.entries;
    batch_.count = batch.count;
    const std::size_t limits = pair.end - pair.begin;
    if constexpr (kHasKernels) {
      // One limit more than there are between the bounds: the last bin ends with the second
      // coordinate, not with a limit.
      const bool is_compared = !is_alone_ && limits + (kProjected ? 1 : 0) <= kMostLimits;
      if (is_compared) return compare(pair);
    }
    for (std::size_t i = 0; i < batch_.count; i += kEntries)
      scatter_some(pair, i, std::min(kEntries, batch_.count - i));
  }

  /// A block with itself: every pair of different points once.
  void run_self(std::uint32_t entry) {
    batch_.entries = &entry;
    batch_.count = 1;
    find_places({0, job_.first.size(), true}, 0, 1);
    scatter_each(0, 0, true);
  }

 private:
  static Sum sum(const PairSide<T>& side, std::size_t block) {
    if constexpr (Weighted)
      return side.weights[0][block];
    else
      return side.counts[0][block];
  }
  std::size_t source(std::size_t i) const {
    return batch_.entries[i] & PairBatch<D, T>::kBlockMask;
  }

  /// The kernel for this number of limits.
  void compare(const PairClass& pair) {
    if constexpr (kHasKernels) {
      Sum within[kMostLimits + 1] = {};
      // With a second coordinate not all pairs count: the total is one more limit, if it matters.
      const bool is_inner = pair.end < job_.first.size();
      const std::size_t limits = pair.end - pair.begin + (kProjected && is_inner ? 1 : 0);
      switch (limits) {
        case 0: break;
        case 1: count<1>(pair, within); break;
        case 2: count<2>(pair, within); break;
        case 3: count<3>(pair, within); break;
        case 4: count<4>(pair, within); break;
        default: count_many(pair, limits, within);
      }
      Sum before = 0;
      for (std::size_t k = 0; k < limits; ++k) {
        tally_.add(pair.begin + k, within[k] - before);
        before = within[k];
      }
      if (!kProjected && is_inner) tally_.add(pair.end, total() - before);
    }
  }

  PairWeights weights() const { return {from_.weight.data() + begin_ * kLanes, to_.weight.data()}; }

  template <int Limits>
  void count(const PairClass& pair, Sum* within) {
    const T* limits = job_.first.limits() + pair.begin;
    if constexpr (Weighted) {
      if (pair.wraps)
        weigh_within<Limits, true, kProjected, D, T>(batch_, weights(), limits, within);
      else
        weigh_within<Limits, false, kProjected, D, T>(batch_, weights(), limits, within);
    } else {
      if (pair.wraps)
        count_within<Limits, true, kProjected, D, T>(batch_, limits, within);
      else
        count_within<Limits, false, kProjected, D, T>(batch_, limits, within);
    }
  }

  void count_many(const PairClass& pair, std::size_t number, Sum* within) {
    const T* limits = job_.first.limits() + pair.begin;
    const int count = static_cast<int>(number);
    if constexpr (Weighted) {
      if (pair.wraps)
        weigh_within_many<true, kProjected, D, T>(batch_, weights(), limits, count, within);
      else
        weigh_within_many<false, kProjected, D, T>(batch_, weights(), limits, count, within);
    } else {
      if (pair.wraps)
        count_within_many<true, kProjected, D, T>(batch_, limits, count, within);
      else
        count_within_many<false, kProjected, D, T>(batch_, limits, count, within);
    }
  }

  /// All pairs of the batch.
  Sum total() const {
    Sum result = 0;
    for (std::size_t i = 0; i < batch_.count; ++i)
      result += sum(from_, begin_ + batch_.slot(i)) * sum(to_, source(i));
    return result;
  }

  void find_places(const PairClass& pair, std::size_t first, std::size_t count) {
    ask_.begin = pair.begin;
    ask_.end = pair.end;
    scatter_[pair.wraps](batch_, first, count, axes_, ask_, at_);
  }

  void scatter_some(const PairClass& pair, std::size_t first, std::size_t count) {
    find_places(pair, first, count);
    if constexpr (!Weighted) {
      if (!ask_.length2) {
        const bool may_be_outside = pair.end == job_.first.size() || job_.second_may_end();
        const std::size_t pairs =
            may_be_outside ? pack_places(at_, count, outside_) : count * kPairs;
        return tally_.scatter(at_, pairs);
      }
    }
    for (std::size_t i = 0; i < count; ++i) scatter_each(first + i, i, false);
  }

  void scatter_each(std::size_t entry, std::size_t place, bool is_self) {
    alignas(64) double length[kPairs];
    const T* length2 = length2_ + place * kPairs;
    if (ask_.length2)
      for (std::size_t k = 0; k < kPairs; ++k)
        length[k] = std::isnan(length2[k]) ? 0 : std::sqrt(static_cast<double>(length2[k]));
    PairLanes lanes;
    if constexpr (Weighted) {
      const std::size_t receiver = begin_ + batch_.slot(entry);
      lanes.receiver_weight = from_.weight.data() + receiver * kLanes;
      lanes.source_weight = to_.weight.data() + source(entry) * kLanes;
      lanes.receiver_words = from_.words.data() + receiver * kLanes * job_.words;
      lanes.source_words = to_.words.data() + source(entry) * kLanes * job_.words;
    }
    tally_.scatter(at_ + place * kPairs, ask_.length2 ? length : nullptr, lanes, is_self);
  }

  static constexpr std::size_t kRunsPerCheck = 256;

  const PairJob<T>& job_;
  Scatter<D, T> scatter_[2];
  const PairSide<T>&from_, &to_;
  Axes<D> axes_;
  bool is_alone_;
  Tally tally_;
  std::unique_ptr<PairRows<D, T>> rows_ = std::make_unique<PairRows<D, T>>();
  PairBatch<D, T> batch_;
  ScatterQuestion<T> ask_;
  T side_[kMaxDimension] = {};
  alignas(64) std::int32_t at_[kEntries * kPairs];
  std::int32_t outside_[kLanes];  ///< the place of pairs in no bin, by lane of the sources
  T length2_[kEntries * kPairs] = {};
  std::size_t begin_ = 0;  ///< first block of the receivers
  std::size_t runs_ = 0;
};

}  // namespace HWY_NAMESPACE
}  // namespace kith
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard

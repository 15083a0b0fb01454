// The deterministic transpose: rows of values are added to the rows of their targets, those of one
// target in their order of appearance. It scatters a gradient over neighbor lists back to the
// points.
//
// Records are sorted by stretches of targets (stable), then each stretch adds its records one after
// the other. The order of the additions to a target is that of the records, for any number of
// threads. Atomic additions would happen in the order of arrival: different bits in every run.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/dispatch.hpp"
#include "parallel/workers.hpp"

namespace kith {

/// The target of a record that is left out.
inline constexpr std::uint32_t kNoTarget = ~std::uint32_t{0};

/// Adds batches of records to `targets` rows of sums. D: numbers in a row, or kAnyDimension.
template <int D, class T>
class Transpose {
 public:
  /// Records in a batch that callers should fill: their values then stay in a cache.
  static constexpr std::size_t kBatch = std::size_t{1} << 18;

  /// `sum`: targets x width numbers, set by the caller; added to in float64.
  Transpose(const Workers& workers, std::size_t targets, Axes<D> width, double* sum)
      : workers_(workers),
        targets_(targets),
        width_(width),
        sum_(sum),
        shift_(static_cast<int>(std::bit_width(targets / kStretches))) {}

  /// sum[target[r]] += value[r], row by row, for r = 0, 1, ... in this order for each target.
  /// Targets at or beyond the number of targets, such as kNoTarget, are left out.
  void add(std::size_t count, const std::uint32_t* target, const T* value) {
    if (workers_.threads() == 1)
      add_in_order(count, target, value);
    else
      add_by_stretches(count, target, value);
  }

 private:
  static constexpr std::size_t kStretches = 512;

  void add_row(std::uint32_t target, const T* value) const {
    double* sum = sum_ + std::size_t{target} * static_cast<std::size_t>(width_.count());
    for (int i = 0; i < width_.count(); ++i) sum[i] += static_cast<double>(value[i]);
  }

  const T* row(const T* value, std::size_t r) const {
    return value + r * static_cast<std::size_t>(width_.count());
  }

  void add_in_order(std::size_t count, const std::uint32_t* target, const T* value) const {
    for (std::size_t r = 0; r < count; ++r)
      if (target[r] < targets_) add_row(target[r], row(value, r));
  }

  void add_by_stretches(std::size_t count, const std::uint32_t* target, const T* value) {
    const std::size_t stretches = (targets_ >> shift_) + 1;
    const std::size_t grain = std::max<std::size_t>(1, kBatch / 16);
    next_.assign(range_count(count, grain) * stretches, 0);
    sorted_.resize(count);
    workers_.for_ranges(count, grain, [&](std::size_t begin, std::size_t end) {
      std::uint32_t* here = next_.data() + begin / grain * stretches;
      for (std::size_t r = begin; r < end; ++r)
        if (target[r] < targets_) ++here[target[r] >> shift_];
    });
    const std::vector<std::uint32_t> start = starts(stretches);
    workers_.for_ranges(count, grain, [&](std::size_t begin, std::size_t end) {
      std::uint32_t* to = next_.data() + begin / grain * stretches;
      for (std::size_t r = begin; r < end; ++r)
        if (target[r] < targets_)
          sorted_[to[target[r] >> shift_]++] = static_cast<std::uint32_t>(r);
    });
    workers_.for_ranges(stretches, kStretches / 32, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = start[begin]; i < start[end]; ++i)
        add_row(target[sorted_[i]], row(value, sorted_[i]));
    });
  }

  /// Turns the counts of each range and stretch into places; returns where the stretches begin.
  std::vector<std::uint32_t> starts(std::size_t stretches) {
    std::vector<std::uint32_t> start(stretches + 1);
    std::uint32_t sum = 0;
    for (std::size_t stretch = 0; stretch < stretches; ++stretch) {
      start[stretch] = sum;
      for (std::size_t at = stretch; at < next_.size(); at += stretches) {
        const std::uint32_t count = next_[at];
        next_[at] = sum;
        sum += count;
      }
    }
    start[stretches] = sum;
    return start;
  }

  const Workers& workers_;
  std::size_t targets_;
  Axes<D> width_;
  double* sum_;
  int shift_;
  std::vector<std::uint32_t> next_, sorted_;
};

}  // namespace kith

// Where a count of pairs adds up: bins for each pair of regions, and eight histograms, one per lane
// of the sources, for pairs that come one by one. The order of all additions follows from the tree
// alone.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <type_traits>
#include <utility>
#include <vector>

#include "pairs/job.hpp"

namespace kith {

/// Weights and words of the two blocks whose pairs are added one by one.
struct PairLanes {
  const double* receiver_weight = nullptr;  ///< 8 each
  const double* source_weight = nullptr;
  const std::uint64_t* receiver_words = nullptr;  ///< [word][lane]
  const std::uint64_t* source_words = nullptr;
};

template <bool Weighted>
class PairTally {
 public:
  using Sum = std::conditional_t<Weighted, double, std::int64_t>;

  PairTally(std::size_t slots, bool with_lengths, std::size_t words, const double* table)
      : slots_(slots),
        stride_(slots <= kFewSlots ? slots : 0),
        words_(words),
        table_(table),
        lanes_((stride_ ? kLanes : 1) * slots),
        lane_lengths_(with_lengths ? lanes_.size() : 0) {}

  /// The next counts belong to this pair of regions.
  void select(std::int32_t receiver_region, std::int32_t source_region) {
    if (current_ < parts_.size() && parts_[current_].receiver_region == receiver_region &&
        parts_[current_].source_region == source_region)
      return;
    flush();
    current_ = 0;
    while (current_ < parts_.size() && (parts_[current_].receiver_region != receiver_region ||
                                        parts_[current_].source_region != source_region))
      ++current_;
    if (current_ < parts_.size()) return;
    PairPart part{receiver_region, source_region, {}, {}, {}};
    if constexpr (Weighted)
      part.sums.resize(slots_);
    else
      part.counts.resize(slots_);
    part.lengths.resize(lane_lengths_.empty() ? 0 : slots_);
    parts_.push_back(std::move(part));
  }

  void add(std::size_t bin, Sum value) { bins()[bin] += value; }

  /// Where the histogram of a lane begins.
  std::int32_t histogram(std::size_t lane) const {
    return static_cast<std::int32_t>(lane * stride_);
  }

  /// Pairs by their places in the histograms.
  void scatter(const std::int32_t* at, std::size_t pairs) {
    make_room(pairs);
    Cell* cells = lanes_.data();
    for (std::size_t i = 0; i < pairs; ++i) ++cells[at[i]];
  }

  /// 64 pairs, [8 receiver + source], each for itself; is_self: those with receiver < source alone.
  void scatter(const std::int32_t* at, const double* length, const PairLanes& lanes, bool is_self) {
    make_room(kLanes * kLanes);
    for (std::size_t r = 0; r < kLanes; ++r)
      for (std::size_t s = is_self ? r + 1 : 0; s < kLanes; ++s) {
        const std::size_t pair = r * kLanes + s;
        const auto place = static_cast<std::size_t>(at[pair]);
        const auto w = Weighted ? weight(lanes, r, s) : 1.0;
        lanes_[place] += static_cast<Cell>(w);
        if (length) lane_lengths_[place] += w * length[pair];
      }
  }

  std::vector<PairPart> release() {
    flush();
    current_ = static_cast<std::size_t>(-1);
    return std::exchange(parts_, {});
  }

 private:
  using Cell = std::conditional_t<Weighted, double, std::uint32_t>;
  static constexpr std::size_t kFewSlots = 2048;
  static constexpr std::size_t kMostScattered = std::size_t{1} << 31;  // below 2^32

  void make_room(std::size_t pairs) {
    scattered_ += pairs;
    if (scattered_ < kMostScattered) return;
    flush();
    scattered_ = pairs;
  }

  Sum* bins() {
    if constexpr (Weighted)
      return parts_[current_].sums.data();
    else
      return parts_[current_].counts.data();
  }

  double weight(const PairLanes& lanes, std::size_t r, std::size_t s) const {
    double w = lanes.receiver_weight[r] * lanes.source_weight[s];
    if (words_ == 0) return w;
    int shared = 0;
    for (std::size_t i = 0; i < words_; ++i)
      shared +=
          std::popcount(lanes.receiver_words[i * kLanes + r] & lanes.source_words[i * kLanes + s]);
    return w * table_[shared];
  }

  void flush() {
    if (scattered_ == 0) return;
    scattered_ = 0;
    const std::size_t copies = lanes_.size() / std::max<std::size_t>(1, slots_);
    for (std::size_t lane = 0; lane < copies; ++lane)
      for (std::size_t i = 0; i < slots_; ++i) {
        bins()[i] += static_cast<Sum>(lanes_[lane * slots_ + i]);
        if (!lane_lengths_.empty()) parts_[current_].lengths[i] += lane_lengths_[lane * slots_ + i];
      }
    std::fill(lanes_.begin(), lanes_.end(), Cell(0));
    std::fill(lane_lengths_.begin(), lane_lengths_.end(), 0.0);
  }

  std::size_t slots_, stride_, words_;
  const double* table_;
  std::vector<Cell> lanes_;
  std::vector<double> lane_lengths_;
  std::vector<PairPart> parts_;
  std::size_t current_ = static_cast<std::size_t>(-1), scattered_ = 0;
};

}  // namespace kith

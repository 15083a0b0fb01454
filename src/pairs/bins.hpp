// The bins of a pair count: which limits a squared separation falls between.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace kith {

/// Cells of the leading bits of a float, from `base` on.
struct BitCells {
  int shift = 0;
  std::int32_t base = 0, last = 0;

  std::int32_t operator()(float x) const {
    const auto bits = static_cast<std::int32_t>(std::bit_cast<std::uint32_t>(x));
    return std::clamp((bits >> shift) - base, 0, last);
  }
  /// The least number of a cell; 0 for the first, which also holds all smaller numbers, and
  /// infinity for one beyond the numbers.
  float least(std::int32_t cell) const {
    constexpr std::uint32_t kInfinity = 0x7f800000;
    const std::uint32_t bits = static_cast<std::uint32_t>(base + cell) << shift;
    return cell == 0 ? 0.0F : std::bit_cast<float>(std::min(bits, kInfinity));
  }
  std::size_t count() const { return static_cast<std::size_t>(last) + 1; }

  /// As fine as `most` cells allow, over [low, high]; if they do not reach so far, over its end.
  static BitCells over(float low, float high, std::int32_t most, int finest) {
    const auto bits = [](float x) { return std::bit_cast<std::int32_t>(x); };
    BitCells cells;
    cells.shift = finest;
    while (cells.shift < 17 && (bits(high) >> cells.shift) - (bits(low) >> cells.shift) + 2 > most)
      ++cells.shift;
    const std::int32_t end = (bits(high) >> cells.shift) + 1;
    cells.base = std::max(bits(low) >> cells.shift, end + 1 - most);
    cells.last = end - cells.base;
    return cells;
  }
};

/// Ascending limits; bin i holds the values over limit i - 1 up to limit i, bin size() those beyond
/// all.
template <class T>
class PairBins {
 public:
  PairBins() = default;
  explicit PairBins(std::vector<T> given) : limits_(std::move(given)), size_(limits_.size()) {
    limits_.resize(size_ + kRoomAfter, std::numeric_limits<T>::infinity());
    const T* positive = std::upper_bound(limits(), end_of_limits(), T(0));
    const T low = positive == end_of_limits() ? T(1) : *positive;
    const T high = size_ == 0 ? T(1) : std::max(low, limits_[size_ - 1]);
    const auto smallest = static_cast<float>(low), largest = static_cast<float>(high);
    const std::int32_t most =
        static_cast<std::int32_t>(std::clamp<std::size_t>(32 * size_, 1 << 10, 1 << 15));
    fine_ = BitCells::over(smallest, largest, most, 8);
    coarse_ = BitCells::over(smallest, largest, 1 << 10, 16);
    start_.clear();
    first_.clear();
    end_.clear();
    for (std::int32_t cell = 0; cell <= fine_.last; ++cell) {
      const std::uint32_t end =
          cell == fine_.last ? static_cast<std::uint32_t>(size_) : below_end(fine_, cell);
      start_.push_back(static_cast<std::int32_t>(below(fine_, cell)));
      most_steps_ = std::max(most_steps_, static_cast<int>(end) - start_.back());
    }
    for (std::int32_t cell = 0; cell <= coarse_.last; ++cell) {
      first_.push_back(below(coarse_, cell));
      end_.push_back(cell == coarse_.last ? static_cast<std::uint32_t>(size_)
                                          : below_end(coarse_, cell));
    }
  }

  std::size_t size() const { return size_; }
  /// Several more than size(), which are infinite: kernels may look at more limits than matter.
  const T* limits() const { return limits_.data(); }
  T last() const { return limits_[size_ - 1]; }

  /// The first limit that is not below x >= 0. The table over the leading bits only decides how
  /// many comparisons it takes.
  std::size_t bin(T x) const {
    auto i =
        static_cast<std::size_t>(start_[static_cast<std::size_t>(fine_(static_cast<float>(x)))]);
    while (limits_[i] < x) ++i;
    return i;
  }

  /// For the same search in vectors: starts()[cell] plus at most most_steps() for x up to last().
  const BitCells& fine_cells() const { return fine_; }
  const std::int32_t* starts() const { return start_.data(); }
  int most_steps() const { return most_steps_; }

  /// For bounds: no limit before first(cell) is within the values of a coarse cell or above, none
  /// from end(cell) on is below a value of the cell.
  const BitCells& cells() const { return coarse_; }
  const std::uint32_t* first() const { return first_.data(); }
  const std::uint32_t* end() const { return end_.data(); }

 private:
  static constexpr std::size_t kRoomAfter = 8;
  const T* end_of_limits() const { return limits_.data() + size_; }
  std::uint32_t before(T x) const {
    return static_cast<std::uint32_t>(std::lower_bound(limits(), end_of_limits(), x) - limits());
  }
  // Rounding to float moves a double by half a unit in the last place: perhaps to the next cell.
  std::uint32_t below(const BitCells& cells, std::int32_t cell) const {
    return before(static_cast<T>(std::nextafter(cells.least(cell), 0.0F)));
  }
  std::uint32_t below_end(const BitCells& cells, std::int32_t cell) const {
    return before(static_cast<T>(
        std::nextafter(cells.least(cell + 1), std::numeric_limits<float>::infinity())));
  }

  std::vector<T> limits_;
  std::size_t size_ = 0;
  BitCells fine_, coarse_;
  int most_steps_ = 0;
  std::vector<std::int32_t> start_ = {0};
  std::vector<std::uint32_t> first_ = {0}, end_ = {0};
};

}  // namespace kith

// Pairs of blocks by class: the limits that lie between their bounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kith {

/// The class of a pair of blocks: limits [begin, end) may lie among its pairs.
struct PairClass {
  static constexpr std::size_t kMostLimits = 16;  ///< beyond: all of them
  std::size_t begin, end;
  bool wraps;

  std::uint32_t code() const {
    return static_cast<std::uint32_t>(begin << 6 | (end - begin) << 1 | (wraps ? 1 : 0));
  }
  /// `size` limits in all.
  static PairClass of(std::uint32_t code, std::size_t size) {
    const std::size_t begin = code >> 6, count = code >> 1 & 31;
    return {begin, count == kAll ? size : begin + count, (code & 1) != 0};
  }
  /// The class of all limits if there are many.
  PairClass coarse() const { return end - begin > kMostLimits ? PairClass{0, kAll, wraps} : *this; }

 private:
  static constexpr std::size_t kAll = 31;
};

/// Batches of block pairs by class. A class finds its place by a hash; one that finds its place
/// taken by another drives that out.
class PairClasses {
 public:
  static constexpr std::size_t kRoom = 128;
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};  ///< no class
  struct Class {
    std::uint32_t code = kNone, count = 0;
    std::uint32_t entries[kRoom];
  };

  PairClasses() : places_(std::size_t{1} << kBits) {}

  /// run(class) is called for a batch that is full or driven out.
  template <class Run>
  inline __attribute__((always_inline)) void add(std::uint32_t code, std::uint32_t entry,
                                                 const Run& run) {
    const std::uint32_t at = (code * 0x9e3779b1U) >> (32 - kBits);
    Class& to = places_[at];
    if (to.code != code) [[unlikely]] {
      if (to.code == kNone)
        used_.push_back(at);
      else if (to.count > 0)
        run(to);
      to.code = code;
      to.count = 0;
    }
    to.entries[to.count++] = entry;
    if (to.count < kRoom) return;
    run(to);
    to.count = 0;
  }

  template <class Run>
  void run_all(const Run& run) {
    for (const std::uint32_t at : used_) {
      Class& used = places_[at];
      if (used.count > 0) run(used);
      used.code = kNone;
      used.count = 0;
    }
    used_.clear();
  }

 private:
  static constexpr int kBits = 9;
  std::vector<Class> places_;
  std::vector<std::uint32_t> used_;
};

}  // namespace kith

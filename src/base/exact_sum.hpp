// Sums of doubles without rounding, for answers that must not depend on the order of the terms.
//
// The sum is kept as numbers whose digits do not overlap, smallest first (Shewchuk 1997), which are
// few: one for whole numbers, two or three for others. Terms must not overflow together.
#pragma once

#include <cstddef>
#include <vector>

namespace kith {

class ExactSum {
 public:
  void clear() { parts_.clear(); }

  void add(double term) {
    std::size_t kept = 0;
    for (const double part : parts_) {
      const double sum = term + part;
      const double grown = sum - term;
      const double lost = (term - (sum - grown)) + (part - grown);  // term + part - sum, exactly
      if (lost != 0) parts_[kept++] = lost;
      term = sum;
    }
    parts_.resize(kept);
    if (term != 0) parts_.push_back(term);
  }

  /// Whether the sum is at least this.
  bool reaches(double least) const {
    if (parts_.size() < 2) return (parts_.empty() ? 0 : parts_[0]) >= least;
    ExactSum rest = *this;
    rest.add(-least);
    return rest.parts_.empty() || rest.parts_.back() > 0;
  }

 private:
  std::vector<double> parts_;
};

}  // namespace kith

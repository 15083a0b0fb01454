// Which points are friends, by the definition: with one linking length, or with one for each point.
#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include <kith/linking_lengths.hpp>

#include "brute.hpp"
#include "verify/verify.hpp"

namespace kith::cli {

template <class T>
class Links {
 public:
  Links(const Verification& v, const BruteForce<T>& brute)
      : reach2_(brute.limit2(v.about().linking_length, v.about().strict)),
        is_strict_(v.about().strict),
        rule_(v.about().linking_length_rule) {
    if (v.about().linking_length_column.empty()) return;
    for (const double length : v.input.lengths(v.execution()))
      length_.push_back(brute.scaled(length));
  }

  /// Whether i and j at this squared distance are friends.
  bool operator()(std::size_t i, std::size_t j, T d2) const {
    if (length_.empty()) return d2 <= reach2_;
    const T length = of_pair(length_[i], length_[j]);
    const T reach2 = std::min(length * length, std::numeric_limits<T>::max());
    return is_strict_ ? d2 < reach2 : d2 <= reach2;
  }

  /// The largest squared distance to the group of an attached point.
  T attached_reach2() const { return reach2_; }

 private:
  T of_pair(T a, T b) const {
    if (rule_ == name(LengthRule::least)) return std::min(a, b);
    if (rule_ == name(LengthRule::largest)) return std::max(a, b);
    return (a + b) * T(0.5);
  }

  T reach2_;
  bool is_strict_;
  std::string rule_;
  std::vector<T> length_;
};

}  // namespace kith::cli

// The length of a pair of points from the lengths of both: the definition, for searches, bounds and
// ranks. All rules are monotone in both lengths, rounded or not, so that the largest lengths of two
// nodes give a bound for all their pairs, and the least of all lengths links whatever is within it.
#pragma once

#include <algorithm>
#include <limits>

#include <kith/linking_lengths.hpp>

namespace kith {

template <LengthRule Rule, class T>
T pair_length(T a, T b) {
  if constexpr (Rule == LengthRule::least) return std::min(a, b);
  if constexpr (Rule == LengthRule::largest) return std::max(a, b);
  return (a + b) * T(0.5);
}

/// Points at this squared distance or nearer are friends; `is_strict`: nearer ones.
template <LengthRule Rule, class T>
T pair_reach2(T a, T b) {
  const T length = pair_length<Rule>(a, b);
  return std::min(length * length, std::numeric_limits<T>::max());
}

/// f<Rule>()
template <class F>
decltype(auto) with_rule(LengthRule rule, F&& f) {
  if (rule == LengthRule::least) return f.template operator()<LengthRule::least>();
  if (rule == LengthRule::largest) return f.template operator()<LengthRule::largest>();
  return f.template operator()<LengthRule::mean>();
}

}  // namespace kith

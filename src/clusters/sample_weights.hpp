// Weights of points, as calls for clusters take them.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

#include "base/fail.hpp"

namespace kith {

enum class Negative { allowed, refused };

/// Throws Error unless there is one finite weight per point. Sums of weights must not overflow.
inline void check_sample_weights(const char* call, std::span<const double> weight,
                                 std::size_t points, Negative negative) {
  if (weight.size() != points)
    refuse("{}: {} weights for {} points; give one for each", call, weight.size(), points);
  double total = 0;
  for (std::size_t i = 0; i < weight.size(); ++i) {
    if (!std::isfinite(weight[i]))
      fail(ErrorCode::non_finite, "{}: weight {} is {}; give a finite number", call, i, weight[i]);
    if (negative == Negative::refused && !(weight[i] > 0))
      refuse("{}: weight {} is {}; give positive weights, and leave out points without", call, i,
             weight[i]);
    total += std::abs(weight[i]);
  }
  if (!std::isfinite(total)) refuse("{}: the sum of the weights overflows; scale them", call);
}

}  // namespace kith

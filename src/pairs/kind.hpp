// The coordinates by which pairs are counted.
#pragma once

namespace kith {

/// The two coordinates of a pair. The line of sight is the last axis, or the direction
/// from the origin to the middle of the pair.
enum class PairKind {
  distance,          ///< d2 alone
  projected,         ///< rp2 and pi: across the line of sight and along it
  angle,             ///< s2 = rp2 + pi2, and mu = pi / s
  survey_projected,  ///< rp2 = s2 - pi2 and pi, with the line of sight to the middle
  survey_angle,      ///< s2 and mu, with the line of sight to the middle
};

}  // namespace kith

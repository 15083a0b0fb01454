// Rotation curves of groups once more, by their definition.
#include <algorithm>
#include <cmath>

#include "verify/verify.hpp"

namespace kith::cli {
namespace {

using Real = long double;

constexpr Real kTolerance = 1e-9;
constexpr std::size_t kLeastRank = 10;  // of members that count

}  // namespace

RotationCheck::RotationCheck(std::vector<std::pair<Real, Real>> members, double gravity)
    : inside_(std::move(members)), gravity_(gravity) {
  std::sort(inside_.begin(), inside_.end());
  Real mass = 0;
  for (std::size_t k = 0; k < inside_.size(); ++k) {
    auto& [r, m] = inside_[k];
    mass += m;
    m = mass;
    r = std::sqrt(r);
    if (k + 1 >= kLeastRank && r > 0) largest_ = std::max(largest_, gravity_ * m / r);
  }
  largest_ = std::sqrt(largest_);
}

bool RotationCheck::is_radius(double radius) const {
  if (!(largest_ > 0)) return radius == 0;
  for (std::size_t k = kLeastRank - 1; k < inside_.size(); ++k) {
    const auto& [r, m] = inside_[k];
    if (std::abs(r - radius) > kTolerance * radius) continue;
    if (r > 0 && std::sqrt(gravity_ * m / r) >= largest_ * (1 - kTolerance)) return true;
  }
  return false;
}

bool RotationCheck::is_half_mass_radius(double radius) const {
  const Real half = inside_.back().second / 2;
  Real before = 0, within = 0;
  for (const auto& [r, m] : inside_) {
    if (r < radius * (1 - kTolerance)) before = m;
    if (r <= radius * (1 + kTolerance)) within = m;
  }
  return before <= half * (1 + kTolerance) && within >= half * (1 - kTolerance);
}

}  // namespace kith::cli

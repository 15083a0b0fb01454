// Centers of mass of spheres about the last one, ever smaller (Power et al. 2003), and the center
// of mass of a whole group. Whoever has the members answers one question after the other; sums run
// over blocks of members, as those of the catalogue do.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include <kith/centers.hpp>

namespace kith {

/// Members within a sphere. Positions are relative to the group's first member.
struct SphereQuestion {
  bool counts_all = false;     ///< not only members of the chosen types
  bool is_unweighted = false;  ///< not by mass
  double radius2 = std::numeric_limits<double>::infinity();
  std::vector<double> middle;
};

/// The answer, of all members or of a block of them.
struct SphereSums {
  std::size_t count = 0;
  double farthest2 = 0;  ///< from the middle
  double weight = 0;
  std::vector<double> position;  ///< weighted

  explicit SphereSums(std::size_t d = 0) : position(d, 0.0) {}

  void add(const SphereQuestion& question, const double* x, double mass) {
    double r2 = 0;
    for (std::size_t axis = 0; axis < position.size(); ++axis)
      r2 += (x[axis] - question.middle[axis]) * (x[axis] - question.middle[axis]);
    if (!(r2 <= question.radius2)) return;
    const double w = question.is_unweighted ? 1 : mass;
    ++count;
    farthest2 = std::max(farthest2, r2);
    weight += w;
    for (std::size_t axis = 0; axis < position.size(); ++axis) position[axis] += w * x[axis];
  }

  SphereSums& operator+=(const SphereSums& more) {
    count += more.count;
    farthest2 = std::max(farthest2, more.farthest2);
    weight += more.weight;
    for (std::size_t axis = 0; axis < position.size(); ++axis)
      position[axis] += more.position[axis];
    return *this;
  }
};

class SphereSearch {
 public:
  SphereSearch(CenterKind kind, std::size_t d) : is_shrinking_(kind == CenterKind::shrinking) {
    question_.middle.assign(d, 0.0);
  }

  bool is_done() const { return step_ == Step::done; }
  const SphereQuestion& question() const { return question_; }
  const std::vector<double>& middle() const { return question_.middle; }

  void take(const SphereSums& sums) {
    if (step_ == Step::whole) return take_whole(sums);
    if (step_ == Step::extent) {
      radius_ = std::sqrt(sums.farthest2);
      least_ = std::max(kLeastInside, sums.count / kLeastPart);
      return shrink();
    }
    if (sums.count < least_ || !(sums.weight > 0)) return end();
    move(sums);
    // Many points in one place: no sphere about them will ever hold fewer.
    if (sums.farthest2 == 0) return end();
    shrink();
  }

 private:
  enum class Step { whole, extent, shrinking, done };
  static constexpr double kShrink = 0.975;
  static constexpr std::size_t kLeastInside = 16;  // of the last sphere, or a hundredth of all
  static constexpr std::size_t kLeastPart = 100;

  /// A group without members of the chosen types, or without mass, is asked again.
  void take_whole(const SphereSums& sums) {
    if (sums.count == 0 && !question_.counts_all) {
      question_.counts_all = true;
    } else if (!(sums.weight > 0)) {
      question_.is_unweighted = true;
    } else {
      move(sums);
      step_ = is_shrinking_ ? Step::extent : Step::done;
    }
  }

  void move(const SphereSums& sums) {
    for (std::size_t axis = 0; axis < sums.position.size(); ++axis)
      question_.middle[axis] = sums.position[axis] / sums.weight;
  }

  void shrink() {
    if (!(radius_ > 0) || std::isinf(radius_)) return end();  // neither ever shrinks
    step_ = Step::shrinking;
    radius_ *= kShrink;
    question_.radius2 = radius_ * radius_;
  }
  void end() { step_ = Step::done; }

  bool is_shrinking_;
  Step step_ = Step::whole;
  SphereQuestion question_;
  double radius_ = 0;
  std::size_t least_ = 0;
};

}  // namespace kith

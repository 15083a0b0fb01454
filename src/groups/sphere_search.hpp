// The center of mass of a group, and those of ever smaller spheres about the last one (Power et al.
// 2003).
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <kith/centers.hpp>

#include "groups/rounds.hpp"

namespace kith {

/// Members within a sphere. Positions are relative to the group's first member.
struct SphereQuestion {
  bool counts_all = false;     ///< not only members of the chosen types
  bool is_unweighted = false;  ///< not by mass
  double radius2 = std::numeric_limits<double>::infinity();
  std::vector<double> middle;

  template <class F, class... Q>
  static void for_each_field(F f, Q&... q) {
    f(Kept(), q.counts_all...);
    f(Kept(), q.is_unweighted...);
    f(Kept(), q.radius2...);
    f(Appended(), q.middle...);
  }
};

struct SphereSums {
  std::size_t count = 0;
  double farthest2 = 0;  ///< from the middle
  double weight = 0;
  std::vector<double> position;  ///< weighted

  explicit SphereSums(const Source& from) : position(from.d) {}

  template <class F, class... S>
  static void for_each_field(F f, S&... s) {
    f(Added(), s.count...);
    f(Most(), s.farthest2...);
    f(Added(), s.weight...);
    f(Added(), s.position...);
  }
};

class SphereSearch {
 public:
  using Question = SphereQuestion;
  using Partial = SphereSums;

  SphereSearch(CenterKind kind, std::size_t d) : is_shrinking_(kind == CenterKind::shrinking) {
    question_.middle.assign(d, 0.0);
  }

  template <int D>
  static SphereSums answer(const Source& from, const SphereQuestion& question,
                           const MemberBlock& block) {
    const Axes<D> axes(static_cast<int>(from.d));
    const auto d = static_cast<std::size_t>(axes.count());
    SphereSums sums(from);
    for (std::size_t i = 0; i < block.size(); ++i) {
      if (!question.counts_all && !from.is_chosen(block.members[i])) continue;
      const double* x = block.x.data() + i * d;
      double r2 = 0;
      for (std::size_t axis = 0; axis < d; ++axis)
        r2 += (x[axis] - question.middle[axis]) * (x[axis] - question.middle[axis]);
      if (!(r2 <= question.radius2)) continue;
      const double w = question.is_unweighted ? 1 : block.m[i];
      ++sums.count;
      sums.farthest2 = std::max(sums.farthest2, r2);
      sums.weight += w;
      for (std::size_t axis = 0; axis < d; ++axis) sums.position[axis] += w * x[axis];
    }
    return sums;
  }

  const SphereQuestion* question() const { return step_ == Step::done ? nullptr : &question_; }
  /// The center, about the first member.
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

/// About the first member, where the group's row is.
template <class Team>
std::vector<double> middle_of_sphere(Team& team, CenterKind kind) {
  team.keep_blocks();
  const auto search = team.run([&] { return SphereSearch(kind, team.source().d); });
  std::vector<double> middle;
  team.own([&] { middle = search->middle(); });
  return middle;
}

/// The center of a group, from a place about its first member.
inline void put_center(const Source& from, std::size_t first_row, const std::vector<double>& middle,
                       double* center) {
  const RowReader position(from.position);
  for (std::size_t axis = 0; axis < from.d; ++axis)
    center[axis] = from.in_box(position(first_row, static_cast<int>(axis)) + middle[axis], axis);
}

}  // namespace kith

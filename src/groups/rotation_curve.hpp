// The largest circular velocity among the members of a group, and radii about a place.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "groups/rounds.hpp"

namespace kith {

/// Members by their squared distance from a place.
struct ByDistance {
  std::vector<double> middle;

  double key(const Source& from, std::size_t member) const {
    const RowReader position(from.position);
    double r2 = 0;
    for (std::size_t axis = 0; axis < from.d; ++axis) {
      const double dx = position(member, static_cast<int>(axis)) - middle[axis];
      const double side = from.side[axis];
      const double image = side > 0 ? minimum_image(dx, side, 1 / side) : dx;
      r2 += image * image;
    }
    return r2;
  }

  template <class F, class... O>
  static void for_each_field(F f, O&... o) {
    f(Appended(), o.middle...);
  }
};

/// Members by distance: first the masses of blocks, then the largest velocity and the radius of
/// half the mass, then the radius of that velocity.
class RotationCurve {
 public:
  using Order = ByDistance;
  struct Question {
    double gravity = 0;
    double velocity2 = 0;  ///< the largest; 0: unknown yet
    /// The mass inside each block, and of all; empty: unknown yet, or there is a single block.
    std::vector<double> inside;
    bool is_single = false;

    template <class F, class... Q>
    static void for_each_field(F f, Q&... q) {
      f(Kept(), q.gravity...);
      f(Kept(), q.velocity2...);
      f(Appended(), q.inside...);
      f(Kept(), q.is_single...);
    }
  };
  struct Partial {
    std::vector<double> mass;  ///< of each block
    double velocity2 = 0;      ///< the largest
    double radius2 = kFar;     ///< least one at which the velocity is the largest
    double half2 = kFar;       ///< least one within which half of the mass is

    explicit Partial(const Source&) {}
    template <class F, class... P>
    static void for_each_field(F f, P&... p) {
      f(Appended(), p.mass...);
      f(Most(), p.velocity2...);
      f(Least(), p.radius2...);
      f(Least(), p.half2...);
    }
  };

  /// `size`: members of the group.
  RotationCurve(double gravity, ByDistance order, std::size_t size)
      : order_(std::move(order)), question_{gravity, 0, {}, size <= kSumBlock} {}
  const Order& order() const { return order_; }

  template <int D>
  static Partial answer(const Source& from, const Question& question, const SortedBlock& block) {
    Partial found(from);
    const bool knows_masses = !question.inside.empty();
    const double inside = knows_masses ? question.inside[block.number] : 0;
    const double all = knows_masses ? question.inside.back()
                       : question.is_single
                           ? std::accumulate(block.mass.begin(), block.mass.end(), 0.0)
                           : kFar;
    double mass = 0;
    for (std::size_t i = 0; i < block.key.size(); ++i) {
      mass += block.mass[i];
      if (inside + mass >= all / 2) found.half2 = std::min(found.half2, block.key[i]);
      if (block.number * kSumBlock + i + 1 < kLeastRank || !(block.key[i] > 0)) continue;
      const double velocity2 = question.gravity * (inside + mass) / std::sqrt(block.key[i]);
      if (velocity2 > found.velocity2) {
        found.velocity2 = velocity2;
        if (question.is_single) found.radius2 = block.key[i];
      }
      if (velocity2 == question.velocity2) found.radius2 = std::min(found.radius2, block.key[i]);
    }
    found.mass = {mass};
    return found;
  }

  const Question* question() const { return is_done_ ? nullptr : &question_; }
  void take(const Partial& found) {
    if (question_.is_single) {
      half2_ = found.half2;
      question_.velocity2 = found.velocity2;
      radius2_ = found.velocity2 > 0 ? found.radius2 : 0;
      is_done_ = true;
    } else if (question_.inside.empty()) {
      question_.inside.push_back(0);
      for (const double mass : found.mass)
        question_.inside.push_back(question_.inside.back() + mass);
    } else if (question_.velocity2 == 0) {
      half2_ = found.half2;
      question_.velocity2 = found.velocity2;
      is_done_ = !(found.velocity2 > 0);
    } else {
      radius2_ = found.radius2;
      is_done_ = true;
    }
  }

  double largest() const { return std::sqrt(question_.velocity2); }
  double radius() const { return std::sqrt(radius2_); }
  double half_mass_radius() const { return std::sqrt(half2_); }

 private:
  /// A few members say nothing about a rotation curve: of those, the nearest one decides.
  static constexpr std::size_t kLeastRank = 10;
  static constexpr double kFar = std::numeric_limits<double>::infinity();

  Order order_;
  Question question_;
  bool is_done_ = false;
  double half2_ = 0, radius2_ = 0;
};

}  // namespace kith

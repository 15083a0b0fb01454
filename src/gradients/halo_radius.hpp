// Center and inertia radius of one group and their derivatives, from one reading of its members:
// what most gradients of halos need, at a third of the cost of halo_moments.hpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include <kith/gradients.hpp>

#include "groups/sums.hpp"

namespace kith {

/// Members of one group after the other; memory is kept from group to group.
template <int D>
class RadiusReader {
 public:
  RadiusReader(const Source& from, const MemberGradient& out) : from_(from), out_(out) {
    for (std::size_t axis = 0; axis < d(); ++axis)
      if (from.side[axis] > 0) inverse_side_[axis] = 1 / from.side[axis];
  }

  /// `after`: so many members of other groups follow in memory.
  void read(std::span<const std::uint32_t> members, std::size_t after) {
    members_ = members;
    ahead_ = std::min(after, kAhead);
    x_.resize(std::max(x_.size(), members.size() * d()));
    w_.resize(std::max(w_.size(), members.size()));
    for (const bool weighted : {true, false}) {
      is_weighted_ = weighted;
      with_scalar(from_.position.scalar, [&]<class T>() { gather<T>(); });
      if (weight_ > 0) return;
    }
  }

  /// Cotangents of one group; null for none.
  struct Cotangent {
    const double *center = nullptr, *velocity = nullptr;
    double mass = 0, inertia_radius = 0;
    double decoration = 0;  ///< alpha times that of the decorated mass
  };

  void write(const Cotangent& by) const {
    const double slope = ratio(by.inertia_radius, radius_);
    if (out_.position) write_position(by, slope - ratio(ratio(by.decoration, radius_), radius_));
    if (out_.velocity) write_velocity(by.velocity);
    if (out_.mass) write_mass(by, slope);
  }

 private:
  /// So many members ahead are asked for: reads and writes go to rows all over memory. 10^6 points:
  /// 12.0 ms by halo_moments.hpp, 7.2 ms by one reading without this, 6.0 ms with it, of which 4 ms
  /// are writes (bench_gradients).
  static constexpr std::size_t kAhead = 48;

  std::size_t d() const { return D == kAnyDimension ? from_.d : std::size_t{D}; }
  static double ratio(double a, double b) { return b > 0 ? a / b : 0; }

  /// Coordinates about the first member, weights and their sums, in the order of the members.
  template <class T>
  void gather() {
    const T* const data = static_cast<const T*>(from_.position.data);
    const auto row = [&](std::uint32_t i) {
      return data + static_cast<std::ptrdiff_t>(i) * from_.position.stride;
    };
    const std::uint32_t* const members = members_.data();
    const std::size_t count = members_.size(), last = count - 1 + ahead_;
    const T* const first = row(members[0]);
    double total = 0, sum[kAxisRoom<D>] = {};
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t ahead = members[std::min(i + kAhead, last)];
      __builtin_prefetch(row(ahead));
      if (out_.position) __builtin_prefetch(out_.position + ahead * d(), 1);
      const T* const at = row(members[i]);
      double* const x = x_.data() + i * d();
      const double w = is_weighted_ ? from_.mass(members[i]) : 1;
      for (std::size_t axis = 0; axis < d(); ++axis) {  // the inverse of no side is 0
        x[axis] = minimum_image(static_cast<double>(at[axis]) - static_cast<double>(first[axis]),
                                from_.side[axis], inverse_side_[axis]);
        sum[axis] += w * x[axis];
      }
      w_[i] = w;
      total += w;
    }
    weight_ = total;
    set_center(sum);
  }

  /// And the radius about it: without a sum of squares about another point, which would cancel.
  void set_center(const double* sum) {
    for (std::size_t axis = 0; axis < d(); ++axis) center_[axis] = sum[axis] / weight_;
    double square = 0;
    for (std::size_t i = 0; i < members_.size(); ++i) square += w_[i] * distance2(i);
    radius_ = std::sqrt(square / weight_);
  }

  double distance2(std::size_t i) const {
    double sum = 0;
    for (std::size_t axis = 0; axis < d(); ++axis) {
      const double x = x_[i * d() + axis] - center_[axis];
      sum += x * x;
    }
    return sum;
  }

  void write_position(const Cotangent& by, double slope) const {
    double base[kAxisRoom<D>];
    for (std::size_t axis = 0; axis < d(); ++axis)
      base[axis] = (by.center ? by.center[axis] : 0) - slope * center_[axis];
    const double per_weight = 1 / weight_;
    for_each_row(out_.position, [&](std::size_t i, double* row) {
      const double share = w_[i] * per_weight;
      for (std::size_t axis = 0; axis < d(); ++axis)
        row[axis] = share * (base[axis] + slope * x_[i * d() + axis]);
    });
  }

  void write_velocity(const double* cotangent) const {
    for_each_row(out_.velocity, [&](std::size_t i, double* row) {
      for (std::size_t axis = 0; axis < d(); ++axis)
        row[axis] = cotangent ? w_[i] / weight_ * cotangent[axis] : 0;
    });
  }

  void write_mass(const Cotangent& by, double slope) const {
    for (std::size_t i = 0; i < members_.size(); ++i) {
      double moved = slope * (distance2(i) - radius_ * radius_) / 2;
      for (std::size_t axis = 0; by.center && axis < d(); ++axis)
        moved += by.center[axis] * (x_[i * d() + axis] - center_[axis]);
      out_.mass[members_[i]] = by.mass + (is_weighted_ ? moved / weight_ : 0);
    }
  }

  template <class Body>
  void for_each_row(double* out, Body body) const {
    const std::size_t last = members_.size() - 1;
    for (std::size_t i = 0; i <= last; ++i) {
      __builtin_prefetch(out + members_[std::min(i + kAhead, last)] * d(), 1);
      body(i, out + members_[i] * d());
    }
  }

  const Source& from_;
  MemberGradient out_;
  double inverse_side_[kAxisRoom<D>] = {};
  std::span<const std::uint32_t> members_;
  std::size_t ahead_ = 0;
  std::vector<double> x_, w_;
  double weight_ = 0, radius_ = 0;
  bool is_weighted_ = true;
  double center_[kAxisRoom<D>] = {};
};

}  // namespace kith

// The sums that the rows of a catalogue are made of.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "groups/rounds.hpp"

namespace kith {

/// Members weigh by their mass, or all the same.
enum class Weight { mass, one };

/// Center and mean velocity of a group; the center relative to the first member.
struct Center {
  std::vector<double> position, velocity;
};

/// The sums that the center follows from. Coordinates are relative to the first member. The order
/// of the fields is that of the columns of devices (SumColumns in tree/device.hpp).
struct Sums {
  double mass = 0, weight = 0;
  std::vector<double> position, velocity;  ///< weighted
  std::vector<double> lower, upper;
  std::vector<double> type_mass;
  std::vector<std::int64_t> type_size;

  explicit Sums(const Source& from)
      : position(from.d),
        velocity(from.d),
        lower(from.d, std::numeric_limits<double>::infinity()),
        upper(from.d, -std::numeric_limits<double>::infinity()),
        type_mass(from.types),
        type_size(from.types) {}

  template <class F, class... S>
  static void for_each_field(F f, S&... s) {
    f(Added(), s.mass...);
    f(Added(), s.weight...);
    f(Added(), s.position...);
    f(Added(), s.velocity...);
    f(Least(), s.lower...);
    f(Most(), s.upper...);
    f(Added(), s.type_mass...);
    f(Added(), s.type_size...);
  }
};

/// Components of the angular momentum.
inline std::size_t angular_components(const Source& from) {
  return !from.has_velocity() || from.d < 2 || from.d > 3 ? 0 : 2 * from.d - 3;
}

/// Moments about center and mean velocity, in the order of a device's columns.
struct Moments {
  double radius2 = 0, inertia = 0, dispersion = 0;
  std::vector<double> tensor;  ///< the upper triangle, row after row
  std::vector<double> angular_momentum;

  explicit Moments(const Source& from)
      : tensor(from.d * (from.d + 1) / 2), angular_momentum(angular_components(from)) {}

  template <class F, class... M>
  static void for_each_field(F f, M&... m) {
    f(Most(), m.radius2...);
    f(Added(), m.inertia...);
    f(Added(), m.dispersion...);
    f(Added(), m.tensor...);
    f(Added(), m.angular_momentum...);
  }
};

/// The sums over all members; those of a group without mass weigh the same.
class GroupSums {
 public:
  struct Question {
    Weight by = Weight::mass;

    template <class F, class... Q>
    static void for_each_field(F f, Q&... q) {
      f(Kept(), q.by...);
    }
  };
  using Partial = Sums;

  template <int D>
  static Sums answer(const Source& from, const Question& question, const MemberBlock& block) {
    const Axes<D> axes(static_cast<int>(from.d));
    Sums sums(from);
    for (std::size_t i = 0; i < block.m.size(); ++i) {
      const double w = question.by == Weight::mass ? block.m[i] : 1;
      sums.mass += block.m[i];
      sums.weight += w;
      const double* x = block.x.data() + i * static_cast<std::size_t>(axes.count());
      for (int axis = 0; axis < axes.count(); ++axis) {
        const std::size_t a = static_cast<std::size_t>(axis);
        sums.position[a] += w * x[a];
        sums.lower[a] = std::min(sums.lower[a], x[a]);
        sums.upper[a] = std::max(sums.upper[a], x[a]);
        if (from.has_velocity()) sums.velocity[a] += w * block.v[i * from.d + a];
      }
      if (from.types == 0) continue;
      ++sums.type_size[from.type[block.members[i]]];
      sums.type_mass[from.type[block.members[i]]] += block.m[i];
    }
    return sums;
  }

  const Question* question() const { return is_done_ ? nullptr : &question_; }
  void take(Sums sums) {
    is_done_ = sums.mass > 0 || question_.by == Weight::one;
    if (!is_done_) question_.by = Weight::one;
    sums_ = std::move(sums);
  }

  const Sums& sums() const { return *sums_; }
  Weight weight() const { return question_.by; }
  Center center() const { return center_of(*sums_); }

  static Center center_of(const Sums& sums) {
    Center center{sums.position, sums.velocity};
    for (double& x : center.position) x /= sums.weight;
    for (double& v : center.velocity) v /= sums.weight;
    return center;
  }

 private:
  Question question_;
  bool is_done_ = false;
  std::optional<Sums> sums_;
};

/// The center and the mean velocity of moments.
struct MomentsQuestion {
  Weight by = Weight::mass;
  Center center;

  template <class F, class... Q>
  static void for_each_field(F f, Q&... q) {
    f(Kept(), q.by...);
    f(Appended(), q.center.position...);
    f(Appended(), q.center.velocity...);
  }
};

class GroupMoments : public OneRound<MomentsQuestion, Moments> {
 public:
  explicit GroupMoments(const GroupSums& sums) : OneRound({sums.weight(), sums.center()}) {}

  template <int D>
  static Moments answer(const Source& from, const Question& about, const MemberBlock& block) {
    const Axes<D> axes(static_cast<int>(from.d));
    Moments moments(from);
    const bool has_momentum = !moments.angular_momentum.empty();
    double x[kAxisRoom<D>], v[kAxisRoom<D>] = {};
    for (std::size_t i = 0; i < block.m.size(); ++i) {
      const double w = about.by == Weight::mass ? block.m[i] : 1;
      double r2 = 0, v2 = 0;
      for (int axis = 0; axis < axes.count(); ++axis) {
        const std::size_t a = static_cast<std::size_t>(axis);
        x[a] = block.x[i * from.d + a] - about.center.position[a];
        r2 += x[a] * x[a];
        if (!from.has_velocity()) continue;
        v[a] = block.v[i * from.d + a] - about.center.velocity[a];
        v2 += v[a] * v[a];
      }
      moments.radius2 = std::max(moments.radius2, r2);
      moments.inertia += w * r2;
      moments.dispersion += w * v2;
      const std::size_t d = static_cast<std::size_t>(axes.count());
      double* product = moments.tensor.data();
      for (std::size_t row = 0; row < d; ++row)
        for (std::size_t column = row; column < d; ++column) *product++ += w * x[row] * x[column];
      if (has_momentum) add_angular_momentum<D>(moments.angular_momentum, w, x, v);
    }
    return moments;
  }

 private:
  /// x cross v in 3-D and its one component in 2-D.
  template <int D>
  static void add_angular_momentum(std::vector<double>& sum, double m, const double* x,
                                   const double* v) {
    if constexpr (D == 2) {
      sum[0] += m * (x[0] * v[1] - x[1] * v[0]);
    } else if constexpr (D == 3) {
      sum[0] += m * (x[1] * v[2] - x[2] * v[1]);
      sum[1] += m * (x[2] * v[0] - x[0] * v[2]);
      sum[2] += m * (x[0] * v[1] - x[1] * v[0]);
    }
  }
};

}  // namespace kith

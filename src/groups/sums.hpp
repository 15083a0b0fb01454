// Sums over some members of a group. Results for the parts of a group add up to that of the whole,
// in order.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/dispatch.hpp"
#include "base/sides.hpp"
#include "groups/columns.hpp"

namespace kith {

/// Members that are summed in one go; sums of such blocks are added in order.
inline constexpr std::size_t kSumBlock = 4096;

/// Everything that the sums read.
struct Source {
  PointsView position, velocity;
  ValueReader mass;
  std::span<const std::uint8_t> type;
  std::vector<double> side;
  std::size_t d, types;

  bool has_velocity() const { return velocity.data != nullptr; }
  /// A member's position.
  std::vector<double> at(std::size_t row) const {
    std::vector<double> x(d);
    for (std::size_t axis = 0; axis < d; ++axis)
      x[axis] = RowReader(position)(row, static_cast<int>(axis));
    return x;
  }
};

inline Source source_of(const PointsView& points, const CatalogueOptions& options,
                        std::size_t types) {
  Source from{points,
              options.velocity,
              ValueReader(options.mass),
              options.type,
              {},
              static_cast<std::size_t>(points.dimension),
              types};
  from.side = sides_of(options.box, points.dimension);
  return from;
}

/// The smallest of the images of dx, in [-side / 2, side / 2).
inline double minimum_image(double dx, double side, double inverse_side) {
  return dx - side * std::floor(dx * inverse_side + 0.5);
}

/// Members read once, in float64: both passes then run over memory that lies together.
struct MemberBlock {
  std::span<const std::uint32_t> members;
  std::vector<double> x, v, m;  ///< x relative to the group's first member

  /// `origin`: the position of the group's first member.
  MemberBlock(const Source& from, std::span<const std::uint32_t> of,
              const std::vector<double>& origin)
      : members(of), x(of.size() * from.d), m(of.size()) {
    gather(from.position, x);
    center_on(from, origin);
    if (from.has_velocity()) {
      v.resize(x.size());
      gather(from.velocity, v);
    }
    for (std::size_t i = 0; i < m.size(); ++i) m[i] = from.mass(members[i]);
  }
  /// `first`: that member's row.
  MemberBlock(const Source& from, std::span<const std::uint32_t> of, std::size_t first)
      : MemberBlock(from, of, from.at(first)) {}

 private:
  void gather(const PointsView& rows, std::vector<double>& out) const {
    with_scalar(rows.scalar, [&]<class T>() {
      double* to = out.data();
      for (const std::uint32_t i : members) {
        const T* row =
            static_cast<const T*>(rows.data) + static_cast<std::ptrdiff_t>(i) * rows.stride;
        for (int axis = 0; axis < rows.dimension; ++axis) *to++ = static_cast<double>(row[axis]);
      }
    });
  }

  void center_on(const Source& from, const std::vector<double>& origin) {
    for (std::size_t axis = 0; axis < from.d; ++axis) {
      const double at = origin[axis];
      const double side = from.side[axis], inverse = side > 0 ? 1 / side : 0;
      for (std::size_t i = axis; i < x.size(); i += from.d) {
        const double dx = x[i] - at;
        x[i] = side > 0 ? minimum_image(dx, side, inverse) : dx;
      }
    }
  }
};

/// First pass over a group: what the center follows from. Coordinates are relative to the first
/// member.
struct Sums {
  double mass = 0, weight = 0;
  std::vector<double> position, velocity;  // weighted
  std::vector<double> lower, upper;
  std::vector<std::int64_t> type_size;
  std::vector<double> type_mass;

  explicit Sums(std::size_t d = 0, std::size_t types = 0)
      : position(d, 0.0),
        velocity(d, 0.0),
        lower(d, std::numeric_limits<double>::infinity()),
        upper(d, -std::numeric_limits<double>::infinity()),
        type_size(types, 0),
        type_mass(types, 0.0) {}
};

/// Second pass: moments about center and mean velocity.
struct Moments {
  double radius2 = 0, inertia = 0, dispersion = 0;
  std::vector<double> tensor;  // the upper triangle
  std::vector<double> angular_momentum;

  explicit Moments(std::size_t d = 0, std::size_t components = 0)
      : tensor(d * d, 0.0), angular_momentum(components, 0.0) {}
};

template <class T>
void add_to(std::vector<T>& sum, const std::vector<T>& more) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += more[i];
}

inline Sums operator+(Sums a, const Sums& b) {
  a.mass += b.mass;
  a.weight += b.weight;
  add_to(a.position, b.position);
  add_to(a.velocity, b.velocity);
  add_to(a.type_size, b.type_size);
  add_to(a.type_mass, b.type_mass);
  for (std::size_t axis = 0; axis < a.lower.size(); ++axis) {
    a.lower[axis] = std::min(a.lower[axis], b.lower[axis]);
    a.upper[axis] = std::max(a.upper[axis], b.upper[axis]);
  }
  return a;
}

inline Moments operator+(Moments a, const Moments& b) {
  a.radius2 = std::max(a.radius2, b.radius2);
  a.inertia += b.inertia;
  a.dispersion += b.dispersion;
  add_to(a.tensor, b.tensor);
  add_to(a.angular_momentum, b.angular_momentum);
  return a;
}

/// Members weigh by their mass, or all the same.
enum class Weight { mass, one };

template <int D>
Sums sums_of(const Source& from, const MemberBlock& block, Weight by) {
  const Axes<D> axes(static_cast<int>(from.d));
  Sums sums(from.d, from.types);
  for (std::size_t i = 0; i < block.m.size(); ++i) {
    const double w = by == Weight::mass ? block.m[i] : 1;
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

/// x cross v in 3-D and its one component in 2-D.
template <int D>
void add_angular_momentum(std::vector<double>& sum, double m, const double* x, const double* v) {
  if constexpr (D == 2) {
    sum[0] += m * (x[0] * v[1] - x[1] * v[0]);
  } else if constexpr (D == 3) {
    sum[0] += m * (x[1] * v[2] - x[2] * v[1]);
    sum[1] += m * (x[2] * v[0] - x[0] * v[2]);
    sum[2] += m * (x[0] * v[1] - x[1] * v[0]);
  }
}

/// Center and mean velocity of a group; the center relative to the first member.
struct Center {
  std::vector<double> position, velocity;
};

template <int D>
Moments moments_of(const Source& from, const MemberBlock& block, const Center& center, Weight by,
                   std::size_t components) {
  const Axes<D> axes(static_cast<int>(from.d));
  Moments moments(from.d, components);
  double x[kAxisRoom<D>], v[kAxisRoom<D>] = {};
  for (std::size_t i = 0; i < block.m.size(); ++i) {
    const double w = by == Weight::mass ? block.m[i] : 1;
    double r2 = 0, v2 = 0;
    for (int axis = 0; axis < axes.count(); ++axis) {
      const std::size_t a = static_cast<std::size_t>(axis);
      x[a] = block.x[i * from.d + a] - center.position[a];
      r2 += x[a] * x[a];
      if (!from.has_velocity()) continue;
      v[a] = block.v[i * from.d + a] - center.velocity[a];
      v2 += v[a] * v[a];
    }
    moments.radius2 = std::max(moments.radius2, r2);
    moments.inertia += w * r2;
    moments.dispersion += w * v2;
    const std::size_t d = static_cast<std::size_t>(axes.count());
    for (std::size_t row = 0; row < d; ++row)
      for (std::size_t column = row; column < d; ++column)
        moments.tensor[row * d + column] += w * x[row] * x[column];
    if (components > 0) add_angular_momentum<D>(moments.angular_momentum, w, x, v);
  }
  return moments;
}

}  // namespace kith

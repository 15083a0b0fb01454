// Positions, velocities, masses and types of points, and blocks of the members of a group.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "base/dispatch.hpp"
#include "base/sides.hpp"
#include "geometry/frame.hpp"
#include "groups/columns.hpp"

namespace kith {

/// Members that are summed in one go; sums of such blocks are added in order.
inline constexpr std::size_t kSumBlock = 4096;

/// The columns that properties of groups are computed from.
struct Source {
  PointsView position, velocity;
  ValueReader mass;
  std::span<const std::uint8_t> type;
  std::size_t d, types;
  std::vector<double> side, edge;  ///< of the box, 0 on open axes; the edge is its origin
  /// Types that some properties are restricted to: one flag for each of 256, or empty for all.
  std::vector<bool> chosen = {};

  Source(const GivenColumns& given, const Box& box)
      : position(given.points),
        velocity(given.velocity),
        mass(given.mass),
        type(given.type),
        d(static_cast<std::size_t>(given.points.dimension)),
        types(static_cast<std::size_t>(given.types)),
        side(sides_of(box, given.points.dimension)),
        edge(on_axes(box, given.points.dimension, &Box::origin)) {}

  bool has_velocity() const { return velocity.data != nullptr; }
  bool is_chosen(std::size_t row) const { return chosen.empty() || chosen[type[row]]; }
  void choose(std::span<const int> chosen_types) {
    if (!chosen_types.empty()) chosen.assign(256, false);
    for (const int each : chosen_types) chosen[static_cast<std::size_t>(each)] = true;
  }

  /// A member's position.
  std::vector<double> at(std::size_t row) const {
    std::vector<double> x(d);
    for (std::size_t axis = 0; axis < d; ++axis)
      x[axis] = RowReader(position)(row, static_cast<int>(axis));
    return x;
  }
  /// A coordinate inside the box.
  double in_box(double x, std::size_t axis) const {
    return side[axis] > 0 ? edge[axis] + wrapped(x, edge[axis], side[axis]) : x;
  }
};

/// The smallest of the images of dx, in [-side / 2, side / 2).
inline double minimum_image(double dx, double side, double inverse_side) {
  return dx - side * std::floor(dx * inverse_side + 0.5);
}

/// Some members of a group in float64, side by side in memory.
struct MemberBlock {
  std::span<const std::uint32_t> members;  ///< rows of the source
  std::vector<double> x, v, m;             ///< x relative to the group's first member

  std::size_t size() const { return m.size(); }

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

}  // namespace kith

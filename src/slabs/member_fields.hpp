// Members of groups in memory while they are sorted and measured.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include <kith/io/stored_points.hpp>

#include "parallel/caller_code.hpp"
#include "slabs/budget.hpp"

namespace kith::slabs {

/// Columns of members of groups: the fields that the points have.
template <class T>
struct MemberFields {
  explicit MemberFields(const StoredPoints& points)
      : d(static_cast<std::size_t>(points.dimension())),
        has_velocity(points.has(Field::velocity)),
        has_mass(points.has(Field::mass)),
        has_id(points.has(Field::id)) {}

  std::size_t d;
  bool has_velocity, has_mass, has_id;
  std::vector<std::int32_t> label;
  std::vector<std::uint64_t> index, id;
  std::vector<T> position, velocity;
  std::vector<double> mass;

  std::size_t bytes() const {
    return sizeof(std::int32_t) + sizeof(std::uint64_t) * (has_id ? 2 : 1) +
           d * sizeof(T) * (has_velocity ? 2 : 1) + (has_mass ? sizeof(double) : 0);
  }
  void resize(std::size_t n) {
    each([&](auto& column, std::size_t width) { column.resize(n * width); });
  }
  /// Those of points from `begin` on, without labels.
  void read(const StoredPoints& points, std::uint64_t begin) {
    std::iota(index.begin(), index.end(), first_index + begin);
    caller_code([&] {
      points.read(Field::position, begin, std::span<T>(position));
      if (has_velocity) points.read(Field::velocity, begin, std::span<T>(velocity));
      if (has_mass) points.read_mass(begin, mass);
      if (has_id) points.read_id(begin, id);
    });
  }
  void set(std::size_t at, const MemberFields& from, std::size_t i) {
    label[at] = from.label[i];
    index[at] = from.index[i];
    std::copy_n(from.position.data() + i * d, d, position.data() + at * d);
    if (has_velocity) std::copy_n(from.velocity.data() + i * d, d, velocity.data() + at * d);
    if (has_mass) mass[at] = from.mass[i];
    if (has_id) id[at] = from.id[i];
  }
  /// f(column, values of a point) for each column of the points.
  template <class F>
  void each(F f) {
    f(label, 1);
    f(index, 1);
    f(position, d);
    if (has_velocity) f(velocity, d);
    if (has_mass) f(mass, 1);
    if (has_id) f(id, 1);
  }
};

}  // namespace kith::slabs

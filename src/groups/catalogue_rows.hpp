// The rows of a catalogue, from the sums over the members of each group.
#pragma once

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include <kith/detail/catalogue_columns.hpp>

#include "groups/eigen.hpp"
#include "groups/median_speed.hpp"
#include "groups/rotation_curve.hpp"
#include "groups/sums.hpp"
#include "parallel/workers.hpp"

namespace kith {

/// The members of a group: how many, the lowest index, and the row of that member in the source,
/// about which the group is unwrapped.
struct GroupFacts {
  std::size_t size;
  std::int64_t lowest;
  std::size_t first_row;
};

class CatalogueMaker {
 public:
  CatalogueMaker(const Source& from, std::size_t groups, const CatalogueOptions& options,
                 const Workers& workers)
      : from_(from), options_(options) {
    out_.dimension = static_cast<int>(from.d);
    out_.types = static_cast<int>(from.types);
    for_each_column(out_,
                    [&]<class Value>(const CatalogueColumn& column, std::vector<Value>& values) {
                      if (has(column))
                        values = filled<Value>(workers, groups * column_width(column, out_));
                    });
  }

  const CatalogueOptions& options() const { return options_; }

  void put(std::size_t group, const GroupFacts& facts, const Sums& sums, const Moments& moments) {
    const Center center = GroupSums::center_of(sums);
    out_.size[group] = static_cast<std::int64_t>(facts.size);
    out_.lowest[group] = facts.lowest;
    out_.mass[group] = sums.mass;
    put_position(group, facts.first_row, sums, center);
    put_moments(group, moments, sums.weight);
    if (from_.has_velocity()) put_velocity(group, moments, center, sums);
    put_types(group, sums);
  }

  void put(std::size_t group, const RotationCurve& curve) {
    out_.max_circular_velocity[group] = curve.largest();
    out_.max_circular_radius[group] = curve.radius();
    out_.half_mass_radius[group] = curve.half_mass_radius();
  }

  void put(std::size_t group, const MedianSpeed& median) {
    out_.median_speed[group] = median.value();
  }

  /// Where circular velocities are measured from.
  std::vector<double> middle(std::size_t group) const {
    const std::vector<double>& middles = options_.peak.empty() ? out_.center : options_.peak;
    return row_of(middles, group);
  }
  std::vector<double> velocity(std::size_t group) const { return row_of(out_.velocity, group); }

  Catalogue take() { return std::move(out_); }

 private:
  /// A row of vectors.
  std::vector<double> row_of(const std::vector<double>& column, std::size_t group) const {
    const auto begin = column.begin() + at(group * from_.d);
    return {begin, begin + at(from_.d)};
  }

  bool has(const CatalogueColumn& column) const {
    if (needs_gravity(column)) return options_.gravity > 0;
    if (column.shape == ColumnShape::contaminant) return !options_.contaminating_types.empty();
    return column.unit.velocity == 0 || from_.has_velocity();
  }

  void put_position(std::size_t group, std::size_t first_row, const Sums& sums,
                    const Center& center) {
    for (std::size_t axis = 0; axis < from_.d; ++axis) {
      const double at = RowReader(from_.position)(first_row, static_cast<int>(axis));
      const std::size_t i = group * from_.d + axis;
      out_.center[i] = from_.in_box(at + center.position[axis], axis);
      out_.lower[i] = at + sums.lower[axis];
      out_.upper[i] = at + sums.upper[axis];
      const double side = from_.side[axis];
      if (side > 0 && sums.upper[axis] - sums.lower[axis] > side / 2) out_.spans[group] = 1;
    }
  }

  void put_moments(std::size_t group, const Moments& moments, double weight) {
    out_.radius[group] = std::sqrt(moments.radius2);
    out_.inertia_radius[group] = std::sqrt(moments.inertia / weight);
    const std::size_t d = from_.d;
    std::vector<double> tensor(d * d);
    const double* product = moments.tensor.data();
    for (std::size_t row = 0; row < d; ++row)
      for (std::size_t column = row; column < d; ++column)
        tensor[row * d + column] = tensor[column * d + row] = *product++ / weight;
    const Eigen eigen = JacobiSolver(std::move(tensor), from_.d).solve();
    std::copy(eigen.values.begin(), eigen.values.end(), out_.shape.begin() + at(group * from_.d));
    std::copy(eigen.vectors.begin(), eigen.vectors.end(),
              out_.axes.begin() + at(group * from_.d * from_.d));
  }

  void put_velocity(std::size_t group, const Moments& moments, const Center& center,
                    const Sums& sums) {
    out_.velocity_dispersion[group] = std::sqrt(moments.dispersion / sums.weight);
    out_.kinetic_energy[group] = sums.mass > 0 ? moments.dispersion / 2 : 0;
    std::copy(center.velocity.begin(), center.velocity.end(),
              out_.velocity.begin() + at(group * from_.d));
    const std::size_t components = moments.angular_momentum.size();
    for (std::size_t i = 0; i < components; ++i)  // without mass there is no momentum
      if (sums.mass > 0) {
        out_.angular_momentum[group * components + i] = moments.angular_momentum[i];
        out_.spin[group * components + i] = moments.angular_momentum[i] / sums.mass;
      }
  }

  void put_types(std::size_t group, const Sums& sums) {
    std::copy(sums.type_size.begin(), sums.type_size.end(),
              out_.type_size.begin() + at(group * from_.types));
    std::copy(sums.type_mass.begin(), sums.type_mass.end(),
              out_.type_mass.begin() + at(group * from_.types));
    for (const int type : options_.contaminating_types) {
      out_.contaminating_size[group] += sums.type_size[static_cast<std::size_t>(type)];
      out_.contaminating_mass[group] += sums.type_mass[static_cast<std::size_t>(type)];
    }
  }

  static std::ptrdiff_t at(std::size_t i) { return static_cast<std::ptrdiff_t>(i); }

  const Source& from_;
  const CatalogueOptions& options_;
  Catalogue out_;
};

/// Columns that need more than sums over the members.
inline bool has_member_columns(const CatalogueOptions& options) {
  return options.gravity > 0 || options.velocity.data;
}

/// Adds them to a row that has the columns of the sums.
template <class Team>
void add_member_columns(Team& team, std::size_t group, CatalogueMaker& rows) {
  if (team.has_velocity()) {
    const auto median = team.run([&] { return MedianSpeed(rows.velocity(group), team.size()); });
    team.own([&] { rows.put(group, *median); });
  }
  const double gravity = rows.options().gravity;
  if (gravity > 0) {
    const auto curve =
        team.run_sorted([&] { return RotationCurve(gravity, {rows.middle(group)}, team.size()); });
    team.own([&] { rows.put(group, *curve); });
  }
}

/// The row of a group, from the answers of the team that has its members.
template <class Team>
void add_row(Team& team, std::size_t group, CatalogueMaker& rows) {
  const auto sums = team.run([] { return GroupSums(); });
  const auto moments = team.run([&] { return GroupMoments(*sums); });
  team.own([&] {
    rows.put(group, {team.size(), team.lowest(), team.first_row()}, sums->sums(), moments->sum());
  });
  add_member_columns(team, group, rows);
}

}  // namespace kith

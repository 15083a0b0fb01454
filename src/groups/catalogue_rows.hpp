// The rows of a catalogue, from the sums over the members of each group.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include <kith/catalogue.hpp>

#include "geometry/frame.hpp"
#include "groups/eigen.hpp"
#include "groups/sums.hpp"
#include "parallel/workers.hpp"

namespace kith {

/// Which members a group has: how many, and the one about which it is unwrapped.
struct GroupFacts {
  std::size_t size, first;
  std::vector<double> origin = {};  ///< that one's position, if it is not in the source's rows
};

/// Components of the angular momentum.
inline std::size_t angular_components(const Source& from) {
  return !from.has_velocity() || from.d < 2 || from.d > 3 ? 0 : 2 * from.d - 3;
}

class CatalogueRows {
 public:
  CatalogueRows(const Source& from, std::size_t groups, const CatalogueOptions& options,
                const Workers& workers)
      : from_(from), options_(options), workers_(workers) {
    allocate(groups);
  }

  /// Of the angular momentum.
  std::size_t components() const { return components_; }

  static Center center_of(const Sums& sums) {
    Center center{sums.position, sums.velocity};
    for (double& x : center.position) x /= sums.weight;
    for (double& v : center.velocity) v /= sums.weight;
    return center;
  }

  void put(std::size_t group, const GroupFacts& facts, const Sums& sums, const Center& center,
           const Moments& moments) {
    out_.size[group] = static_cast<std::int64_t>(facts.size);
    out_.lowest[group] = static_cast<std::int64_t>(facts.first);
    out_.mass[group] = sums.mass;
    put_position(group, facts, sums, center);
    put_moments(group, moments, sums.weight);
    if (from_.has_velocity()) put_velocity(group, moments, center, sums);
    put_types(group, sums);
  }

  Catalogue take() { return std::move(out_); }

 private:
  template <class Value>
  void resize(std::vector<Value>& column, std::size_t size) const {
    column = filled<Value>(workers_, size);
  }

  void allocate(std::size_t count) {
    const std::size_t d = from_.d;
    const std::size_t moving = from_.has_velocity() ? count : 0;
    components_ = angular_components(from_);
    out_.dimension = static_cast<int>(d);
    out_.types = static_cast<int>(from_.types);
    for (auto* column : {&out_.mass, &out_.radius, &out_.inertia_radius}) resize(*column, count);
    for (auto* column : {&out_.center, &out_.shape, &out_.lower, &out_.upper})
      resize(*column, count * d);
    resize(out_.size, count);
    resize(out_.lowest, count);
    resize(out_.spans, count);
    resize(out_.axes, count * d * d);
    resize(out_.velocity, moving * d);
    resize(out_.velocity_dispersion, moving);
    resize(out_.angular_momentum, moving * components_);
    resize(out_.type_size, count * from_.types);
    resize(out_.type_mass, count * from_.types);
    if (options_.contaminating_types.empty()) return;
    resize(out_.contaminating_size, count);
    resize(out_.contaminating_mass, count);
  }

  void put_position(std::size_t group, const GroupFacts& facts, const Sums& sums,
                    const Center& center) {
    for (std::size_t axis = 0; axis < from_.d; ++axis) {
      const double at = facts.origin.empty()
                            ? RowReader(from_.position)(facts.first, static_cast<int>(axis))
                            : facts.origin[axis];
      const std::size_t i = group * from_.d + axis;
      out_.center[i] = in_box(at + center.position[axis], axis);
      out_.lower[i] = at + sums.lower[axis];
      out_.upper[i] = at + sums.upper[axis];
      const double side = from_.side[axis];
      if (side > 0 && sums.upper[axis] - sums.lower[axis] > side / 2) out_.spans[group] = 1;
    }
  }

  double in_box(double x, std::size_t axis) const {
    const double side = from_.side[axis], origin = options_.box.origin(static_cast<int>(axis));
    return side > 0 ? origin + wrapped(x, origin, side) : x;
  }

  void put_moments(std::size_t group, const Moments& moments, double weight) {
    out_.radius[group] = std::sqrt(moments.radius2);
    out_.inertia_radius[group] = std::sqrt(moments.inertia / weight);
    const std::size_t d = from_.d;
    std::vector<double> tensor(d * d);
    for (std::size_t row = 0; row < d; ++row)
      for (std::size_t column = row; column < d; ++column)
        tensor[row * d + column] = tensor[column * d + row] =
            moments.tensor[row * d + column] / weight;
    const Eigen eigen = JacobiSolver(std::move(tensor), from_.d).solve();
    std::copy(eigen.values.begin(), eigen.values.end(), out_.shape.begin() + at(group * from_.d));
    std::copy(eigen.vectors.begin(), eigen.vectors.end(),
              out_.axes.begin() + at(group * from_.d * from_.d));
  }

  void put_velocity(std::size_t group, const Moments& moments, const Center& center,
                    const Sums& sums) {
    out_.velocity_dispersion[group] = std::sqrt(moments.dispersion / sums.weight);
    std::copy(center.velocity.begin(), center.velocity.end(),
              out_.velocity.begin() + at(group * from_.d));
    for (std::size_t i = 0; i < components_; ++i)  // without mass there is no momentum
      out_.angular_momentum[group * components_ + i] =
          sums.mass > 0 ? moments.angular_momentum[i] : 0;
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
  const Workers& workers_;
  std::size_t components_ = 0;
  Catalogue out_;
};

}  // namespace kith

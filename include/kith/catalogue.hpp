// The catalogue: what the groups are. One row per group; a group's row is its label.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <kith/box.hpp>
#include <kith/execution.hpp>
#include <kith/export.hpp>
#include <kith/groups.hpp>
#include <kith/points.hpp>

namespace kith {

/// One number per point in the caller's memory; without data, the same number for all.
struct ValuesView {
  const void* data = nullptr;
  std::size_t size = 0;
  Scalar scalar = Scalar::float64;
  double same = 1;  ///< for every point, if there are no data
};

template <Coordinate T>
ValuesView values(std::span<const T> data) {
  return {data.data(), data.size(), scalar_of<T>};
}
template <Coordinate T>
ValuesView values(const std::vector<T>& data) {
  return values(std::span<const T>(data));
}
inline ValuesView same_value(double value) { return {.same = value}; }

/// Points in the order of their groups: the members of a group are one slice.
struct Members {
  std::vector<std::uint32_t>
      order;  ///< original indices: by label, then ascending; points without a group last
  std::vector<std::size_t>
      offset;  ///< group g: order[offset[g]] ... order[offset[g + 1] - 1]; count() + 1 values

  std::size_t count() const { return offset.size() - 1; }  ///< of groups
  std::span<const std::uint32_t> of(std::size_t group) const {
    return {order.data() + offset[group], offset[group + 1] - offset[group]};
  }
};

/// Cost: O(n) time, 4 bytes per point kept and 6 more at the peak.
KITH_API Members members(const Groups& groups, const Execution& execution = {});

struct CatalogueOptions {
  Box box = {};          ///< that of the groups
  ValuesView mass = {};  ///< one per point; 1 for all if not given
  PointsView velocity =
      {};  ///< rows of the points' dimension; rows of the catalogue are empty without them
  std::span<const std::uint8_t> type = {};  ///< of each point, for counts and masses per type
  int types = 0;  ///< how many there are; 0 = one more than the largest that occurs
  std::vector<int> contaminating_types = {};  ///< low-resolution particles of a zoom run
  /// Newton's constant in velocity^2 length / mass, for circular velocities; none if 0. If lengths
  /// are comoving, divided by the scale factor.
  double gravity = 0;
  /// A center for every group, one after the other; the center of mass if not given.
  std::vector<double> peak = {};
};

/// Calls visit(name, field) for every option that is no array of points: for bindings.
template <class Visit>
void for_each_option(CatalogueOptions& options, Visit&& visit) {
  visit("box", options.box);
  visit("same_mass", options.mass.same);
  visit("types", options.types);
  visit("contaminating_types", options.contaminating_types);
  visit("gravity", options.gravity);
  visit("peak", options.peak);
}

/// Tables with a row per group; a quantity with several components has them one after the other.
/// docs/catalogue.md defines every field. Without velocities their fields are empty.
struct Catalogue {
  int dimension = 0;
  int types = 0;  ///< 0 if no types were given
  std::size_t count() const { return size.size(); }

  std::vector<std::int64_t> size;           ///< members
  std::vector<double> mass;                 ///< their total mass
  std::vector<std::int64_t> type_size;      ///< [group * types + type]
  std::vector<double> type_mass;            ///< [group * types + type]
  std::vector<double> center;               ///< of mass, wrapped into the box
  std::vector<double> velocity;             ///< mean, weighted by mass
  std::vector<double> radius;               ///< of the member farthest from the center
  std::vector<double> inertia_radius;       ///< sqrt(sum m r^2 / sum m) about the center
  std::vector<double> velocity_dispersion;  ///< sqrt(sum m |v - velocity|^2 / sum m)
  /// Largest sqrt(gravity M(r) / r) over members of rank 10 and more, by distance r from the peak.
  std::vector<double> max_circular_velocity;
  std::vector<double>
      angular_momentum;  ///< about center and velocity: 3 components in 3-D, 1 in 2-D, else none
  std::vector<double> shape;  ///< eigenvalues of sum m x x^T / sum m, falling
  std::vector<double>
      axes;  ///< their unit vectors, one after the other; largest component positive
  std::vector<double> lower;  ///< least coordinates, unwrapped about the first member
  std::vector<double> upper;  ///< largest coordinates, likewise
  std::vector<std::int64_t>
      first;  ///< lowest original index: the member about which the group is unwrapped
  std::vector<std::uint8_t>
      spans;  ///< 1: wider than half a periodic side; center and moments are ambiguous
  std::vector<std::int64_t> contaminating_size;  ///< members of contaminating types
  std::vector<double> contaminating_mass;
};

/// The properties of all groups. Sums run over the members in the order of their indices, in blocks
/// of fixed size, in float64: the bits do not depend on threads. Positions are taken relative to
/// the group's first member, by minimum image.
///
/// Errors: invalid_argument for arrays whose sizes do not fit, a type that is not below `types`,
/// masses, peaks or a gravity that are negative or not finite.
KITH_API Catalogue catalogue(PointsView points, const Groups& groups,
                             const CatalogueOptions& options = {}, const Execution& execution = {});
/// With members that exist already.
KITH_API Catalogue catalogue(PointsView points, const Members& members,
                             const CatalogueOptions& options = {}, const Execution& execution = {});

/// Which rows to list, and in which order.
struct RowOptions {
  enum class Order { size, mass, position };
  std::int64_t min_size = 0;
  double min_mass = 0;
  Order order =
      Order::size;  ///< falling size or mass, or ascending center axis by axis; ties by label
};

/// Labels of the rows asked for: a permutation of all rows, or of those that pass.
KITH_API std::vector<std::int64_t> rows(const Catalogue& catalogue, const RowOptions& options = {});

/// Which member stands out.
enum class Peak { largest, smallest };

/// For every group the member with the largest value (its density) or the smallest (the distance of
/// its k-th neighbor), ties by index: an alternative center.
KITH_API std::vector<std::int64_t> peak_members(const Members& members, ValuesView value,
                                                Peak peak = Peak::largest,
                                                const Execution& execution = {});

}  // namespace kith

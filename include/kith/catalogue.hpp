// The catalogue: properties of groups. One row per group; row i describes the group with label i.
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
  double same = 1;  ///< for every point, if data is null
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

/// Points sorted by group: the members of a group are one slice.
struct Members {
  /// Original indices, sorted by label, then by index; points without a group are last.
  std::vector<std::uint32_t> order;
  /// The members of group g are order[offset[g]] ... order[offset[g + 1] - 1]; count() + 1 values.
  std::vector<std::size_t> offset;

  std::size_t count() const { return offset.size() - 1; }  ///< of groups
  std::span<const std::uint32_t> of(std::size_t group) const {
    return {order.data() + offset[group], offset[group + 1] - offset[group]};
  }
};

/// Cost: O(n) time, 4 bytes per point kept and 6 more at the peak.
KITH_API Members members(const Groups& groups, const Execution& execution = {});

struct CatalogueOptions {
  Box box = {};          ///< the box of the groups
  ValuesView mass = {};  ///< one per point; default 1 for all
  /// One row per point; without it, columns that need velocities are empty.
  PointsView velocity = {};
  std::span<const std::uint8_t> type = {};  ///< type of each point, for counts and masses by type
  int types = 0;  ///< the number of types; 0 = one more than the largest that occurs
  std::vector<int> contaminating_types = {};  ///< types of low-resolution particles in a zoom run
  /// Newton's constant in velocity^2 length / mass, divided by the scale factor if lengths are
  /// comoving. 0 = no circular velocities.
  double gravity = 0;
  /// A center for every group, one after the other; default: the center of mass.
  std::vector<double> peak = {};
};

/// Calls visit(name, field) for every option that is not an array of points; for bindings.
template <class Visit>
void for_each_option(CatalogueOptions& options, Visit&& visit) {
  visit("box", options.box);
  visit("same_mass", options.mass.same);
  visit("types", options.types);
  visit("contaminating_types", options.contaminating_types);
  visit("gravity", options.gravity);
  visit("peak", options.peak);
}

/// One row per group. A field with several components stores them one after the other.
/// docs/catalogue.md defines every field. Fields that need velocities are empty without them.
struct Catalogue {
  int dimension = 0;
  int types = 0;  ///< 0 without types
  std::size_t count() const { return size.size(); }

  std::vector<std::int64_t> size;           ///< members
  std::vector<double> mass;                 ///< their total mass
  std::vector<std::int64_t> type_size;      ///< [group * types + type]
  std::vector<double> type_mass;            ///< [group * types + type]
  std::vector<double> center;               ///< center of mass, wrapped into the box
  std::vector<double> velocity;             ///< mean velocity, weighted by mass
  std::vector<double> radius;               ///< distance of the member farthest from the center
  std::vector<double> inertia_radius;       ///< sqrt(sum m r^2 / sum m) about the center
  std::vector<double> velocity_dispersion;  ///< sqrt(sum m |v - velocity|^2 / sum m)
  std::vector<double> median_speed;         ///< lower median of |v - velocity|
  std::vector<double> kinetic_energy;       ///< sum m |v - velocity|^2 / 2
  /// Largest sqrt(gravity M(r) / r) over members from the 10th on, at distance r from the peak.
  std::vector<double> max_circular_velocity;
  /// The least distance from the peak at which it is reached; 0 if there is none.
  std::vector<double> max_circular_radius;
  /// The least distance from the peak within which members have half of the mass.
  std::vector<double> half_mass_radius;
  /// About center and velocity: 3 components in 3-D, 1 in 2-D, none in other dimensions.
  std::vector<double> angular_momentum;
  std::vector<double> spin;   ///< angular momentum over mass
  std::vector<double> shape;  ///< eigenvalues of sum m x x^T / sum m, largest first
  /// Unit vectors that belong to `shape`, one after the other; largest component positive.
  std::vector<double> axes;
  std::vector<double> lower;  ///< least coordinates, unwrapped about the first member
  std::vector<double> upper;  ///< largest coordinates, unwrapped about the first member
  /// Lowest original index of a member, about which the group is unwrapped.
  std::vector<std::int64_t> lowest;
  /// 1 if the group is wider than half a periodic side: center and moments are ambiguous.
  std::vector<std::uint8_t> spans;
  std::vector<std::int64_t> contaminating_size;  ///< members of contaminating types
  std::vector<double> contaminating_mass;
};

/// The properties of all groups. Sums run over the members in the order of their indices, in blocks
/// of fixed size, in float64, so the bits do not depend on threads. Positions are relative to the
/// first member of the group, by minimum image.
///
/// Errors: invalid_argument for arrays of the wrong size, a type that is not below `types`,
/// masses, peaks or a gravity that are negative or not finite.
KITH_API Catalogue catalogue(PointsView points, const Groups& groups,
                             const CatalogueOptions& options = {}, const Execution& execution = {});
/// The catalogue with existing members.
KITH_API Catalogue catalogue(PointsView points, const Members& members,
                             const CatalogueOptions& options = {}, const Execution& execution = {});

/// Which rows to list, and in which order.
struct RowOptions {
  enum class Order { size, mass, position };
  std::int64_t min_size = 0;
  double min_mass = 0;
  /// Largest size or mass first, or ascending center, axis by axis; ties by label.
  Order order = Order::size;
};

/// The labels of the selected rows in the requested order.
KITH_API std::vector<std::int64_t> rows(const Catalogue& catalogue, const RowOptions& options = {});

/// Which member to choose.
enum class Peak { largest, smallest };

/// For every group, the member with the largest value (for example density) or the smallest (for
/// example the distance to its k-th neighbor), ties by index: an alternative center.
KITH_API std::vector<std::int64_t> peak_members(const Members& members, ValuesView value,
                                                Peak peak = Peak::largest,
                                                const Execution& execution = {});

}  // namespace kith

// Friends-of-friends groups.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <kith/box.hpp>
#include <kith/execution.hpp>
#include <kith/export.hpp>
#include <kith/points.hpp>
#include <kith/tree.hpp>

namespace kith {

/// Options of fof.
///
/// Set either `linking_length`, or `b` as a fraction of the mean separation. The mean separation is
/// `mean_separation`, or else (volume / points)^(1 / dimension).
struct FofOptions {
  Box box = {};  ///< for points; a tree already has one
  /// Points are friends if d2 <= linking_length^2, both in the scalar type of the points.
  double linking_length = 0;
  double b = 0;                ///< the linking length as a fraction of the mean separation
  double mean_separation = 0;  ///< for b; 0 = from the volume
  double volume = 0;           ///< for b; 0 = that of the box, which must be periodic on all axes
  std::size_t min_size = 1;    ///< points of smaller groups get the label -1
  bool strict = false;         ///< friends: d2 < linking_length^2
  bool keep_roots = false;     ///< whether to fill in Groups::root
  NonFinite non_finite = NonFinite::error;  ///< for points; fixed when a tree is built
};

/// The part that points of a type take in groups.
enum class Role {
  linked,    ///< they are linked to each other and form the groups
  attached,  ///< each joins the group of the nearest linked point within the linking length, if any
};

/// The points of one type, such as dark matter, gas or stars.
struct TypedPoints {
  PointsView points;
  Role role = Role::linked;
};

/// Groups, numbered from the largest to the smallest, ties by lowest member. Copies share a result.
///
/// Threads: const calls may run from any number of threads at once.
class KITH_API Groups {
 public:
  /// The number of groups with at least `min_size` points.
  std::size_t count() const;

  /// The group of every point, in input order: 0 ... count() - 1, or -1 for points of smaller
  /// groups and dropped points.
  /// It is an error (too_large) if there are 2^31 groups or more. Since a tree has fewer than 2^32
  /// points, a min_size of 2 avoids it.
  std::span<const std::int32_t> label() const;

  std::size_t size(std::size_t group) const;    ///< the number of points of a group
  std::size_t lowest(std::size_t group) const;  ///< the lowest original index in a group
  std::vector<std::int64_t> sizes() const;      ///< of all groups
  std::vector<std::int64_t> lowest_members() const;

  /// The lowest original index in the group of every point, also for groups below `min_size`; -1
  /// for dropped points. Empty unless `keep_roots` was set.
  std::span<const std::int64_t> root() const;

  /// The linking length, rounded to the scalar type of the points.
  double linking_length() const;

  class Impl;

 private:
  friend struct detail::Access;
  explicit Groups(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

/// Finds friends-of-friends groups exactly: the connected components of points that are at most a
/// linking length apart. The labels depend only on points and options, not on threads or the
/// CPU.
///
/// Cost: about O(n log n) time. Peak memory for float points in 3-D beyond input and labels: 34
/// bytes per point, and up to 16 per group while they are numbered. Errors: those of AnyTree;
/// invalid_argument for a linking length that is missing, negative, or not finite.
KITH_API Groups fof(PointsView points, const FofOptions& options, const Execution& execution = {});

/// The same for an existing tree, which can be used for many linking lengths. Memory: 12 bytes per
/// point beyond tree and labels.
KITH_API Groups fof(const AnyTree& tree, const FofOptions& options,
                    const Execution& execution = {});

/// The same for points of several types. Labels and roots are in the order of the types.
///
/// An attached point belongs to the nearest linked point within the linking length (the lowest
/// index among equally near ones) and shares its label, or has -1. Everything else about groups
/// counts only linked points: sizes, the order of labels, `min_size`, lowest members, and the mean
/// separation. Cost: beyond that of the linked points, one search for the nearest neighbor per
/// attached point, and a copy of the linked points if they come in several types. Errors: also
/// invalid_argument if no type is linked, or if types differ in dimension or scalar.
KITH_API Groups fof(std::span<const TypedPoints> types, const FofOptions& options,
                    const Execution& execution = {});

}  // namespace kith

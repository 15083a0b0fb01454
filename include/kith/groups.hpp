// Friends of friends: which points are connected.
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

/// Which points are friends, and which groups of them count.
///
/// Give the linking length itself, or `b` times the mean separation; the mean separation is given
/// as well or follows from the volume: (volume / points)^(1 / dimension).
struct FofOptions {
  Box box = {};  ///< for points; a tree knows its own
  double linking_length =
      0;         ///< points are friends if d2 <= linking_length^2, both in their scalar type
  double b = 0;  ///< instead: the linking length as a fraction of the mean separation
  double mean_separation = 0;  ///< with b; 0 = from the volume
  double volume = 0;           ///< with b; 0 = that of the box, all of whose axes must be periodic
  std::size_t min_size = 1;    ///< smaller groups get the label -1
  bool strict = false;         ///< friends if d2 < linking_length^2
  bool keep_roots = false;     ///< keep Groups::root
  NonFinite non_finite = NonFinite::error;  ///< for points; a tree has decided already
};

/// What points of a type do.
enum class Role {
  linked,    ///< they are friends of each other and make the groups
  attached,  ///< each joins the group of the nearest linked point within the linking length, if any
};

/// The points of one type, such as dark matter, gas or stars.
struct TypedPoints {
  PointsView points;
  Role role = Role::linked;
};

/// Groups by falling size, those of equal size by their lowest member. Copies share one result.
///
/// Threads: const calls may run from any number of threads at once.
class KITH_API Groups {
 public:
  /// The number of groups with at least `min_size` points.
  std::size_t count() const;

  /// The group of every point, in input order: 0 ... count() - 1, or -1 for points of smaller
  /// groups and points that were dropped. 32 bits hold every label: one tree has fewer than 2^32
  /// points, so there can be 2^31 groups only when most points stand alone, which is an error
  /// (too_large) that a min_size of 2 avoids.
  std::span<const std::int32_t> label() const;

  std::size_t size(std::size_t group) const;    ///< its number of points
  std::size_t lowest(std::size_t group) const;  ///< the lowest original index in it
  std::vector<std::int64_t> sizes() const;      ///< of all groups
  std::vector<std::int64_t> lowest() const;

  /// The lowest original index in the group of every point, groups below `min_size` too; -1 for
  /// points that were dropped. Empty unless `keep_roots` was set.
  std::span<const std::int64_t> root() const;

  /// What was used, rounded to the scalar type of the points.
  double linking_length() const;

  class Impl;
  explicit Groups(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  const Impl& impl() const { return *impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
};

/// The connected components of the points whose friends are at most a linking length apart,
/// exactly; see FofOptions. The labels depend on points and options alone, never on threads or the
/// CPU.
///
/// Cost: about O(n log n) time. Peak memory for float points in 3-D beyond input and labels: 39
/// bytes per point, and up to 16 per group while they are numbered. Errors: those of Tree;
/// invalid_argument for a linking length that is missing, negative, or not finite.
KITH_API Groups fof(PointsView points, const FofOptions& options, const Execution& execution = {});

/// The same on a tree that exists, for any number of linking lengths; 12 bytes per point beyond
/// tree and labels.
KITH_API Groups fof(const Tree& tree, const FofOptions& options, const Execution& execution = {});

/// The same for points of several types; labels and roots are those of all points, type after type.
///
/// An attached point belongs to the nearest linked point within the linking length (the lowest
/// index among equally near ones) and shares its label, or has -1. Everything else about groups
/// counts linked points alone: sizes, the order of labels, `min_size`, lowest members, and the mean
/// separation. Cost: beyond that of the linked points, one search for the nearest neighbor per
/// attached point, and a copy of the linked points if they come in several types. Errors: also
/// invalid_argument if no type is linked, or if types differ in dimension or scalar.
KITH_API Groups fof(std::span<const TypedPoints> types, const FofOptions& options,
                    const Execution& execution = {});

}  // namespace kith

// Groups over MPI ranks, their members and their catalogue.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mpi.h>
#include <span>
#include <type_traits>
#include <vector>

#include <kith/catalogue.hpp>
#include <kith/groups.hpp>
#include <kith/mpi/domains.hpp>
#include <kith/neighbors.hpp>

namespace kith::mpi {

/// Groups of the points of all ranks. Labels are those of one process: by size, largest first, then
/// by lowest member. The labels of points are on the ranks of the points. The rows of the groups
/// are distributed: each rank has a run of labels, those of the groups whose first member it has in
/// Members. Copies share one result.
class KITH_API Groups {
 public:
  std::uint64_t count() const;  ///< groups of all ranks with at least `min_size` points

  /// The group of every point, in the order asked for: 0 ... count() - 1, or -1 for points of
  /// smaller groups and points that were dropped.
  std::span<const std::int64_t> label() const;
  /// The lowest global index in the group of every point, in the same order, also for groups below
  /// `min_size`; -1 for dropped points. Empty unless `keep_roots` was set.
  std::span<const std::int64_t> root() const;

  std::uint64_t first() const;                   ///< the label of this rank's first row
  std::span<const std::int64_t> sizes() const;   ///< points of the groups first(), first() + 1, ...
  std::span<const std::int64_t> lowest() const;  ///< the lowest global index in each of them

  /// The linking length, rounded to the scalar type of the points.
  double linking_length() const;

  class Impl;

 private:
  friend struct kith::detail::Access;
  explicit Groups(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

/// Friends of friends over all ranks: the labels of kith::fof, for any number of ranks. Mean
/// separations count the points of all ranks; the box is that of the domains.
///
/// Each rank joins its own points, and those near its edges with the points of other ranks within
/// the linking length. Sets that touch an edge are vertices of a graph, whose components take
/// log2(vertices) rounds of messages at most. `Execution::statistics` counts them ("hooking
/// rounds", "shortcutting rounds"). Errors: as kith::fof.
KITH_API Groups fof(const Domains& domains, const FofOptions& options,
                    RowOrder order = RowOrder::input, const Execution& execution = {});

/// Groups with labels in your memory, one for each point that this rank gave; they must outlive
/// the groups. After Domains::keep, nothing beyond the arrays of estimate_fof_memory is allocated
/// for each point, and nothing but the rows of groups is kept.
KITH_API Groups fof(const Domains& domains, const FofOptions& options,
                    std::span<std::int64_t> label, const Execution& execution = {});

/// The memory of one rank for Domains::keep and fof with labels in the caller's memory, beyond
/// points and labels, for `size` points without ids; ghosts and messages apart. `kept`: what
/// domains hold afterwards. In 3-D: 42 bytes per point at the peak for float, 62 for double.
KITH_API MemoryEstimate estimate_fof_memory(std::size_t size, int dimension, Scalar scalar,
                                            const TreeOptions& options = {});

/// In one call, for points that are not needed again; the box and what to do with points that are
/// not finite are those of the FofOptions.
KITH_API Groups fof(MPI_Comm comm, PointsView points, const FofOptions& options,
                    const Execution& execution = {});

/// Points in the order of their groups, by label and then by global index, spread evenly over the
/// ranks: a group may lie on many ranks, and its row is on the rank of its first member. Each rank
/// has its share of the members, give or take 4,096: cuts inside a group are at multiples of that
/// number, and smaller groups are not cut. Copies share one object.
class KITH_API Members {
 public:
  std::uint64_t first() const;                  ///< label of the first group that begins here
  std::size_t count() const;                    ///< groups that begin here
  std::span<const std::int64_t> index() const;  ///< global indices of the members
  /// Where each of these groups begins, and the end: count() + 1 values. Members before the first
  /// one belong to group first() - 1, which began on a rank before. The last group may continue on
  /// the next rank.
  std::span<const std::size_t> offset() const;
  std::span<const std::int64_t> of(std::size_t group) const {  ///< those here of first() + group
    return index().subspan(offset()[group], offset()[group + 1] - offset()[group]);
  }

  /// Values of the points follow them to their groups: one value for each label of this rank, in
  /// the order of Groups::label(), becomes one for each member. Collective.
  template <class Value>
  requires std::is_trivially_copyable_v<Value> std::vector<Value> to_group_order(
      std::span<const Value> values, const Execution& execution = {})
  const {
    std::vector<Value> result;
    const auto room = [&result](std::size_t count) -> void* {
      result.resize(count);
      return result.data();
    };
    carry(values.data(), values.size(), sizeof(Value), room, execution);
    return result;
  }

  class Impl;

 private:
  friend struct kith::detail::Access;
  explicit Members(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  /// `room`: memory for results, taken where the ranks can agree on a failure.
  void carry(const void* from, std::size_t count, std::size_t bytes,
             const std::function<void*(std::size_t count)>& room, const Execution& execution) const;

  std::shared_ptr<const Impl> impl_;
};

/// `domains`: the domains of the groups. Memory: 40 bytes per member at the peak.
KITH_API Members members(const Domains& domains, const Groups& groups,
                         const Execution& execution = {});

/// The rows of this rank of the catalogue that kith::catalogue makes, bit for bit; `lowest` has
/// global indices. Positions, masses, velocities and types: one for each label of this rank, in the
/// order of Groups::label(); masses, velocities and types on all ranks or on none. A `peak` is one
/// for each row of this rank. Errors: as kith::catalogue.
KITH_API Catalogue catalogue(const Domains& domains, PointsView points, const Groups& groups,
                             const CatalogueOptions& options = {}, const Execution& execution = {});

}  // namespace kith::mpi

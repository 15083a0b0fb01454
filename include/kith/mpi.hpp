// Neighbors and groups of points that are distributed over MPI ranks. Every call is collective:
// all ranks of the communicator make it, with the same options. Errors are the same on all ranks.
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
#include <kith/density.hpp>
#include <kith/error.hpp>
#include <kith/execution.hpp>
#include <kith/groups.hpp>
#include <kith/neighbors.hpp>
#include <kith/pair_counts.hpp>
#include <kith/radius.hpp>
#include <kith/tree.hpp>

namespace kith::mpi {

struct DomainOptions {
  TreeOptions tree = {};
  /// One number per point of this rank, from 0 to 2^63 - 1, all different over all ranks: they
  /// identify the points in results and resolve ties. Without them, points are numbered rank
  /// by rank in the order of input. Pass ids on all ranks or on none.
  std::span<const std::int64_t> ids = {};
  /// Without ids: the number of the first point of rank 0, the same on all ranks. If you have
  /// several sets of points, such as particle types, it numbers them one after the other.
  std::int64_t first_index = 0;
};

/// A split of Domains::kd. The ranks from `begin` to before `middle` have the points on the lesser
/// side, those from `middle` to before `end` the others. Points are ordered by (coordinate on the
/// axis, global index).
struct DomainSplit {
  int begin = 0, middle = 0, end = 0;
  int axis = -1;     ///< -1: no points to split
  double value = 0;  ///< least coordinate of the greater side, in the frame of the input
  std::uint64_t lesser = 0, greater = 0;  ///< points on both sides
};

/// The points of all ranks, redistributed so that each rank has a region of space, with a tree over
/// each region.
///
/// Holds a duplicate of the communicator, which must not be finalized before. Copies share one
/// object. Memory on each rank: that of a tree of its points, 8 bytes per point for indices, 4 for
/// the way back, and 64 boxes for each rank.
class KITH_API Domains {
 public:
  /// Sorts the points along the curve over the ranks: each has as many as the others, within 5 % or
  /// a leaf. Each rank passes its part, in any order; a part may be empty.
  ///
  /// Errors: as Tree, and too_large (more than 4,294,967,280 points on one rank). MPI must have
  /// been started with MPI_THREAD_FUNNELED or more.
  static Domains curve(MPI_Comm comm, PointsView points, const DomainOptions& options = {},
                       const Execution& execution = {});
  /// Gives each rank a cell of a kd-tree: space is split in two at exact ranks of (coordinate,
  /// global index) along tree.split_axis, in the ratio of the ranks on both sides, until each cell
  /// has one rank. All ranks have the same number of points, give or take one, for any points and
  /// any number of ranks. The trees of the ranks are in kd order unless tree.curve names another.
  static Domains kd(MPI_Comm comm, PointsView points, const DomainOptions& options = {},
                    const Execution& execution = {});
  /// Leaves the points on their ranks. Use it if each rank already has a region of space; other
  /// distributions give the same results, but slowly.
  static Domains keep(MPI_Comm comm, PointsView points, const DomainOptions& options = {},
                      const Execution& execution = {});

  std::size_t size() const;        ///< points that this rank has now
  std::size_t input_size() const;  ///< points that this rank passed
  std::uint64_t total() const;     ///< points of all ranks, without dropped ones
  int dimension() const;
  Scalar scalar() const;
  const Box& box() const;
  int rank() const;
  int ranks() const;
  std::size_t memory() const;  ///< bytes held on this rank

  /// The splits of kd(), from the whole down, level by level; the same on every rank. None for
  /// other domains.
  const std::vector<DomainSplit>& splits() const;

  /// Global index (or id) of every point that this rank has, in tree order.
  std::vector<std::int64_t> global_index() const;
  /// Their coordinates, row by row, wrapped into the box, in the frame of the input.
  std::vector<double> coordinates() const;

  /// Sends values along with the points: from one value per point that this rank passed to one per
  /// point that it has, in tree order. Collective.
  template <class Value>
  requires std::is_trivially_copyable_v<Value> std::vector<Value> to_tree_order(
      std::span<const Value> values, const Execution& execution = {})
  const {
    std::vector<Value> result;
    carry(values.data(), values.size(), sizeof(Value), room_in<Value>(result, nullptr), execution);
    return result;
  }
  /// Sends values back to the ranks and the order of the input; dropped points get `none`.
  template <class Value>
  requires std::is_trivially_copyable_v<Value> std::vector<Value> to_input_order(
      std::span<const Value> values, Value none = {}, const Execution& execution = {})
  const {
    std::vector<Value> result;
    carry_back(values.data(), values.size(), sizeof(Value), room_in(result, &none), execution);
    return result;
  }

  class Impl;
  const std::shared_ptr<const Impl>& impl() const { return impl_; }

 private:
  explicit Domains(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  /// Memory for results, taken where the ranks can agree on a failure.
  using Room = std::function<void*(std::size_t count)>;
  template <class Value>
  static Room room_in(std::vector<Value>& values, const Value* none) {
    // Two pointers: std::function takes no memory for them.
    return [&values, none](std::size_t count) -> void* {
      values.assign(count, none ? *none : Value{});
      return values.data();
    };
  }
  void carry(const void* from, std::size_t count, std::size_t bytes, const Room& room,
             const Execution& execution) const;
  void carry_back(const void* from, std::size_t count, std::size_t bytes, const Room& room,
                  const Execution& execution) const;

  std::shared_ptr<const Impl> impl_;
};

/// The k nearest neighbors of every point, by global index: the rows of one process, bit for bit.
/// T is the scalar type of the points.
///
/// Rows: RowOrder::input, those of the points that this rank gave; RowOrder::tree, those of the
/// points that it has (Domains::global_index). Errors: as kith::knn.
template <Coordinate T = float>
KITH_API Neighbors<T, std::int64_t> knn(const Domains& domains, const KnnOptions& options,
                                        const Execution& execution = {});
/// The same for other points; each rank passes some, or none, and gets their rows.
template <Coordinate T = float>
KITH_API Neighbors<T, std::int64_t> knn(const Domains& domains, PointsView queries,
                                        const KnnOptions& options, const Execution& execution = {});

/// Both steps in one call, for points that are searched only once.
template <Coordinate T = float>
Neighbors<T, std::int64_t> knn(MPI_Comm comm, PointsView points, const KnnOptions& options,
                               const DomainOptions& domains = {}, const Execution& execution = {}) {
  return knn<T>(Domains::curve(comm, points, domains, execution), options, execution);
}

/// The number of points within a radius of every point, in the order asked for. `radii`: one for
/// each point that this rank gave. Errors: as kith::radius_count.
KITH_API std::vector<std::int64_t> radius_count(const Domains& domains,
                                                const RadiusOptions& options,
                                                RowOrder order = RowOrder::input,
                                                const Execution& execution = {});
/// The same for other points.
KITH_API std::vector<std::int64_t> radius_count(const Domains& domains, PointsView queries,
                                                const RadiusOptions& options,
                                                const Execution& execution = {});

/// The points within a radius of every point, by global index; lists are always sorted.
template <Coordinate T = float>
KITH_API NeighborLists<T, std::int64_t> radius(const Domains& domains, const RadiusOptions& options,
                                               RowOrder order = RowOrder::input,
                                               const Execution& execution = {});
/// The same for other points.
template <Coordinate T = float>
KITH_API NeighborLists<T, std::int64_t> radius(const Domains& domains, PointsView queries,
                                               const RadiusOptions& options,
                                               const Execution& execution = {});

/// Distance to the k-th neighbor of every point, as kith::kth_distance; options.order says whose.
KITH_API std::vector<double> kth_distance(const Domains& domains, const KnnOptions& options,
                                          const Execution& execution = {});
/// Mean distance to the neighbors, as kith::mean_distance.
KITH_API std::vector<double> mean_distance(const Domains& domains, const KnnOptions& options,
                                           const Execution& execution = {});
/// Density from the k nearest neighbors, as kith::sph_density. `mass`: one for each point that this
/// rank gave, on all ranks or on none.
KITH_API std::vector<double> sph_density(const Domains& domains, const DensityOptions& options,
                                         RowOrder order = RowOrder::input,
                                         const Execution& execution = {});

/// A point of this rank and its neighbors; valid only during the call of a visitor.
template <Coordinate T>
struct Neighborhood {
  std::size_t position = 0;  ///< of the point in tree order
  std::int64_t i = 0;        ///< its global index
  std::span<const std::int64_t> index;
  std::span<const T> distance;
};

/// Calls visit(neighborhood) for each point that this rank has, from several threads at once. An
/// exception from the visitor on one rank becomes an Error (cancelled) on all.
template <Coordinate T = float>
KITH_API void for_each_neighborhood(const Domains& domains, const KnnOptions& options,
                                    const std::function<void(const Neighborhood<T>&)>& visit,
                                    const Execution& execution = {});

/// For each radius the number of pairs of a point of `receivers` and one of `sources`, over all
/// ranks; the same numbers on every rank. Both must have the same communicator and the same
/// box. Points within the largest finite radius are imported. Errors: as kith::pair_counts, and
/// invalid_argument for sets that differ so much in size that one of them was scaled.
KITH_API std::vector<std::int64_t> pair_counts(const Domains& receivers, const Domains& sources,
                                               const PairCountOptions& options,
                                               const Execution& execution = {});

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
  explicit Groups(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  const Impl& impl() const { return *impl_; }

 private:
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

/// The same with labels in your memory, one for each point that this rank gave; they must outlive
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
  /// one belong to group first() - 1, which began on a rank before. The last group may go on on the
  /// next rank.
  std::span<const std::size_t> offset() const;
  std::span<const std::int64_t> of(std::size_t group) const {  ///< those here of first() + group
    return index().subspan(offset()[group], offset()[group + 1] - offset()[group]);
  }

  /// What belongs to the points follows them: one value for each label of this rank, in the order
  /// of Groups::label(), becomes one for each member. Collective.
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
  explicit Members(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

 private:
  /// `room`: memory for results, taken where the ranks can agree on a failure.
  void carry(const void* from, std::size_t count, std::size_t bytes,
             const std::function<void*(std::size_t count)>& room, const Execution& execution) const;

  std::shared_ptr<const Impl> impl_;
};

/// `domains`: those that the groups were made of. Memory: 40 bytes per member at the peak.
KITH_API Members members(const Domains& domains, const Groups& groups,
                         const Execution& execution = {});

/// The rows of this rank of the catalogue that kith::catalogue makes, bit for bit; `lowest` has
/// global indices. Positions, masses, velocities and types: one for each label of this rank, in the
/// order of Groups::label(); masses, velocities and types on all ranks or on none. A `peak` is one
/// for each row of this rank. Errors: as kith::catalogue.
KITH_API Catalogue catalogue(const Domains& domains, PointsView points, const Groups& groups,
                             const CatalogueOptions& options = {}, const Execution& execution = {});

}  // namespace kith::mpi

// Points that are distributed over MPI ranks, each of which has a region of space.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mpi.h>
#include <span>
#include <type_traits>
#include <vector>

#include <kith/error.hpp>
#include <kith/execution.hpp>
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
  /// For Domains::curve, one number per point of this rank, finite and 0 or more, such as the cost
  /// of the point: the ranks get about the same sum of weights instead of the same number of
  /// points. Results are the same. Pass weights on all ranks or on none.
  std::span<const double> weight = {};
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
  /// Sorts the points along the curve over the ranks: each has as many as the others, or the same
  /// sum of weights, within 5 % or a leaf. Each rank passes its part, in any order; a part may be
  /// empty.
  ///
  /// Errors: as AnyTree, and too_large (more than 4,294,967,280 points on one rank). MPI must have
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

 private:
  friend struct kith::detail::Access;
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

/// While it lives, collective calls of this thread ask `wants_stop` every few milliseconds, on this
/// thread, when they wait for their own work or for other ranks: for callers that learn of signals
/// there, such as interpreters. Anything but 0 ends the call on all ranks (error: `cancelled`). It
/// must not throw. Callers that hear of their users on other threads have Execution::cancel.
class KITH_API InterruptCheck {
 public:
  explicit InterruptCheck(int (*wants_stop)());  ///< null: nothing is asked
  ~InterruptCheck();
  InterruptCheck(const InterruptCheck&) = delete;
  InterruptCheck& operator=(const InterruptCheck&) = delete;
};

}  // namespace kith::mpi

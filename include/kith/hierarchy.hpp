// The single-linkage hierarchy of points: the groups at all linking lengths.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <kith/execution.hpp>
#include <kith/export.hpp>
#include <kith/groups.hpp>
#include <kith/spanning_tree.hpp>

namespace kith {

/// The groups at one linking length, without their members.
struct GroupCount {
  std::size_t groups = 0;   ///< with at least min_size points
  std::size_t points = 0;   ///< in these groups
  std::size_t largest = 0;  ///< points of the largest group
};

/// A group from the linking length at which it reaches min_size points to the one at which it joins
/// a larger group (of two equal groups, the one with the lowest member continues).
struct Branch {
  double birth = 0;          ///< linking length
  double death = 0;          ///< infinite for groups that never join a larger one
  std::int64_t parent = -1;  ///< the branch that it joins, or -1
  std::size_t size = 0;      ///< its points just before its death
  std::size_t lowest = 0;    ///< the lowest original index among them

  double persistence() const { return death - birth; }
};

/// The hierarchy of groups over all linking lengths. Copies share one result.
///
/// Threads: const calls may run from any number of threads at once.
class KITH_API Hierarchy {
 public:
  std::size_t size() const;        ///< the number of merges: one fewer than points
  std::size_t input_size() const;  ///< points in the input, including dropped ones

  /// Merges in the order of their lengths, in the layout of scipy's linkage: four numbers each, the
  /// two clusters (points are 0 ... input_size() - 1, merge i is input_size() + i, the lower
  /// first), the length, the number of points.
  std::vector<double> linkage() const;

  /// The groups at one linking length, bit for bit those of fof. Cost: O(n), no search. The box
  /// of the options must be that of the hierarchy, or open. Errors: those of fof; invalid_argument
  /// for a hierarchy by mutual reachability.
  Groups groups(const FofOptions& options, const Execution& execution = {}) const;

  /// The numbers of groups at many linking lengths, equal to those of `groups`. Cost: O(n) once,
  /// and a binary search for each length.
  std::vector<GroupCount> count(std::span<const double> linking_lengths,
                                std::size_t min_size = 1) const;

  /// The merge tree of the groups that reach `min_size` points, by birth. Cost: O(n).
  std::vector<Branch> branches(std::size_t min_size) const;

  const SpanningTree& spanning_tree() const;

  class Impl;

 private:
  friend struct detail::Access;
  explicit Hierarchy(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

/// The hierarchy of a spanning tree, or of the spanning tree of points. Cost beyond the spanning
/// tree: O(n) time, 12 bytes per point kept. Errors: those of spanning_tree;
/// too_large for 2^31 points or more.
KITH_API Hierarchy hierarchy(const SpanningTree& tree, const Execution& execution = {});
KITH_API Hierarchy hierarchy(PointsView points, const SpanningTreeOptions& options = {},
                             const Execution& execution = {});
KITH_API Hierarchy hierarchy(const AnyTree& tree, const SpanningTreeOptions& options = {},
                             const Execution& execution = {});

}  // namespace kith

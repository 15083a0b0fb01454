// The minimum spanning tree of points: Euclidean, or by mutual reachability.
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

struct SpanningTreeOptions {
  Box box = {};  ///< for points; a tree already has one
  /// 1: Euclidean edges. k > 1: mutual reachability, as in HDBSCAN*: an edge is at least as long as
  /// the distance of either of its points to the k-th nearest point, counting the point itself. It
  /// is an error if there are fewer than k points.
  std::size_t core_k = 1;
  NonFinite non_finite = NonFinite::error;  ///< for points; fixed when a tree is built
  /// Positive, one per point: a point of weight w counts w times. An edge is at least as long as
  /// the distance within which the weights around either of its points, its own included, add up to
  /// core_k; the sum is not rounded. Empty: 1 each.
  std::span<const double> sample_weight = {};
};

/// The edges of a spanning tree in the order of (squared length, lower index, higher index): one
/// fewer than there are points. Copies share one result.
///
/// Threads: const calls may run from any number of threads at once.
class KITH_API SpanningTree {
 public:
  std::size_t size() const;        ///< edges
  std::size_t input_size() const;  ///< points in the input, including dropped ones

  /// The original indices of edge i, the lower one first: [2 i] and [2 i + 1].
  std::span<const std::uint32_t> index() const;

  /// The length of every edge, ascending.
  std::vector<double> length() const;

  /// The tree as bytes, and back, bit for bit. Errors: io for bytes that are damaged, or of another
  /// machine or version.
  std::vector<std::byte> bytes() const;
  static SpanningTree from_bytes(std::span<const std::byte> bytes);

  class Impl;

 private:
  friend struct detail::Access;
  explicit SpanningTree(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

/// The minimum spanning tree. It is unique, also where lengths are equal: of two edges with equal
/// squared lengths the one with the lower indices counts as shorter. The result depends only on
/// points and options, not on threads or the CPU.
///
/// Cost: about O(n log n) time for data of any clustering, also for many identical points and for
/// different points whose squared distances round to 0. Memory beyond the tree: about 100 bytes per
/// point. Errors: those of AnyTree; invalid_argument for core_k of 0 or beyond the number of
/// points or the sum of their weights; too_large for more than 2^32 candidate edges.
KITH_API SpanningTree spanning_tree(PointsView points, const SpanningTreeOptions& options = {},
                                    const Execution& execution = {});

/// The spanning tree of the points of an existing tree.
KITH_API SpanningTree spanning_tree(const AnyTree& tree, const SpanningTreeOptions& options = {},
                                    const Execution& execution = {});

}  // namespace kith

// The tree: points along a space-filling curve under planes of tight boxes.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <kith/box.hpp>
#include <kith/execution.hpp>
#include <kith/export.hpp>
#include <kith/points.hpp>

namespace kith {

/// The order in which a tree stores its points.
enum class Curve {
  automatic,  ///< hilbert in 2-D and 3-D, kd in more; z in 1-D and for the cells builder
  hilbert,    ///< consecutive points are always close: the tightest boxes
  z,          ///< most significant differing bit of the floating-point coordinates (Morton order)
  kd,         ///< a balanced kd-tree: sets of points are split in two at exact ranks
};

/// The axis along which the kd order splits a set of points; among equal ones, the first.
enum class SplitAxis {
  widest,    ///< the longest side of the tight box of the set
  cyclic,    ///< the axes in turn, from the root down
  variance,  ///< the largest variance, with coordinates rounded to 1/2^15 of the longest side
};

/// How points are grouped into nodes.
enum class Builder {
  packed,  ///< 8 consecutive points per leaf, 8 nodes per node: no pointers, full SIMD loads
  cells,   ///< the largest Morton cells that hold at most `max_leaf_size` points, plane by plane
};

/// What to do with points that have a NaN or infinite coordinate.
enum class NonFinite {
  error,  ///< throw an error that names the first such point
  drop,   ///< leave them out; results keep a row for each of them, filled with -1
};

struct TreeOptions {
  Box box = {};
  Builder builder = Builder::packed;
  Curve curve = Curve::automatic;
  NonFinite non_finite = NonFinite::error;

  /// For the kd order only.
  SplitAxis split_axis = SplitAxis::widest;

  // For the cells builder only:
  int max_leaf_size = 48;  ///< points in a leaf
  int coarsening = 8;      ///< factor between the sizes allowed in one plane and the next
  /// Split cells of more than this multiple of the typical volume; 0 = off.
  double max_volume_ratio = 50;
};

/// A node for inspection, in the frame of the input.
struct Node {
  std::size_t begin = 0;      ///< first point, in tree order
  std::size_t end = 0;        ///< past its last point
  std::size_t first = 0;      ///< first child in the plane below (for a leaf: first point)
  std::size_t last = 0;       ///< past its last child
  std::size_t smallest = 0;   ///< smallest original index of its points
  std::size_t largest = 0;    ///< largest original index of its points
  std::vector<double> lower;  ///< tight box
  std::vector<double> upper;
};

/// The smallest cell of the z-curve's binary grid that holds a node, in the frame of the input.
struct Cell {
  int level = 0;  ///< the volume is 2^level in the tree's frame; the least int for a single place
  std::vector<double> lower;  ///< -infinity on an axis where the node has points on both sides of 0
  std::vector<double> upper;
};

/// A split of the kd order: on the axis, points on the lesser side have coordinates <= `value`,
/// points on the greater side >= `value`.
struct Split {
  int axis = -1;     ///< -1 if there is no split here
  double value = 0;  ///< least coordinate of the greater side, in the frame of the input
};

/// A tree of either scalar type, for programs that learn the type at run time; others use Tree<T>.
///
/// It is immutable, and copies share one tree.
///
/// Threads: const calls may run from any number of threads at once.
/// Cost: O(n) time for data of bounded range, about 21 bytes per point kept for float in 3-D and 34
/// at the peak of the build (see estimate_memory); O(n log n) for the kd order. The input is read
/// only during the constructor. Determinism: the tree depends only on the points and the options.
class KITH_API AnyTree {
 public:
  /// Errors: invalid_argument (dimension outside 1..32, a box that does not fit, bad options),
  /// non_finite, too_large (more than 4,294,967,280 points), out_of_memory, cancelled.
  explicit AnyTree(PointsView points, const TreeOptions& options = {},
                   const Execution& execution = {});

  std::size_t size() const;        ///< points in the tree
  std::size_t input_size() const;  ///< points in the input, including dropped ones
  int dimension() const;
  Scalar scalar() const;
  const TreeOptions& options() const;  ///< with every automatic choice made
  const Box& box() const { return options().box; }
  /// Coordinates are stored multiplied by 2 to this power: 0, unless data are so large or small
  /// that squares would overflow or vanish.
  int scale_exponent() const;
  std::size_t memory() const;  ///< bytes held

  /// Original index of every point, in tree order.
  std::vector<std::int64_t> order() const;
  /// Coordinates in tree order, row by row, wrapped into the box, in the frame of the input.
  std::vector<double> coordinates() const;

  int planes() const;  ///< 0 for an empty tree; plane 0 holds the leaves, the last plane one root
  std::size_t nodes(int plane) const;
  Node node(int plane, std::size_t i) const;

  /// The Morton cell of a node of a tree in z-order; not meaningful for other curves.
  Cell cell(int plane, std::size_t i) const;

  /// The splits between the children of a node in kd order, as a heap: split 0 divides the node,
  /// splits 2 i + 1 (lesser) and 2 i + 2 (greater) divide the halves of split i. Nodes with fewer
  /// than 8 children have fewer splits, leaves none. Cost: O(1); with SplitAxis::variance one pass
  /// over the points of the node. Errors: invalid_argument (another order, no such node).
  std::array<Split, 7> splits(int plane, std::size_t node) const;

  /// Verifies every invariant of the data layout; throws Error (internal) that names the first
  /// violation. Cost: several passes over the tree.
  void check() const;

  /// Calls f with this tree as a Tree<float> or a Tree<double>; both must return the same type.
  template <class F>
  decltype(auto) visit(F&& f) const;

  class Impl;

 private:
  friend struct detail::Access;
  explicit AnyTree(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

namespace detail {
/// Errors: invalid_argument for a tree of another scalar type.
KITH_API const AnyTree& checked(const AnyTree& tree, Scalar scalar);
}  // namespace detail

/// A tree of points of type T, which follows from the points: `Tree tree(points)`. All distances
/// found with it have this type.
template <Coordinate T>
class Tree : public AnyTree {
 public:
  explicit Tree(const View<T>& points, const TreeOptions& options = {},
                const Execution& execution = {})
      : AnyTree(points, options, execution) {}

  /// Shares a tree whose type is known at run time only. Errors: invalid_argument for a tree of
  /// another scalar type.
  template <std::same_as<AnyTree> Any>
  Tree(const Any& tree) : AnyTree(detail::checked(tree, scalar_of<T>)) {}
};

template <Coordinate T>
Tree(const View<T>&, const TreeOptions& = {}, const Execution& = {}) -> Tree<T>;
template <PointRange R>
Tree(const R&, const TreeOptions& = {}, const Execution& = {}) -> Tree<detail::CoordinateIn<R>>;

template <class F>
decltype(auto) AnyTree::visit(F&& f) const {
  if (scalar() == Scalar::float32) return f(Tree<float>(*this));
  return f(Tree<double>(*this));
}

/// The memory, in bytes, to build and keep a tree of `size` points, beyond the caller's array.
struct MemoryEstimate {
  std::size_t peak = 0;  ///< the largest use during the call
  std::size_t kept = 0;  ///< the use of the result
};
KITH_API MemoryEstimate estimate_memory(std::size_t size, int dimension, Scalar scalar,
                                        const TreeOptions& options = {});

}  // namespace kith

// The builders: from points in the order of a curve to planes of nodes.
#pragma once

#include <cstddef>
#include <map>

#include "base/shared.hpp"
#include "geometry/z_order.hpp"
#include "parallel/workers.hpp"
#include "tree/planes.hpp"

namespace kith {

/// 8 consecutive points to a leaf, 8 nodes to a node, up to one root.
template <class T>
void build_packed(const Workers& workers, Planes<T>& planes);

/// The planes of a packed tree over the blocks of any tree.
template <class T>
std::vector<Plane<T>> packed_planes(const Workers& workers, const Planes<T>& points);

/// The largest Morton cells within the size limits, plane by plane (jz-tree paper, II.C and II.D).
/// The points must be in z-order.
template <class T>
void build_cells(const TreeOptions& options, const Workers& workers, Planes<T>& planes);

/// How many points of a plane lie in nodes of each level.
using PointsByLevel = std::map<int, std::size_t>;

/// Candidate borders of a plane: the position of each in tree order, and the level of its gap. The
/// first and the last one are the ends.
struct Borders {
  Array<std::uint32_t> point;  ///< empty: border i is before point i
  Array<int> level;

  std::size_t count() const { return level.size(); }
  std::size_t at(std::size_t i) const { return point.empty() ? i : point[i]; }
};

/// build_cells step by step, for points that are a part of a longer row along the curve: ranks add
/// up the levels of their nodes, and agree so on the cells that are too large.
template <class T>
class KITH_SHARED CellsBuilder {
 public:
  /// `planes` has points in z-order, and gets the planes. `before` and `after`: the levels of the
  /// gaps to the points of other parts, if there are any. Cells that reach over these gaps must
  /// have more points than a leaf.
  CellsBuilder(const TreeOptions& options, Planes<T>& planes, const Workers& workers,
               int before = kEndLevel, int after = kEndLevel);

  bool is_done() const { return is_done_; }
  /// The nodes of the next plane before large ones are cut; empty if none will be.
  PointsByLevel levels(const Workers& workers);
  /// After levels(): adds the plane, with those of all parts.
  void add(const PointsByLevel& levels, const Workers& workers);

 private:
  bool is_root() const { return limit_ >= static_cast<double>(planes_.points); }
  std::size_t most() const { return is_root() ? planes_.points : static_cast<std::size_t>(limit_); }

  const TreeOptions& options_;
  Planes<T>& planes_;
  Borders borders_;
  int before_, after_;
  Array<std::uint8_t> kept_;  ///< borders of the next plane
  double limit_;
  bool is_done_;
};

}  // namespace kith

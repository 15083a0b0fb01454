// How points are divided into slabs: counted in cells of the Hilbert curve, as ranks count them.
//
// A cell with more points than a slab may hold is divided once more within the box of its points,
// by another pass. Cells that nothing divides (equal points) are cut in the order of the input. So
// any points are divided evenly, and every slab has a few tight boxes.
#pragma once

#include <cstdint>
#include <vector>

#include "slabs/budget.hpp"
#include "tree/input.hpp"
#include "walk/against_boxes.hpp"

namespace kith::slabs {

/// Tight boxes of the points of all slabs, in the order of the slabs.
template <class T>
struct SlabBoxes {
  std::vector<T> ends;               ///< per box: lower, then upper ends
  std::vector<std::uint32_t> owner;  ///< per box: its slab

  template <int D>
  Bounds<D, T> box(std::size_t i, Axes<D> axes) const {
    return box_at(ends.data(), i, axes);
  }
};

template <class T>
class Cells {
 public:
  /// `bounds`: of all points, in the frame.
  Cells(const Bounds<kAnyDimension, T>& bounds, int dimension);

  // Counting: passes over all points, until `refine` returns false. `most`: points of a slab.
  void count(const Input<T>& input, const Workers& workers);
  bool refine(std::size_t most);

  // Then slabs.
  void make_slabs(std::size_t most);
  const std::vector<std::uint64_t>& slab_sizes() const { return slab_size_; }
  const SlabBoxes<T>& boxes() const { return boxes_; }
  /// slab[i] of point i; all points in the order of the input, some with each call.
  void assign(const Input<T>& input, std::uint16_t* slab, const Workers& workers);

 private:
  struct Cell {
    std::uint64_t count = 0;
    std::uint64_t per_slab = 0;  ///< cut in the order of the input after this many points; 0: uncut
    std::uint32_t node = 0;      ///< that divides it; 0: none
    std::uint32_t slab = 0;
  };
  /// A box and the cells in it.
  struct Node {
    Bounds<kAnyDimension, T> bounds;
    bool is_divided = false;  ///< otherwise it has one cell
    std::size_t first = 0;    ///< of its cells
  };

  void add_node(const Bounds<kAnyDimension, T>& bounds);
  Bounds<kAnyDimension, T> box_of(std::size_t cell) const;
  void locate(const Input<T>& input, const Workers& workers);
  std::size_t cell_of(const T* row, std::size_t key) const;
  template <class Visit>
  void each_cell(std::size_t node, Visit visit) const;

  int dimension_;
  int passes_ = 0;
  std::vector<Node> nodes_;
  std::vector<Cell> cells_;
  std::vector<T> ends_;              ///< per cell: lower, then upper ends of its points
  std::vector<std::uint32_t> cell_;  ///< of each point of a piece
  std::size_t new_cells_ = 0;        ///< the first cell that the present pass counts
  std::vector<std::uint64_t> slab_size_;
  SlabBoxes<T> boxes_;
};

}  // namespace kith::slabs

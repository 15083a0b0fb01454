// Atoms of one system in bins along the lattice vectors.
//
// Bins are as wide as the reach, or half as wide where many atoms share one, so that neighbors of
// an atom are in the bins around its own: in runs of adjacent bins, each in one image of the cell.
// Bins that hold no atoms take no memory where they outnumber the atoms. Looking at bins therefore
// takes time in proportion to atoms and neighbors, however the atoms lie.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <kith/neighbor_list.hpp>

#include "atoms/lattice.hpp"
#include "base/array.hpp"
#include "base/shared.hpp"
#include "parallel/workers.hpp"

namespace kith {

/// The positions of atoms, as columns in the order of their bins. Behind the last are some values
/// that may be loaded and mean nothing.
struct AtomColumns {
  Array<double> x[3];

  Vector3 operator[](std::size_t at) const { return {x[0][at], x[1][at], x[2][at]}; }
};

class KITH_SHARED AtomBins {
 public:
  /// Errors: those of neighbor_list. `reach`: no two atoms farther apart are neighbors.
  AtomBins(const char* call, const AtomSystem& system, double reach, const Workers& workers);

  std::size_t size() const { return key_.size(); }
  const PreparedLattice& lattice() const { return lattice_; }
  /// The number of the atom at a place in the order of bins.
  std::uint32_t index(std::size_t at) const { return index_[at]; }
  const std::uint32_t* indices() const { return index_.data(); }
  /// Three coordinates for each atom, in input order, as they were given.
  const double* given(std::size_t i) const { return given_.data() + 3 * i; }

  /// Is every atom inside the cell? Then images are shifts, and `columns` are the positions.
  bool is_inside() const { return is_inside_; }
  /// Positions that were moved into the cell.
  const AtomColumns& columns() const { return columns_; }
  /// For these, a reach that no neighbor exceeds in spite of rounding.
  double safe_reach() const { return reach_; }

  /// An image of the cell that neighbors may be in.
  struct Image {
    Shift3 shift;
    Vector3 offset;
  };
  std::size_t images() const { return images_.size(); }
  const Image& image(std::size_t code) const { return images_[code]; }
  /// The cell itself. Images are sorted by their shifts.
  std::size_t own_image() const { return images_.size() / 2; }

  /// The shift of a pair whose second atom was found in an image.
  Shift3 shift(std::uint32_t i, std::uint32_t j, std::size_t code) const {
    Shift3 shift = images_[code].shift;
    if (!is_inside_)
      for (std::size_t k = 0; k < 3; ++k)
        shift[k] += cells_[std::size_t{3} * i + k] - cells_[std::size_t{3} * j + k];
    return shift;
  }
  /// The vector of that shift.
  Vector3 offset(std::uint32_t i, std::uint32_t j, std::size_t code) const {
    return is_inside_ ? images_[code].offset : lattice_.offset(shift(i, j, code));
  }

  /// Atoms that may be neighbors: places [begin, end), in an image.
  struct Run {
    std::uint32_t begin, end, code;
  };
  /// The runs around the bin of an atom.
  void runs_around(std::size_t at, std::vector<Run>& runs) const;
  /// Have two atoms the same runs?
  bool share_bin(std::size_t at, std::size_t other) const { return key_[at] == key_[other]; }

 private:
  /// A line of bins near a bin: two differences, and a range of the third.
  struct Line {
    int first, second, begin, end;
  };

  void read(const char* call, const PointsView& positions, const Workers& workers);
  void wrap(const char* call, const Workers& workers);
  void choose_bins(double reach, double width);
  void fit_bins(double reach, const Workers& workers);
  void add_images(const char* call);
  void make_lines();
  void sort(const Workers& workers);
  std::uint64_t key_of(const double* wrapped) const;
  std::uint32_t first_at(std::uint64_t key) const;
  void add_runs(std::uint64_t line_key, int begin, int end, int code, std::vector<Run>& runs) const;

  PreparedLattice lattice_;
  double reach_ = 0;
  bool is_inside_ = true;
  Array<double> given_, wrapped_;
  Array<std::int32_t> cells_;  ///< the cell that each atom lies in, if not all are inside
  Vector3 low_ = {}, extent_ = {};
  std::array<std::int64_t, 3> bins_ = {}, around_ = {}, images_around_ = {};
  std::vector<Line> lines_;
  std::vector<Image> images_;
  AtomColumns columns_;
  Array<std::uint32_t> index_;
  Array<std::uint64_t> key_;       ///< the bin of each place
  Array<std::uint32_t> first_in_;  ///< the first place of each bin, if bins are few
};

}  // namespace kith

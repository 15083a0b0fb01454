// The views of pictures of groups, and their titles: shared by fof and report.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <kith/io/picture.hpp>
#include <kith/io/results.hpp>

namespace kith::cli {

/// As the user asks for it.
struct ViewRequest {
  int axis = 2;             ///< looked along
  double thickness = 0;     ///< of the slice; 0 = a tenth of a periodic box
  std::int64_t group = -1;  ///< through whose center it goes; -1 = the largest

  bool has_group() const { return group != -1; }
  std::size_t row() const { return group < 0 ? 0 : static_cast<std::size_t>(group); }
};

/// A slice through a group, a tenth of the box thick: through all of it, filaments lie over each
/// other and fade. Throws Error (invalid_argument) for a group that does not exist.
PictureOptions slice_view(const ResultAbout& about, const Catalogue& catalogue,
                          const ViewRequest& request);

/// Some of `all` points, evenly spread, of which those from the first one on are passed: rows of
/// coordinates.
std::vector<double> sampled_rows(const PointsView& points, std::uint64_t first, std::uint64_t all);

/// Shows the part of the box that holds all but a hundredth of such a sample, if that is less than
/// half of it: zoom simulations and isolated galaxies. `reference`: a place among the points.
void crop_to_points(PictureOptions& view, const std::vector<double>& sample,
                    std::span<const double> reference);
/// Crops the view to the points of a sample, if the place of groups is not known.
void crop_to_points(PictureOptions& view, const std::vector<double>& sample, int dimension);

std::string redshift_text(const ResultAbout& about);  ///< "z = 0.5"; empty if it is not known

/// "Friends-of-friends groups, b = 0.2, z = 0".
std::string groups_title(const ResultAbout& about);

/// "slice of 5 Mpc/h around z = 12.3 Mpc/h"; empty if there is none.
std::string slice_text(const PictureOptions& view, const ResultAbout& about);

/// "x", or "axis 4" in more than three dimensions.
std::string axis_name(int axis, int dimension);

}  // namespace kith::cli

// The density of a slice on a grid of pixels, with its frame and its scale of colors.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <kith/io/picture.hpp>

#include "drawing/image.hpp"
#include "parallel/workers.hpp"

namespace kith::io {

/// The range that is shown along one axis.
struct Range {
  int axis = 0;
  double begin = 0;
  double length = 1;
  double period = 0;  ///< of the axis; 0 = open

  bool wraps() const { return period > 0 && length >= period; }
  /// From the lower edge; within [0, period) along a periodic axis.
  double place(double x) const;
};

struct Frame {
  Range across, up, depth;
  bool has_depth = false;
  double pixel = 1;  ///< its side
  std::size_t width = 0, height = 0;

  /// Whether a coordinate along `depth` is shown.
  bool is_in_slice(const PictureOptions& options, double depth_coordinate) const;
};

struct DensityMap {
  Frame frame;
  Image density;  ///< points per pixel, smoothed
  double mean = 0;
  double darkest = 0;  ///< ends of the scale of colors, in units of the mean
  double brightest = 0;
};

/// Errors: as those of picture(), whose options these are.
DensityMap density_map(const PointsView& points, const PictureOptions& options, Workers& workers);
/// The numbers of points in the pixels, and a map made of them.
std::vector<std::uint32_t> counts_of(const PointsView& points, const PictureOptions& options,
                                     Workers& workers);
DensityMap density_map(std::span<const std::uint32_t> counts, int dimension,
                       const PictureOptions& options, Workers& workers);

Picture colored(const DensityMap& map, const Workers& workers);

}  // namespace kith::io

// Pictures of points: the density of a slice, seen from the front, in colors on a logarithmic
// scale.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <kith/box.hpp>
#include <kith/execution.hpp>
#include <kith/export.hpp>
#include <kith/points.hpp>

namespace kith {

/// Pixels row by row from the top, three bytes each: red, green, blue (sRGB).
struct Picture {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> pixels;
};

struct PictureOptions {
  Box box = {};       ///< region to draw; on open axes, from the lowest to the highest coordinate
  int size = 1024;    ///< pixels of the longer side
  int axis = 2;       ///< axis of view, from its far end; ignored for points with two coordinates
  double center = 0;  ///< of the slice along `axis`, from the lower edge of the region
  double thickness = 0;  ///< of the slice; 0 = everything. Wraps around where the axis is periodic
  /// A part of the region: a square of this side around a place (one coordinate per axis), which
  /// may reach over the edges of a periodic box. 0 = everything.
  double width = 0;
  std::vector<double> around = {};
  /// The color scale from dark to bright, as densities in units of the mean of the picture; 0 =
  /// automatic, at most 5 decades.
  double darkest = 0;
  double brightest = 0;
  /// The number of points that the neighborhood of a pixel must contain: where there are fewer, the
  /// picture is smoothed over a wider area. 0 = no smoothing.
  double smoothing = 32;
  /// The lowest and the highest coordinate along each axis, for points of which only a part is
  /// passed; needed along open axes. Empty: those of the points.
  std::vector<double> lowest = {}, highest = {};
};

/// Draws the density of points. The picture depends only on points and options. The horizontal and
/// vertical axes are the first two besides the axis of view; the vertical one points up. Errors:
/// invalid_argument (fewer than two dimensions, bad options), cancelled, out_of_memory.
KITH_API Picture picture(PointsView points, const PictureOptions& options = {},
                         const Execution& execution = {});

/// How many of the points each pixel of the picture contains, row by row from the top. If points
/// are spread over processes, the sums of their counts are those of all points; see figure().
KITH_API std::vector<std::uint32_t> pixel_counts(PointsView points,
                                                 const PictureOptions& options = {},
                                                 const Execution& execution = {});

/// Writes a PNG file, which appears only when it is complete. Errors: invalid_argument (not a
/// picture), io, cancelled.
KITH_API void write_png(const std::string& path, const Picture& picture,
                        const Execution& execution = {});

/// The color of a value from 0 (dark) to 1 (bright). Lightness always rises, and equal steps are
/// equal distances in the OKLab color space.
struct Color {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;
};
KITH_API Color color_of(double value);

}  // namespace kith

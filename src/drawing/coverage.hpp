// The share of every pixel that polygons cover: smooth edges for pictures.
#pragma once

#include <cstddef>
#include <vector>

#include "drawing/canvas.hpp"

namespace kith::io {

/// Pixels [left, right) x [top, bottom).
struct Pixels {
  int left = 0, top = 0, right = 0, bottom = 0;
  int width() const { return right - left; }
  int height() const { return bottom - top; }
  bool is_empty() const { return right <= left || bottom <= top; }
};
Pixels intersection(const Pixels& a, const Pixels& b);

using Polygon = std::vector<Place>;

/// The pixels that polygons touch.
Pixels bounds(const std::vector<Polygon>& polygons);

/// Exact areas, not samples. Polygons that overlap cover a pixel once if they turn the same way;
/// one that turns the other way is a hole.
class Coverage {
 public:
  Coverage(const std::vector<Polygon>& polygons, const Pixels& window);

  /// From 0 to 1, for each pixel of row y of the window.
  std::vector<float> row(int y) const;

 private:
  void add_edge(Place from, Place to);
  void add_in_row(float* row, double area, double x0, double x1) const;

  Pixels window_;
  std::size_t stride_;
  /// Differences along each row: the amount that an edge adds to all pixels at its right.
  std::vector<float> change_;
};

/// Outlines of the stroke of a pen of this width along a row of lines, with round joints, and round
/// ends if wanted. All turn the same way.
void add_stroke(const std::vector<Place>& places, double width, bool has_round_ends,
                std::vector<Polygon>& out);

/// A circle by corners, fine enough for its radius in pixels.
Polygon disc(const Place& center, double radius);

/// The pieces that dashes leave of a row of lines.
std::vector<std::vector<Place>> dashed(const std::vector<Place>& places,
                                       const std::vector<double>& dashes);

}  // namespace kith::io

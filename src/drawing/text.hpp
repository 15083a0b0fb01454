// Text in pictures: labels with raised and lowered parts, and a font of pen strokes for pixels.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "drawing/canvas.hpp"

namespace kith::io {

/// A piece of a label, on one line.
struct Run {
  std::string text;
  double scale = 1;  ///< of the size of the label
  double rise = 0;   ///< of its base line, in units of the label's size
};

/// `10^{12} M_{x}` as runs; braces without a ^ or _ before them, or without an end, are letters.
std::vector<Run> runs_of(std::string_view label);

/// Code points; U+FFFD for each byte that is not UTF-8.
std::vector<char32_t> code_points(std::string_view text);

/// The strokes of a label from its start on the base line, y down, and its width.
struct Lettering {
  std::vector<std::vector<Place>> strokes;
  double width = 0;
};
Lettering lettering(std::string_view label, double size);
double width_of(std::string_view label, double size);

/// The strokes of a label where it is on the sheet.
std::vector<std::vector<Place>> placed_lettering(const Label& label);

inline constexpr double kPen = 0.078;  ///< width of a stroke, in units of the size
inline constexpr double kRim = 0.22;   ///< added to it by the rim around letters

/// The font: strokes in a grid of 20 units to the size, y up, capitals 13 high.
struct Glyph {
  char32_t code;
  double advance;
  /// M x y: pen down there; L x y: line; A x y rx ry from to: arc of an ellipse by angles in
  /// degrees, counterclockwise if they rise, with a line to its beginning if the pen is down;
  /// O x y rx ry: a whole one.
  std::string_view path;
};
inline constexpr double kGrid = 20;
const Glyph& glyph_of(char32_t code);

}  // namespace kith::io

// Axes: scales, ticks at round numbers, and their labels.
#pragma once

#include <string>
#include <vector>

#include "drawing/canvas.hpp"

namespace kith::io {

/// Values along an axis; low < high, both positive if logarithmic.
struct Scale {
  double low = 0;
  double high = 1;
  bool is_log = false;

  /// The place of a value between the ends: 0 ... 1 inside.
  double place(double value) const;
};

struct Tick {
  double value = 0;
  std::string label;  ///< empty for small ticks and for large ones that have no room for it
  bool is_major = false;
};

struct Ticks {
  std::vector<Tick> ticks;
  int exponent = 0;  ///< labels must be multiplied by ten to this power
};

/// Round numbers inside the scale, `about` of them with labels if it can be had.
Ticks ticks_of(const Scale& scale, int about);

/// The label of an axis; "" without a unit, and with a power of ten where the ticks have one.
std::string axis_label(const std::string& name, const std::string& unit, int exponent);

/// 1, 0.01, 200; from 10^4 on, and below 0.001, with powers of ten.
std::string short_number(double value);

/// 1, 2 or 5 times a power of ten, at most `value` (> 0).
double round_below(double value);

inline constexpr double kTickText = 11;
inline constexpr double kLabelText = 12.5;
inline constexpr double kTitleText = 14;

/// A place in the middle of a pixel, where thin lines are sharp.
double sharp(double x);

/// Where an axis is drawn.
enum class Side { bottom, left, right };

/// Ticks and their labels along one side of an area; outward ones, or inward and on the side
/// opposite too.
struct AxisStyle {
  Side side = Side::bottom;
  bool is_inward = false;
};
void draw_ticks(Canvas& canvas, const Rect& area, const Scale& scale, const Ticks& ticks,
                const AxisStyle& style);

/// How far the labels at the left or right reach from the area.
double label_width(const Ticks& ticks);

}  // namespace kith::io

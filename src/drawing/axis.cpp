#include "drawing/axis.hpp"

#include <algorithm>
#include <cmath>

#include "base/format.hpp"
#include "drawing/text.hpp"

namespace kith::io {
namespace {

constexpr double kMajor = 6;
constexpr double kMinor = 3;

/// A minus sign as long as a plus.
std::string with_minus(const std::string& text) {
  return text.starts_with('-') ? "\u2212" + text.substr(1) : text;
}

std::string power_of_ten(int exponent) {
  return "10^{" + with_minus(std::to_string(exponent)) + "}";
}

int decade_of(double value) { return static_cast<int>(std::floor(std::log10(value) + 1e-9)); }

Ticks linear_ticks(const Scale& scale, int about) {
  const double range = scale.high - scale.low;
  const double largest = std::max(std::abs(scale.low), std::abs(scale.high));
  Ticks result;
  const int decade = decade_of(largest);
  if (decade >= 5 || decade < -3) result.exponent = decade;
  const double unit = std::pow(10.0, result.exponent);
  // Twice as long as wished for at the most: 1, 2, 5 lie so close.
  const double step = round_below(1.6 * range / about / unit);
  const int decimals = std::max(0, -decade_of(step));
  const bool is_two = std::abs(step / std::pow(10.0, decade_of(step)) - 2) < 0.1;
  const int parts = is_two ? 4 : 5;
  const double small = step / parts;
  const double slack = 1e-9 * range / unit;
  const double first = std::ceil((scale.low / unit - slack) / small);
  const double last = std::floor((scale.high / unit + slack) / small);
  if (!(last - first < 1000)) return result;  // a range below the precision of numbers
  for (double i = first; i <= last; ++i) {
    const bool is_major = std::fmod(i, parts) == 0;
    const double value = i * small;
    const std::string label =
        is_major ? formatted("{:.{}f}", value == 0 ? 0 : value, decimals) : "";
    result.ticks.push_back({value * unit, with_minus(label), is_major});
  }
  return result;
}

bool is_plain(int decade) { return decade >= -3 && decade < 4; }

/// Labels at 1, or at 1, 2 and 5 if there are few decades; at every n-th decade if there are many.
/// Where one needs a power of ten, all have one.
Ticks log_ticks(const Scale& scale, int about) {
  const int first = decade_of(scale.low);
  const int last = decade_of(scale.high);
  const double decades = std::log10(scale.high / scale.low);
  const int every = std::max(1, static_cast<int>(std::ceil(decades / (1.5 * about))));
  const bool has_powers = !is_plain(first + (decades > 1 ? 1 : 0)) || !is_plain(last);
  const bool is_fine = has_powers ? decades < 1.3 : 3 * decades <= 2 * about;
  Ticks result;
  for (int decade = first; decade <= last; ++decade)
    for (int digit = 1; digit < 10; ++digit) {
      const double value = digit * std::pow(10.0, decade);
      if (value < scale.low * (1 - 1e-9) || value > scale.high * (1 + 1e-9)) continue;
      if (digit > 1 && every > 1) continue;
      const bool has_label =
          digit == 1 ? decade % every == 0 : is_fine && (digit == 2 || digit == 5);
      const bool is_power = has_powers && digit == 1 && (decade < 0 || decade > 1);
      std::string label = is_power ? power_of_ten(decade) : short_number(value);
      result.ticks.push_back({value, has_label ? std::move(label) : "", digit == 1});
    }
  return result;
}

struct Direction {
  Place at;       ///< of the tick, on the edge
  Place outward;  ///< unit vector
};

Direction direction(const Rect& area, const Scale& scale, double value, Side side) {
  const double part = scale.place(value);
  const double x = sharp(area.left + part * area.width);
  const double y = sharp(area.bottom() - part * area.height);
  if (side == Side::bottom) return {{x, area.bottom()}, {0, 1}};
  if (side == Side::left) return {{area.left, y}, {-1, 0}};
  return {{area.right(), y}, {1, 0}};
}

void draw_label(Canvas& canvas, const Tick& tick, const Direction& d, double gap) {
  Label label{{}, tick.label, kTickText, Anchor::middle};
  if (d.outward.y > 0) {
    label.at = {d.at.x, d.at.y + gap + 0.85 * kTickText};
  } else {
    label.at = {d.at.x + d.outward.x * gap, d.at.y + 0.35 * kTickText};
    label.anchor = d.outward.x < 0 ? Anchor::end : Anchor::start;
  }
  canvas.add(std::move(label));
}

}  // namespace

double Scale::place(double value) const {
  if (is_log) return std::log(value / low) / std::log(high / low);
  return (value - low) / (high - low);
}

double sharp(double x) { return std::floor(x) + 0.5; }

double round_below(double value) {
  const double unit = std::pow(10.0, std::floor(std::log10(value)));
  const double digits = value / unit * (1 + 1e-12);
  return unit * (digits >= 5 ? 5 : digits >= 2 ? 2 : 1);
}

std::string short_number(double value) {
  const int decade = decade_of(std::abs(value));
  if (is_plain(decade)) return with_minus(formatted("{:.4g}", value));
  const double digits = value / std::pow(10.0, decade);
  if (std::abs(digits - 1) < 1e-6) return power_of_ten(decade);
  return with_minus(formatted("{:.3g}", digits)) + "\u00d7" + power_of_ten(decade);
}

Ticks ticks_of(const Scale& scale, int about) {
  return scale.is_log ? log_ticks(scale, about) : linear_ticks(scale, about);
}

std::string axis_label(const std::string& name, const std::string& unit, int exponent) {
  const std::string power = exponent == 0 ? "" : power_of_ten(exponent);
  if (unit.empty() && power.empty()) return name;
  return name + " (" + power + (unit.empty() || power.empty() ? "" : " ") + unit + ")";
}

void draw_ticks(Canvas& canvas, const Rect& area, const Scale& scale, const Ticks& ticks,
                const AxisStyle& style) {
  for (const Tick& tick : ticks.ticks) {
    const Direction d = direction(area, scale, tick.value, style.side);
    const double length = (tick.is_major ? kMajor : kMinor) * (style.is_inward ? -1 : 1);
    canvas.line(d.at, {d.at.x + d.outward.x * length, d.at.y + d.outward.y * length});
    if (style.is_inward) {
      const Place opposite{d.outward.x == 0 ? d.at.x : 2 * area.left + area.width - d.at.x,
                           d.outward.y == 0 ? d.at.y : 2 * area.top + area.height - d.at.y};
      canvas.line(opposite, {opposite.x - d.outward.x * length, opposite.y - d.outward.y * length});
    }
    if (!tick.label.empty()) draw_label(canvas, tick, d, style.is_inward ? 5 : kMajor + 3);
  }
}

double label_width(const Ticks& ticks) {
  double width = 0;
  for (const Tick& tick : ticks.ticks) width = std::max(width, width_of(tick.label, kTickText));
  return width + kMajor + 3;
}

}  // namespace kith::io

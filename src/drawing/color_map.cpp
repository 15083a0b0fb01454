// The color map: a path through the OKLab color space from night blue over violet, red and orange
// to warm white. Its points are set by a rule, not by a table: hue turns evenly, chroma swells and
// fades, lightness rises; then the path is walked at constant speed, so that equal steps look
// equally large.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include <kith/io/picture.hpp>

namespace kith {
namespace {

struct Lab {
  double lightness, a, b;
};

struct Rgb {
  double red, green, blue;
};

/// Ottosson's definition of OKLab, to linear sRGB.
Rgb linear_rgb(const Lab& c) {
  const double l = std::pow(c.lightness + 0.3963377774 * c.a + 0.2158037573 * c.b, 3);
  const double m = std::pow(c.lightness - 0.1055613458 * c.a - 0.0638541728 * c.b, 3);
  const double s = std::pow(c.lightness - 0.0894841775 * c.a - 1.2914855480 * c.b, 3);
  return {4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
          -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
          -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s};
}

bool is_displayable(const Rgb& c) {
  const auto [low, high] = std::minmax({c.red, c.green, c.blue});
  return low >= 0 && high <= 1;
}

std::uint8_t encoded(double linear) {
  const double x = std::clamp(linear, 0.0, 1.0);
  const double gamma = x <= 0.0031308 ? 12.92 * x : 1.055 * std::pow(x, 1 / 2.4) - 0.055;
  return static_cast<std::uint8_t>(std::lround(255 * gamma));
}

Lab at(double lightness, double chroma, double hue) {
  return {lightness, chroma * std::cos(hue), chroma * std::sin(hue)};
}

/// The largest chroma up to `wish` that a screen shows at this lightness and hue.
double shown_chroma(double lightness, double hue, double wish) {
  double low = 0;
  double high = wish;
  if (is_displayable(linear_rgb(at(lightness, wish, hue)))) return wish;
  for (int step = 0; step < 30; ++step) {
    const double middle = 0.5 * (low + high);
    (is_displayable(linear_rgb(at(lightness, middle, hue))) ? low : high) = middle;
  }
  return low;
}

/// The path before its speed is made even, t from 0 to 1.
Lab path(double t) {
  const double lightness = 0.09 + 0.89 * t;
  const double degrees = 275 + 180 * t;
  const double hue = degrees * std::numbers::pi / 180;
  const double wish = 0.02 + 0.17 * std::pow(std::sin(std::numbers::pi * std::pow(t, 0.85)), 0.8);
  return at(lightness, shown_chroma(lightness, hue, wish), hue);
}

double distance(const Lab& p, const Lab& q) {
  return std::hypot(p.lightness - q.lightness, p.a - q.a, p.b - q.b);
}

// As many as the palette of a PNG file holds: such files are much smaller.
constexpr std::size_t kColors = 256;

std::array<Color, kColors> even_path() {
  constexpr int kFine = 8192;
  std::vector<double> length(kFine + 1);
  for (int i = 1; i <= kFine; ++i)
    length[i] = length[i - 1] + distance(path(double(i - 1) / kFine), path(double(i) / kFine));
  std::array<Color, kColors> colors;
  int i = 1;
  for (std::size_t c = 0; c < kColors; ++c) {
    const double wanted = length[kFine] * static_cast<double>(c) / (kColors - 1);
    while (i < kFine && length[i] < wanted) ++i;
    const double part = (wanted - length[i - 1]) / (length[i] - length[i - 1]);
    const Rgb rgb = linear_rgb(path((i - 1 + part) / kFine));
    colors[c] = {encoded(rgb.red), encoded(rgb.green), encoded(rgb.blue)};
  }
  return colors;
}

}  // namespace

Color color_of(double value) {
  static const std::array<Color, kColors> colors = even_path();
  const double place = value > 0 ? std::min(value, 1.0) * (kColors - 1) : 0;  // NaN is dark
  return colors[static_cast<std::size_t>(std::lround(place))];
}

}  // namespace kith

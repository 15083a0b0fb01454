// The density of points as a figure: axes, color bar, scale bar, groups.
#include <algorithm>
#include <cmath>
#include <new>

#include <kith/io/figure.hpp>

#include "base/fail.hpp"
#include "drawing/axis.hpp"
#include "drawing/canvas.hpp"
#include "drawing/density_map.hpp"
#include "drawing/text.hpp"
#include "parallel/public_call.hpp"

namespace kith {
namespace io {
namespace {

constexpr Brush kShade{{0, 0, 0}, Tone::fixed, 0.55};
constexpr double kBar = 16;  // width of the color bar
constexpr double kGap = 12;  // between picture and color bar
constexpr double kEdge = 14;
constexpr double kInset = 12;  // of the shapes on the picture, from its corner

std::string axis_name(const Range& range, int dimension) {
  if (dimension <= 3) return std::string(1, "xyz"[range.axis]);
  return "axis " + std::to_string(range.axis);
}

Scale scale_of(const Range& range) { return {range.begin, range.begin + range.length, false}; }

/// A scale of colors that a logarithmic axis can have.
Scale color_scale(const DensityMap& map) {
  const double low = map.darkest > 0 ? map.darkest : 1;
  const double high = std::max(map.brightest, low * 1.01);
  return {low, high, true};
}

/// All colors from bottom to top.
Picture color_ramp() {
  constexpr int kSteps = 512;
  Picture ramp{1, kSteps, {}};
  for (int i = 0; i < kSteps; ++i) {
    const Color color = color_of(1 - (i + 0.5) / kSteps);
    ramp.pixels.insert(ramp.pixels.end(), {color.red, color.green, color.blue});
  }
  return ramp;
}

/// The figure while it is drawn.
class Sheet {
 public:
  Sheet(const DensityMap& map, const FigureOptions& options, int dimension)
      : map_(map),
        options_(options),
        dimension_(dimension),
        x_scale_(scale_of(map.frame.across)),
        y_scale_(scale_of(map.frame.up)),
        colors_(color_scale(map)),
        x_ticks_(ticks_of(x_scale_, tick_count(map.frame.width))),
        y_ticks_(ticks_of(y_scale_, tick_count(map.frame.height))),
        color_ticks_(ticks_of(colors_, 5)),
        area_(area()),
        canvas_(area_.right() + kGap + kBar + label_width(color_ticks_) + kLabelText + kEdge,
                area_.bottom() + 44) {}

  Drawing draw(Picture density) && {
    canvas_.add(Raster{area_, std::move(density)});
    canvas_.clip_to(area_);
    draw_circles();
    draw_legend();
    if (options_.has_scale_bar) draw_scale_bar();
    canvas_.clip_to({});
    draw_title();
    draw_axes();
    draw_color_bar();
    return std::move(canvas_).finish();
  }

 private:
  static int tick_count(std::size_t pixels) {
    return std::clamp(static_cast<int>(pixels) / 170, 2, 8);
  }

  /// Two pixels of the density to a unit.
  Rect area() const {
    const double left = 22 + kLabelText + label_width(y_ticks_);
    const bool has_title = !options_.title.empty() || !options_.note.empty();
    const double top = !has_title ? kEdge : is_note_below() ? 50.0 : 34.0;
    return {std::ceil(left), top, static_cast<double>(map_.frame.width) / 2,
            static_cast<double>(map_.frame.height) / 2};
  }

  double units_per_length() const { return 0.5 / map_.frame.pixel; }

  /// Title and note share a line if there is room.
  bool is_note_below() const {
    const double both = width_of(options_.title, kTitleText) + width_of(options_.note, kTickText);
    return !options_.title.empty() && !options_.note.empty() &&
           1.05 * both + 16 > static_cast<double>(map_.frame.width) / 2;
  }

  void draw_title() {
    const double y = area_.top - 11;
    const bool is_below = is_note_below();
    canvas_.add(Label{{area_.left, is_below ? y - 17 : y}, options_.title, kTitleText});
    canvas_.add(Label{{is_below ? area_.left : area_.right(), y},
                      options_.note,
                      kTickText,
                      is_below ? Anchor::start : Anchor::end});
  }

  void draw_axes() {
    canvas_.frame({area_.left - 0.5, area_.top - 0.5, area_.width + 1, area_.height + 1});
    draw_ticks(canvas_, area_, x_scale_, x_ticks_, {Side::bottom});
    draw_ticks(canvas_, area_, y_scale_, y_ticks_, {Side::left});
    const std::string& unit = options_.length_unit;
    const Frame& f = map_.frame;
    canvas_.add(Label{{area_.left + area_.width / 2, area_.bottom() + 37},
                      axis_label(axis_name(f.across, dimension_), unit, x_ticks_.exponent),
                      kLabelText,
                      Anchor::middle});
    canvas_.add(Label{{kEdge + 6, area_.top + area_.height / 2},
                      axis_label(axis_name(f.up, dimension_), unit, y_ticks_.exponent),
                      kLabelText,
                      Anchor::middle,
                      false});
  }

  void draw_color_bar() {
    const Rect bar{area_.right() + kGap, area_.top, kBar, area_.height};
    canvas_.add(Raster{bar, color_ramp()});
    canvas_.frame({bar.left - 0.5, bar.top - 0.5, bar.width + 1, bar.height + 1});
    draw_ticks(canvas_, bar, colors_, color_ticks_, {Side::right});
    canvas_.add(
        Label{{bar.right() + label_width(color_ticks_) + kLabelText + 4, bar.top + bar.height / 2},
              options_.color_label,
              kLabelText,
              Anchor::middle,
              false});
  }

  /// The longest round length that takes up to a quarter of the picture.
  void draw_scale_bar() {
    const double length = round_below(map_.frame.across.length / 4);
    const double width = length * units_per_length();
    const std::string text =
        short_number(length) + (options_.length_unit.empty() ? "" : " " + options_.length_unit);
    const double left = area_.left + kInset + 6;
    const double y = sharp(area_.bottom() - kInset - 6);
    const double wide = std::max(width, width_of(text, kTickText));
    canvas_.fill({left - 8, y - 24, wide + 16, 32}, kShade);
    for (const double end : {left, left + width})
      canvas_.line({end, y - 3.5}, {end, y + 3.5}, {kWhite, 1.5});
    canvas_.line({left, y}, {left + width, y}, {kWhite, 1.5});
    canvas_.add(Label{{left + wide / 2, y - 9}, text, kTickText, Anchor::middle, true, kWhite});
  }

  bool has_circle(std::size_t i) const {
    const Circles& c = options_.circles;
    if (!(c.radius[i] > 0) || !std::isfinite(c.radius[i])) return false;
    const double* center = c.center.data() + i * static_cast<std::size_t>(dimension_);
    const Frame& f = map_.frame;
    if (!std::isfinite(center[f.across.axis]) || !std::isfinite(center[f.up.axis])) return false;
    return !f.has_depth || f.is_in_slice(options_.view, center[options_.view.axis]);
  }

  /// Places along an axis at which a shape of this half width is visible: also beyond the edges of
  /// a periodic one.
  static std::vector<double> images(const Range& range, double place, double radius) {
    std::vector<double> result{place};
    if (range.period > 0 && place < radius) result.push_back(place + range.period);
    if (range.period > 0 && place > range.period - radius) result.push_back(place - range.period);
    return result;
  }

  Place on_sheet(double x, double y) const {
    return {area_.left + x * units_per_length(), area_.bottom() - y * units_per_length()};
  }

  double ring_radius(std::size_t i) const {
    return std::max(2.0, options_.circles.radius[i] * units_per_length());
  }

  void draw_ring(std::size_t i, const Place& at) {
    const double radius = ring_radius(i);
    canvas_.add(Circle{at, radius, false, {{{0, 0, 0}, Tone::fixed, 0.5}, 2.4}});
    canvas_.add(Circle{at, radius, false, {{{255, 255, 255}, Tone::fixed, 0.95}, 1.1}});
  }

  /// The number of a circle: up and to the right of the circle, or at another side with room for
  /// it. Left out where it would lie on the number of a more important one.
  void draw_number(std::size_t i, const Place& at) {
    const double diagonal = 0.72 * ring_radius(i) + 2;
    const std::string text = std::to_string(i);
    const double width = width_of(text, kTickText);
    const bool is_right = at.x + diagonal + width < area_.right() - 2;
    const bool is_above = at.y - diagonal - kTickText > area_.top + 2;
    const Place base{at.x + (is_right ? diagonal : -diagonal),
                     at.y + (is_above ? -diagonal : diagonal + 0.7 * kTickText)};
    const Rect rect{is_right ? base.x : base.x - width, base.y - kTickText, width, kTickText};
    const auto overlaps = [&](const Rect& r) {
      return rect.left < r.right() + 2 && r.left < rect.right() + 2 && rect.top < r.bottom() &&
             r.top < rect.bottom();
    };
    if (std::any_of(numbers_.begin(), numbers_.end(), overlaps)) return;
    numbers_.push_back(rect);
    canvas_.add(
        Label{base, text, kTickText, is_right ? Anchor::start : Anchor::end, true, kWhite, kShade});
  }

  /// Calls draw(place on the sheet) for every image of a circle that is seen.
  template <class Draw>
  void for_images(std::size_t i, Draw draw) {
    const Circles& c = options_.circles;
    const Frame& f = map_.frame;
    const double* center = c.center.data() + i * static_cast<std::size_t>(dimension_);
    const double x = f.across.place(center[f.across.axis]);
    const double y = f.up.place(center[f.up.axis]);
    for (const double xi : images(f.across, x, c.radius[i]))
      for (const double yi : images(f.up, y, c.radius[i])) draw(on_sheet(xi, yi));
  }

  void draw_circles() {
    std::vector<std::size_t> drawn;
    for (std::size_t i = 0; i < options_.circles.radius.size(); ++i)
      if (has_circle(i)) drawn.push_back(i);
    for (std::size_t k = drawn.size(); k-- > 0;)  // the most important lie on top
      for_images(drawn[k], [&](const Place& at) { draw_ring(drawn[k], at); });
    drawn.resize(std::min(drawn.size(), options_.circles.labels));
    for (const std::size_t i : drawn) for_images(i, [&](const Place& at) { draw_number(i, at); });
  }

  void draw_legend() {
    const std::string& text = options_.circles.legend;
    if (text.empty() || options_.circles.radius.empty()) return;
    const double top = area_.top + kInset;
    const double left = area_.left + kInset;
    canvas_.fill({left, top, width_of(text, kTickText) * 1.03 + 32, 22}, kShade);
    canvas_.add(Circle{{left + 13, top + 11}, 6, false, {kWhite, 1.1}});
    canvas_.add(Label{{left + 26, top + 15}, text, kTickText, Anchor::start, true, kWhite});
  }

  const DensityMap& map_;
  const FigureOptions& options_;
  int dimension_;
  Scale x_scale_, y_scale_, colors_;
  Ticks x_ticks_, y_ticks_, color_ticks_;
  Rect area_;
  Canvas canvas_;
  std::vector<Rect> numbers_;  ///< where there are some already
};

void check(const FigureOptions& options, int dimension) {
  const Circles& c = options.circles;
  if (c.center.size() != c.radius.size() * static_cast<std::size_t>(dimension))
    refuse("figure: {} numbers for the centers of {} circles in {} dimensions; give {}",
           c.center.size(), c.radius.size(), dimension,
           c.radius.size() * static_cast<std::size_t>(dimension));
}

}  // namespace
}  // namespace io

Drawing figure(std::span<const std::uint32_t> counts, int dimension, const FigureOptions& options,
               const Execution& execution) {
  return public_call("figure", execution, [&](Workers& workers) {
    io::check(options, dimension);
    const io::DensityMap map = io::density_map(counts, dimension, options.view, workers);
    return io::Sheet(map, options, dimension).draw(io::colored(map, workers));
  });
}

Drawing figure(PointsView points, const FigureOptions& options, const Execution& execution) {
  return public_call("figure", execution, [&](Workers& workers) {
    io::check(options, points.dimension);
    const io::DensityMap map = io::density_map(points, options.view, workers);
    return io::Sheet(map, options, points.dimension).draw(io::colored(map, workers));
  });
}

}  // namespace kith

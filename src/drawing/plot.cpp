// Curves and points with axes and a legend.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <kith/io/figure.hpp>

#include "base/fail.hpp"
#include "drawing/axis.hpp"
#include "drawing/canvas.hpp"
#include "drawing/text.hpp"
#include "parallel/public_call.hpp"

namespace kith {
namespace io {
namespace {

constexpr double kMark = 3.2;   // radius of a point
constexpr double kSample = 26;  // length of a line in the legend
constexpr double kRow = 18;     // of the legend
constexpr double kRight = 16;   // edges of the sheet
constexpr double kTop = 14;

/// Colors that color-blind people can distinguish, too, on light and dark paper.
constexpr Color kColors[] = {{38, 112, 186}, {214, 104, 28}, {32, 142, 104}, {166, 86, 158},
                             {170, 128, 12}, {196, 58, 82},  {22, 150, 178}, {120, 92, 206},
                             {124, 146, 30}, {110, 116, 128}};
constexpr Color kGray{168, 172, 180};

bool is_shown(double value, bool is_log) { return std::isfinite(value) && (!is_log || value > 0); }

struct PlotExtent {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void add(double value, bool is_log) {
    if (!is_shown(value, is_log)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

/// With a little room at both ends.
Scale widened(const PlotExtent& e, bool is_log) {
  if (!(e.low <= e.high)) return {is_log ? 0.1 : 0, 1, is_log};
  constexpr double kRoom = 0.04;
  if (is_log) {
    const double factor = e.high > e.low ? std::pow(e.high / e.low, kRoom) : 2;
    return {e.low / factor, e.high * factor, true};
  }
  const double room = e.high > e.low ? kRoom * (e.high - e.low) : std::max(1.0, std::abs(e.low));
  return {e.low - room, e.high + room, false};
}

Scale scale_of(const Axis& axis, const PlotExtent& extent) {
  if (axis.low == 0 && axis.high == 0) return widened(extent, axis.is_log);
  return {axis.low, axis.high, axis.is_log};
}

struct Scales {
  Scale x, y;
};

Scales scales_of(const Plot& plot) {
  PlotExtent x;
  PlotExtent y;
  for (const Series& s : plot.series) {
    for (const double v : s.x) x.add(v, plot.x.is_log);
    for (const auto* values : {&s.y, &s.lower, &s.upper})
      for (const double v : *values) y.add(v, plot.y.is_log);
  }
  return {scale_of(plot.x, x), scale_of(plot.y, y)};
}

class PlotSheet {
 public:
  explicit PlotSheet(const Plot& plot)
      : plot_(plot),
        scales_(scales_of(plot)),
        x_ticks_(ticks_of(scales_.x, std::max(2, static_cast<int>(plot.width / 90)))),
        y_ticks_(ticks_of(scales_.y, std::max(2, static_cast<int>(plot.height / 70)))),
        area_(area()),
        canvas_(plot.width, plot.height) {
    if (!plot.has_equal_scales || plot.x.is_log || plot.y.is_log) return;
    equalize();
    x_ticks_ = ticks_of(scales_.x, std::max(2, static_cast<int>(area_.width / 90)));
    y_ticks_ = ticks_of(scales_.y, std::max(2, static_cast<int>(area_.height / 70)));
  }

  Drawing draw() && {
    draw_grid();
    canvas_.clip_to(area_);
    for (std::size_t i = 0; i < plot_.series.size(); ++i) draw_series(i);
    canvas_.clip_to({});
    draw_axes();
    draw_legend();
    return std::move(canvas_).finish();
  }

 private:
  Rect area() const {
    const double left = std::ceil(22 + kLabelText + label_width(y_ticks_)) + 0.5;
    const double top = (plot_.title.empty() ? kTop : 34.0) + 0.5;
    const double beside = plot_.has_legend_beside ? legend_width() : 0;
    return {left, top, std::floor(plot_.width - left - kRight - beside),
            std::floor(plot_.height - top - 46)};
  }

  /// Widens the range of the axis whose units are longer.
  void equalize() {
    const double x_unit = (scales_.x.high - scales_.x.low) / area_.width;
    const double y_unit = (scales_.y.high - scales_.y.low) / area_.height;
    Scale& scale = x_unit < y_unit ? scales_.x : scales_.y;
    const double middle = (scale.low + scale.high) / 2;
    const double half =
        (scale.high - scale.low) / 2 * std::max(x_unit, y_unit) / std::min(x_unit, y_unit);
    scale.low = middle - half;
    scale.high = middle + half;
  }

  /// Faint series use up no color.
  Brush brush_of(std::size_t series) const {
    if (plot_.series[series].is_faint) return {kGray};
    std::size_t before = 0;
    for (std::size_t i = 0; i < series; ++i) before += !plot_.series[i].is_faint;
    return {kColors[before % std::size(kColors)]};
  }
  double mark_of(std::size_t series) const {
    return plot_.series[series].mark > 0 ? plot_.series[series].mark : kMark;
  }

  /// The place of a pair of values, if it can be shown; places far outside the area are moved
  /// closer to it.
  std::optional<Place> place(double x, double y) const {
    if (!is_shown(x, plot_.x.is_log) || !is_shown(y, plot_.y.is_log)) return {};
    const auto near = [](double part) { return std::clamp(part, -10.0, 11.0); };
    return Place{area_.left + near(scales_.x.place(x)) * area_.width,
                 area_.bottom() - near(scales_.y.place(y)) * area_.height};
  }

  void draw_grid() {
    for (const Tick& t : x_ticks_.ticks) {
      const double x = sharp(area_.left + scales_.x.place(t.value) * area_.width);
      if (t.is_major) canvas_.line({x, area_.top}, {x, area_.bottom()}, {kFaint, 0.6});
    }
    for (const Tick& t : y_ticks_.ticks) {
      const double y = sharp(area_.bottom() - scales_.y.place(t.value) * area_.height);
      if (t.is_major) canvas_.line({area_.left, y}, {area_.right(), y}, {kFaint, 0.6});
    }
  }

  void draw_axes() {
    canvas_.frame(area_);
    draw_ticks(canvas_, area_, scales_.x, x_ticks_, {Side::bottom, true});
    draw_ticks(canvas_, area_, scales_.y, y_ticks_, {Side::left, true});
    canvas_.add(Label{{area_.left + area_.width / 2, area_.bottom() + 36},
                      axis_label(plot_.x.label, "", x_ticks_.exponent),
                      kLabelText,
                      Anchor::middle});
    canvas_.add(Label{{20, area_.top + area_.height / 2},
                      axis_label(plot_.y.label, "", y_ticks_.exponent),
                      kLabelText,
                      Anchor::middle,
                      false});
    canvas_.add(Label{{area_.left, area_.top - 11}, plot_.title, kTitleText});
  }

  Stroke stroke_of(std::size_t i) const {
    Stroke stroke{brush_of(i), 1.8};
    if (plot_.series[i].style == SeriesStyle::dashed) stroke.dashes = {7, 4};
    return stroke;
  }

  void draw_series(std::size_t i) {
    const Series& s = plot_.series[i];
    if (s.style == SeriesStyle::points) return draw_points(i);
    std::vector<Place> places;
    const auto flush = [&] {
      if (places.size() > 1) canvas_.add(Path{places, false, stroke_of(i)});
      places.clear();
    };
    for (std::size_t k = 0; k < s.x.size(); ++k) {
      const auto at = place(s.x[k], s.y[k]);
      if (!at) {
        flush();
        continue;
      }
      if (s.style == SeriesStyle::steps && !places.empty())
        places.push_back({at->x, places.back().y});
      places.push_back(*at);
    }
    flush();
  }

  void draw_points(std::size_t i) {
    const Series& s = plot_.series[i];
    for (std::size_t k = 0; k < s.x.size(); ++k) {
      if (!s.lower.empty()) draw_error(i, s.x[k], s.lower[k], s.upper[k]);
      if (const auto at = place(s.x[k], s.y[k]))
        canvas_.add(Circle{*at, mark_of(i), true, {brush_of(i)}});
    }
  }

  /// A bar that goes down to the axis where its lower end is nowhere on a logarithmic one.
  void draw_error(std::size_t i, double x, double lower, double upper) {
    const auto top = place(x, upper);
    if (!top) return;
    const auto bottom = place(x, lower);
    const double end = bottom ? bottom->y : area_.bottom() + 5;
    const Stroke stroke{brush_of(i), 1.2};
    canvas_.line({top->x, top->y}, {top->x, end}, stroke);
    for (const double y : {top->y, end}) canvas_.line({top->x - 3, y}, {top->x + 3, y}, stroke);
  }

  /// Whether a part of the curves lies in a rectangle.
  bool is_busy(const Rect& r) const {
    for (const Series& s : plot_.series)
      for (std::size_t k = 0; k < s.x.size(); ++k)
        for (const double y : {s.y[k], s.upper.empty() ? s.y[k] : s.upper[k],
                               s.lower.empty() ? s.y[k] : s.lower[k]}) {
          const auto at = place(s.x[k], y);
          if (at && at->x > r.left && at->x < r.right() && at->y > r.top && at->y < r.bottom())
            return true;
        }
    return false;
  }

  /// In the first corner that is free: top right, top left, bottom left, bottom right.
  Rect legend_area(double width, double height) const {
    const double left = area_.left + 12;
    const double right = area_.right() - 12 - width;
    const double top = area_.top + 12;
    const double bottom = area_.bottom() - 12 - height;
    for (const Place& p : {Place{right, top}, {left, top}, {left, bottom}, {right, bottom}})
      if (!is_busy({p.x, p.y, width, height})) return {p.x, p.y, width, height};
    return {right, top, width, height};
  }

  double legend_width() const {
    double width = 0;
    for (const Series& s : plot_.series)
      if (!s.name.empty()) width = std::max(width, width_of(s.name, kTickText) * 1.03);
    return width > 0 ? width + kSample + 26 : 0;
  }

  void draw_legend() {
    const auto rows = static_cast<double>(std::count_if(
        plot_.series.begin(), plot_.series.end(), [](const Series& s) { return !s.name.empty(); }));
    if (rows == 0) return;
    const double width = legend_width(), height = rows * kRow + 8;
    const Rect r = plot_.has_legend_beside
                       ? Rect{area_.right() + kRight / 2, area_.top, width, height}
                       : legend_area(width, height);
    canvas_.fill(r, {kPaper.color, Tone::paper, 0.85});
    double y = sharp(r.top + 4 + kRow / 2);
    for (std::size_t i = 0; i < plot_.series.size(); ++i) {
      const Series& s = plot_.series[i];
      if (s.name.empty()) continue;
      const double x = r.left + 8;
      if (s.style == SeriesStyle::points) {
        if (!s.lower.empty())
          canvas_.line({x + kSample / 2, y - 7}, {x + kSample / 2, y + 7}, {brush_of(i), 1.2});
        canvas_.add(Circle{{x + kSample / 2, y}, kMark, true, {brush_of(i)}});
      } else {
        canvas_.line({x, y}, {x + kSample, y}, stroke_of(i));
      }
      canvas_.add(Label{{x + kSample + 8, y + 4}, s.name, kTickText});
      y += kRow;
    }
  }

  const Plot& plot_;
  Scales scales_;
  Ticks x_ticks_, y_ticks_;
  Rect area_;
  Canvas canvas_;
};

void check(const Axis& axis, const char* name) {
  if (axis.low == 0 && axis.high == 0) return;
  const bool is_finite = std::isfinite(axis.low) && std::isfinite(axis.high);
  if (!is_finite || !(axis.low < axis.high) || (axis.is_log && !(axis.low > 0)))
    refuse("plot: {} from {} to {}{}; give rising limits, or 0 and 0", name, axis.low, axis.high,
           axis.is_log ? " on a logarithmic axis" : "");
}

void check(const Plot& plot) {
  check(plot.x, "x");
  check(plot.y, "y");
  if (!(plot.width >= 160 && plot.width <= 8192) || !(plot.height >= 120 && plot.height <= 8192))
    refuse("plot: a sheet of {} x {}; give 160 x 120 to 8192 x 8192", plot.width, plot.height);
  for (const Series& s : plot.series) {
    if (s.x.size() != s.y.size())
      refuse("plot: {} values of x and {} of y; give as many", s.x.size(), s.y.size());
    if (s.lower.size() != s.upper.size() || (!s.lower.empty() && s.lower.size() != s.x.size()))
      refuse("plot: {} lower and {} upper ends of errors for {} values; give one each, or none",
             s.lower.size(), s.upper.size(), s.x.size());
  }
}

}  // namespace
}  // namespace io

Drawing plot(const Plot& options) {
  return public_call("plot", [&] {
    io::check(options);
    return io::PlotSheet(options).draw();
  });
}

}  // namespace kith

// Drawings as pixels.
#include <algorithm>
#include <cmath>

#include "drawing/canvas.hpp"
#include "drawing/coverage.hpp"
#include "drawing/text.hpp"

namespace kith::io {
namespace {

/// `share` of the way from one byte to another.
std::uint8_t mixed(std::uint8_t from, std::uint8_t to, double share) {
  return static_cast<std::uint8_t>(std::lround(from + (to - from) * share));
}

/// A pixel of one axis of a raster that is scaled: the source pixels under it, with the shares of
/// the first and the last.
struct Footprint {
  std::size_t first = 0, last = 0;
  double first_share = 1, last_share = 1;

  double share(std::size_t i) const {
    return i == first ? first_share : i == last ? last_share : 1;
  }
};

Footprint footprint(double begin, double end, int count) {
  const double limit = std::nextafter(static_cast<double>(count), 0.0);
  begin = std::clamp(begin, 0.0, limit);
  end = std::clamp(end, begin, static_cast<double>(count));
  Footprint f;
  f.first = static_cast<std::size_t>(begin);
  f.last = std::max(f.first, static_cast<std::size_t>(std::ceil(end)) - (end > begin ? 1 : 0));
  f.last = std::min(f.last, static_cast<std::size_t>(count) - 1);
  if (f.last == f.first) return f;
  f.first_share = static_cast<double>(f.first) + 1 - begin;
  f.last_share = end - static_cast<double>(f.last);
  return f;
}

class Painter {
 public:
  Painter(const Drawing::Impl& drawing, double scale)
      : scale_(scale),
        picture_{pixels(drawing.width), pixels(drawing.height), {}},
        window_{0, 0, picture_.width, picture_.height} {
    picture_.pixels.resize(std::size_t{3} * static_cast<std::size_t>(picture_.width) *
                           static_cast<std::size_t>(picture_.height));
  }

  void paint(const Item& item) {
    window_ = {0, 0, picture_.width, picture_.height};
    if (item.clip) window_ = intersection(window_, covered(*item.clip));
    std::visit([this](const auto& shape) { paint(shape); }, item.shape);
  }

  Picture release() { return std::move(picture_); }

 private:
  int pixels(double length) const {
    return std::max(1, static_cast<int>(std::lround(length * scale_)));
  }
  Place scaled(const Place& p) const { return {p.x * scale_, p.y * scale_}; }
  std::vector<Place> scaled(std::vector<Place> places) const {
    for (Place& p : places) p = scaled(p);
    return places;
  }
  Pixels covered(const Rect& r) const {
    const auto at = [this](double x) { return static_cast<int>(std::lround(x * scale_)); };
    return {at(r.left), at(r.top), at(r.right()), at(r.bottom())};
  }

  void paint(const Path& path) {
    std::vector<Polygon> polygons;
    if (path.is_filled) {
      polygons.push_back(scaled(path.places));
    } else {
      for (const auto& piece : dashed(path.places, path.stroke.dashes))
        add_stroke(scaled(piece), path.stroke.width * scale_, false, polygons);
    }
    fill(polygons, path.stroke.brush);
  }

  void paint(const Circle& circle) {
    const Place center = scaled(circle.center);
    const double radius = circle.radius * scale_;
    if (circle.is_filled) return fill({disc(center, radius)}, circle.stroke.brush);
    const double half = circle.stroke.width * scale_ / 2;
    std::vector<Polygon> ring{disc(center, radius + half)};
    if (radius > half) {
      ring.push_back(disc(center, radius - half));
      std::reverse(ring.back().begin(), ring.back().end());
    }
    fill(ring, circle.stroke.brush);
  }

  void paint(const Label& label) {
    std::vector<std::vector<Place>> strokes = placed_lettering(label);
    for (std::vector<Place>& stroke : strokes) stroke = scaled(std::move(stroke));
    const double pen = kPen * label.size * scale_;
    if (label.rim) write(strokes, pen + kRim * label.size * scale_, *label.rim);
    write(strokes, pen, label.brush);
  }

  void write(const std::vector<std::vector<Place>>& strokes, double pen, const Brush& brush) {
    std::vector<Polygon> polygons;
    for (const auto& stroke : strokes) add_stroke(stroke, pen, true, polygons);
    fill(polygons, brush);
  }

  void paint(const Raster& raster) {
    const Pixels target = covered(raster.rect);
    const Pixels shown = intersection(target, window_);
    const double x_step = static_cast<double>(raster.picture.width) / target.width();
    const double y_step = static_cast<double>(raster.picture.height) / target.height();
    for (int y = shown.top; y < shown.bottom; ++y) {
      const int row = y - target.top;
      const Footprint rows = footprint(row * y_step, (row + 1) * y_step, raster.picture.height);
      for (int x = shown.left; x < shown.right; ++x) {
        const int column = x - target.left;
        const Footprint columns =
            footprint(column * x_step, (column + 1) * x_step, raster.picture.width);
        average(raster.picture, rows, columns, pixel(x, y));
      }
    }
  }

  static void average(const Picture& source, const Footprint& rows, const Footprint& columns,
                      std::uint8_t* out) {
    double sum[3] = {};
    double weight = 0;
    for (std::size_t y = rows.first; y <= rows.last; ++y)
      for (std::size_t x = columns.first; x <= columns.last; ++x) {
        const double w = rows.share(y) * columns.share(x);
        const std::size_t at = 3 * (y * static_cast<std::size_t>(source.width) + x);
        for (std::size_t c = 0; c < 3; ++c) sum[c] += w * source.pixels[at + c];
        weight += w;
      }
    for (std::size_t c = 0; c < 3; ++c)
      out[c] = static_cast<std::uint8_t>(std::lround(sum[c] / weight));
  }

  std::uint8_t* pixel(int x, int y) {
    return picture_.pixels.data() +
           3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(picture_.width) +
                static_cast<std::size_t>(x));
  }

  void fill(const std::vector<Polygon>& polygons, const Brush& brush) {
    const Pixels window = intersection(bounds(polygons), window_);
    if (window.is_empty()) return;
    const Coverage coverage(polygons, window);
    for (int y = 0; y < window.height(); ++y) {
      const std::vector<float> row = coverage.row(y);
      for (int x = 0; x < window.width(); ++x) {
        const double share = row[static_cast<std::size_t>(x)] * brush.opacity;
        if (share > 0) blend(pixel(window.left + x, window.top + y), brush.color, share);
      }
    }
  }

  static void blend(std::uint8_t* at, const Color& color, double share) {
    at[0] = mixed(at[0], color.red, share);
    at[1] = mixed(at[1], color.green, share);
    at[2] = mixed(at[2], color.blue, share);
  }

  double scale_;
  Picture picture_;
  Pixels window_;  ///< the visible part of the current shape
};

}  // namespace

Picture picture_of(const Drawing::Impl& drawing, double scale) {
  Painter painter(drawing, scale);
  for (const Item& item : drawing.items) painter.paint(item);
  return painter.release();
}

}  // namespace kith::io

// A sheet to draw on: a list of shapes that the back ends (pixels, SVG, PDF) go through alike.
//
// x to the right, y down, in units of the sheet.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <kith/io/figure.hpp>

namespace kith::io {

struct Place {
  double x = 0;
  double y = 0;
};

struct Rect {
  double left = 0, top = 0, width = 0, height = 0;
  double right() const { return left + width; }
  double bottom() const { return top + height; }
};

/// The role of a color: a page that shows the drawing may have other colors for some.
enum class Tone { fixed, paper, ink, faint };

struct Brush {
  Color color = {};
  Tone tone = Tone::fixed;
  double opacity = 1;
};

inline constexpr Brush kPaper{{255, 255, 255}, Tone::paper};
inline constexpr Brush kInk{{32, 36, 44}, Tone::ink};
inline constexpr Brush kFaint{{218, 221, 226}, Tone::faint};
inline constexpr Brush kWhite{{255, 255, 255}};
inline constexpr Brush kBlack{{0, 0, 0}};

struct Stroke {
  Brush brush = kInk;
  double width = 1;
  std::vector<double> dashes = {};  ///< lengths drawn and left out in turn; empty: all drawn
};

/// A row of straight lines, or the area inside them.
struct Path {
  std::vector<Place> places;
  bool is_filled = false;
  Stroke stroke = {};  ///< of an area, only the brush counts
};

struct Circle {
  Place center;
  double radius = 1;
  bool is_filled = false;
  Stroke stroke = {};
};

enum class Anchor { start, middle, end };

struct Label {
  Place at;  ///< on the base line
  std::string text;
  double size = 12;
  Anchor anchor = Anchor::start;
  bool is_upright = true;  ///< false: written from below
  Brush brush = kInk;
  std::optional<Brush> rim = {};  ///< around the letters, so that they are readable on a picture
};

struct Raster {
  Rect rect;
  Picture picture;
};

using Shape = std::variant<Path, Circle, Label, Raster>;

struct Item {
  Shape shape;
  std::optional<Rect> clip = {};  ///< nothing is drawn outside
};

class Canvas {
 public:
  Canvas(double width, double height);

  void add(Shape shape) { items_.push_back({std::move(shape), clip_}); }
  void line(Place from, Place to, const Stroke& stroke = {}) {
    add(Path{{from, to}, false, stroke});
  }
  void frame(const Rect& rect, const Stroke& stroke = {});
  void fill(const Rect& rect, const Brush& brush);

  /// For shapes that are added from now on.
  void clip_to(std::optional<Rect> rect) { clip_ = rect; }

  Drawing finish() &&;

 private:
  double width_;
  double height_;
  std::optional<Rect> clip_;
  std::vector<Item> items_;
};

}  // namespace kith::io

namespace kith {

class Drawing::Impl {
 public:
  double width = 0;
  double height = 0;
  std::vector<io::Item> items;
};

}  // namespace kith

namespace kith::io {

/// The back ends.
std::string svg_of(const Drawing::Impl& drawing);
std::string pdf_of(const Drawing::Impl& drawing);
Picture picture_of(const Drawing::Impl& drawing, double scale);

/// A PNG file in memory; Error (io) if libpng fails, cancelled. `what` names it in messages.
std::string encode_png(const Picture& picture, const std::string& what, const Execution& execution);

}  // namespace kith::io

// Drawings as SVG.
#include <cmath>

#include "base/format.hpp"
#include "drawing/canvas.hpp"
#include "drawing/markup.hpp"
#include "drawing/text.hpp"

namespace kith::io {
namespace {

std::string hex(const Color& c) { return formatted("#{:02x}{:02x}{:02x}", c.red, c.green, c.blue); }

/// The class by which a page recolors a shape. Attributes give way to any style sheet.
std::string class_of(const Brush& brush, bool is_filled) {
  switch (brush.tone) {
    case Tone::paper: return R"( class="paper")";
    case Tone::ink: return is_filled ? R"( class="text")" : R"( class="ink")";
    case Tone::faint: return R"( class="faint")";
    case Tone::fixed: break;
  }
  return "";
}

std::string attributes_of(bool is_filled, const Stroke& stroke) {
  const Brush& brush = stroke.brush;
  std::string text = class_of(brush, is_filled);
  if (is_filled) {
    text += formatted(R"( fill="{}")", hex(brush.color));
    if (brush.opacity < 1) text += formatted(R"( fill-opacity="{}")", decimal(brush.opacity));
    return text;
  }
  text += formatted(R"( fill="none" stroke="{}" stroke-width="{}")", hex(brush.color),
                    decimal(stroke.width));
  if (brush.opacity < 1) text += formatted(R"( stroke-opacity="{}")", decimal(brush.opacity));
  if (stroke.dashes.empty()) return text;
  std::string dashes;
  for (const double d : stroke.dashes)
    dashes += formatted("{}{}", dashes.empty() ? "" : " ", decimal(d));
  return text + formatted(R"( stroke-dasharray="{}")", dashes);
}

std::string element(const Path& path) {
  std::string d;
  for (const Place& p : path.places)
    d += formatted("{}{} {}", d.empty() ? 'M' : 'L', decimal(p.x), decimal(p.y));
  if (path.is_filled) d += 'Z';
  return formatted("<path d=\"{}\"{}/>\n", d, attributes_of(path.is_filled, path.stroke));
}

std::string element(const Circle& circle) {
  return formatted("<circle cx=\"{}\" cy=\"{}\" r=\"{}\"{}/>\n", decimal(circle.center.x),
                   decimal(circle.center.y), decimal(circle.radius),
                   attributes_of(circle.is_filled, circle.stroke));
}

/// The runs of a label; a shift of the base line lasts until the next one undoes it.
std::string spans(const Label& label) {
  std::string text;
  double rise = 0;
  for (const Run& run : runs_of(label.text)) {
    const std::string letters = escaped(run.text);
    if (run.scale == 1 && run.rise == rise) {
      text += letters;
      continue;
    }
    text += formatted(R"(<tspan dy="{}" font-size="{}">{}</tspan>)",
                      decimal((rise - run.rise) * label.size), decimal(run.scale * label.size),
                      letters);
    rise = run.rise;
  }
  return text;
}

std::string element(const Label& label) {
  constexpr const char* kAnchors[] = {"start", "middle", "end"};
  std::string rest = class_of(label.brush, true);
  if (label.rim)
    rest +=
        formatted(R"( stroke="{}" stroke-opacity="{}" stroke-width="{}" )"
                  R"(stroke-linejoin="round" paint-order="stroke")",
                  hex(label.rim->color), decimal(label.rim->opacity), decimal(label.size * kRim));
  if (!label.is_upright)
    rest += formatted(" transform=\"rotate(-90 {} {})\"", decimal(label.at.x), decimal(label.at.y));
  return formatted(
      "<text x=\"{}\" y=\"{}\" font-size=\"{}\" text-anchor=\"{}\" fill=\"{}\"{}>{}</text>\n",
      decimal(label.at.x), decimal(label.at.y), decimal(label.size),
      kAnchors[static_cast<int>(label.anchor)], hex(label.brush.color), rest, spans(label));
}

std::string element(const Raster& raster) {
  const std::string png = encode_png(raster.picture, "svg", {});
  return formatted(
      "<image x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" preserveAspectRatio=\"none\" "
      "href=\"data:image/png;base64,{}\"/>\n",
      decimal(raster.rect.left), decimal(raster.rect.top), decimal(raster.rect.width),
      decimal(raster.rect.height), base64(png));
}

bool is_same(const std::optional<Rect>& a, const std::optional<Rect>& b) {
  if (!a || !b) return !a && !b;
  return a->left == b->left && a->top == b->top && a->width == b->width && a->height == b->height;
}

/// An inner element that clips its shapes: a clip path would need a name, and the names
/// of two drawings on one page would clash.
std::string window(const Rect& r) {
  const std::string x = decimal(r.left);
  const std::string y = decimal(r.top);
  const std::string width = decimal(r.width);
  const std::string height = decimal(r.height);
  return formatted(
      "<svg x=\"{0}\" y=\"{1}\" width=\"{2}\" height=\"{3}\" viewBox=\"{0} {1} {2} {3}\">\n", x, y,
      width, height);
}

}  // namespace

std::string svg_of(const Drawing::Impl& drawing) {
  const std::string width = decimal(drawing.width);
  const std::string height = decimal(drawing.height);
  std::string text = formatted(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\" font-family=\"Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', "
      "sans-serif\" stroke-linejoin=\"round\" role=\"img\">\n",
      width, height);
  std::optional<Rect> clip;
  for (const Item& item : drawing.items) {
    if (!is_same(item.clip, clip)) {
      if (clip) text += "</svg>\n";
      if (item.clip) text += window(*item.clip);
      clip = item.clip;
    }
    text += std::visit([](const auto& shape) { return element(shape); }, item.shape);
  }
  if (clip) text += "</svg>\n";
  return text + "</svg>\n";
}

}  // namespace kith::io

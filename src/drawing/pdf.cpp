// Drawings as PDF 1.4: one page, for papers. Letters are drawn with the pen of the pictures, so
// that a page needs no font and looks the same everywhere.
#include <algorithm>
#include <map>
#include <utility>
#include <zlib.h>

#include "base/fail.hpp"
#include "base/format.hpp"
#include "drawing/canvas.hpp"
#include "drawing/markup.hpp"
#include "drawing/text.hpp"

namespace kith::io {
namespace {

constexpr double kPointsPerUnit = 0.75;  // a unit is a pixel of a web page, 1/96 inch
/// Where the control points of a quarter of a circle are, in units of its radius.
constexpr double kQuarter = 0.5522847498;

std::string deflated(const std::string& bytes) {
  uLongf size = compressBound(bytes.size());
  std::string packed(size, '\0');
  if (compress(reinterpret_cast<Bytef*>(packed.data()), &size,
               reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()) != Z_OK)
    fail(ErrorCode::out_of_memory, "pdf: zlib found no memory for {} bytes", bytes.size());
  packed.resize(size);
  return packed;
}

/// The objects of a file, numbered from 1, and the table of their offsets at its end.
class Objects {
 public:
  /// Adds an object; returns its number.
  int add(const std::string& content) {
    offsets_.push_back(bytes_.size());
    bytes_ += formatted("{} 0 obj\n{}\nendobj\n", offsets_.size(), content);
    return static_cast<int>(offsets_.size());
  }
  int add_stream(const std::string& entries, const std::string& content) {
    const std::string packed = deflated(content);
    return add(formatted("<< {} /Filter /FlateDecode /Length {} >>\nstream\n{}\nendstream", entries,
                         packed.size(), packed));
  }
  std::string finish(int root) && {
    const std::size_t table = bytes_.size();
    bytes_ += formatted("xref\n0 {}\n0000000000 65535 f \n", offsets_.size() + 1);
    for (const std::size_t offset : offsets_) bytes_ += formatted("{:010} 00000 n \n", offset);
    bytes_ += formatted("trailer\n<< /Size {} /Root {} 0 R >>\nstartxref\n{}\n%%EOF\n",
                        offsets_.size() + 1, root, table);
    return std::move(bytes_);
  }

 private:
  /// The second line marks the file as binary.
  std::string bytes_ = "%PDF-1.4\n%\xe2\xe3\xcf\xd3\n";
  std::vector<std::size_t> offsets_;
};

/// The commands that draw a page, and the pictures and opacities that they refer to by number.
class Page {
 public:
  explicit Page(Objects& objects) : objects_(objects) {}

  void draw(const Item& item) {
    text_ += "q\n";
    if (item.clip) {
      const Rect& r = *item.clip;
      text_ += formatted("{} {} {} {} re W n\n", decimal(r.left), decimal(r.top), decimal(r.width),
                         decimal(r.height));
    }
    std::visit([this](const auto& shape) { draw(shape); }, item.shape);
    text_ += "Q\n";
  }

  const std::string& text() const { return text_; }

  std::string resources() const {
    std::string images;
    for (std::size_t i = 0; i < images_.size(); ++i)
      images += formatted("/I{} {} 0 R ", i, images_[i]);
    std::string states;
    for (const auto& [opacity, i] : opacities_)
      states += formatted("/G{} << /ca {} /CA {} >> ", i, opacity, opacity);
    return formatted("<< /XObject << {}>> /ExtGState << {}>> >>", images, states);
  }

 private:
  /// Sets the color of areas (rg) or of lines (RG).
  void use(const Brush& brush, const char* command) {
    const auto share = [](std::uint8_t byte) { return decimal(byte / 255.0); };
    text_ += formatted("{} {} {} {}\n", share(brush.color.red), share(brush.color.green),
                       share(brush.color.blue), command);
    if (brush.opacity >= 1) return;
    const auto known = opacities_.try_emplace(decimal(brush.opacity), opacities_.size()).first;
    text_ += formatted("/G{} gs\n", known->second);
  }
  void use(const Stroke& stroke) {
    use(stroke.brush, "RG");
    std::string dashes;
    for (const double length : stroke.dashes) dashes += decimal(length) + " ";
    text_ += formatted("{} w 1 j [{}] 0 d\n", decimal(stroke.width), dashes);
  }

  void trace(const std::vector<Place>& places) {
    for (std::size_t i = 0; i < places.size(); ++i)
      text_ +=
          formatted("{} {} {}\n", decimal(places[i].x), decimal(places[i].y), i > 0 ? 'l' : 'm');
  }

  void draw(const Path& path) {
    if (path.is_filled)
      use(path.stroke.brush, "rg");
    else
      use(path.stroke);
    trace(path.places);
    text_ += path.is_filled ? "f\n" : "S\n";
  }

  void draw(const Circle& circle) {
    if (circle.is_filled)
      use(circle.stroke.brush, "rg");
    else
      use(circle.stroke);
    const auto at = [&](double x, double y) {
      return formatted("{} {} ", decimal(circle.center.x + x * circle.radius),
                       decimal(circle.center.y + y * circle.radius));
    };
    text_ += at(1, 0) + "m\n";
    double x = 1, y = 0;
    for (int quarter = 0; quarter < 4; ++quarter) {
      text_ += at(x - y * kQuarter, y + x * kQuarter) + at(-y + x * kQuarter, x + y * kQuarter) +
               at(-y, x) + "c\n";
      x = std::exchange(y, x) * -1;
    }
    text_ += circle.is_filled ? "h f\n" : "h S\n";
  }

  void draw(const Label& label) {
    const auto strokes = placed_lettering(label);
    if (label.rim) write(strokes, (kPen + kRim) * label.size, *label.rim);
    write(strokes, kPen * label.size, label.brush);
  }
  void write(const std::vector<std::vector<Place>>& strokes, double pen, const Brush& brush) {
    text_ += "q\n";  // an opacity must not outlast the rim
    use(brush, "RG");
    text_ += formatted("{} w 1 j 1 J\n", decimal(pen));
    for (const auto& stroke : strokes) trace(stroke);
    text_ += "S\nQ\n";
  }

  void draw(const Raster& raster) {
    const Picture& p = raster.picture;
    const std::string pixels(reinterpret_cast<const char*>(p.pixels.data()), p.pixels.size());
    images_.push_back(objects_.add_stream(
        formatted("/Type /XObject /Subtype /Image /Width {} /Height {} /ColorSpace /DeviceRGB "
                  "/BitsPerComponent 8",
                  p.width, p.height),
        pixels));
    // A picture fills the unit square, its first row at the top.
    text_ += formatted("{} 0 0 {} {} {} cm /I{} Do\n", decimal(raster.rect.width),
                       decimal(-raster.rect.height), decimal(raster.rect.left),
                       decimal(raster.rect.bottom()), images_.size() - 1);
  }

  Objects& objects_;
  std::string text_;
  std::vector<int> images_;                       ///< the numbers of their objects
  std::map<std::string, std::size_t> opacities_;  ///< numbered in order of appearance
};

}  // namespace

std::string pdf_of(const Drawing::Impl& drawing) {
  Objects objects;
  Page page(objects);
  for (const Item& item : drawing.items) page.draw(item);
  const double width = drawing.width * kPointsPerUnit;
  const double height = drawing.height * kPointsPerUnit;
  const std::string flip = formatted("{} 0 0 {} 0 {} cm\n", decimal(kPointsPerUnit),
                                     decimal(-kPointsPerUnit), decimal(height));
  const int content = objects.add_stream("", flip + page.text());
  const int pages = content + 2;  // the page names its parent, which comes after it
  objects.add(
      formatted("<< /Type /Page /Parent {} 0 R /MediaBox [0 0 {} {}] /Contents {} 0 R "
                "/Resources {} >>",
                pages, decimal(width), decimal(height), content, page.resources()));
  objects.add(formatted("<< /Type /Pages /Kids [{} 0 R] /Count 1 >>", pages - 1));
  const int root = objects.add(formatted("<< /Type /Catalog /Pages {} 0 R >>", pages));
  return std::move(objects).finish(root);
}

}  // namespace kith::io

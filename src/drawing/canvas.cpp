#include "drawing/canvas.hpp"

#include "base/access.hpp"
#include "base/fail.hpp"
#include "files/atomic_file.hpp"
#include "parallel/public_call.hpp"

namespace kith {
namespace io {

Canvas::Canvas(double width, double height) : width_(width), height_(height) {
  fill({0, 0, width, height}, kPaper);
}

void Canvas::frame(const Rect& r, const Stroke& stroke) {
  // Half of the first side is drawn again, so that the first corner is one like the others.
  const Place start{r.left + r.width / 2, r.top};
  add(Path{{start,
            {r.right(), r.top},
            {r.right(), r.bottom()},
            {r.left, r.bottom()},
            {r.left, r.top},
            start},
           false,
           stroke});
}

void Canvas::fill(const Rect& r, const Brush& brush) {
  add(Path{{{r.left, r.top}, {r.right(), r.top}, {r.right(), r.bottom()}, {r.left, r.bottom()}},
           true,
           {brush}});
}

Drawing Canvas::finish() && {
  auto impl = std::make_shared<Drawing::Impl>();
  impl->width = width_;
  impl->height = height_;
  impl->items = std::move(items_);
  return wrap_impl<Drawing>(std::move(impl));
}

}  // namespace io

double Drawing::width() const { return impl_->width; }
double Drawing::height() const { return impl_->height; }
std::string Drawing::svg() const {
  return public_call("svg", [&] { return io::svg_of(*impl_); });
}

std::string Drawing::pdf() const {
  return public_call("pdf", [&] { return io::pdf_of(*impl_); });
}

Picture Drawing::picture(double scale) const {
  return public_call("picture", [&] {
    constexpr double kMaxPixels = 16384;
    const double longer = std::max(impl_->width, impl_->height) * scale;
    if (!(scale > 0) || !(longer <= kMaxPixels))
      refuse("picture: {} pixels for each of {} x {} units; give a scale up to {:.4g}", scale,
             impl_->width, impl_->height, kMaxPixels / std::max(impl_->width, impl_->height));
    return io::picture_of(*impl_, scale);
  });
}

void check_drawing_path(const std::string& path) {
  const std::string_view name = path;
  if (!name.ends_with(".svg") && !name.ends_with(".png") && !name.ends_with(".pdf"))
    refuse("{}: unknown picture format; use .png, .svg or .pdf", path);
}

void write_drawing(const std::string& path, const Drawing& drawing, double scale,
                   const Execution& execution) {
  public_call("write_drawing", execution, [&] {
    check_drawing_path(path);
    if (std::string_view(path).ends_with(".png"))
      return write_png(path, drawing.picture(scale), execution);
    const std::string text =
        std::string_view(path).ends_with(".pdf") ? drawing.pdf() : drawing.svg();
    io::AtomicFile file(path);
    file.write(text.data(), text.size());
    file.commit();
  });
}

}  // namespace kith

#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <new>
#include <png.h>
#include <string>
#include <utility>
#include <vector>

#include <kith/io/picture.hpp>

#include "base/fail.hpp"
#include "drawing/canvas.hpp"
#include "files/atomic_file.hpp"
#include "parallel/public_call.hpp"

namespace kith {
namespace {

/// The colors of a picture that has few of them, and the color of each pixel as a byte.
struct Palette {
  std::vector<png_color> colors;    ///< none: the picture has more than 256
  std::vector<std::uint8_t> index;  ///< of each pixel
};

/// Numbers up to 256 colors in the order in which they come.
class ColorNumbers {
 public:
  static constexpr std::size_t kMost = 256;

  /// kMost for a color beyond the first 256.
  std::size_t number(std::uint32_t color) {
    std::size_t slot = color * 0x9e3779b1U >> (32 - kSlotBits);
    while (number_[slot] != kFree && colors_[number_[slot]] != color) slot = (slot + 1) % kSlots;
    if (number_[slot] == kFree) {
      if (colors_.size() == kMost) return kMost;
      number_[slot] = static_cast<std::uint16_t>(colors_.size());
      colors_.push_back(color);
    }
    return number_[slot];
  }
  const std::vector<std::uint32_t>& colors() const { return colors_; }

 private:
  static constexpr int kSlotBits = 10;
  static constexpr std::size_t kSlots = 1 << kSlotBits;
  static constexpr std::uint16_t kFree = 0xffff;

  std::vector<std::uint16_t> number_ = std::vector<std::uint16_t>(kSlots, kFree);
  std::vector<std::uint32_t> colors_;
};

std::uint32_t brightness(std::uint32_t color) {
  return (color >> 16) + (color >> 8 & 255) + (color & 255);
}

/// From dark to bright: neighbors in a map of colors have indices that differ little, and files
/// with differences of indices are half as large.
Palette palette_of(const Picture& picture) {
  const std::size_t count = picture.pixels.size() / 3;
  Palette palette;
  palette.index.resize(count);
  ColorNumbers numbers;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint8_t* p = &picture.pixels[3 * i];
    const std::size_t number =
        numbers.number(std::uint32_t{p[0]} << 16 | std::uint32_t{p[1]} << 8 | p[2]);
    if (number == ColorNumbers::kMost) return {};
    palette.index[i] = static_cast<std::uint8_t>(number);
  }
  std::vector<std::uint32_t> sorted = numbers.colors();
  std::sort(sorted.begin(), sorted.end(), [](std::uint32_t a, std::uint32_t b) {
    return std::pair(brightness(a), a) < std::pair(brightness(b), b);
  });
  std::uint8_t place[ColorNumbers::kMost] = {};  // in the palette, by number
  for (const std::uint32_t color : sorted) {
    place[numbers.number(color)] = static_cast<std::uint8_t>(palette.colors.size());
    palette.colors.push_back({static_cast<png_byte>(color >> 16),
                              static_cast<png_byte>(color >> 8 & 255),
                              static_cast<png_byte>(color & 255)});
  }
  for (std::uint8_t& index : palette.index) index = place[index];
  return palette;
}

/// The bytes of a PNG file in memory. libpng reports errors by a long jump, which must not cross an
/// object with a destructor: so this function owns none, and writes to memory of the caller.
struct Encoder {
  const CancelToken* cancel = nullptr;
  std::string bytes;
  bool is_out_of_memory = false;
  char problem[128] = "libpng found no memory";

  static void append(png_structp png, png_bytep data, png_size_t size) {
    auto* self = static_cast<Encoder*>(png_get_io_ptr(png));
    if (!self->append_bytes(data, size)) png_error(png, "out of memory");
  }
  /// No exception crosses libpng, and no long jump leaves the handler of one.
  bool append_bytes(const png_byte* data, png_size_t size) noexcept {
    try {
      bytes.append(reinterpret_cast<const char*>(data), size);
      return true;
    } catch (const std::exception&) {
      is_out_of_memory = true;
      return false;
    }
  }
  static void on_error(png_structp png, png_const_charp message) {
    auto* self = static_cast<Encoder*>(png_get_error_ptr(png));
    std::snprintf(self->problem, sizeof self->problem, "%s", message);
    png_longjmp(png, 1);
  }
  static void on_warning(png_structp, png_const_charp) {}
};

bool encode(const Picture& picture, const Palette& palette, Encoder& encoder) {
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &encoder, &Encoder::on_error,
                                            &Encoder::on_warning);
  if (!png) return false;
  png_infop info = png_create_info_struct(png);
  if (!info) {
    png_destroy_write_struct(&png, nullptr);
    return false;
  }
  if (setjmp(png_jmpbuf(png))) {  // alone in its condition, as the standard demands
    png_destroy_write_struct(&png, &info);
    return false;
  }
  png_set_write_fn(png, &encoder, &Encoder::append, nullptr);
  const auto width = static_cast<png_uint_32>(picture.width);
  const bool has_palette = !palette.colors.empty();
  const std::uint8_t* rows = has_palette ? palette.index.data() : picture.pixels.data();
  const std::size_t row_bytes = std::size_t{has_palette ? 1U : 3U} * width;
  png_set_IHDR(png, info, width, static_cast<png_uint_32>(picture.height), 8,
               has_palette ? PNG_COLOR_TYPE_PALETTE : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (has_palette) {
    png_set_PLTE(png, info, palette.colors.data(), static_cast<int>(palette.colors.size()));
    png_set_filter(png, PNG_FILTER_TYPE_DEFAULT, PNG_ALL_FILTERS);
  }
  png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
  png_write_info(png, info);
  for (int y = 0; y < picture.height; ++y) {
    if (encoder.cancel && encoder.cancel->is_cancelled()) png_error(png, "cancelled");
    png_write_row(png, rows + row_bytes * static_cast<std::size_t>(y));
  }
  png_write_end(png, nullptr);
  png_destroy_write_struct(&png, &info);
  return true;
}

void check_picture(const std::string& path, const Picture& picture) {
  const std::size_t needed = std::size_t{3} * static_cast<std::size_t>(std::max(0, picture.width)) *
                             static_cast<std::size_t>(std::max(0, picture.height));
  if (needed == 0 || needed != picture.pixels.size())
    refuse("{}: a picture of {} x {} with {} bytes; give a positive size and 3 bytes per pixel",
           path, picture.width, picture.height, picture.pixels.size());
}

}  // namespace

std::string io::encode_png(const Picture& picture, const std::string& what,
                           const Execution& execution) {
  check_picture(what, picture);
  Encoder encoder;
  encoder.cancel = execution.cancel;
  const Palette palette = palette_of(picture);
  const bool is_encoded = encode(picture, palette, encoder);
  if (execution.cancel && execution.cancel->is_cancelled())
    fail(ErrorCode::cancelled, "{}: cancelled by the caller", what);
  if (encoder.is_out_of_memory) throw std::bad_alloc();
  if (!is_encoded)
    fail(ErrorCode::io, "{}: the picture cannot be encoded: {}", what, encoder.problem);
  return std::move(encoder.bytes);
}

void write_png(const std::string& path, const Picture& picture, const Execution& execution) {
  public_call("write_png", execution, [&] {
    const std::string bytes = io::encode_png(picture, path, execution);
    io::AtomicFile file(path);
    file.write(bytes.data(), bytes.size());
    file.commit();
  });
}

}  // namespace kith

// PNG files, read back by libpng.
#include <gtest/gtest.h>
#include <png.h>

#include <kith/io/picture.hpp>

#include "support/expect_error.hpp"
#include "support/folder.hpp"

namespace kith {
namespace {

using test::expect_error;
using test::Folder;

Picture gradient(int width, int height) {
  Picture picture{width, height, {}};
  for (int i = 0; i < width * height * 3; ++i)
    picture.pixels.push_back(static_cast<std::uint8_t>(i * 7 % 256));
  return picture;
}

/// Writes a picture and reads it back.
void expect_same_back(const Picture& picture) {
  const Folder folder;
  write_png(folder / "a.png", picture);
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  ASSERT_TRUE(png_image_begin_read_from_file(&image, (folder / "a.png").c_str()));
  image.format = PNG_FORMAT_RGB;
  std::vector<std::uint8_t> pixels(PNG_IMAGE_SIZE(image));
  ASSERT_TRUE(png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr));
  EXPECT_EQ(image.width, static_cast<png_uint_32>(picture.width));
  EXPECT_EQ(image.height, static_cast<png_uint_32>(picture.height));
  EXPECT_EQ(pixels, picture.pixels);
}

TEST(Png, ComesBackAsItWas) {
  expect_same_back(gradient(37, 21));  // few colors: a file with a palette
  Picture colorful = gradient(37, 21);
  for (std::size_t i = 0; i < colorful.pixels.size(); i += 3)
    colorful.pixels[i] = static_cast<std::uint8_t>(i / 3 * 11 / 256);
  expect_same_back(colorful);
  for (const int colors : {1, 255, 256, 257}) {
    Picture picture{colors, 2, {}};
    for (int i = 0; i < 2 * colors; ++i)
      for (const int part : {i % colors & 255, i % colors >> 8, 7})
        picture.pixels.push_back(static_cast<std::uint8_t>(part));
    expect_same_back(picture);
  }
}

TEST(Png, IsTheSameFileEachTime) {
  const Folder folder;
  write_png(folder / "a.png", gradient(10, 10));
  write_png(folder / "b.png", gradient(10, 10));
  EXPECT_EQ(folder.read("a.png"), folder.read("b.png"));
  EXPECT_EQ(folder.names().size(), 2U);
}

TEST(Png, RefusesWhatIsNoPictureAndStopsWhenTold) {
  const Folder folder;
  expect_error(ErrorCode::invalid_argument, "a.png: a picture of 0 x 0 with 0 bytes",
               [&] { write_png(folder / "a.png", {}); });
  Picture torn = gradient(4, 4);
  torn.pixels.pop_back();
  expect_error(ErrorCode::invalid_argument, "47 bytes", [&] { write_png(folder / "a.png", torn); });
  expect_error(ErrorCode::io, "cannot be opened",
               [&] { write_png(folder / "x/a.png", gradient(4, 4)); });
  const CancelToken token;
  token.cancel();
  expect_error(ErrorCode::cancelled, "cancelled",
               [&] { write_png(folder / "a.png", gradient(4, 4), {.cancel = &token}); });
  EXPECT_TRUE(folder.names().empty());
}

}  // namespace
}  // namespace kith

// Drawings as PDF: a file that readers accept, with the shapes of the drawing.
#include <gtest/gtest.h>
#include <regex>
#include <string>
#include <zlib.h>

#include <kith/io/figure.hpp>

#include "drawing/canvas.hpp"
#include "drawing/text.hpp"

namespace kith {
namespace {

/// The objects of a file by its table of offsets, which must be right.
std::vector<std::string> objects_of(const std::string& pdf) {
  const std::size_t table = std::stoul(pdf.substr(pdf.rfind("startxref") + 10));
  std::smatch head;
  const std::string rest = pdf.substr(table);
  EXPECT_TRUE(std::regex_search(rest, head, std::regex("^xref\n0 (\\d+)\n0000000000 65535 f \n")));
  std::vector<std::string> objects;
  for (std::size_t i = 1; i < std::stoul(head[1]); ++i) {
    const std::size_t line = table + head.length() + 20 * (i - 1);
    EXPECT_EQ(pdf.substr(line + 10, 10), " 00000 n \n");
    const std::size_t begin = std::stoul(pdf.substr(line, 10));
    const std::string opening = std::to_string(i) + " 0 obj\n";
    EXPECT_EQ(pdf.substr(begin, opening.size()), opening);
    objects.push_back(pdf.substr(begin, pdf.find("\nendobj", begin) - begin));
  }
  return objects;
}

std::string inflated(const std::string& object) {
  const std::size_t begin = object.find("stream\n") + 7;
  std::string bytes(std::size_t{1} << 20, '\0');
  uLongf size = bytes.size();
  EXPECT_EQ(
      uncompress(reinterpret_cast<Bytef*>(bytes.data()), &size,
                 reinterpret_cast<const Bytef*>(object.data() + begin), object.size() - begin),
      Z_OK);
  bytes.resize(size);
  return bytes;
}

std::string content_of(const std::string& pdf) {
  for (const std::string& object : objects_of(pdf))
    if (object.find("<<  /Filter") != std::string::npos) return inflated(object);
  return "";
}

TEST(Pdf, HasThePageAndTheTableOfItsObjects) {
  const std::string pdf = io::Canvas(200, 100).finish().pdf();
  EXPECT_EQ(pdf.substr(0, 9), "%PDF-1.4\n");
  EXPECT_TRUE(pdf.ends_with("%%EOF\n"));
  const auto objects = objects_of(pdf);
  ASSERT_EQ(objects.size(), 4U);
  EXPECT_NE(objects[1].find("/MediaBox [0 0 150 75]"), std::string::npos);
  EXPECT_NE(objects[1].find("/Parent 3 0 R"), std::string::npos);
  EXPECT_NE(pdf.find("/Root 4 0 R"), std::string::npos);
}

TEST(Pdf, HasTheShapesInTheirPlacesAndColors) {
  io::Canvas canvas(200, 100);
  canvas.clip_to(io::Rect{10, 20, 30, 40});
  canvas.line({1, 2}, {3.25, 4}, {{{255, 0, 0}, io::Tone::fixed, 0.5}, 2, {4, 1}});
  canvas.clip_to({});
  canvas.add(io::Circle{{50, 60}, 10, true, {io::kBlack}});
  const std::string pdf = std::move(canvas).finish().pdf();
  const std::string text = content_of(pdf);
  EXPECT_NE(
      text.find(
          "q\n10 20 30 40 re W n\n1 0 0 RG\n/G0 gs\n2 w 1 j [4 1 ] 0 d\n1 2 m\n3.25 4 l\nS\nQ\n"),
      std::string::npos)
      << text;
  EXPECT_NE(pdf.find("/G0 << /ca 0.5 /CA 0.5 >>"), std::string::npos);
  // A circle returns to where it began.
  EXPECT_NE(text.find("0 0 0 rg\n60 60 m\n60 65.523 55.523 70 50 70 c\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find(" 60 60 c\nh f\n"), std::string::npos) << text;
}

TEST(Pdf, HasTheBytesOfPictures) {
  io::Canvas canvas(20, 10);
  const Picture picture{2, 1, {1, 2, 3, 40, 50, 60}};
  canvas.add(io::Raster{{5, 5, 4, 2}, picture});
  const auto objects = objects_of(std::move(canvas).finish().pdf());
  const std::string bytes = inflated(objects[0]);
  EXPECT_EQ(std::vector<std::uint8_t>(bytes.begin(), bytes.end()), picture.pixels);
  EXPECT_NE(objects[0].find("/Width 2 /Height 1"), std::string::npos);
  EXPECT_NE(inflated(objects[1]).find("4 0 0 -2 5 7 cm /I0 Do"), std::string::npos);
}

TEST(Pdf, WritesLettersAsLines) {
  io::Canvas canvas(100, 50);
  io::Label label{{10, 20}, "M_{200}", 12};
  canvas.add(label);
  const std::string text = content_of(std::move(canvas).finish().pdf());
  const std::size_t strokes = io::placed_lettering(label).size();
  std::size_t begun = 0;
  for (auto at = text.find(" m\n"); at != std::string::npos; at = text.find(" m\n", at + 1))
    ++begun;
  EXPECT_EQ(begun, strokes + 1);  // and the paper
}

TEST(Pdf, LettersAreOpaqueOnAFaintRim) {
  io::Canvas canvas(100, 50);
  io::Label label{{10, 20}, "l", 10};
  label.rim = {{0, 0, 0}, io::Tone::fixed, 0.25};
  canvas.add(label);
  const std::string text = content_of(std::move(canvas).finish().pdf());
  EXPECT_TRUE(std::regex_search(
      text, std::regex("q\n0 0 0 RG\n/G0 gs\n[^Q]*S\nQ\nq\n0.125 0.141 0.173 RG\n0.78 w")))
      << text;
}

}  // namespace
}  // namespace kith

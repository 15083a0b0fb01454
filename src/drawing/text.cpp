#include "drawing/text.hpp"

#include <charconv>
#include <cmath>
#include <numbers>

namespace kith::io {
namespace {

constexpr double kSmall = 0.72;  // raised and lowered parts
constexpr double kRaised = 0.38;
constexpr double kLowered = -0.16;

/// Reads the commands of a glyph and draws them.
class Pen {
 public:
  Pen(double unit, Place origin, std::vector<std::vector<Place>>& strokes)
      : unit_(unit), origin_(origin), strokes_(strokes) {}

  void draw(std::string_view path) {
    rest_ = path;
    is_down_ = false;
    while (skip_spaces(), !rest_.empty()) {
      const char command = rest_.front();
      rest_.remove_prefix(1);
      switch (command) {
        case 'M': is_down_ = false; [[fallthrough]];
        case 'L': line_to(place()); break;
        case 'A': {
          const Ellipse e = ellipse();
          const double from = number();
          arc(e, from, number());
          break;
        }
        case 'O':
          is_down_ = false;
          arc(ellipse(), 0, 360);
          is_down_ = false;
          break;
        default: return;  // the test of the font checks that there is none
      }
    }
  }

 private:
  struct Ellipse {
    Place center;
    double rx, ry;
  };

  void skip_spaces() {
    while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
  }
  double number() {
    skip_spaces();
    double value = 0;
    const auto end = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value).ptr;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }
  Place place() {
    const double x = number();
    return {x, number()};
  }
  Ellipse ellipse() {
    const Place center = place();
    const double rx = number();
    return {center, rx, number()};
  }

  void line_to(const Place& p) {
    if (!is_down_) strokes_.emplace_back();
    is_down_ = true;
    strokes_.back().push_back({origin_.x + p.x * unit_, origin_.y - p.y * unit_});
  }
  void arc(const Ellipse& e, double from, double to) {
    const int steps = 1 + static_cast<int>(std::abs(to - from) / 12);
    for (int i = 0; i <= steps; ++i) {
      const double angle = (from + (to - from) * i / steps) * std::numbers::pi / 180;
      line_to({e.center.x + e.rx * std::cos(angle), e.center.y + e.ry * std::sin(angle)});
    }
  }

  double unit_;
  Place origin_;
  std::vector<std::vector<Place>>& strokes_;
  std::string_view rest_;
  bool is_down_ = false;
};

/// The length of a UTF-8 sequence by its first byte; 0 for none.
std::size_t sequence_length(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first < 0xe0) return 2;
  if (first >= 0xe0 && first < 0xf0) return 3;
  return first >= 0xf0 && first < 0xf5 ? 4 : 0;
}

}  // namespace

std::vector<char32_t> code_points(std::string_view text) {
  std::vector<char32_t> result;
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i]);
    const std::size_t length = sequence_length(first);
    bool is_valid = length > 0 && i + length <= text.size();
    char32_t code = length <= 1 ? first : first & (0x7fU >> length);
    for (std::size_t k = 1; is_valid && k < length; ++k) {
      const auto next = static_cast<unsigned char>(text[i + k]);
      is_valid = (next & 0xc0U) == 0x80;
      code = code << 6 | (next & 0x3fU);
    }
    result.push_back(is_valid ? code : U'\ufffd');
    i += is_valid ? length : 1;
  }
  return result;
}

std::vector<Run> runs_of(std::string_view label) {
  std::vector<Run> runs;
  std::string plain;
  const auto flush = [&] {
    if (!plain.empty()) runs.push_back({plain});
    plain.clear();
  };
  for (std::size_t i = 0; i < label.size(); ++i) {
    const bool is_mark =
        (label[i] == '^' || label[i] == '_') && i + 1 < label.size() && label[i + 1] == '{';
    const std::size_t end = is_mark ? label.find('}', i) : std::string_view::npos;
    if (end == std::string_view::npos) {
      plain += label[i];
      continue;
    }
    flush();
    runs.push_back({std::string(label.substr(i + 2, end - i - 2)), kSmall,
                    label[i] == '^' ? kRaised : kLowered});
    i = end;
  }
  flush();
  return runs;
}

Lettering lettering(std::string_view label, double size) {
  Lettering result;
  for (const Run& run : runs_of(label)) {
    const double unit = size * run.scale / kGrid;
    for (const char32_t code : code_points(run.text)) {
      const Glyph& glyph = glyph_of(code);
      Pen(unit, {result.width, -run.rise * size}, result.strokes).draw(glyph.path);
      result.width += glyph.advance * unit;
    }
  }
  return result;
}

std::vector<std::vector<Place>> placed_lettering(const Label& label) {
  Lettering letters = lettering(label.text, label.size);
  const double shift =
      label.anchor == Anchor::start ? 0 : letters.width * (label.anchor == Anchor::end ? 1 : 0.5);
  for (std::vector<Place>& stroke : letters.strokes)
    for (Place& p : stroke) {
      p.x -= shift;
      if (!label.is_upright) p = {p.y, -p.x};
      p = {p.x + label.at.x, p.y + label.at.y};
    }
  return std::move(letters.strokes);
}

double width_of(std::string_view label, double size) {
  double width = 0;
  for (const Run& run : runs_of(label))
    for (const char32_t code : code_points(run.text))
      width += glyph_of(code).advance * size * run.scale / kGrid;
  return width;
}

}  // namespace kith::io

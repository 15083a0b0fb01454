// The reader of PLY files: the vertices, in text or binary of either byte order.
#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "base/fail.hpp"
#include "snapshots/table.hpp"
#include "snapshots/text_table.hpp"

namespace kith::io {
namespace {

constexpr std::size_t kMostHeader = std::size_t{1} << 16;

enum class Encoding { ascii, little, big };

struct Element {
  std::string name;
  std::uint64_t count = 0;
  std::vector<std::string> properties;
  std::vector<Number> numbers;
  bool has_list = false;
};

struct PlyHeader {
  Encoding encoding = Encoding::ascii;
  std::vector<Element> elements;
  std::size_t bytes = 0;
  std::uint64_t lines = 0;
};

std::optional<Number> ply_number(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, Number>, 16> kNames = {
      {{"char", Number::i8},
       {"int8", Number::i8},
       {"uchar", Number::u8},
       {"uint8", Number::u8},
       {"short", Number::i16},
       {"int16", Number::i16},
       {"ushort", Number::u16},
       {"uint16", Number::u16},
       {"int", Number::i32},
       {"int32", Number::i32},
       {"uint", Number::u32},
       {"uint32", Number::u32},
       {"float", Number::f32},
       {"float32", Number::f32},
       {"double", Number::f64},
       {"float64", Number::f64}}};
  for (const auto& [known, number] : kNames)
    if (name == known) return number;
  return std::nullopt;
}

/// Line by line through the header.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& where) : text_(text), where_(where) {}

  PlyHeader parse() {
    if (next_line() != "ply") damaged("is not a PLY file: the first bytes are wrong");
    for (std::string_view line = next_line(); line != "end_header"; line = next_line())
      parse_line(line);
    header_.bytes = position_;
    return std::move(header_);
  }

 private:
  [[noreturn]] void damaged(std::string_view what) const {
    fail(ErrorCode::io, "{}: {}", where_, what);
  }

  std::string_view next_line() {
    const std::size_t end = text_.find('\n', position_);
    if (end == std::string_view::npos) damaged("the PLY header does not end");
    std::string_view line = text_.substr(position_, end - position_);
    position_ = end + 1;
    ++header_.lines;
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }

  void parse_line(std::string_view line) {
    split(line, Separator::space, words_);
    if (words_.empty() || words_[0] == "comment" || words_[0] == "obj_info") return;
    if (words_[0] == "format" && words_.size() == 3) return parse_format();
    if (words_[0] == "element" && words_.size() == 3) return parse_element();
    if (words_[0] == "property" && words_.size() >= 3 && !header_.elements.empty())
      return parse_property();
    damaged(formatted("\"{}\" in the PLY header is not understood", line.substr(0, 60)));
  }

  void parse_format() {
    if (words_[1] == "ascii")
      header_.encoding = Encoding::ascii;
    else if (words_[1] == "binary_little_endian")
      header_.encoding = Encoding::little;
    else if (words_[1] == "binary_big_endian")
      header_.encoding = Encoding::big;
    else
      damaged(formatted("the PLY format {} is not known", words_[1].substr(0, 40)));
  }

  void parse_element() {
    Element element;
    element.name = words_[1];
    if (!parse_number(words_[2], element.count))
      damaged(formatted("{} elements in the PLY header", words_[2].substr(0, 40)));
    header_.elements.push_back(std::move(element));
  }

  void parse_property() {
    Element& element = header_.elements.back();
    if (words_[1] == "list") {
      element.has_list = true;
      return;
    }
    const auto number = ply_number(words_[1]);
    if (!number || words_.size() != 3)
      damaged(formatted("the PLY property type {} is not known", words_[1].substr(0, 40)));
    element.numbers.push_back(*number);
    element.properties.emplace_back(words_[2]);
  }

  std::string_view text_;
  const std::string& where_;
  std::size_t position_ = 0;
  std::vector<std::string_view> words_;
  PlyHeader header_;
};

std::size_t bytes_of_row(const Element& element) {
  std::size_t bytes = 0;
  for (const Number number : element.numbers) bytes += bytes_of(number);
  return bytes;
}

class PlyReader : public SnapshotReader {
 public:
  PlyReader(const std::string& path, const SnapshotOptions& options) : file_(path) {
    info.format = FileFormat::ply;
    info.files = {path};
    header_ = HeaderParser(file_.text(0, kMostHeader), path).parse();
    begin_ = header_.bytes;
    vertex_ = find_vertex();
    columns_ = choose_columns(vertex_.properties, options, path);
    for (const std::size_t column : columns_.at(Field::position))
      if (bytes_of(vertex_.numbers[column]) > 4 || vertex_.numbers[column] == Number::i32 ||
          vertex_.numbers[column] == Number::u32)
        info.position_scalar = Scalar::float64;
    // A row of text has a digit and the end of a line for every number; the last end may be
    // missing.
    const std::uint64_t row = is_ascii() ? 2 * vertex_.numbers.size() : bytes_of_row(vertex_);
    const std::uint64_t bytes = file_.size() + (is_ascii() ? 1 : 0);
    if (vertex_.count > 0) checked_bytes(vertex_.count, row, begin_, bytes, path);
    set_columns(info, columns_, vertex_.count);
  }

  void read(Field field, const SnapshotType&, const RowRange& rows, const Target& to,
            const Workers& workers) const override {
    const auto& columns = columns_.at(field);
    if (is_ascii()) return read_ascii(rows, columns, to, workers);
    const RowLayout rows_layout = layout(columns);
    const auto bytes =
        stream(file_, begin_ + rows.begin * rows_layout.bytes, rows.count * rows_layout.bytes);
    read_rows(*bytes, rows_layout, rows.count, to, 0, workers, file_.path());
  }

 private:
  bool is_ascii() const { return header_.encoding == Encoding::ascii; }

  /// Rows of text have different lengths: all rows before are read and dropped.
  void read_ascii(const RowRange& rows, const std::vector<std::size_t>& columns, const Target& to,
                  const Workers& workers) const {
    Lines lines(file_, begin_, header_.lines);
    std::string_view line;
    for (std::uint64_t i = 0; i < skipped_lines_ && lines.next(line); ++i)
      workers.check_cancelled();
    for (std::uint64_t i = 0; i < rows.begin && lines.next(line);) {
      workers.check_cancelled();
      if (!is_comment(line)) ++i;
    }
    read_lines(lines, rows.count, Separator::space, columns, to, workers, file_.path());
  }

  /// Elements before the vertices are skipped.
  Element find_vertex() {
    for (const Element& element : header_.elements) {
      if (element.has_list)
        fail(ErrorCode::io, "{}: the PLY element {} has lists {} the vertices; that is not read",
             file_.path(), element.name.substr(0, 40),
             element.name == "vertex" ? "among" : "in front of");
      if (element.name == "vertex") {
        if (element.properties.empty())
          fail(ErrorCode::io, "{}: the vertices have no properties", file_.path());
        return element;
      }
      if (is_ascii())
        skipped_lines_ += element.count;
      else
        begin_ +=
            checked_bytes(element.count, bytes_of_row(element), begin_, file_.size(), file_.path());
    }
    fail(ErrorCode::io, "{}: the PLY file has no vertices", file_.path());
  }

  RowLayout layout(const std::vector<std::size_t>& columns) const {
    std::vector<std::size_t> offsets{0};
    for (const Number number : vertex_.numbers)
      offsets.push_back(offsets.back() + bytes_of(number));
    RowLayout result{bytes_of_row(vertex_), {}};
    for (const std::size_t column : columns)
      result.columns.push_back(
          {{vertex_.numbers[column], header_.encoding == Encoding::big}, offsets[column]});
    return result;
  }

  InputBytes file_;
  PlyHeader header_;
  std::uint64_t begin_ = 0;
  std::uint64_t skipped_lines_ = 0;
  Element vertex_;
  FieldColumns columns_;
};

}  // namespace

ReaderPointer open_ply(const std::string& path, const ReaderOptions& options) {
  return std::make_unique<PlyReader>(path, options);
}

}  // namespace kith::io

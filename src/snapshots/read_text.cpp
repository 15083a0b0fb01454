// The reader of text with columns of numbers: .csv, .xyz, .txt and their like.
#include <string_view>

#include "base/fail.hpp"
#include "snapshots/text_table.hpp"

namespace kith::io {
namespace {

/// What is found at the beginning of a text.
struct Preamble {
  std::vector<std::string> names;   ///< one for each column, empty where there are none
  std::uint64_t skipped_lines = 0;  ///< in front of the first row
  std::uint64_t promised_rows = 0;  ///< of a molecule file
};

bool has_only_numbers(const std::vector<std::string_view>& words) {
  for (const std::string_view word : words) {
    double value = 0;
    if (!parse_number(word, value)) return false;
  }
  return true;
}

std::vector<std::string> names_in(std::string_view line) {
  while (!line.empty() && (line.front() == '#' || line.front() == '/' || line.front() == ' '))
    line.remove_prefix(1);
  std::vector<std::string_view> words;
  split(line, words);
  std::vector<std::string> names;
  for (std::string_view word : words) {
    if (word.size() >= 2 && word.front() == '"' && word.back() == '"')
      word = word.substr(1, word.size() - 2);
    names.emplace_back(word);
  }
  return names;
}

/// The number of atoms, a line of comment, and rows that begin with the name of an element.
bool is_molecule(const std::string& path, const std::vector<std::string_view>& words,
                 std::uint64_t& rows) {
  return path.ends_with(".xyz") && words.size() == 1 && parse_number(words[0], rows);
}

Preamble molecule(Lines& lines, std::uint64_t skipped, std::uint64_t rows) {
  Preamble result;
  result.skipped_lines = skipped + 2;
  result.promised_rows = rows;
  std::string_view line;
  std::vector<std::string_view> words;
  if (lines.next(line) && lines.next(line)) split(line, words);
  result.names.resize(words.size());
  double value = 0;
  if (words.size() < 4 || parse_number(words[0], value)) return result;
  for (std::size_t axis = 0; axis < 3; ++axis) result.names[axis + 1] = std::string(1, "xyz"[axis]);
  return result;
}

/// Names stand in the first line that is no comment, or in the last comment before the rows.
Preamble preamble(const InputBytes& file) {
  Lines lines(file, 0);
  std::string_view line;
  std::vector<std::string_view> words;
  std::vector<std::string> comment;
  for (std::uint64_t skipped = 0; lines.next(line); ++skipped) {
    if (is_comment(line)) {
      comment = names_in(line);
      continue;
    }
    split(line, words);
    std::uint64_t rows = 0;
    if (is_molecule(file.path(), words, rows)) return molecule(lines, skipped, rows);
    Preamble result;
    result.skipped_lines = skipped;
    result.names.resize(words.size());
    if (!has_only_numbers(words)) {
      result.names = names_in(line);
      result.skipped_lines = skipped + 1;
    } else if (comment.size() == words.size()) {
      result.names = comment;
    }
    return result;
  }
  return {};
}

class TextReader : public SnapshotReader {
 public:
  TextReader(const std::string& path, const SnapshotOptions& options) : file_(path) {
    info.format = FileFormat::text;
    info.files = {path};
    info.position_scalar = Scalar::float64;
    const Preamble start = preamble(file_);
    if (start.names.empty()) fail(ErrorCode::io, "{}: has no row of numbers", path);
    skipped_ = start.skipped_lines;
    columns_ = choose_columns(start.names, options, path);
    std::uint64_t rows = count_rows();
    if (start.promised_rows > rows)
      fail(ErrorCode::io, "{}: promises {} rows and has {}; it is truncated", path,
           start.promised_rows, rows);
    if (start.promised_rows > 0) rows = start.promised_rows;
    set_columns(info, columns_, rows);
  }

  void read(Field field, const SnapshotType& type, const Target& to,
            const Workers& workers) const override {
    Lines lines(file_, 0);
    skip(lines);
    read_lines(lines, type.count, columns_.at(field), to, workers, file_.path());
  }

 private:
  void skip(Lines& lines) const {
    std::string_view line;
    for (std::uint64_t i = 0; i < skipped_; ++i) lines.next(line);
  }

  std::uint64_t count_rows() const {
    Lines lines(file_, 0);
    skip(lines);
    std::uint64_t rows = 0;
    for (std::string_view line; lines.next(line);) rows += is_comment(line) ? 0 : 1;
    return rows;
  }

  InputBytes file_;
  std::uint64_t skipped_ = 0;
  FieldColumns columns_;
};

}  // namespace

ReaderPointer open_text(const std::string& path, const SnapshotOptions& options) {
  return std::make_unique<TextReader>(path, options);
}

}  // namespace kith::io

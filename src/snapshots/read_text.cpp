// The reader of text with columns of numbers: .csv, .xyz, .txt and their like.
#include <algorithm>
#include <string_view>

#include "base/fail.hpp"
#include "files/utf8.hpp"
#include "snapshots/text_table.hpp"

namespace kith::io {
namespace {

constexpr std::uint64_t kMarked = 1 << 16;   // rows between two places that are remembered
constexpr std::size_t kComments = 256;       // that are kept; Rockstar writes some 20
constexpr std::uint64_t kChecked = 1 << 12;  // rows whose numbers are checked when it is opened

/// The layout of a text, from its beginning.
struct Preamble {
  std::vector<std::string> names;   ///< one for each column, empty where there are none
  std::uint64_t skipped_lines = 0;  ///< in front of the first row
  std::uint64_t promised_rows = 0;  ///< of a molecule file
  bool has_names = false;           ///< a line of them, so that as many columns must follow
  RockstarHeader rockstar = {};
};

bool is_number(std::string_view word) {
  double value = 0;
  return parse_number(word, value);
}

/// Whether it was meant to be a number: "0x10", "1e", "-1.5f", ".5.".
bool begins_as_number(std::string_view word) {
  if (word.starts_with('+') || word.starts_with('-')) word.remove_prefix(1);
  if (word.starts_with('.')) word.remove_prefix(1);
  return !word.empty() && word.front() >= '0' && word.front() <= '9';
}

/// Names, not numbers that are spelled wrong: a row must never be mistaken for names and lost.
bool has_only_names(const std::vector<std::string_view>& words) {
  return std::none_of(words.begin(), words.end(), [](std::string_view word) {
    return is_number(word) || begins_as_number(word);
  });
}

/// Where the text begins: behind the byte order mark that some programs put in front of UTF-8.
std::uint64_t begin_of(const InputBytes& file) { return file.text(0, 3) == "\xef\xbb\xbf" ? 3 : 0; }

std::vector<std::string> names_in(std::string_view line) {
  while (!line.empty() && (line.front() == '#' || line.front() == '/' || line.front() == ' '))
    line.remove_prefix(1);
  std::vector<std::string_view> words;
  split(line, separator_of(line), words);
  std::vector<std::string> names;
  for (std::string_view word : words) {
    if (word.size() >= 2 && word.front() == '"' && word.back() == '"')
      word = word.substr(1, word.size() - 2);
    names.emplace_back(word);
  }
  return names;
}

/// Those that a table of points has even if it has no points.
bool are_names_of_points(const std::vector<std::string>& names) {
  return !sky_columns(names).empty() ||
         std::any_of(names.begin(), names.end(), [](const std::string& name) {
           return name.empty() || name == "x" || name == "X" || name == "x1";
         });
}

/// The number of atoms, a line of comment, and rows that begin with the name of an element.
bool is_molecule(const std::string& name, const std::vector<std::string_view>& words,
                 std::uint64_t& rows) {
  return name.ends_with(".xyz") && words.size() == 1 && parse_number(words[0], rows);
}

Preamble molecule(Lines& lines, std::uint64_t skipped, std::uint64_t rows) {
  Preamble result;
  result.skipped_lines = skipped + 2;
  result.promised_rows = rows;
  std::string_view line;
  std::vector<std::string_view> words;
  if (lines.next(line) && lines.next(line)) split(line, separator_of(line), words);
  result.names.resize(words.size());
  if (words.size() < 4 || is_number(words[0])) return result;
  for (std::size_t axis = 0; axis < 3; ++axis) result.names[axis + 1] = std::string(1, "xyz"[axis]);
  return result;
}

/// Names are in the first line that is not a comment, or in the last comment before the rows that
/// has as many words as the rows.
Preamble preamble(const InputBytes& file, const ReaderOptions& options) {
  Lines lines(file, begin_of(file));
  std::string_view line;
  std::vector<std::string_view> words;
  std::vector<std::vector<std::string>> comments;
  RockstarHeader rockstar;
  for (std::uint64_t skipped = 0; lines.next(line); ++skipped) {
    if (skipped % 65536 == 0) options.check_cancelled();
    if (is_comment(line)) {
      if (comments.size() < kComments)
        comments.push_back(names_in(line));
      else
        comments.back() = names_in(line);
      rockstar.parse(line);
      continue;
    }
    split(line, separator_of(line), words);
    std::uint64_t rows = 0;
    if (is_molecule(options.name, words, rows)) return molecule(lines, skipped, rows);
    Preamble result;
    result.skipped_lines = skipped;
    result.names.resize(words.size());
    if (has_only_names(words)) {
      if (!is_utf8(line))
        fail(ErrorCode::io, "{}: line {} is not UTF-8 text", file.path(), lines.number());
      result.names = names_in(line);
      result.skipped_lines = skipped + 1;
      result.has_names = true;
    } else {
      const auto fitting =
          std::find_if(comments.rbegin(), comments.rend(),
                       [&](const auto& comment) { return comment.size() == words.size(); });
      if (fitting != comments.rend()) result.names = *fitting;
    }
    result.rockstar = rockstar;
    return result;
  }
  return {};
}

class TextReader : public SnapshotReader {
 public:
  TextReader(const std::string& path, const ReaderOptions& options) : file_(path) {
    info.format = FileFormat::text;
    info.files = {path};
    info.position_scalar = Scalar::float64;
    const Preamble start = preamble(file_, options);
    if (start.names.empty()) fail(ErrorCode::io, "{}: has no row of numbers", path);
    columns_ = choose_columns(start.names, options, path);
    const std::uint64_t rows = count_rows(start, options);
    if (rows == 0 && options.columns.empty() && !are_names_of_points(start.names))
      fail(ErrorCode::io, "{}: has words and no row of numbers", path);
    if (start.promised_rows > rows)
      fail(ErrorCode::io, "{}: is cut off: {} of {} rows; copy it again", path, rows,
           start.promised_rows);
    set_columns(info, columns_, rows);
    start.rockstar.apply(info);
    is_sky = options.columns.empty() && !sky_columns(start.names).empty();
  }

  void read(Field field, const SnapshotType&, const RowRange& rows, const Target& to,
            const Workers& workers) const override {
    if (rows.count == 0) return;
    const Mark& mark = marks_[static_cast<std::size_t>(rows.begin / kMarked)];
    Lines lines(file_, mark.offset, mark.lines);
    skip_rows(lines, rows.begin % kMarked, workers);
    read_lines(lines, rows.count, separator_, columns_.at(field), to, workers, file_.path());
  }

 private:
  /// Where a row begins, and how many lines are before it.
  struct Mark {
    std::uint64_t offset, lines;
  };

  static void skip_rows(Lines& lines, std::uint64_t rows, const Workers& workers) {
    std::string_view line;
    while (rows > 0 && lines.next(line)) {
      rows -= is_comment(line) ? 0 : 1;
      if (rows % 4096 == 0) workers.check_cancelled();
    }
  }

  /// Goes once through all lines: every row has as many columns as the first, and the first rows
  /// have numbers where they are needed.
  std::uint64_t count_rows(const Preamble& start, const ReaderOptions& options) {
    Lines lines(file_, begin_of(file_));
    std::string_view line;
    for (std::uint64_t i = 0; i < start.skipped_lines; ++i) lines.next(line);
    const std::uint64_t most = start.promised_rows > 0 ? start.promised_rows : UINT64_MAX;
    std::vector<std::string_view> words;
    std::uint64_t rows = 0, first_line = 0;
    std::size_t width = 0;
    for (Mark mark = mark_of(lines); rows < most && lines.next(line); mark = mark_of(lines)) {
      if (is_comment(line)) continue;
      if (rows == 0) separator_ = separator_of(line);
      split(line, separator_, words);
      if (rows == 0) {
        first_line = lines.number();
        width = words.size();
        check_names(words, first_line, start);
      }
      if (words.size() != width)
        fail(ErrorCode::io, "{}: line {} has {} columns and line {} has {}; rows must be alike",
             file_.path(), lines.number(), words.size(), first_line, width);
      if (rows < kChecked) check_numbers(words, lines.number());
      if (rows++ % kMarked != 0) continue;
      marks_.push_back(mark);
      options.check_cancelled();
    }
    return rows;
  }

  static Mark mark_of(const Lines& lines) { return {lines.offset(), lines.number()}; }

  void check_names(const std::vector<std::string_view>& words, std::uint64_t line,
                   const Preamble& start) const {
    if (start.has_names && words.size() != start.names.size())
      fail(ErrorCode::io, "{}: {} names of columns, but line {} has {} columns", file_.path(),
           start.names.size(), line, words.size());
  }

  /// A first row that holds something else may be names that begin with digits: it is not guessed.
  void check_numbers(const std::vector<std::string_view>& words, std::uint64_t line) const {
    for (const auto& [field, columns] : columns_)
      for (const std::size_t column : columns) check_number(words, column, line, file_.path());
  }

  InputBytes file_;
  Separator separator_ = Separator::space;
  std::vector<Mark> marks_;
  FieldColumns columns_;
};

}  // namespace

ReaderPointer open_text(const std::string& path, const ReaderOptions& options) {
  return std::make_unique<TextReader>(path, options);
}

}  // namespace kith::io

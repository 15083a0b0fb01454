#include "snapshots/text_table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>

#include "base/fail.hpp"

namespace kith::io {
namespace {

constexpr std::size_t kMostLine = std::size_t{1} << 20;
constexpr std::uint64_t kPiece = 1 << 14;  // lines between two looks at the cancel token

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool is_separator(char c) { return c == ',' || c == ';'; }

std::string lower(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

/// The column of this name, in any case.
std::optional<std::size_t> named(const std::vector<std::string>& names, const std::string& name) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (!name.empty() && lower(names[i]) == lower(name)) return i;
  return std::nullopt;
}

/// A column that the caller asked for, by name or by number from 1.
std::size_t asked(const std::vector<std::string>& names, const std::string& column,
                  const std::string& where) {
  if (const auto found = named(names, column)) return *found;
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(column.data(), column.data() + column.size(), number);
  if (error == std::errc() && end == column.data() + column.size() && number >= 1 &&
      number <= names.size())
    return number - 1;
  refuse("{}: no column {}; there are {}, give their names or numbers from 1", where, column,
         names.size());
}

std::vector<std::size_t> all_asked(const std::vector<std::string>& names,
                                   const std::vector<std::string>& columns,
                                   const std::string& where) {
  std::vector<std::size_t> result;
  for (const std::string& column : columns) result.push_back(asked(names, column, where));
  return result;
}

/// x, x y, x y z, or x1 x2 ...: as far as they exist.
std::vector<std::size_t> axes(const std::vector<std::string>& names, const std::string& prefix) {
  std::vector<std::size_t> result;
  for (const char* axis : {"x", "y", "z"}) {
    const auto found = named(names, prefix + axis);
    if (!found) break;
    result.push_back(*found);
  }
  for (int axis = 1; result.size() < kMaxDimension; ++axis) {
    const auto found = named(names, formatted("{}x{}", prefix, axis));
    if (!found) break;
    result.push_back(*found);
  }
  return result;
}

std::vector<std::size_t> default_position(const std::vector<std::string>& names) {
  std::vector<std::size_t> result = axes(names, "");
  if (!result.empty()) return result;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, names.size()); ++i) result.push_back(i);
  return result;
}

template <class T>
void read_into(Lines& lines, std::uint64_t rows, const std::vector<std::size_t>& columns, T* to,
               const Workers& workers, const std::string& where) {
  std::string_view line;
  std::vector<std::string_view> words;
  const std::size_t needed = *std::max_element(columns.begin(), columns.end()) + 1;
  for (std::uint64_t row = 0; row < rows; ++row) {
    if (row % kPiece == 0) workers.check_cancelled();
    do {
      if (!lines.next(line))
        fail(ErrorCode::io, "{}: ends after {} of {} rows; it is truncated", where, row, rows);
    } while (is_comment(line));
    split(line, words);
    if (words.size() < needed)
      fail(ErrorCode::io, "{}: row {} has {} columns, {} are needed", where, row + 1, words.size(),
           needed);
    for (const std::size_t column : columns)
      if (!parse_number(words[column], *to++))
        fail(ErrorCode::io, "{}: row {}, column {}: \"{}\" is no number", where, row + 1,
             column + 1, words[column].substr(0, 40));
    if ((row + 1) % kPiece == 0) workers.advance(kPiece);
  }
  workers.advance(rows % kPiece);
}

/// What is nearest to a number beyond the range of doubles.
double out_of_range(std::string_view word) {
  const bool is_negative = word.starts_with('-');
  if (is_negative) word.remove_prefix(1);
  const bool is_tiny = word.find("e-") != std::string_view::npos ||
                       word.find("E-") != std::string_view::npos || word.starts_with("0.") ||
                       word.starts_with('.');
  return is_tiny ? 0.0 : is_negative ? -HUGE_VAL : HUGE_VAL;
}

template <class T>
bool parse_whole_word(std::string_view word, T& value) {
  if (word.starts_with('+')) word.remove_prefix(1);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if constexpr (std::is_floating_point_v<T>)
    if (error == std::errc::result_out_of_range) value = static_cast<T>(out_of_range(word));
  const bool is_number = error == std::errc() ||
                         (error == std::errc::result_out_of_range && std::is_floating_point_v<T>);
  return is_number && end == word.data() + word.size();
}

}  // namespace

Lines::Lines(const InputBytes& file, std::uint64_t begin)
    : file_(file),
      bytes_(stream(file, begin, file.size() - std::min(begin, file.size()))),
      buffer_(std::min<std::uint64_t>(2 * kMostLine, file.size() + 1)) {}

bool Lines::refill() {
  if (is_ended_) return false;
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  const std::size_t count = bytes_->some(buffer_.data() + end_, buffer_.size() - end_);
  end_ += count;
  is_ended_ = count == 0;
  return count > 0;
}

bool Lines::next(std::string_view& line) {
  std::size_t searched = 0;
  for (;;) {
    const char* from = buffer_.data() + begin_;
    const void* found = std::memchr(from + searched, '\n', end_ - begin_ - searched);
    if (found) {
      line = {from, static_cast<std::size_t>(static_cast<const char*>(found) - from)};
      begin_ += line.size() + 1;
      break;
    }
    searched = end_ - begin_;
    if (searched > kMostLine)
      fail(ErrorCode::io, "{}: has a line of more than {} bytes; it is no text with numbers",
           file_.path(), kMostLine);
    if (refill()) continue;
    if (begin_ == end_) return false;
    line = {buffer_.data() + begin_, end_ - begin_};
    begin_ = end_;
    break;
  }
  if (line.ends_with('\r')) line.remove_suffix(1);
  return true;
}

void split(std::string_view line, std::vector<std::string_view>& words) {
  words.clear();
  std::size_t i = 0;
  bool wants_word = false;  // after a separator a word follows, if only an empty one
  while (true) {
    while (i < line.size() && is_space(line[i])) ++i;
    if (i == line.size()) break;
    std::size_t end = i;
    while (end < line.size() && !is_space(line[end]) && !is_separator(line[end])) ++end;
    words.push_back(line.substr(i, end - i));
    i = end;
    while (i < line.size() && is_space(line[i])) ++i;
    wants_word = i < line.size() && is_separator(line[i]);
    if (wants_word) ++i;
  }
  if (wants_word) words.emplace_back();
}

bool is_comment(std::string_view line) {
  while (!line.empty() && is_space(line.front())) line.remove_prefix(1);
  return line.empty() || line.starts_with('#') || line.starts_with("//");
}

bool parse_number(std::string_view word, double& value) { return parse_whole_word(word, value); }
bool parse_number(std::string_view word, float& value) { return parse_whole_word(word, value); }
bool parse_number(std::string_view word, std::uint64_t& value) {
  return parse_whole_word(word, value);
}

FieldColumns choose_columns(const std::vector<std::string>& names, const SnapshotOptions& options,
                            const std::string& where) {
  FieldColumns columns;
  auto& position = columns[Field::position];
  position =
      options.columns.empty() ? default_position(names) : all_asked(names, options.columns, where);
  check_dimension(position.size(), where);
  auto velocity = options.velocity_columns.empty()
                      ? axes(names, "v")
                      : all_asked(names, options.velocity_columns, where);
  if (!options.velocity_columns.empty() && velocity.size() != position.size())
    refuse("{}: {} columns of velocities for {} of positions", where, velocity.size(),
           position.size());
  if (velocity.size() == position.size()) columns[Field::velocity] = std::move(velocity);
  const auto mass = options.mass_column.empty()
                        ? named(names, "mass")
                        : std::optional(asked(names, options.mass_column, where));
  if (mass) columns[Field::mass] = {*mass};
  if (const auto id = named(names, "id")) columns[Field::id] = {*id};
  return columns;
}

void set_columns(SnapshotInfo& info, const FieldColumns& columns, std::uint64_t rows) {
  info.dimension = static_cast<int>(columns.at(Field::position).size());
  SnapshotType type = only_type(rows);
  type.has_velocity = columns.contains(Field::velocity);
  type.has_mass = columns.contains(Field::mass);
  type.has_id = columns.contains(Field::id);
  info.type = {type};
}

void read_lines(Lines& lines, std::uint64_t rows, const std::vector<std::size_t>& columns,
                const Target& to, const Workers& workers, const std::string& where) {
  std::visit([&](auto* numbers) { read_into(lines, rows, columns, numbers, workers, where); }, to);
}

}  // namespace kith::io

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
constexpr std::uint64_t kLinesBetweenLooks = 1
                                             << 14;  // lines between two checks of the cancel token

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

/// Control characters other than those that lay out text.
bool is_no_text(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 && (byte < '\t' || byte > '\r');
}

std::string_view trimmed(std::string_view word) {
  while (!word.empty() && is_space(word.front())) word.remove_prefix(1);
  while (!word.empty() && is_space(word.back())) word.remove_suffix(1);
  return word;
}

void split_at_spaces(std::string_view line, std::vector<std::string_view>& words) {
  for (std::size_t i = 0; i < line.size();) {
    while (i < line.size() && is_space(line[i])) ++i;
    std::size_t end = i;
    while (end < line.size() && !is_space(line[end])) ++end;
    if (end > i) words.push_back(line.substr(i, end - i));
    i = end;
  }
}

/// The place of this character outside of quotes, from `begin` on; the end of the line if there is
/// none.
std::size_t find_unquoted(std::string_view line, char c, std::size_t begin) {
  bool is_quoted = false;
  for (std::size_t i = begin; i < line.size(); ++i) {
    if (line[i] == '"') is_quoted = !is_quoted;
    if (line[i] == c && !is_quoted) return i;
  }
  return line.size();
}

void split_at(std::string_view line, char c, std::vector<std::string_view>& words) {
  std::size_t begin = 0;
  for (;;) {
    const std::size_t end = find_unquoted(line, c, begin);
    words.push_back(trimmed(line.substr(begin, end - begin)));
    if (end == line.size()) return;
    begin = end + 1;
  }
}

/// A word that is not a number; one with a comma inside gets a hint.
[[noreturn]] void fail_number(std::string_view word, std::size_t column, std::uint64_t line,
                              const std::string& where) {
  const bool has_comma = word.find(',') != std::string_view::npos ||
                         word.find_first_of(" \t") != std::string_view::npos;
  fail(ErrorCode::io, "{}: line {}, column {}: \"{}\" is not a number{}", where, line, column + 1,
       word.substr(0, 40), has_comma ? "; decimal commas are not read, write 0.5" : "");
}

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

/// A requested column, by name or by number from 1.
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
  result.reserve(columns.size());
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
  if (result.empty()) result = sky_columns(names);
  if (!result.empty()) return result;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, names.size()); ++i) result.push_back(i);
  return result;
}

template <class T>
void take_number(const std::vector<std::string_view>& words, std::size_t column, T& to,
                 std::uint64_t line, const std::string& where) {
  if (column >= words.size())
    fail(ErrorCode::io, "{}: line {} has {} columns, {} are needed", where, line, words.size(),
         column + 1);
  if (!parse_number(words[column], to)) fail_number(words[column], column, line, where);
}

template <class T>
void read_into(Lines& lines, std::uint64_t rows, Separator separator,
               const std::vector<std::size_t>& columns, T* to, const Workers& workers,
               const std::string& where) {
  std::string_view line;
  std::vector<std::string_view> words;
  for (std::uint64_t row = 0; row < rows; ++row) {
    if (row % kLinesBetweenLooks == 0) workers.check_cancelled();
    do {
      if (!lines.next(line))
        fail(ErrorCode::io, "{}: is cut off: {} of {} rows; copy it again", where, row, rows);
    } while (is_comment(line));
    split(line, separator, words);
    for (const std::size_t column : columns)
      take_number(words, column, *to++, lines.number(), where);
    if ((row + 1) % kLinesBetweenLooks == 0) workers.advance(kLinesBetweenLooks);
  }
  workers.advance(rows % kLinesBetweenLooks);
}

/// The power of ten of the first digit that is not 0, plus 1: 3 for "123", -2 for "0.00123".
long magnitude_of(std::string_view word) {
  constexpr long kBeyond = 1000000;
  const std::size_t e = std::min(word.find_first_of("eE"), word.size());
  const std::string_view digits = word.substr(0, e);
  long power = 0;
  if (e < word.size()) {
    std::string_view text = word.substr(e + 1);
    if (text.starts_with('+')) text.remove_prefix(1);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), power);
    if (error == std::errc::result_out_of_range) power = text.starts_with('-') ? -kBeyond : kBeyond;
  }
  const std::size_t first = digits.find_first_of("123456789");
  if (first == std::string_view::npos) return -kBeyond;
  const auto point = static_cast<long>(std::min(digits.find('.'), digits.size()));
  const long place = point - static_cast<long>(first);
  return (place > 0 ? place : place + 1) + std::clamp(power, -kBeyond, kBeyond);
}

/// The number of its type that is nearest to a number beyond its range.
double out_of_range(std::string_view word) {
  if (magnitude_of(word) <= 0) return 0;
  return word.starts_with('-') ? -HUGE_VAL : HUGE_VAL;
}

template <class T>
bool parse_whole_word(std::string_view word, T& value) {
  if (word.starts_with('+') && !word.starts_with("+-")) word.remove_prefix(1);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if constexpr (std::is_floating_point_v<T>)
    if (error == std::errc::result_out_of_range) value = static_cast<T>(out_of_range(word));
  const bool is_number = error == std::errc() ||
                         (error == std::errc::result_out_of_range && std::is_floating_point_v<T>);
  return is_number && end == word.data() + word.size();
}

}  // namespace

Lines::Lines(const InputBytes& file, std::uint64_t begin, std::uint64_t lines_before)
    : file_(file),
      bytes_(stream(file, begin, file.size() - std::min(begin, file.size()))),
      buffer_(std::min<std::uint64_t>(2 * kMostLine, file.size() + 1)),
      number_(lines_before),
      offset_(begin) {}

void Lines::check_text(std::size_t begin) const {
  const char* from = buffer_.data();
  // Counting all of them takes vector instructions; looking for the first one does not.
  if (std::count_if(from + begin, from + end_, is_no_text) == 0) return;
  const auto found = std::find_if(from + begin, from + end_, is_no_text);
  fail(ErrorCode::io,
       "{}: byte {} is {:#04x}, which does not occur in text; this is not a table of numbers",
       file_.path(), offset_ + static_cast<std::uint64_t>(found - from - begin_),
       static_cast<unsigned>(static_cast<unsigned char>(*found)));
}

bool Lines::refill() {
  if (is_ended_) return false;
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  const std::size_t count = bytes_->some(buffer_.data() + end_, buffer_.size() - end_);
  end_ += count;
  check_text(end_ - count);
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
      offset_ += line.size() + 1;
      break;
    }
    searched = end_ - begin_;
    if (searched > kMostLine)
      fail(ErrorCode::io, "{}: has a line of more than {} bytes; this is not a table of numbers",
           file_.path(), kMostLine);
    if (refill()) continue;
    if (begin_ == end_) return false;
    line = {buffer_.data() + begin_, end_ - begin_};
    begin_ = end_;
    offset_ += line.size();
    break;
  }
  ++number_;
  if (line.ends_with('\r')) line.remove_suffix(1);
  return true;
}

Separator separator_of(std::string_view line) {
  if (find_unquoted(line, ';', 0) < line.size()) return Separator::semicolon;
  return find_unquoted(line, ',', 0) < line.size() ? Separator::comma : Separator::space;
}

void split(std::string_view line, Separator separator, std::vector<std::string_view>& words) {
  words.clear();
  switch (separator) {
    case Separator::space: return split_at_spaces(line, words);
    case Separator::comma: return split_at(line, ',', words);
    case Separator::semicolon: return split_at(line, ';', words);
  }
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
  const auto usual = named(names, "mass");
  const auto mass = options.mass_column.empty()
                        ? (usual ? usual : named(names, "mvir"))
                        : std::optional(asked(names, options.mass_column, where));
  if (mass) columns[Field::mass] = {*mass};
  if (const auto id = named(names, "id")) columns[Field::id] = {*id};
  if (!options.value_column.empty())
    columns[Field::value] = {asked(names, options.value_column, where)};
  return columns;
}

std::vector<std::size_t> sky_columns(const std::vector<std::string>& names) {
  const auto first_of =
      [&](std::initializer_list<const char*> words) -> std::optional<std::size_t> {
    for (const char* word : words)
      if (const auto found = named(names, word)) return found;
    return std::nullopt;
  };
  const auto ra = first_of({"ra", "right_ascension"});
  const auto dec = first_of({"dec", "decl", "declination"});
  const auto redshift = first_of({"z", "redshift", "z_spec", "zspec", "z_cosmo", "zobs"});
  if (!ra || !dec || !redshift || first_of({"x", "x1"})) return {};
  return {*ra, *dec, *redshift};
}

void set_columns(SnapshotInfo& info, const FieldColumns& columns, std::uint64_t rows) {
  info.dimension = static_cast<int>(columns.at(Field::position).size());
  SnapshotType type = only_type(rows);
  type.has_velocity = columns.contains(Field::velocity);
  type.has_mass = columns.contains(Field::mass);
  type.has_id = columns.contains(Field::id);
  type.has_value = columns.contains(Field::value);
  info.type = {type};
}

void check_number(const std::vector<std::string_view>& words, std::size_t column,
                  std::uint64_t line, const std::string& where) {
  double value = 0;
  take_number(words, column, value, line, where);
}

void read_lines(Lines& lines, std::uint64_t rows, Separator separator,
                const std::vector<std::size_t>& columns, const Target& to, const Workers& workers,
                const std::string& where) {
  std::visit(
      [&](auto* numbers) { read_into(lines, rows, separator, columns, numbers, workers, where); },
      to);
}

}  // namespace kith::io

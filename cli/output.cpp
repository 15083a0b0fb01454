#include "output.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <string_view>
#include <unistd.h>

#include <kith/error.hpp>

#include "terminal.hpp"

namespace kith::cli {
namespace {

/// Infinity and NaN do not exist in JSON.
std::string number_text(double number) {
  return std::isfinite(number) ? fmt::format("{}", number) : "null";
}

template <class List, class Text>
std::string list_text(const List& list, Text text) {
  std::string result;
  for (const auto& value : list) result += (result.empty() ? "" : ", ") + text(value);
  return "[" + result + "]";
}

/// Characters, not bytes: bytes after the first of a UTF-8 character have no width.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

/// Bytes of the UTF-8 character that begins here; 0 if none does.
std::size_t character_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (text.size() < bytes) return 0;
  for (std::size_t i = 1; i < bytes; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  // Longer than need be, a surrogate, or beyond the last character.
  if ((first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) >= 0xa0) ||
      (first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) >= 0x90))
    return 0;
  return bytes;
}

}  // namespace

/// Names of files may be any bytes, JSON is UTF-8: bytes that are not UTF-8 become U+FFFD.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t bytes = character_bytes(std::string_view(text).substr(i));
    if (bytes != 1) {
      result += bytes == 0 ? "\\ufffd" : text.substr(i, bytes);
      i += std::max<std::size_t>(1, bytes);
      continue;
    }
    const char c = text[i++];
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      result += c;
    }
  }
  return result + '"';
}

void Report::add(const std::string& name, const std::string& text) {
  facts_.emplace_back(name, quoted(text));
}

void Report::add(const std::string& name, double number) {
  facts_.emplace_back(name, number_text(number));
}

void Report::add(const std::string& name, const Report& facts) {
  facts_.emplace_back(name, facts.json());
}

void Report::add(const std::string& name, const std::vector<Report>& list) {
  facts_.emplace_back(name, list_text(list, [](const Report& facts) { return facts.json(); }));
}

void Report::add(const std::string& name, std::span<const double> numbers) {
  facts_.emplace_back(name, list_text(numbers, &number_text));
}

void Report::add(const std::string& name, const std::vector<int>& numbers) {
  facts_.emplace_back(name, list_text(numbers, [](int n) { return std::to_string(n); }));
}

void Report::add(const std::string& name, const std::vector<std::string>& texts) {
  facts_.emplace_back(name, list_text(texts, &quoted));
}

void Report::add_count(const std::string& name, std::uint64_t number) {
  facts_.emplace_back(name, fmt::format("{}", number));
}

void Report::add_flag(const std::string& name, bool value) {
  facts_.emplace_back(name, value ? "true" : "false");
}

std::string Report::json() const {
  std::string result;
  for (const auto& [name, value] : facts_)
    result += fmt::format("{}{}: {}", result.empty() ? "" : ", ", quoted(name), value);
  return "{" + result + "}";
}

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, 1, ',');
  return digits;
}

std::string counted(std::uint64_t number, const std::string& one, const std::string& many) {
  return grouped(number) + " " + (number == 1 ? one : many);
}

std::string bytes_name(double bytes) {
  constexpr const char* kNames[] = {"bytes", "kB", "MB", "GB", "TB", "PB"};
  std::size_t unit = 0;
  for (; bytes >= 999.5 && unit + 1 < std::size(kNames); ++unit) bytes /= 1000;
  return fmt::format("{:.{}f} {}", bytes, unit > 0 && bytes < 10 ? 1 : 0, kNames[unit]);
}

std::string seconds_name(double seconds) {
  if (seconds < 100) return fmt::format("{:.{}f} s", seconds, seconds < 10 ? 2 : 1);
  const auto whole = static_cast<std::uint64_t>(seconds);
  if (whole < 6000) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
}

std::string printable(const std::string& text) {
  std::string result = text;
  for (char& c : result)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return result;
}

std::string Table::text(const std::string& indent) const {
  std::vector<std::size_t> width(rows_.front().size());
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], width_of(row[i]));
  const bool has_words = rows_.size() > 1 && std::isalpha(rows_[1][0].front());
  std::string result;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const auto& row = rows_[r];
    std::string line = indent;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string space(width[i] - width_of(row[i]), ' ');
      if (i > 0) line += "  ";
      const bool is_left = (i == 0 && has_words) || i >= first_left_;
      line += is_left ? row[i] + space : space + row[i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    result += (r == 0 ? inked(stdout, Ink::bold, line) : line) + '\n';
  }
  return result;
}

bool ends_with(const std::string& text, const std::string& ending) {
  return std::string_view(text).ends_with(ending);
}

void check_folder_of(const std::string& path) {
  std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (folder.empty()) folder = ".";
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error))
    throw Error(ErrorCode::io,
                fmt::format("{}: there is no folder {}; make it first", path, folder.string()));
  if (std::filesystem::is_directory(path, error))
    throw Error(ErrorCode::io, fmt::format("{}: is a folder; give the name of a file", path));
  const bool is_special =
      std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error);
  if (!is_special && access(folder.c_str(), W_OK | X_OK) != 0)
    throw Error(ErrorCode::io,
                fmt::format("{}: no permission to write to the folder {}", path, folder.string()));
}

void check_not_input(const std::string& output, const std::string& input) {
  std::error_code error;
  if (std::filesystem::equivalent(output, input, error) && !error)
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{}: is the input; give the output another name", output));
}

}  // namespace kith::cli

#include "output.hpp"

#include <filesystem>
#include <fmt/format.h>

#include <kith/error.hpp>

namespace kith::cli {

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
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
  facts_.emplace_back(name, fmt::format("{}", number));
}

void Report::add_count(const std::string& name, std::uint64_t number) {
  facts_.emplace_back(name, fmt::format("{}", number));
}

std::string Report::json() const {
  std::string result;
  for (const auto& [name, value] : facts_)
    result += fmt::format("{}{}: {}", result.empty() ? "" : ", ", quoted(name), value);
  return "{" + result + "}";
}

void check_folder_of(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code error;
  if (folder.empty() || std::filesystem::is_directory(folder, error)) return;
  throw Error(ErrorCode::io,
              fmt::format("{}: there is no folder {}; make it first", path, folder.string()));
}

}  // namespace kith::cli

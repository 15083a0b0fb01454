#include "terminal.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <sstream>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>

#include "ranks.hpp"

namespace kith::cli {
namespace {

std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

const char* code_of(Ink ink) {
  switch (ink) {
    case Ink::bold: return "\x1b[1m";
    case Ink::faint: return "\x1b[2m";
    case Ink::red: return "\x1b[1;31m";
    case Ink::yellow: return "\x1b[33m";
    case Ink::cyan: return "\x1b[36m";
  }
  return "";
}

std::string with_ink(Ink ink, std::string_view text) {
  return code_of(ink) + std::string(text) + "\x1b[0m";
}

/// "General options:", but no example and no sentence.
bool is_heading(std::string_view line) {
  return line.size() > 1 && line.ends_with(':') && !line.starts_with(' ');
}

/// The names at the beginning of a line "  -o,--output TEXT   meaning": without the spaces.
std::string_view names_in(std::string_view line) {
  if (!line.starts_with("  -")) return {};
  const std::string_view rest = line.substr(2);
  return rest.substr(0, rest.find(' '));
}

}  // namespace

bool is_terminal(std::FILE* file) {
  return isatty(fileno(file)) == 1 && variable("TERM") != "dumb";
}

// The terminal of a rank is the launcher's, which may write to a file.
bool has_colors(std::FILE* file) {
  return launched().size == 1 && is_terminal(file) && variable("NO_COLOR").empty();
}

std::string inked(std::FILE* file, Ink ink, const std::string& text) {
  return has_colors(file) ? with_ink(ink, text) : text;
}

std::string inked_help(std::FILE* file, const std::string& help) {
  if (!has_colors(file)) return help;
  std::istringstream lines(help);
  std::string text;
  for (std::string line; std::getline(lines, line); text += '\n') {
    const std::string_view names = names_in(line);
    if (is_heading(line))
      text += with_ink(Ink::bold, line);
    else if (!names.empty())
      text += "  " + with_ink(Ink::cyan, names) + line.substr(2 + names.size());
    else
      text += line;
  }
  return text;
}

// The variables decide in this order, as in the C library.
bool is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    std::string value(variable(name));
    if (value.empty()) continue;
    std::transform(value.begin(), value.end(), value.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return value.find("utf-8") != std::string::npos || value.find("utf8") != std::string::npos;
  }
  return false;
}

int columns_of(std::FILE* file) {
  winsize size{};
  const bool is_known = ioctl(fileno(file), TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return is_known ? size.ws_col : 80;
}

}  // namespace kith::cli

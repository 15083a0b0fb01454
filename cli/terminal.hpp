// The abilities of a terminal: colors, lines drawn by characters, and its width.
#pragma once

#include <cstdio>
#include <string>

namespace kith::cli {

enum class Ink { bold, faint, red, yellow, cyan };

/// A terminal that is not dumb.
bool is_terminal(std::FILE* file);

/// Whether output to this file may have colors: it is a terminal, and NO_COLOR is not set.
bool has_colors(std::FILE* file);

/// The text in this ink, where the file has colors; else the text.
std::string inked(std::FILE* file, Ink ink, const std::string& text);

/// Help with bold headings and colored names of options, where the file has colors.
std::string inked_help(std::FILE* file, const std::string& help);

bool is_utf8();  ///< the locale of the user has lines and bars

int columns_of(std::FILE* file);  ///< 80 if that is unknown

}  // namespace kith::cli

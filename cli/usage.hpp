// The messages about a command line: sentences for mistakes, with the nearest right word,
// and the help.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): of the library
class App;
class Formatter;
class ParseError;
}  // namespace CLI

namespace kith::cli {

/// One sentence about a command line that the parser refused.
std::string usage_error(const CLI::App& program, const CLI::ParseError& error);

/// The message of a library call in the words of the program: `non_finite = drop` becomes
/// `--non-finite drop` if the command has that option.
std::string in_option_names(const CLI::App& program, const std::string& message);

/// " (did you mean ...?)" with those of the words that are near, or nothing.
std::string suggestion(const std::string& word, const std::vector<std::string>& words);

/// Help in words: choices and defaults, but no types of the parser.
std::shared_ptr<CLI::Formatter> help_formatter();

}  // namespace kith::cli

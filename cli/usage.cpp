#include "usage.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>
#include <string_view>

#include "output.hpp"

namespace kith::cli {
namespace {

/// Insertions, deletions, changes and swaps of neighbors that make one word of the other.
std::size_t edits_between(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last, last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool is_same = a[i - 1] == b[j - 1];
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (is_same ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last = last;
    last = row;
  }
  return last[b.size()];
}

std::string without_dashes(const std::string& word) {
  return word.substr(std::min(word.find_first_not_of('-'), word.size()));
}

/// Whether all words between the hyphens of `part` follow each other in `whole`: types, in
/// link-types.
bool is_part_of(const std::string& part, const std::string& whole) {
  return part.size() > 1 && ("-" + whole + "-").find("-" + part + "-") != std::string::npos;
}

bool is_near(const std::string& word, const std::string& other) {
  const std::string a = without_dashes(word), b = without_dashes(other);
  if (a.empty() || b.empty()) return false;
  if (a == b || is_part_of(a, b)) return true;
  return edits_between(a, b) <= std::min<std::size_t>(2, (std::max(a.size(), b.size()) + 1) / 3);
}

/// The command that the words lead to: `kith sample cosmology ...` leads to cosmology.
const CLI::App& last_command(const CLI::App& program) {
  const CLI::App* command = &program;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  return *command;
}

/// "kith sample cosmology".
std::string full_name(const CLI::App& command) {
  return command.get_parent() ? full_name(*command.get_parent()) + " " + command.get_name()
                              : command.get_name();
}

std::vector<std::string> names_below(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* each : command.get_subcommands([](const CLI::App*) { return true; }))
    if (!each->get_name().empty() && !each->get_group().empty()) names.push_back(each->get_name());
  return names;
}

std::vector<std::string> options_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& each : option->get_lnames()) names.push_back("--" + each);
    for (const std::string& each : option->get_snames()) names.push_back("-" + each);
  }
  return names;
}

std::string unknown_option(const CLI::App& command, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  return fmt::format("unknown option {}{}; see {} --help", name,
                     suggestion(name, options_of(command)), full_name(command));
}

/// For a missing or unknown subcommand.
std::string missing_subcommand(const CLI::App& command) {
  const std::vector<std::string> names = names_below(command);
  for (const std::string& word : command.remaining()) {
    if (word.starts_with("-")) return unknown_option(command, word);
    return fmt::format("unknown command {} {}{}; choose from: {}", full_name(command), word,
                       suggestion(word, names), fmt::join(names, ", "));
  }
  return fmt::format("{} needs one of these commands: {}", full_name(command),
                     fmt::join(names, ", "));
}

/// For words that no option and no place takes, in the order in which they were typed.
std::string unexpected_words(const CLI::App& command) {
  const std::vector<std::string> words = command.remaining();
  for (const std::string& word : words)
    if (word.size() > 1 && word.starts_with("-") &&
        !std::isdigit(static_cast<unsigned char>(word[1])))
      return unknown_option(command, word);
  return fmt::format("unexpected: {}; see {} --help", fmt::join(words, " "), full_name(command));
}

/// The option of this command for a C++ name: --non-finite for non_finite, -k for k; or
/// nothing.
std::string option_named(const CLI::App& command, std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  const std::vector<std::string> options = options_of(command);
  for (const std::string dashes : {"--", "-"})
    if (std::find(options.begin(), options.end(), dashes + name) != options.end())
      return dashes + name;
  return "";
}

bool is_name_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// No types of the parser, no names of its checks; what an option excludes is in its meaning.
class WordFormatter : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_expected_max() == 0 || option->get_type_size() == 0) return "";  // a flag
    std::string text = " " + value_name(*option);
    if (!option->get_default_str().empty()) text += fmt::format(" [{}]", option->get_default_str());
    if (option->get_required()) text += " (required)";
    return text;
  }

 private:
  static std::string value_name(const CLI::Option& option) {
    const std::string type = option.get_type_name();
    const std::size_t begin = type.find('{'), end = type.find('}');
    if (begin != std::string::npos && end != std::string::npos) {
      std::string words = type.substr(begin + 1, end - begin - 1);
      std::replace(words.begin(), words.end(), ',', '|');
      return words;
    }
    const bool is_whole = type.starts_with("INT") || type.starts_with("UINT");
    const std::string name = is_whole ? "N" : type.starts_with("FLOAT") ? "X" : "TEXT";
    return option.get_expected_max() > 1 ? name + ",..." : name;
  }
};

}  // namespace

std::string suggestion(const std::string& word, const std::vector<std::string>& words) {
  std::vector<std::string> near;
  std::copy_if(words.begin(), words.end(), std::back_inserter(near),
               [&](const std::string& each) { return is_near(word, each); });
  if (near.empty()) return "";
  std::stable_sort(near.begin(), near.end(), [&](const std::string& a, const std::string& b) {
    return edits_between(word, a) < edits_between(word, b);
  });
  near.resize(std::min<std::size_t>(near.size(), 3));
  return fmt::format(" (did you mean {}?)", fmt::join(near, " or "));
}

std::string usage_error(const CLI::App& program, const CLI::ParseError& error) {
  const CLI::App& command = last_command(program);
  if (command.get_require_subcommand_min() > 0) return missing_subcommand(command);
  if (!command.remaining().empty()) return unexpected_words(command);
  const std::string text = error.what();
  return fmt::format("{}; see {} --help", text.substr(0, text.find('\n')), full_name(command));
}

std::string in_option_names(const CLI::App& program, const std::string& message) {
  const CLI::App& command = last_command(program);
  std::string result;
  for (std::size_t i = 0; i < message.size();) {
    std::size_t end = i;
    while (end < message.size() && is_name_character(message[end])) ++end;
    if (end == i) {
      result += message[i++];
      continue;
    }
    const std::string name = message.substr(i, end - i);
    const bool has_value = message.compare(end, 3, " = ") == 0;
    const bool is_cpp_name = has_value || name.find('_') != std::string::npos;
    const std::string option = is_cpp_name ? option_named(command, name) : "";
    result += option.empty() ? name : option;
    i = end;
    if (!option.empty() && has_value) {
      result += ' ';
      i += 3;
    }
  }
  return result;
}

std::shared_ptr<CLI::Formatter> help_formatter() {
  auto formatter = std::make_shared<WordFormatter>();
  formatter->column_width(34);
  return formatter;
}

}  // namespace kith::cli

// `kith manual`: manual pages for man(1), made from the same parser as --help.
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <memory>
#include <sstream>

#include <kith/error.hpp>
#include <kith/version.hpp>

#include "command.hpp"

namespace kith::cli {
namespace {

constexpr const char* kExamples = R"(Examples:
  kith manual --folder ~/.local/share/man/man1
  kith manual --folder pages && man ./pages/kith-fof.1)";

struct Request {
  std::string folder;
};

/// Text for roff: dashes are dashes, and no line begins with a command.
std::string roff(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '-')
      result += "\\-";
    else if (c == '\\')
      result += "\\e";
    else
      result += c;
  }
  if (result.starts_with('.') || result.starts_with('\'')) result.insert(0, "\\&");
  return result;
}

std::string bold(const std::string& text) { return "\\fB" + roff(text) + "\\fR"; }
std::string italic(const std::string& text) { return "\\fI" + roff(text) + "\\fR"; }

/// "-o, --output TEXT" in the fonts of a manual page.
std::string heading(const Described& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.names) names.push_back(bold(name));
  if (names.empty()) names.push_back(italic(option.place));
  std::string text = fmt::format("{}", fmt::join(names, ", "));
  if (!option.choices.empty())
    text += " " + italic(fmt::format("{}", fmt::join(option.choices, "|")));
  else if (!option.value.empty() && !option.names.empty())
    text += " " + italic(option.value);
  return text;
}

std::string entry(const Described& option) {
  std::string text = ".TP\n" + heading(option) + "\n" + roff(option.meaning);
  if (!option.default_value.empty()) text += " (default: " + roff(option.default_value) + ")";
  return text + "\n";
}

std::string synopsis(const Command& command, const std::string& path) {
  std::string text = ".SH SYNOPSIS\n" + bold(path);
  const std::vector<Described> options = command.options();
  if (!options.empty()) text += " [" + italic("options") + "]";
  for (const Described& option : options)
    if (option.names.empty()) text += " " + italic(option.place);
  if (!command.subcommands().empty()) text += " " + italic("command");
  return text + "\n";
}

std::string options_of(const Command& command) {
  std::string text;
  for (const Described& option : command.options()) text += entry(option);
  return text.empty() ? "" : ".SH OPTIONS\n" + text;
}

std::string page_name(const std::string& path) {
  std::string name = path;
  std::ranges::replace(name, ' ', '-');
  return name;
}

std::string commands_of(const Command& command, const std::string& path) {
  std::string text;
  for (const Command& each : command.subcommands())
    text += ".TP\n\\fB" + roff(page_name(path + " " + each.name())) + "\\fR(1)\n" +
            roff(each.meaning()) + "\n";
  return text.empty() ? "" : ".SH COMMANDS\n" + text;
}

/// The end of the help: a line "Examples:", lines of examples, and sentences.
std::string examples_of(const Command& command) {
  std::string text;
  bool is_example = false;
  std::istringstream lines(command.footer());
  for (std::string line; std::getline(lines, line);) {
    const bool was_example = is_example;
    is_example = line.starts_with("  ");
    if (line == "Examples:") {
      text += ".SH EXAMPLES\n";
    } else if (!line.empty()) {
      if (is_example && !was_example) text += ".nf\n";
      if (!is_example && was_example) text += ".fi\n";
      text += (is_example ? "" : ".PP\n") + roff(line.substr(is_example ? 2 : 0)) + "\n";
    } else if (was_example) {
      text += ".fi\n";
    }
  }
  return text + (is_example ? ".fi\n" : "");
}

std::string page(const Command& command, const std::string& path) {
  std::string upper = page_name(path);
  std::ranges::transform(upper, upper.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  });
  const std::string parent = path == "kith" ? "" : ".SH SEE ALSO\n\\fBkith\\fR(1)\n";
  return fmt::format(".TH {} 1 \"\" \"kith {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n",
                     roff(upper), KITH_VERSION, roff(page_name(path)), roff(command.meaning())) +
         synopsis(command, path) + commands_of(command, path) + options_of(command) +
         ".SH EXIT STATUS\n0: success. 1: failed or stopped. 2: invalid command line.\n" +
         examples_of(command) + parent;
}

void write_pages(const Command& command, const std::string& path,
                 const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / (page_name(path) + ".1");
  std::ofstream stream(file);
  stream << page(command, path);
  if (!stream.flush())
    throw Error(ErrorCode::io, "manual: " + file.string() + " cannot be written");
  for (const Command& each : command.subcommands())
    write_pages(each, path + " " + each.name(), folder);
}

}  // namespace

void add_manual(Command program) {
  Command command = program.add_subcommand("manual", "writes the manual pages");
  command.footer(kExamples);
  auto request = std::make_shared<Request>();
  command.add_option("--folder", request->folder, "folder for the pages; created if missing")
      .required();
  command.callback([program, request] {
    std::error_code failure;
    std::filesystem::create_directories(request->folder, failure);
    if (failure)
      throw Error(ErrorCode::io, "manual: " + request->folder + ": " + failure.message());
    write_pages(program, "kith", request->folder);
  });
}

}  // namespace kith::cli

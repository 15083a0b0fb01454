// `kith completion bash | zsh | fish`: a script that completes subcommands, options, their words
// and files in the shell. It is made from the program's own parser, so it knows what the program
// knows.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "command.hpp"

namespace kith::cli {
namespace {

constexpr const char* kExamples = R"(Examples:
  source <(kith completion bash)
  kith completion bash > ~/.local/share/bash-completion/completions/kith
  kith completion zsh > ~/.zfunc/_kith          (a folder of $fpath)
  kith completion fish > ~/.config/fish/completions/kith.fish)";

/// Looks up the words after the subcommands so far; files where nothing else fits.
constexpr const char* kBash = R"(
_kith() {
  local word=${COMP_WORDS[COMP_CWORD]} path=kith i
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ -n ${_kith_words[$path ${COMP_WORDS[i]}]+x} ]]; then path+=" ${COMP_WORDS[i]}"; fi
  done
  COMPREPLY=()
  local before=${COMP_WORDS[COMP_CWORD-1]}
  if [[ $before == = ]]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi
  if [[ $word == = ]]; then before=${COMP_WORDS[COMP_CWORD-1]} word=; fi
  if [[ -n ${_kith_values[$path $before]+x} ]]; then
    mapfile -t COMPREPLY < <(compgen -W "${_kith_values[$path $before]}" -- "$word")
    return
  fi
  if [[ $word == -* || -n ${_kith_parents[$path]+x} ]]; then
    mapfile -t COMPREPLY < <(compgen -W "${_kith_words[$path]}" -- "$word")
  fi
  if [[ ${#COMPREPLY[@]} == 0 ]]; then
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}
complete -F _kith kith
)";

/// Every command with the words that may follow it.
void add_words(const Command& command, const std::string& path, std::string& script) {
  std::vector<std::string> words;
  const std::vector<Command> below = command.subcommands();
  words.reserve(below.size());
  for (const Command& each : below) words.push_back(each.name());
  for (const std::string& option : command.option_names()) words.push_back(option);
  script += fmt::format("_kith_words['{}']='{}'\n", path, fmt::join(words, " "));
  for (const Described& option : command.options())
    for (const std::string& name : option.names)
      if (!option.choices.empty())
        script +=
            fmt::format("_kith_values['{} {}']='{}'\n", path, name, fmt::join(option.choices, " "));
  if (!below.empty()) script += fmt::format("_kith_parents['{}']=1\n", path);
  for (const Command& each : below) add_words(each, path + " " + each.name(), script);
}

std::string bash(const Command& program) {
  std::string script =
      "# Completion of kith for bash.\ndeclare -A _kith_words _kith_parents _kith_values\n";
  add_words(program, "kith", script);
  return script + kBash;
}

/// The text with a backslash before each of the characters.
std::string escaped(const std::string& text, const std::string& characters) {
  std::string result;
  for (const char c : text) {
    if (characters.find(c) != std::string::npos) result += '\\';
    result += c;
  }
  return result;
}

/// Inside single quotes of a shell that has no escapes there.
std::string in_quotes(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? "'\\''" : std::string(1, c);
  return result + "'";
}

std::string zsh_option(const Described& option, const std::string& name) {
  std::string spec = name + (option.value.empty() ? "" : name.starts_with("--") ? "=" : "+");
  spec += "[" + escaped(option.meaning, "[]\\:") + "]";
  if (!option.choices.empty())
    spec += fmt::format(":{}:({})", option.value, fmt::join(option.choices, " "));
  else if (!option.value.empty())
    spec += fmt::format(":{}:_files", option.value);
  return in_quotes(spec);
}

/// One function for each command; that of a command with subcommands hands on to theirs.
void add_zsh(const Command& command, const std::string& function, std::string& script) {
  const std::vector<Command> below = command.subcommands();
  for (const Command& each : below) add_zsh(each, function + "_" + each.name(), script);
  script += function + "() {\n";
  if (!below.empty()) {
    script += "  local -a commands=(\n";
    for (const Command& each : below)
      script += "    " + in_quotes(each.name() + ":" + escaped(each.meaning(), ":\\")) + "\n";
    script +=
        "  )\n  if (( CURRENT == 2 )); then _describe -t commands command commands; return; fi\n";
    script += fmt::format("  shift words; (( CURRENT-- ))\n  local next={}_$words[1]\n", function);
    script += "  if (( $+functions[$next] )); then $next; fi\n";
  } else {
    script += "  _arguments -s";
    for (const Described& option : command.options())
      for (const std::string& name : option.names) script += " \\\n    " + zsh_option(option, name);
    script += " \\\n    '*:file:_files'\n";
  }
  script += "}\n";
}

std::string zsh(const Command& program) {
  std::string script = "#compdef kith\n# Completion of kith for zsh.\n";
  add_zsh(program, "_kith", script);
  return script +
         "if [ \"$funcstack[1]\" = _kith ]; then _kith \"$@\"; else compdef _kith kith; fi\n";
}

std::string fish_option(const std::string& when, const Described& option) {
  std::string line = fmt::format("complete -c kith -n {}", in_quotes(when));
  for (const std::string& name : option.names)
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (!option.value.empty()) line += " -r";
  if (!option.choices.empty()) line += fmt::format(" -f -a '{}'", fmt::join(option.choices, " "));
  return line + " -d '" + escaped(option.meaning, "'\\") + "'\n";
}

/// `when` holds if the words so far lead to the command.
void add_fish(const Command& command, const std::string& when, std::string& script) {
  std::string names;
  for (const Command& each : command.subcommands()) names += " " + each.name();
  const std::string open =
      names.empty() ? when : when + "; and not __fish_seen_subcommand_from" + names;
  for (const Command& each : command.subcommands()) {
    script += fmt::format("complete -c kith -n {} -f -a {} -d '{}'\n", in_quotes(open), each.name(),
                          escaped(each.meaning(), "'\\"));
    add_fish(each, when + "; and __fish_seen_subcommand_from " + each.name(), script);
  }
  for (const Described& option : command.options())
    if (!option.names.empty()) script += fish_option(open, option);
}

std::string fish(const Command& program) {
  std::string script = "# Completion of kith for fish.\n";
  add_fish(program, "true", script);
  return script;
}

}  // namespace

void add_completion(Command program) {
  Command command = program.add_subcommand("completion", "prints a completion script for a shell");
  command.footer(kExamples);
  command.require_subcommand();
  command.add_subcommand("bash", "for bash").callback([program] {
    fmt::print("{}", bash(program));
  });
  command.add_subcommand("zsh", "for zsh").callback([program] { fmt::print("{}", zsh(program)); });
  command.add_subcommand("fish", "for fish").callback([program] {
    fmt::print("{}", fish(program));
  });
}

}  // namespace kith::cli

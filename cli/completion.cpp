// `kith completion bash`: a script that completes subcommands, options and files in the shell. It
// is made from the program's own parser, so it knows what the program knows.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "command.hpp"

namespace kith::cli {
namespace {

constexpr const char* kExamples = R"(Examples:
  source <(kith completion bash)
  kith completion bash > ~/.local/share/bash-completion/completions/kith)";

/// Looks up the words after the subcommands so far; files where nothing else fits.
constexpr const char* kScript = R"(
_kith() {
  local word=${COMP_WORDS[COMP_CWORD]} path=kith i
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ -n ${_kith_words[$path ${COMP_WORDS[i]}]+x} ]]; then path+=" ${COMP_WORDS[i]}"; fi
  done
  COMPREPLY=()
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
  for (const Command& each : below) words.push_back(each.name());
  for (const std::string& option : command.option_names()) words.push_back(option);
  script += fmt::format("_kith_words['{}']='{}'\n", path, fmt::join(words, " "));
  if (!below.empty()) script += fmt::format("_kith_parents['{}']=1\n", path);
  for (const Command& each : below) add_words(each, path + " " + each.name(), script);
}

}  // namespace

void add_completion(Command program) {
  Command command = program.add_subcommand("completion", "prints a script for the shell");
  command.footer(kExamples);
  command.require_subcommand();
  command.add_subcommand("bash", "for bash").callback([program] {
    std::string script = "# Completion of kith for bash.\ndeclare -A _kith_words _kith_parents\n";
    add_words(program, "kith", script);
    fmt::print("{}{}", script, kScript);
  });
}

}  // namespace kith::cli

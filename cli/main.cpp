// The program `kith`: parses the command line, runs a subcommand, and turns errors into one
// sentence and an exit code: 0 done, 1 failed, 2 not understood.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string>
#include <string_view>
#include <vector>

#include <kith/error.hpp>
#include <kith/version.hpp>

#include "command.hpp"
#include "faults.hpp"
#include "progress.hpp"
#include "ranks.hpp"

namespace kith::cli {
namespace {

constexpr int kFailed = 1;
constexpr int kUsage = 2;

constexpr const char* kExamples = R"(Examples:
  kith sample cosmology -n 64 -o universe.hdf5
  kith info universe.hdf5
  kith fof universe.hdf5 -b 0.2 --min-size 20 -o halos.hdf5 --picture halos.png
  kith verify universe.hdf5 halos.hdf5
  kith knn universe.hdf5 -k 16 -o neighbors.hdf5
  kith cluster points.npy --method hdbscan --picture clusters.png
  kith help fof

Exit codes: 0 success, 1 failed or stopped, 2 invalid command line.)";

int say(int code, const std::string& sentence) {
  clear_progress();
  if (!is_first_rank()) return code;
  fmt::print(stderr, "kith: {}\n", printable(sentence));
  return code;
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

/// The message for a missing or unknown subcommand.
std::string missing_subcommand(const CLI::App& command) {
  const std::vector<std::string> names = names_below(command);
  for (const std::string& word : command.remaining())
    if (!word.starts_with("-"))
      return fmt::format("unknown command {} {}; choose from: {}", full_name(command), word,
                         fmt::join(names, ", "));
  return fmt::format("{}: a subcommand is required: {}", full_name(command),
                     fmt::join(names, ", "));
}

/// The first line of what the parser says.
int say_usage(const CLI::App& program, const CLI::ParseError& error) {
  const CLI::App& command = last_command(program);
  if (command.get_require_subcommand_min() > 0) return say(kUsage, missing_subcommand(command));
  const std::string text = error.what();
  return say(kUsage,
             fmt::format("{}; see {} --help", text.substr(0, text.find('\n')), full_name(command)));
}

void add_commands(Command program) {
  add_info(program);
  add_fof(program);
  add_subhalos(program);
  add_cluster(program);
  add_knn(program);
  add_density(program);
  add_radius(program);
  add_correlate(program);
  add_sample(program);
  add_report(program);
  add_verify(program);
  add_bench(program);
  add_completion(program);
  add_manual(program);
}

/// `kith help fof` is `kith fof --help`.
std::vector<std::string> words_of(int argc, char** argv) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (!words.empty() && words.front() == "help") {
    words.erase(words.begin());
    words.emplace_back("--help");
  }
  return words;
}

/// Under a launcher, processes other than the first one have work in these commands alone.
bool has_work(const std::vector<std::string>& words) {
  constexpr std::string_view kShared[] = {"fof", "subhalos", "knn", "radius", "density", "verify"};
  return is_first_rank() ||
         (!words.empty() && std::ranges::find(kShared, words.front()) != std::end(kShared));
}

int run(int argc, char** argv) {
  if (!has_work(words_of(argc, argv))) return 0;
  if (!is_first_rank() && !std::freopen("/dev/null", "w", stdout)) return kFailed;
  CLI::App program("Exact nearest neighbors and friends-of-friends groups in huge point sets.",
                   "kith");
  program.set_help_flag("-h,--help", "print this help and exit");
  program.set_version_flag("--version", std::string("kith ") + KITH_VERSION,
                           "print the version and exit");
  program.footer(kExamples);
  program.require_subcommand(1);
  add_commands(Command(&program));
  try {
    std::vector<std::string> words = words_of(argc, argv);
    std::reverse(words.begin(), words.end());  // as the parser wants them
    program.parse(std::move(words));
    if (std::fflush(stdout) != 0) return say(kFailed, "standard output cannot be written");
    return 0;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return program.exit(error);  // help and version
    return say_usage(program, error);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::cancelled) return say(kFailed, "stopped");
    return say(error.code() == ErrorCode::invalid_argument ? kUsage : kFailed, error.what());
  } catch (const std::exception& error) {
    return say(kFailed, error.what());
  }
}

}  // namespace
}  // namespace kith::cli

int main(int argc, char** argv) {
  kith::cli::survive_faults();
  const int code = kith::cli::run(argc, argv);
  kith::cli::end_ranks();
  return code;
}

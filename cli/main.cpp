// The program `kith`: parses the command line, runs a subcommand, and turns errors into one
// sentence and an exit code: 0 done, 1 failed, 2 not understood.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include <kith/error.hpp>
#include <kith/version.hpp>

#include "command.hpp"
#include "faults.hpp"
#include "progress.hpp"
#include "ranks.hpp"
#include "terminal.hpp"
#include "usage.hpp"

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

constexpr const char* kShort =
    R"(kith: exact nearest neighbors and friends-of-friends groups in huge point sets

  kith info FILE                            what a snapshot or a result contains
  kith fof FILE -o halos.hdf5               groups or halos, and their properties
  kith knn FILE -k 16 -o neighbors.hdf5     nearest neighbors
  kith report FILE -o report.html           a page with maps, curves and a table of the groups

All commands: kith --help. One of them: kith fof --help.
)";

int show_commands() {
  if (is_first_rank()) fmt::print(stderr, "{}", kShort);
  return kUsage;
}

/// Or the version.
int show_help(const CLI::App& program, const CLI::ParseError& error) {
  std::ostringstream text;
  const int code = program.exit(error, text, text);
  std::fputs(inked_help(stdout, text.str()).c_str(), stdout);  // a failure shows in the stream
  return code;
}

int say(int code, const std::string& sentence) {
  clear_progress();
  if (!is_first_rank()) return code;
  fmt::print(stderr, "{} {}\n", inked(stderr, Ink::red, "kith:"), printable(sentence));
  return code;
}

/// The code of a command that succeeded, unless some of its output is lost: a full disk behind `>
/// file`. A buffer that could not be written earlier leaves nothing to flush here, only the mark of
/// the stream.
int check_output(int code) {
  const bool is_flushed = std::fflush(stdout) == 0;
  std::cout.flush();
  if (is_flushed && !std::ferror(stdout) && std::cout) return code;
  return say(kFailed,
             "standard output could not be written completely; is its disk full? Some of the "
             "output is lost");
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
  add_match(program);
  add_trees(program);
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
  constexpr std::string_view kShared[] = {"fof",    "subhalos", "knn",   "radius",  "density",
                                          "verify", "match",    "trees", "cluster", "correlate"};
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
  program.formatter(help_formatter());
  program.footer(kExamples);
  program.require_subcommand(1);
  add_commands(Command(&program));
  try {
    std::vector<std::string> words = words_of(argc, argv);
    std::reverse(words.begin(), words.end());  // as the parser wants them
    program.parse(std::move(words));
    return check_output(0);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return check_output(show_help(program, error));
    if (argc <= 1) return show_commands();
    return say(kUsage, usage_error(program, error));
  } catch (const Error& error) {
    if (error.code() == ErrorCode::cancelled) return say(kFailed, "stopped");
    return say(error.code() == ErrorCode::invalid_argument ? kUsage : kFailed,
               in_option_names(program, error.what()));
  } catch (const std::exception& error) {
    if (std::ferror(stdout)) return check_output(kFailed);
    return say(kFailed, error.what());
  }
}

}  // namespace
}  // namespace kith::cli

int main(int argc, char** argv) {
  kith::cli::survive_faults();
  const int code = kith::cli::run(argc, argv);
  kith::cli::end_ranks();
  // Not through the ends of libraries: HDF5's fails, and says so in many lines, after a damaged
  // file that it could not close.
  std::fflush(nullptr);
  _exit(code);
}

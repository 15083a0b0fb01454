// The program `kith`: parses the command line, runs a subcommand, and turns errors into one
// sentence and an exit code: 0 done, 1 failed, 2 not understood.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <fmt/format.h>
#include <string>

#include <kith/error.hpp>
#include <kith/version.hpp>

#include "command.hpp"
#include "interrupt.hpp"
#include "progress.hpp"

namespace kith::cli {
namespace {

constexpr int kFailed = 1;
constexpr int kUsage = 2;

constexpr const char* kExamples = R"(Examples:
  kith sample uniform -n 1000000 -o points.npy
  kith sample cosmology -n 128 -o universe.npy --picture universe.png
  kith sample cosmology --help

Exit codes: 0 done, 1 failed or stopped, 2 the command line makes no sense.)";

int say(int code, const std::string& sentence) {
  clear_progress();
  fmt::print(stderr, "kith: {}\n", sentence);
  return code;
}

/// The first line of what the parser says.
int say_usage(const CLI::ParseError& error) {
  const std::string text = error.what();
  return say(kUsage, text.substr(0, text.find('\n')) + "; see kith --help");
}

int run(int argc, char** argv) {
  CLI::App program("Exact nearest neighbours and friends-of-friends groups in huge point sets.",
                   "kith");
  program.set_version_flag("--version", std::string("kith ") + KITH_VERSION);
  program.footer(kExamples);
  program.require_subcommand(1);
  add_sample(program);
  try {
    program.parse(argc, argv);
    return 0;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return program.exit(error);  // help and version
    return say_usage(error);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::cancelled) return say(kFailed, "stopped");
    return say(error.code() == ErrorCode::invalid_argument ? kUsage : kFailed, error.what());
  } catch (const std::exception& error) {
    return say(kFailed, error.what());
  }
}

}  // namespace

void add_common(CLI::App& command, Common& common) {
  command.add_option("--threads", common.threads, "worker threads; 0 = all there are")
      ->capture_default_str();
  command.add_flag("--quiet", common.quiet, "say nothing unless something fails");
  command.add_flag("--json", common.json, "tell what was done as one JSON object");
}

Execution execution_of(const Common& common) {
  Execution execution{.threads = common.threads, .cancel = &interrupt_token()};
  if (!common.quiet && is_terminal()) execution.progress = &draw_progress;
  return execution;
}

}  // namespace kith::cli

int main(int argc, char** argv) { return kith::cli::run(argc, argv); }

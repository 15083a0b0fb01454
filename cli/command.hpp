// What the subcommands share.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include <kith/execution.hpp>

namespace kith::cli {

/// Options that every subcommand has.
struct Common {
  int threads = 0;
  bool quiet = false;
  bool json = false;
};
void add_common(CLI::App& command, Common& common);

/// Threads, progress on a terminal, and Ctrl-C, for the calls of one command.
Execution execution_of(const Common& common);

/// Each subcommand adds itself to the program; it runs from a callback of the parser.
void add_sample(CLI::App& program);

}  // namespace kith::cli

// What the subcommands share.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <kith/execution.hpp>

#include "options.hpp"
#include "output.hpp"

namespace kith::cli {

/// Options that every subcommand has.
struct Common {
  int threads = 0;
  bool quiet = false;
  bool json = false;
  std::string max_memory;  ///< as written: "8G"
  std::string device = "cpu";
};
void add_common(Command command, Common& common);

/// For commands that can say beforehand how much memory they need.
void add_max_memory(Command command, Common& common);

/// For commands whose searches run on devices, too.
void add_device(Command command, Common& common);

/// Threads, progress on a terminal, and Ctrl-C, for the calls of one command.
Execution execution_of(const Common& common);

/// One run of a command: how its calls are executed, and what it prints. Words go to standard
/// output as they come, unless one JSON object was asked for, or silence.
class Session {
 public:
  explicit Session(const Common& common);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const Execution& execution() const { return execution_; }
  /// The same on the device that was asked for, for trees, searches, linking and sums over groups.
  const Execution& on_device() const { return on_device_; }
  const Statistics& statistics() const { return statistics_; }
  Report& report() { return report_; }

  /// Prints a line, or several; nothing with --quiet or --json.
  void say(const std::string& text) const;

  /// Prints "warning: ..." on standard error; nothing with --quiet. With --json it is one of the
  /// `notes`.
  void warn(const std::string& text);

  /// Tells how much memory is needed. Throws Error (out_of_memory) if that is more than allowed.
  void need_memory(double bytes);
  void check_memory(double bytes) const;  ///< The same without words.

  /// The last words: how long what took, or the JSON object.
  void finish();

  bool is_silent() const { return common_.quiet || common_.json; }
  double seconds() const;

 private:
  void use_device();

  const Common& common_;
  Statistics statistics_;
  Execution execution_, on_device_;
  Report report_;
  std::vector<std::string> warnings_;
  std::chrono::steady_clock::time_point start_;
};

/// Bytes of "500M", "8G", "8GB", "1.5T"; powers of 1000. Throws Error (invalid_argument).
double parse_bytes(const std::string& text);

/// Each subcommand adds itself to the program; it runs from a callback of the parser.
void add_info(Command program);
void add_fof(Command program);
void add_subhalos(Command program);
void add_cluster(Command program);
void add_knn(Command program);
void add_density(Command program);
void add_radius(Command program);
void add_correlate(Command program);
void add_sample(Command program);
void add_report(Command program);
void add_verify(Command program);
void add_bench(Command program);
void add_completion(Command program);
void add_manual(Command program);

}  // namespace kith::cli

// Shared by the subcommands.
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
  std::string scratch;     ///< folder for what does not fit; empty = that of temporary files
  bool resume = false;     ///< continue work that was stopped
  std::string device = "cpu";
};
void add_common(Command command, Common& common);

/// For commands that can say beforehand how much memory they need.
void add_max_memory(Command command, Common& common);

/// The same for commands that work from disk where there is too little memory.
void add_disk(Command command, Common& common);

/// For commands whose searches run on devices, too.
void add_device(Command command, Common& common);

/// Threads, progress on a terminal, and Ctrl-C, for the calls of one command.
Execution execution_of(const Common& common);

/// One run of a command: how its calls are executed, and what it prints. Words go to standard
/// output in order, unless --json or --quiet is given; to standard error if the result itself goes
/// to standard output.
class Session {
 public:
  /// `output`: the file of -o; "-" is standard output.
  explicit Session(const Common& common, const std::string& output = "");
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const Execution& execution() const { return execution_; }
  /// The execution on the device of --device, for trees, searches, linking and sums over groups.
  const Execution& on_device() const { return on_device_; }
  const Statistics& statistics() const { return statistics_; }
  Report& report() { return report_; }

  /// Prints a line, or several; nothing with --quiet or --json.
  void say(const std::string& text) const;

  /// Prints `before` and the name of a file that was written; nothing for standard output.
  void say_written(const std::string& path, const std::string& before = "") const;

  /// Prints "warning: ..." on standard error; nothing with --quiet. With --json it is one of the
  /// `notes`.
  void warn(const std::string& text);

  /// Prints how much memory is needed. Throws Error (out_of_memory) if that is more than allowed.
  void need_memory(double bytes);
  void check_memory(double bytes) const;             ///< The check without a message.
  double max_memory() const { return max_memory_; }  ///< that the user allows; 0 = not given
  const std::string& scratch() const { return common_.scratch; }
  bool resumes() const { return common_.resume; }

  /// The last words: how long what took, or the JSON object.
  void finish();

  bool is_silent() const { return common_.quiet || common_.json; }
  double seconds() const;

 private:
  void use_device();

  const Common& common_;
  double max_memory_ = 0;
  bool is_piped_ = false;  ///< the result goes to standard output
  Statistics statistics_;
  Execution execution_, on_device_;
  Report report_;
  std::vector<std::string> warnings_;
  std::chrono::steady_clock::time_point start_;
};

/// Each subcommand adds itself to the program; it runs from a callback of the parser.
void add_info(Command program);
void add_fof(Command program);
void add_subhalos(Command program);
void add_cluster(Command program);
void add_knn(Command program);
void add_density(Command program);
void add_radius(Command program);
void add_correlate(Command program);
void add_match(Command program);
void add_trees(Command program);
void add_sample(Command program);
void add_report(Command program);
void add_verify(Command program);
void add_bench(Command program);
void add_completion(Command program);
void add_manual(Command program);

}  // namespace kith::cli

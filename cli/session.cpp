#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <fstream>
#include <unistd.h>

#include <kith/error.hpp>
#include <kith/io/stored_points.hpp>

#include "command.hpp"
#include "devices.hpp"
#include "interrupt.hpp"
#include "progress.hpp"
#include "ranks.hpp"
#include "terminal.hpp"

namespace kith::cli {
namespace {

constexpr const char* kGeneral = "General options";

/// Stages that took part of a hundredth are not worth a word.
std::string stages_text(const Statistics& statistics) {
  std::vector<std::pair<std::string, double>> sums;
  for (const auto& stage : statistics.stages) {
    const auto same = std::find_if(sums.begin(), sums.end(),
                                   [&](const auto& sum) { return sum.first == stage.name; });
    if (same == sums.end())
      sums.emplace_back(stage.name, stage.seconds);
    else
      same->second += stage.seconds;
  }
  std::string text;
  for (const auto& [name, seconds] : sums)
    if (seconds >= 0.005)
      text += fmt::format("{}{} {:.2f}", text.empty() ? "" : ", ", name, seconds);
  return text.empty() ? text : " (" + text + ")";
}

/// Bytes of memory that this process may have: the machine's, or its container's; 0 if unknown.
double machine_memory() {
  const double pages = static_cast<double>(sysconf(_SC_PHYS_PAGES));
  double bytes = pages > 0 ? pages * static_cast<double>(sysconf(_SC_PAGE_SIZE)) : 0;
  std::ifstream file("/sys/fs/cgroup/memory.max");
  if (double limit = 0; file >> limit && limit > 0)
    bytes = bytes > 0 ? std::min(bytes, limit) : limit;
  return bytes;
}

void add_limit(Command command, Common& common, const char* meaning) {
  command.add_option("--max-memory", common.max_memory, meaning)
      .from_environment("KITH_MAX_MEMORY");
}

}  // namespace

void add_common(Command command, Common& common) {
  command.add_under(kGeneral, [&] {
    command.add_option("--threads", common.threads, "worker threads; 0: all cores").shows_default();
    command.add_flag("-q,--quiet", common.quiet, "print nothing but errors");
    command.add_flag("--json", common.json, "print the results as one JSON object");
  });
}

void add_max_memory(Command command, Common& common) {
  command.add_under(kGeneral, [&] {
    add_limit(command, common,
              "refuse to start if more memory than this is needed, such as 8G; default: the memory "
              "of the machine");
  });
}

void add_disk(Command command, Common& common) {
  command.add_under(kGeneral, [&] {
    add_limit(command, common,
              "if more memory than this is needed, such as 8G, work on a part of the points at a "
              "time, from disk; default: the memory of the machine, or refuse");
    command.add_option("--scratch", common.scratch,
                       "folder for the scratch file of --max-memory; default: TMPDIR, or /tmp");
    command.add_flag("--resume", common.resume,
                     "keep the scratch file if the command is stopped, and continue with that of "
                     "the same command");
  });
}

void add_device(Command command, Common& common) {
  command.add_under(kGeneral, [&] {
    command
        .add_option("--device", common.device,
                    "where trees, searches, linking and sums over groups run: cpu, gpu, or gpu:1 "
                    "for the second device; the result is the same")
        .shows_default();
  });
}

Execution execution_of(const Common& common) {
  Execution execution{.threads = common.threads, .cancel = &interrupt_token()};
  const bool draws = !common.quiet && is_terminal(stderr) && is_first_rank();
  double all_draw = draws ? 1 : 0;
  copy_from_first({&all_draw, 1});
  if (all_draw > 0) execution.progress = ranks().share_progress(&draw_progress);
  return execution;
}

Session::Session(const Common& common, const std::string& output)
    : common_(common),
      is_piped_(output == "-"),
      execution_(execution_of(common)),
      start_(std::chrono::steady_clock::now()) {
  if (is_piped_ && common.json)
    throw Error(ErrorCode::invalid_argument,
                "--json and -o - both write to standard output; give -o the name of a file");
  execution_.statistics = &statistics_;
  on_device_ = execution_;
  on_device_.device = common.device;
  if (common.device != "cpu") use_device();
  if (!common.max_memory.empty())
    max_memory_ = static_cast<double>(parse_memory(common.max_memory, "--max-memory"));
}

void Session::use_device() {
  if (ranks().size() > 1) {
    enable_devices();
    report_.add("device", common_.device);
    return say(fmt::format("device {}{}", common_.device,
                           common_.device == "gpu" ? ": one for each rank, in turn" : ""));
  }
  const gpu::Device device = open_device(common_.device);
  report_.add("device", device.name);
  report_.add("device_model", device.model);
  say(fmt::format("device {}: {}", device.name, printable(device.model)));
}

void Session::say(const std::string& text) const {
  if (is_silent()) return;
  clear_progress();
  std::FILE* const file = is_piped_ ? stderr : stdout;
  fmt::print(file, "{}\n", text);
  std::fflush(file);
}

void Session::say_written(const std::string& path, const std::string& before) const {
  if (path != "-") say(before + printable(path));
}

void Session::warn(const std::string& text) {
  warnings_.push_back(text);
  if (is_silent() || !is_first_rank()) return;
  clear_progress();
  std::fflush(stdout);
  fmt::print(stderr, "{} {}\n", inked(stderr, Ink::yellow, "warning:"), printable(text));
}

void Session::need_memory(double bytes) {
  report_.add("memory", std::round(bytes));
  say(fmt::format("memory: about {}", bytes_name(bytes)));
  check_memory(bytes);
}

void Session::check_memory(double bytes) const {
  if (!(max_memory_ > 0)) {
    const double machine = machine_memory();
    if (!(machine > 0) || bytes * share_of_machine() <= machine) return;
    throw Error(
        ErrorCode::out_of_memory,
        fmt::format(
            "this needs about {} of memory, and this machine has {}; choose fewer particles "
            "or --scalar float32, or use --max-memory {:.0f}G to try anyway",
            bytes_name(bytes), bytes_name(machine), std::ceil(bytes / 1e9)));
  }
  if (bytes <= max_memory_) return;
  throw Error(ErrorCode::out_of_memory,
              fmt::format("this needs about {} of memory, and --max-memory allows {}",
                          bytes_name(bytes), bytes_name(max_memory_)));
}

double Session::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

void Session::finish() {
  clear_progress();
  if (common_.json) {
    std::vector<Report> stages;
    for (const auto& stage : statistics_.stages) {
      stages.emplace_back();
      stages.back().add("stage", stage.name);
      stages.back().add("seconds", stage.seconds);
    }
    report_.add("stages", stages);
    if (!warnings_.empty()) report_.add("notes", warnings_);
    report_.add("seconds", seconds());
    fmt::print("{}\n", report_.json());
    return;
  }
  say(fmt::format("{}{}", seconds_name(seconds()), stages_text(statistics_)));
}

}  // namespace kith::cli

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <unistd.h>

#include <kith/error.hpp>

#include "command.hpp"
#include "devices.hpp"
#include "interrupt.hpp"
#include "progress.hpp"
#include "ranks.hpp"

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
    command.add_option("--max-memory", common.max_memory,
                       "refuse to start if more memory than this is needed, such as 8G; default: "
                       "the memory of the machine");
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
  const bool draws = !common.quiet && is_terminal() && is_first_rank();
  double all_draw = draws ? 1 : 0;
  if (ranks()) ranks()->take_first({&all_draw, 1});
  if (ranks() && all_draw > 0)
    execution.progress = ranks()->share_progress(&draw_progress);
  else if (draws)
    execution.progress = &draw_progress;
  return execution;
}

double parse_bytes(const std::string& text) {
  static const std::map<std::string, double> kUnits = {
      {"", 1},     {"B", 1},   {"K", 1e3},  {"KB", 1e3}, {"M", 1e6},
      {"MB", 1e6}, {"G", 1e9}, {"GB", 1e9}, {"T", 1e12}, {"TB", 1e12}};
  std::size_t end = 0;
  double number = -1;
  try {
    number = std::stod(text, &end);
  } catch (const std::exception&) {
    end = 0;
  }
  std::string unit = text.substr(end);
  for (char& c : unit) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  const auto found = kUnits.find(unit);
  if (end == 0 || found == kUnits.end() || !(number > 0) || !std::isfinite(number))
    throw Error(ErrorCode::invalid_argument,
                fmt::format("--max-memory: {} is not an amount of memory; write 500M or 8G", text));
  return number * found->second;
}

Session::Session(const Common& common)
    : common_(common), execution_(execution_of(common)), start_(std::chrono::steady_clock::now()) {
  execution_.statistics = &statistics_;
  on_device_ = execution_;
  on_device_.device = common.device;
  if (common.device != "cpu") use_device();
  if (!common.max_memory.empty()) parse_bytes(common.max_memory);
}

void Session::use_device() {
  if (ranks()) {
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
  fmt::print("{}\n", text);
  std::fflush(stdout);
}

void Session::warn(const std::string& text) {
  warnings_.push_back(text);
  if (is_silent() || !is_first_rank()) return;
  clear_progress();
  std::fflush(stdout);
  fmt::print(stderr, "warning: {}\n", printable(text));
}

void Session::need_memory(double bytes) {
  report_.add("memory", std::round(bytes));
  say(fmt::format("memory: about {}", bytes_name(bytes)));
  check_memory(bytes);
}

void Session::check_memory(double bytes) const {
  if (common_.max_memory.empty()) {
    const double machine = machine_memory();
    if (!(machine > 0) || bytes * share_of_machine() <= machine) return;
    throw Error(
        ErrorCode::out_of_memory,
        fmt::format(
            "this needs about {} of memory, and this machine has {}; choose fewer particles "
            "or --scalar float32, or use --max-memory {:.0f}G to try anyway",
            bytes_name(bytes), bytes_name(machine), std::ceil(bytes / 1e9)));
  }
  if (bytes <= parse_bytes(common_.max_memory)) return;
  throw Error(ErrorCode::out_of_memory,
              fmt::format("this needs about {} of memory, and --max-memory allows {}",
                          bytes_name(bytes), bytes_name(parse_bytes(common_.max_memory))));
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

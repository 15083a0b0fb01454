#include "progress.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <string>
#include <unistd.h>

namespace kith::cli {
namespace {

using Clock = std::chrono::steady_clock;

/// The stage that is drawn; calls never come from two threads at once.
struct Drawn {
  std::string stage;
  std::uint64_t done = 0;
  Clock::time_point start;
};
Drawn drawn;

std::string rate_name(double rate) {
  constexpr const char* kNames[] = {"", "k", "M", "G", "T"};
  std::size_t unit = 0;
  for (; rate >= 999.5 && unit + 1 < std::size(kNames); ++unit) rate /= 1000;
  return fmt::format("{:.{}f}{}/s", rate, rate < 10 ? 1 : 0, kNames[unit]);
}

std::string left_name(double seconds) {
  const auto whole = std::llround(seconds);
  if (whole < 120) return fmt::format("{} s left", whole);
  if (whole < 7200) return fmt::format("{} min left", (whole + 30) / 60);
  return fmt::format("{} h left", (whole + 1800) / 3600);
}

/// Empty until there is something to go by.
std::string pace_of(const Progress& progress) {
  const std::chrono::duration<double> passed = Clock::now() - drawn.start;
  if (passed.count() < 0.3 || progress.done == 0) return "";
  const double rate = static_cast<double>(progress.done) / passed.count();
  const double left = static_cast<double>(progress.total - progress.done) / rate;
  return fmt::format("  {}  {}", rate_name(rate), left_name(left));
}

}  // namespace

void draw_progress(const Progress& progress) {
  if (progress.stage != drawn.stage || progress.done < drawn.done)
    drawn = {std::string(progress.stage), 0, Clock::now()};
  drawn.done = progress.done;
  constexpr std::uint64_t kWidth = 24;
  const std::uint64_t total = progress.total > 0 ? progress.total : 1;
  const double share =
      std::min(1.0, static_cast<double>(progress.done) / static_cast<double>(total));
  const auto filled = static_cast<std::uint64_t>(share * static_cast<double>(kWidth));
  const std::string bar = std::string(filled, '#') + std::string(kWidth - filled, '.');
  fmt::print(stderr, "\r{:<16} [{}] {:3.0f} %{}\x1b[K", progress.stage, bar, 100 * share,
             progress.total >= progress.done ? pace_of(progress) : "");
  std::fflush(stderr);
}

void clear_progress() {
  if (!is_terminal()) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
}

bool is_terminal() { return isatty(STDERR_FILENO) == 1; }

}  // namespace kith::cli

#include "progress.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <string>

#include "terminal.hpp"

namespace kith::cli {
namespace {

using Clock = std::chrono::steady_clock;

/// The bar; calls never come from two threads at once.
struct Drawn {
  std::string work;
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

std::string repeated(const char* text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

/// As wide as the words beside it leave room for: the line must not wrap.
std::string bar_of(double share) {
  constexpr int kWords = 50;
  const int width = std::clamp(columns_of(stderr) - kWords, 8, 40);
  const int filled = static_cast<int>(share * width);
  if (!is_utf8()) return "[" + std::string(filled, '#') + std::string(width - filled, '.') + "]";
  return inked(stderr, Ink::cyan, repeated("━", filled)) +
         inked(stderr, Ink::faint, repeated(has_colors(stderr) ? "━" : "┄", width - filled));
}

}  // namespace

void draw_progress(const Progress& progress) {
  // "CALL: STAGE" is a stage of a call whose time left is known as a whole.
  const std::string_view work = progress.stage.substr(0, progress.stage.find(':'));
  if (work != drawn.work || progress.done < drawn.done)
    drawn = {std::string(work), 0, Clock::now()};
  drawn.done = progress.done;
  const std::uint64_t total = progress.total > 0 ? progress.total : 1;
  const double share =
      std::min(1.0, static_cast<double>(progress.done) / static_cast<double>(total));
  fmt::print(stderr, "\r{:<16} {} {:3.0f} %{}\x1b[K", progress.stage, bar_of(share), 100 * share,
             progress.total >= progress.done ? pace_of(progress) : "");
  std::fflush(stderr);
}

void clear_progress() {
  if (!is_terminal(stderr)) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
}

}  // namespace kith::cli

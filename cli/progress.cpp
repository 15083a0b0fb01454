#include "progress.hpp"

#include <cstdio>
#include <fmt/format.h>
#include <string>
#include <unistd.h>

namespace kith::cli {

void draw_progress(const Progress& progress) {
  constexpr std::uint64_t kWidth = 40;
  const std::uint64_t total = progress.total > 0 ? progress.total : 1;
  const std::uint64_t filled = kWidth * progress.done / total;
  const std::string bar = std::string(filled, '#') + std::string(kWidth - filled, '.');
  const std::string line =
      fmt::format("\r{:<20} [{}] {:3} %", progress.stage, bar, 100 * progress.done / total);
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
}

void clear_progress() {
  if (!is_terminal()) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
}

bool is_terminal() { return isatty(STDERR_FILENO) == 1; }

}  // namespace kith::cli

// A bar on the terminal.
#pragma once

#include <kith/execution.hpp>

namespace kith::cli {

/// Draws progress on one line of standard error, over the line before: stage, bar, rate, and the
/// time that is left.
void draw_progress(const Progress& progress);

/// Removes the line.
void clear_progress();

}  // namespace kith::cli

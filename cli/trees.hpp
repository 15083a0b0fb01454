// The commands below `kith trees`.
#pragma once

#include <functional>

#include <kith/io/halo_histories.hpp>

#include "command.hpp"

namespace kith::cli {

/// Prints how many halos and links there are.
void tell_trees(const HaloHistories& histories, Session& session);

/// Each calls `done` when it has run.
void add_show_trees(Command trees, const std::function<void()>& done);
void add_convert_trees(Command trees, const std::function<void()>& done);

}  // namespace kith::cli

// Ctrl-C stops the running call, which cleans up after itself.
#pragma once

#include <kith/execution.hpp>

namespace kith::cli {

/// Is cancelled by SIGINT and SIGTERM from the first call on; a second signal ends the process at
/// once.
const CancelToken& interrupt_token();

/// Throws Error (cancelled) if a signal came: between parts of the work that do not look
/// themselves.
void stop_if_interrupted();

}  // namespace kith::cli

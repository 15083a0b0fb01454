// Ctrl-C stops the running call, which cleans up after itself.
#pragma once

#include <kith/execution.hpp>

namespace kith::cli {

/// Is cancelled by SIGINT, SIGTERM and SIGHUP from the first call on; a second signal ends the process at
/// once.
const CancelToken& interrupt_token();

/// A fault inside a library (HDF5 has some on damaged files) ends the program with a message, exit
/// code 1 and no temporary files.
void survive_faults();

/// Throws Error (cancelled) if a signal came: between parts of the work that do not look
/// themselves.
void stop_if_interrupted();

}  // namespace kith::cli

// Faults inside libraries.
#pragma once

namespace kith::cli {

/// A fault inside a library (HDF5 has some on damaged files) ends the program with a message, exit
/// code 1 and no temporary files.
void survive_faults();

/// Ends the program at once with these words, exit code 1 and no temporary files: for handlers of
/// signals.
[[noreturn]] void end_now(const char* words);

}  // namespace kith::cli

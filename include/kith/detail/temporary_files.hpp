// Files that appear under their names only when they are complete; and for handlers of signals,
// what calls in progress have left and where they are.
#pragma once

#include <string>
#include <string_view>

#include <kith/export.hpp>

namespace kith {

/// Writes a whole file: under a temporary name in the same folder, synced, then renamed. After a
/// failure the folder is as it was. A new file has the mode of the file that it replaces. A target
/// that is not a regular file (a pipe, /dev/stdout) is written directly. Errors: io.
KITH_API void write_file(const std::string& path, std::string_view bytes);

/// Removes the files that calls in progress have written under temporary names, for programs that
/// have to end inside a call: a handler of signals may call this before `_exit`. Calls that
/// continue afterwards fail.
KITH_API void remove_temporary_files() noexcept;

/// Whether a call is inside the HDF5 library, which crashes on some damaged files: a handler of
/// SIGSEGV may distinguish such a file from a bug.
KITH_API bool is_inside_hdf5() noexcept;

}  // namespace kith

// For handlers of signals: what calls in progress have left and where they are.
#pragma once

#include <kith/export.hpp>

namespace kith {

/// Removes files under temporary names, for programs that have to end inside a call: a handler of
/// signals may call this before `_exit`. Calls that go on afterwards fail. Of more than 64 files at
/// once, it knows 64.
KITH_API void remove_temporary_files() noexcept;

/// Whether a call is inside the HDF5 library, which crashes on some damaged files: a handler of
/// SIGSEGV may tell such a file from a bug.
KITH_API bool is_inside_hdf5() noexcept;

}  // namespace kith

// Files that calls in progress have written under temporary names.
#pragma once

#include <kith/export.hpp>

namespace kith {

/// Removes them, for programs that have to end inside a call: a handler of signals may call this
/// before `_exit`. Calls that go on afterwards fail. Of more than 64 files at once, it knows 64.
KITH_API void remove_temporary_files() noexcept;

}  // namespace kith

// Compiled kernels on disk, so only the first process waits for the compiler: in KITH_CACHE,
// else in kith/ below XDG_CACHE_HOME or ~/.cache. An empty KITH_CACHE switches it off.
#pragma once

#include <optional>
#include <string>

namespace kith::gpu::cuda {

/// The code that was stored for this key, which is all that the code depends on. Nothing if there
/// is none, or if the file is damaged.
std::optional<std::string> stored_code(const std::string& key);

/// A folder that cannot be written is no error: the next process compiles again.
void store_code(const std::string& key, const std::string& code) noexcept;

}  // namespace kith::gpu::cuda

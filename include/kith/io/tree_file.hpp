// Trees as files and as bytes: built once, used by many programs.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include <kith/execution.hpp>
#include <kith/export.hpp>
#include <kith/tree.hpp>

namespace kith {

struct LoadOptions {
  /// Compares the checksum and checks every count, index and box, so that a damaged or forged file
  /// can neither crash a search nor change a result. Without it only header and size are checked:
  /// loading then takes microseconds, and a damaged file may crash the searches that follow.
  bool verify = true;
};

/// Writes the tree to a file. The file depends only on the points and the options, and can be
/// loaded on all machines with the same byte order. It appears under its name only when it is
/// complete and on disk; a failed or cancelled call leaves nothing behind.
/// Errors: io, cancelled.
KITH_API void save(const AnyTree& tree, const std::string& path, const Execution& execution = {});

/// Loads a tree from a file. The file is mapped, not read: programs that load it share its memory,
/// and it must not be changed in place while a tree uses it (`save` replaces it as a whole, which
/// is safe). Errors: io (no such file, not a tree, another version or byte order, truncated,
/// damaged), cancelled.
KITH_API AnyTree load(const std::string& path, const LoadOptions& options = {},
                      const Execution& execution = {});

/// The size of the file, and of the same bytes in memory.
KITH_API std::size_t saved_size(const AnyTree& tree);

/// Writes the bytes of the file to memory of `saved_size` bytes. Errors: invalid_argument
/// (another size), cancelled.
KITH_API void save(const AnyTree& tree, std::span<std::byte> bytes,
                   const Execution& execution = {});

/// Loads a tree from such bytes, which are copied. Errors: as for a file.
KITH_API AnyTree load(std::span<const std::byte> bytes, const LoadOptions& options = {},
                      const Execution& execution = {});

}  // namespace kith

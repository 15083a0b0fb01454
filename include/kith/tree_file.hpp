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
  /// Compares the checksum and checks every count, index and box, so that no file, damaged or made
  /// up, can do harm or change an answer. Without it only the header and the size are checked:
  /// loading then takes microseconds, and a damaged file may crash the searches that follow.
  bool verify = true;
};

/// Writes the tree to one file. The file depends on the points and the options alone, and loads on
/// machines with the same byte order, whatever their SIMD instructions. It appears under its name
/// only when it is complete and on disk; a failed or cancelled call leaves nothing behind. Errors:
/// io, cancelled.
KITH_API void save(const Tree& tree, const std::string& path, const Execution& execution = {});

/// The tree in a file. The file is mapped, not read: programs that load it share its memory, and it
/// must not be changed in place while a tree stands on it (`save` replaces it as a whole, which is
/// safe). Errors: io (no such file, not a tree, another version or byte order, truncated,
/// damaged), cancelled.
KITH_API Tree load(const std::string& path, const LoadOptions& options = {},
                   const Execution& execution = {});

/// The size of the file, and of the same bytes in memory.
KITH_API std::size_t saved_size(const Tree& tree);

/// Writes what would stand in the file to memory of `saved_size` bytes. Errors: invalid_argument
/// (another size), cancelled.
KITH_API void save(const Tree& tree, std::span<std::byte> bytes, const Execution& execution = {});

/// The tree in such bytes, which are copied. Errors: as for a file.
KITH_API Tree load(std::span<const std::byte> bytes, const LoadOptions& options = {},
                   const Execution& execution = {});

}  // namespace kith

// A file in memory without reading it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace kith::io {

/// The bytes of a file, mapped as long as they have an owner.
struct MappedBytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

/// Errors: io, with the path (cannot be opened, no regular file).
MappedBytes map_file(const std::string& path);

}  // namespace kith::io

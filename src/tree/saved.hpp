// A tree as one run of bytes, in a file or in memory, whose arrays are used where they lie.
//
//   header 1152 bytes: magic, options, counts, two checksums
//   arrays each from a multiple of 64 bytes on, as in planes.hpp: blocks; then plane by plane
//             boxes, smallest, largest, first, begin
//   zeros     one bit for each point that was dropped, up to a multiple of 64 bytes
//
// Nothing but counts is stored about the arrays: where each begins and how long it is follows from
// them, so that a header cannot contradict itself. Zeros fill the gaps.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "base/function_ref.hpp"
#include "base/shared.hpp"
#include "parallel/workers.hpp"
#include "tree/tree_impl.hpp"

namespace kith {

/// Bytes of a saved tree.
KITH_SHARED std::size_t saved_bytes(const AnyTree::Impl& tree);

/// Hands the bytes to `write`, piece by piece, in order.
KITH_SHARED void write_saved(const AnyTree::Impl& tree, Workers& workers,
                             FunctionRef<void(const void* data, std::size_t bytes)> write);

/// Bytes that hold a saved tree, or claim to.
struct SavedBytes {
  std::string name;  ///< for messages: the path
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;  ///< keeps them
};

/// The tree in these bytes, which must be aligned to 64. With `verify`, everything is
/// checked that a search relies on. Errors: io.
KITH_SHARED std::shared_ptr<const AnyTree::Impl> adopt_saved(const SavedBytes& saved, bool verify,
                                                             Workers& workers);

}  // namespace kith

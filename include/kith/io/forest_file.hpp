// Forests as files.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include <kith/execution.hpp>
#include <kith/export.hpp>
#include <kith/forest.hpp>

namespace kith {

/// Writes the points of a forest and their indices to a file, which appears under its name only
/// when it is complete and on disk. It depends only on the points in the forest and on the number
/// of points inserted so far. Errors: io, cancelled.
template <Coordinate T>
KITH_API void save(const Forest<T>& forest, const std::string& path,
                   const Execution& execution = {});

/// Reads a forest from a file and builds one tree of its points. Checksums cover every byte, and
/// the content is checked. Errors: io (no such file, not a forest of this type, another version or
/// byte order, truncated, damaged), cancelled.
template <Coordinate T = float>
KITH_API Forest<T> load_forest(const std::string& path, const Execution& execution = {});

/// The type of the points of a saved forest, in a file or in the bytes of Forest::bytes.
/// Errors: io (not a forest).
KITH_API Scalar forest_scalar(const std::string& path);
KITH_API Scalar forest_scalar(std::span<const std::byte> bytes);

}  // namespace kith

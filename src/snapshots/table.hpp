// Reading rows of numbers in binary files.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "files/input_bytes.hpp"
#include "files/number.hpp"
#include "snapshots/reader.hpp"

namespace kith::io {

/// One number of every row.
struct Column {
  Stored stored;
  std::size_t offset = 0;  ///< bytes from the beginning of the row
};

struct RowLayout {
  std::size_t bytes = 0;  ///< of a row
  std::vector<Column> columns;
};

/// Rows of `count` numbers of the same type, one after the other.
RowLayout packed_rows(Stored stored, std::size_t count);

/// The columns of the next rows of a stream go to `to`, row after row, `to_stride` numbers from one
/// row to the next (0: as many as there are columns; the stage then advances with the rows).
void read_rows(ByteStream& bytes, const RowLayout& layout, std::uint64_t rows, const Target& to,
               std::size_t to_stride, const Workers& workers, const std::string& where);

/// count * size, or an error (io) if a file of `bytes` does not have that from `begin` on.
std::uint64_t checked_bytes(std::uint64_t count, std::uint64_t size, std::uint64_t begin,
                            std::uint64_t bytes, const std::string& where);

/// Writes the same number `count` times; advances the stage by as many rows.
void fill(const Target& to, std::uint64_t count, double value, const Workers& workers);

}  // namespace kith::io

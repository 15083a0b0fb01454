// The header of a NumPy array in a file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "files/number.hpp"

namespace kith::io {

struct NpyHeader {
  Stored stored;
  bool is_fortran_order = false;
  std::vector<std::uint64_t> shape;
  std::size_t bytes = 0;  ///< of the header; the numbers follow
};

bool is_npy(std::string_view beginning);

/// How many bytes of a file parse_npy needs at most: headers of arrays that kith reads are short.
inline constexpr std::size_t kNpyHeaderBytes = 4096;

/// From the first bytes of a file; throws Error (io) that begins with `where`.
NpyHeader parse_npy(std::string_view beginning, const std::string& where);

/// Format version 1.0, padded to a multiple of 64 bytes.
std::string npy_header(Number number, const std::vector<std::uint64_t>& shape);

}  // namespace kith::io

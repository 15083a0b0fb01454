// Uploads of the caller's arrays: whether there is room for them, and rows without gaps.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#include <kith/points.hpp>

#include "base/fail.hpp"
#include "gpu/device.hpp"

namespace kith::gpu {

/// Throws Error unless `points` points fit that take `each` bytes, and `widest` bytes in the widest
/// array.
inline void check_room(const char* call, const OpenDevice& device, std::size_t points,
                       std::size_t each, std::size_t widest) {
  device.query_memory();
  const std::size_t fit = std::min(device.available() / each, device.largest_piece() / widest);
  if (points > fit)
    fail(ErrorCode::out_of_memory,
         "{}: {} points on {}, where {} would fit ({} bytes each, {} available); use fewer "
         "points, or device = cpu",
         call, points, device.facts().name, fit, each, device.available());
}

inline std::size_t bytes_of(Scalar scalar) { return scalar == Scalar::float32 ? 4 : 8; }

/// Calls write(data, bytes, at) until all rows are written: at once as they are, or packed in
/// pieces if there is something between them.
template <class Write>
void for_packed_rows(const PointsView& points, Write write) {
  const std::size_t scalar = bytes_of(points.scalar);
  const std::size_t row = static_cast<std::size_t>(points.dimension) * scalar;
  const auto* data = static_cast<const std::byte*>(points.data);
  if (points.stride == points.dimension) return write(data, points.size * row, std::size_t{0});
  constexpr std::size_t kPiece = std::size_t{1} << 16;
  std::vector<std::byte> packed(std::min(points.size, kPiece) * row);
  for (std::size_t begin = 0; begin < points.size; begin += kPiece) {
    const std::size_t count = std::min(kPiece, points.size - begin);
    for (std::size_t i = 0; i < count; ++i)
      std::memcpy(packed.data() + i * row,
                  data + static_cast<std::ptrdiff_t>(begin + i) * points.stride *
                             static_cast<std::ptrdiff_t>(scalar),
                  row);
    write(packed.data(), count * row, begin * row);
  }
}

}  // namespace kith::gpu

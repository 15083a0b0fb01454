#include "snapshots/rows.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "parallel/caller_code.hpp"
#include "snapshots/reader.hpp"

namespace kith::io {
namespace {

template <class T>
void scale(char* rows, std::size_t numbers, double factor) {
  T* values = reinterpret_cast<T*>(rows);
  for (std::size_t i = 0; i < numbers; ++i) values[i] = static_cast<T>(values[i] * factor);
}

void pack(const PointsView& points, std::size_t begin, std::size_t count, char* to) {
  const auto scalar = static_cast<std::ptrdiff_t>(bytes_of(number_of(points.scalar)));
  const std::size_t row = row_bytes(points);
  const char* from = static_cast<const char*>(points.data) +
                     static_cast<std::ptrdiff_t>(begin) * points.stride * scalar;
  if (points.stride == points.dimension) {
    std::memcpy(to, from, count * row);
    return;
  }
  for (std::size_t i = 0; i < count; ++i)
    std::memcpy(to + i * row, from + static_cast<std::ptrdiff_t>(i) * points.stride * scalar, row);
}

}  // namespace

void for_pieces(std::size_t n, std::size_t item_bytes, const Workers& workers,
                FunctionRef<void(std::size_t, std::size_t)> use) {
  const std::size_t step =
      std::max<std::size_t>(1, kBytesBetweenLooks / std::max<std::size_t>(1, item_bytes));
  for (std::size_t begin = 0; begin < n; begin += step) {
    workers.check_cancelled();
    const std::size_t count = std::min(step, n - begin);
    use(begin, count);
    workers.advance(count);
  }
}

void for_packed_rows(const PointsView& points, double factor, const Workers& workers,
                     FunctionRef<void(const char*, std::size_t, std::size_t)> use) {
  const std::size_t row = row_bytes(points);
  std::vector<double> packed;  // of doubles for its alignment
  for_pieces(points.size, row, workers, [&](std::size_t begin, std::size_t count) {
    packed.resize(count * row / sizeof(double) + 1);
    char* rows = reinterpret_cast<char*>(packed.data());
    pack(points, begin, count, rows);
    const std::size_t numbers = count * static_cast<std::size_t>(points.dimension);
    if (factor != 1 && points.scalar == Scalar::float32) scale<float>(rows, numbers, factor);
    if (factor != 1 && points.scalar == Scalar::float64) scale<double>(rows, numbers, factor);
    use(rows, begin, count);
  });
}

void for_positions(const SnapshotContent& content, const Workers& workers,
                   FunctionRef<void(const char*, std::size_t, std::size_t)> use) {
  const PointsView& points = content.position;
  if (!content.make_position) return for_packed_rows(points, 1, workers, use);
  std::vector<float> rows;
  for_pieces(points.size, row_bytes(points), workers, [&](std::size_t begin, std::size_t count) {
    rows.resize(count * static_cast<std::size_t>(points.dimension));
    caller_code([&] { content.make_position(begin, rows); });
    use(reinterpret_cast<const char*>(rows.data()), begin, count);
  });
}

void for_ids(const SnapshotContent& content, const Workers& workers,
             FunctionRef<void(const std::uint64_t*, std::size_t, std::size_t)> use) {
  std::vector<std::uint64_t> made;
  for_pieces(content.position.size, sizeof *content.id, workers,
             [&](std::size_t begin, std::size_t count) {
               if (content.id) return use(content.id + begin, begin, count);
               made.resize(count);
               std::iota(made.begin(), made.end(), content.first_id + begin);
               use(made.data(), begin, count);
             });
}

}  // namespace kith::io

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>
#include <vector>

#include <kith/files.hpp>

#include "base/fail.hpp"
#include "io/atomic_file.hpp"
#include "parallel/workers.hpp"

static_assert(std::endian::native == std::endian::little, "the writers copy numbers as they are");

namespace kith {
namespace {

enum class Format { npy, raw };

constexpr std::size_t kChunk = std::size_t{4} << 20;  // bytes between two looks at the cancel token

std::size_t bytes_of(Scalar scalar) { return scalar == Scalar::float32 ? 4 : 8; }
const char* name_of(Scalar scalar) { return scalar == Scalar::float32 ? "float32" : "float64"; }

Format format_of(const std::string& path, Scalar scalar) {
  const std::string_view name = path;
  if (name.ends_with(".npy")) return Format::npy;
  if (name.ends_with(".raw")) return Format::raw;
  if (!name.ends_with(".f32") && !name.ends_with(".f64"))
    refuse("{}: the ending names no format; use .npy, .raw, .f32 or .f64", path);
  if (name.ends_with(".f32") != (scalar == Scalar::float32))
    refuse("{}: the points are {}; use .npy, .raw or .{}", path, name_of(scalar),
           scalar == Scalar::float32 ? "f32" : "f64");
  return Format::raw;
}

/// The first bytes of a NumPy file, format version 1.0, padded to a multiple of 64.
std::string npy_header(const PointsView& points) {
  std::string text = fmt::format("{{'descr': '<f{}', 'fortran_order': False, 'shape': ({}, {}), }}",
                                 bytes_of(points.scalar), points.size, points.dimension);
  constexpr std::size_t kPrefix = 10;  // magic, version, and the length of the text
  text.append(63 - (kPrefix + text.size()) % 64, ' ');
  text += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(text.size() & 0xff);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

/// Rows of the view packed one after the other, some at a time.
void write_rows(io::AtomicFile& file, const PointsView& points, const Workers& workers) {
  const std::size_t scalar = bytes_of(points.scalar);
  const std::size_t row = static_cast<std::size_t>(points.dimension) * scalar;
  const std::size_t rows = std::max<std::size_t>(1, kChunk / std::max<std::size_t>(1, row));
  const auto* data = static_cast<const char*>(points.data);
  std::vector<char> packed(rows * row);
  for (std::size_t begin = 0; begin < points.size; begin += rows) {
    workers.check_cancelled();
    const std::size_t count = std::min(rows, points.size - begin);
    for (std::size_t i = 0; i < count; ++i)
      std::memcpy(&packed[i * row],
                  data + static_cast<std::ptrdiff_t>(begin + i) * points.stride *
                             static_cast<std::ptrdiff_t>(scalar),
                  row);
    file.write(packed.data(), count * row);
    file.sync();
    workers.advance(count);
  }
}

}  // namespace

void check_points_path(const std::string& path, Scalar scalar) { format_of(path, scalar); }

void write_points(const std::string& path, PointsView points, const Execution& execution) {
  const Format format = format_of(path, points.scalar);
  if (points.dimension < 1)
    refuse("{}: points of dimension {}; give at least 1", path, points.dimension);
  Workers workers(execution);
  const Stage stage(workers, "writing", points.size);
  io::AtomicFile file(path);
  if (format == Format::npy) {
    const std::string header = npy_header(points);
    file.write(header.data(), header.size());
  }
  write_rows(file, points, workers);
  workers.check_cancelled();
  file.commit();
}

}  // namespace kith

// PLY and text: a row for every point, positions first.
#include <cstring>
#include <fmt/format.h>
#include <iterator>

#include "snapshots/writers.hpp"

namespace kith::io {
namespace {

/// x y z, or x1 x2 x3 x4 ... where the alphabet ends; `prefix` as in vx.
std::vector<std::string> axis_names(const char* prefix, const PointsView& points) {
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(points.dimension));
  for (int axis = 0; axis < points.dimension; ++axis)
    names.push_back(points.dimension <= 3 ? fmt::format("{}{}", prefix, "xyz"[axis])
                                          : fmt::format("{}x{}", prefix, axis + 1));
  return names;
}

std::vector<std::string> column_names(const SnapshotContent& content) {
  std::vector<std::string> names = axis_names("", content.position);
  if (!content.velocity.data) return names;
  for (std::string& name : axis_names("v", content.velocity)) names.push_back(std::move(name));
  return names;
}

const char* row_of(const PointsView& points, std::size_t i) {
  return static_cast<const char*>(points.data) +
         static_cast<std::ptrdiff_t>(i) * points.stride *
             static_cast<std::ptrdiff_t>(bytes_of(number_of(points.scalar)));
}

template <class T>
void append_numbers(fmt::memory_buffer& line, const char* row, int count, char separator) {
  for (int axis = 0; axis < count; ++axis) {
    T value;
    std::memcpy(&value, row + static_cast<std::size_t>(axis) * sizeof value, sizeof value);
    fmt::format_to(std::back_inserter(line), "{}{}", value, separator);
  }
}

/// The shortest digits that give the same number again.
void append_row(fmt::memory_buffer& line, const PointsView& points, std::size_t i, char separator) {
  if (points.scalar == Scalar::float32)
    return append_numbers<float>(line, row_of(points, i), points.dimension, separator);
  append_numbers<double>(line, row_of(points, i), points.dimension, separator);
}

std::string text_header(const SnapshotContent& content, char separator) {
  std::string header = separator == ',' ? "" : "# ";
  for (const std::string& name : column_names(content)) header += name + separator;
  if (content.id) header += std::string("id") + separator;
  header.back() = '\n';
  return header;
}

std::string ply_header(const SnapshotContent& content) {
  std::string header = fmt::format(
      "ply\nformat binary_little_endian 1.0\ncomment written by kith\nelement vertex {}\n",
      content.position.size);
  const auto type = [](const PointsView& points) {
    return points.scalar == Scalar::float32 ? "float" : "double";
  };
  for (const std::string& name : axis_names("", content.position))
    header += fmt::format("property {} {}\n", type(content.position), name);
  if (content.velocity.data)
    for (const std::string& name : axis_names("v", content.velocity))
      header += fmt::format("property {} {}\n", type(content.velocity), name);
  return header + "end_header\n";
}

}  // namespace

void write_ply(AtomicFile& file, const SnapshotContent& content, const Workers& workers) {
  const std::string header = ply_header(content);
  file.write(header.data(), header.size());
  const std::size_t first = row_bytes(content.position);
  const std::size_t second = content.velocity.data ? row_bytes(content.velocity) : 0;
  std::vector<char> rows;
  for_pieces(content.position.size, first + second, workers,
             [&](std::size_t begin, std::size_t count) {
               rows.resize(count * (first + second));
               for (std::size_t i = 0; i < count; ++i) {
                 char* to = rows.data() + i * (first + second);
                 std::memcpy(to, row_of(content.position, begin + i), first);
                 if (second > 0)
                   std::memcpy(to + first, row_of(content.velocity, begin + i), second);
               }
               file.write(rows.data(), rows.size());
               file.sync();
             });
}

void write_text(AtomicFile& file, const SnapshotContent& content, char separator,
                const Workers& workers) {
  const std::string header = text_header(content, separator);
  file.write(header.data(), header.size());
  fmt::memory_buffer lines;
  constexpr std::size_t kLineBytes = 512;  // for the time that it takes: a line itself is shorter
  for_pieces(content.position.size, kLineBytes, workers, [&](std::size_t begin, std::size_t count) {
    lines.clear();
    for (std::size_t i = begin; i < begin + count; ++i) {
      append_row(lines, content.position, i, separator);
      if (content.velocity.data) append_row(lines, content.velocity, i, separator);
      if (content.id) fmt::format_to(std::back_inserter(lines), "{}{}", content.id[i], separator);
      lines[lines.size() - 1] = '\n';
    }
    file.write(lines.data(), lines.size());
    file.sync();
  });
}

}  // namespace kith::io

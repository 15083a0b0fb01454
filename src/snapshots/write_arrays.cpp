// Positions as bare numbers, as a NumPy array, and all arrays in one .npz.
#include <functional>
#include <zlib.h>

#include "base/sides.hpp"
#include "files/npy.hpp"
#include "files/zip.hpp"
#include "snapshots/writers.hpp"

namespace kith::io {
namespace {

using Use = FunctionRef<void(const void* data, std::size_t bytes)>;

/// An array that is written to an archive: `visit` passes all of its numbers, each time it is
/// called.
struct NamedArray {
  std::string name;
  Number number;
  std::vector<std::uint64_t> shape;
  std::function<void(Use)> visit;
};

NamedArray rows_array(const char* name, const PointsView& points, const Workers& workers) {
  return {name,
          number_of(points.scalar),
          {points.size, static_cast<std::uint64_t>(points.dimension)},
          [&points, &workers](Use use) {
            for_packed_rows(points, 1, workers,
                            [&](const char* rows, std::size_t, std::size_t count) {
                              use(rows, count * row_bytes(points));
                            });
          }};
}

NamedArray position_array(const SnapshotContent& content, const Workers& workers) {
  NamedArray array = rows_array("position", content.position, workers);
  array.visit = [&content, &workers](Use use) {
    for_positions(content, workers, [&](const char* rows, std::size_t, std::size_t count) {
      use(rows, count * row_bytes(content.position));
    });
  };
  return array;
}

NamedArray id_array(const SnapshotContent& content, const Workers& workers) {
  return {"id", Number::u64, {content.position.size}, [&content, &workers](Use use) {
            for_ids(content, workers, [&](const std::uint64_t* id, std::size_t, std::size_t count) {
              use(id, count * sizeof *id);
            });
          }};
}

NamedArray small_array(const char* name, std::vector<std::uint64_t> shape,
                       std::vector<double> values) {
  return {name, Number::f64, std::move(shape), [values = std::move(values)](Use use) {
            use(values.data(), values.size() * sizeof(double));
          }};
}

std::vector<NamedArray> arrays_of(const SnapshotContent& content, const Workers& workers) {
  std::vector<NamedArray> arrays{position_array(content, workers)};
  if (content.velocity.data) arrays.push_back(rows_array("velocity", content.velocity, workers));
  if (has_ids(content)) arrays.push_back(id_array(content, workers));
  if (content.particle_mass > 0) arrays.push_back(small_array("mass", {}, {content.particle_mass}));
  if (content.box.is_periodic()) {
    const std::vector<double> sides = kith::sides_of(content.box, content.position.dimension);
    arrays.push_back(small_array("box", {sides.size()}, sides));
  }
  return arrays;
}

/// Reads the numbers twice, because their checksum precedes them.
void write_member(AtomicFile& file, ZipWriter& archive, const NamedArray& array) {
  const std::string header = npy_header(array.number, array.shape);
  std::uint64_t bytes = header.size();
  auto crc = crc32_z(0, reinterpret_cast<const Bytef*>(header.data()), header.size());
  array.visit([&](const void* data, std::size_t size) {
    crc = crc32_z(crc, static_cast<const Bytef*>(data), size);
    bytes += size;
  });
  archive.begin(array.name + ".npy", bytes, static_cast<std::uint32_t>(crc));
  file.write(header.data(), header.size());
  array.visit([&](const void* data, std::size_t size) {
    file.write(data, size);
    file.sync();
  });
}

}  // namespace

void write_raw(AtomicFile& file, const SnapshotContent& content, const Workers& workers) {
  for_positions(content, workers, [&](const char* rows, std::size_t, std::size_t count) {
    file.write(rows, count * row_bytes(content.position));
    file.sync();
  });
}

void write_npy(AtomicFile& file, const SnapshotContent& content, const Workers& workers) {
  const PointsView& points = content.position;
  const std::string header = npy_header(
      number_of(points.scalar), {points.size, static_cast<std::uint64_t>(points.dimension)});
  file.write(header.data(), header.size());
  write_raw(file, content, workers);
}

void write_npz(AtomicFile& file, const SnapshotContent& content, const Workers& workers) {
  ZipWriter archive(file);
  for (const NamedArray& array : arrays_of(content, workers)) write_member(file, archive, array);
  archive.end();
}

}  // namespace kith::io

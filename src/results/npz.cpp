// Results as NumPy arrays: `about` holds the facts as bytes of text, every other array its own
// name.
#include <zlib.h>

#include "files/atomic_file.hpp"
#include "files/npy.hpp"
#include "files/zip.hpp"
#include "results/writer.hpp"

namespace kith::io {
namespace {

std::uint32_t crc_of(std::uint32_t crc, const char* data, std::size_t bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(crc, reinterpret_cast<const unsigned char*>(data), bytes));
}

void write_array(AtomicFile& file, ZipWriter& zip, const ResultRows& array,
                 const Workers& workers) {
  std::vector<std::uint64_t> shape{array.rows};
  if (array.is_table) shape.push_back(array.width);
  const std::string header = npy_header(number_of(array.type), shape);
  std::uint32_t crc = crc_of(0, header.data(), header.size());
  // The checksum precedes the bytes, so they are read twice.
  in_pieces(array, workers, [&](std::size_t, std::size_t rows, const char* data) {
    crc = crc_of(crc, data, rows * row_bytes(array));
  });
  zip.begin(array.name + ".npy", header.size() + array.rows * row_bytes(array), crc);
  file.write(header.data(), header.size());
  Unsynced unsynced;
  in_pieces(array, workers, [&](std::size_t, std::size_t rows, const char* data) {
    file.write(data, rows * row_bytes(array));
    if (unsynced.is_too_much(rows * row_bytes(array))) file.sync();
  });
}

}  // namespace

void write_npz(const std::string& path, const ResultAbout& about,
               std::span<const ResultRows> arrays, const Workers& workers) {
  const std::string facts = lines_of(facts_of(about));
  AtomicFile file(path);
  ZipWriter zip(file);
  write_array(
      file, zip,
      {result_array("about", reinterpret_cast<const std::uint8_t*>(facts.data()), facts.size())},
      workers);
  for (const ResultRows& array : arrays) write_array(file, zip, array, workers);
  zip.end();
  workers.check_cancelled();
  file.commit();
}

}  // namespace kith::io

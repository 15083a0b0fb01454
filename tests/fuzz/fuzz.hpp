// Shared by the fuzzers: bytes become a file, the file is opened and read to its end. Whatever the
// bytes are, the only thing that may happen is an Error of the codes for files, and memory stays in
// proportion to the file.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

#include <kith/error.hpp>

#include "snapshots/reader.hpp"

namespace kith::test {

/// A file in memory that holds the bytes of the current run.
inline std::string file_of(const std::uint8_t* data, std::size_t size) {
  static const int file = memfd_create("fuzz", 0);
  if (file < 0 || ftruncate(file, 0) != 0 ||
      pwrite(file, data, size, 0) != static_cast<ssize_t>(size))
    std::abort();
  return "/proc/self/fd/" + std::to_string(file);
}

inline void read_all(const io::SnapshotReader& reader, std::size_t bytes) {
  const Execution execution{.threads = 1};
  const Workers workers(execution);
  for (const SnapshotType& type : reader.info.type) {
    // Deflate, the densest of the formats, packs 1032 : 1.
    if (type.count > 1200 * (std::uint64_t{bytes} + 1)) std::abort();
    const auto n = static_cast<std::size_t>(type.count);
    const io::RowRange all{0, type.count};
    const std::size_t row = static_cast<std::size_t>(reader.info.dimension);
    std::vector<double> numbers(n * row);
    std::vector<std::uint64_t> id(n);
    if (type.has_position) reader.read(Field::position, type, all, numbers.data(), workers);
    if (type.has_velocity) reader.read(Field::velocity, type, all, numbers.data(), workers);
    if (type.has_mass && type.mass == 0)
      reader.read(Field::mass, type, all, numbers.data(), workers);
    if (type.has_id) reader.read(Field::id, type, all, id.data(), workers);
    if (type.has_position && n > 2)  // a part from the middle, as another process would read it
      reader.read(Field::position, type, {n / 3, n / 2}, numbers.data(), workers);
  }
}

template <class Open>
int run(const std::uint8_t* data, std::size_t size, Open open) {
  try {
    read_all(*open(file_of(data, size)), size);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::io && error.code() != ErrorCode::invalid_argument) std::abort();
  }
  return 0;
}

}  // namespace kith::test

#define KITH_FUZZ(open)                                                                 \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {   \
    return kith::test::run(data, size, [](const std::string& path) { return (open); }); \
  }

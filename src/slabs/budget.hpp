// How the memory of a call is shared out.
#pragma once

#include <cstddef>
#include <cstdint>

#include <kith/io/stored_points.hpp>

namespace kith::slabs {

/// Tests lower them, so that few points make many slabs and pieces.
inline std::size_t most_slab_points = ~std::size_t{0};
inline std::size_t most_piece_points = std::size_t{1} << 21;
inline std::size_t most_ghosts = ~std::size_t{0};
inline std::size_t most_about_centers = ~std::size_t{0};
/// The index of the first point, for tests of more points than 32 bits can count.
inline std::uint64_t first_index = 0;

/// Of the program and its libraries, beside the points.
inline constexpr std::uint64_t kProgramBytes = std::uint64_t{40} << 20;

struct Budget {
  std::uint64_t bytes = 0;        ///< beside the program
  std::size_t slab_points = 0;    ///< of a slab
  std::size_t piece_points = 0;   ///< read at a time
  std::size_t ghosts = 0;         ///< points of other slabs beside a slab
  std::uint64_t table_bytes = 0;  ///< for sets and groups
};

/// `results`: bytes of a point's results while its slab is in memory. Errors: out_of_memory, with
/// the memory that would do.
Budget budget_of(const StoredPoints& points, const DiskOptions& disk, std::uint64_t results = 0);

/// Bytes for the whole process: DiskOptions::max_memory, or KITH_MAX_MEMORY.
std::uint64_t memory_limit(const DiskOptions& disk);

/// Throws Error (out_of_memory) if tables of sets and groups of this size do not fit.
void check_tables(const char* call, std::uint64_t bytes, const Budget& budget);

}  // namespace kith::slabs

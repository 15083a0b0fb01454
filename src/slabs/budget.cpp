#include "slabs/budget.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include <kith/tree.hpp>

#include "base/fail.hpp"
#include "parallel/public_call.hpp"

namespace kith::slabs {
namespace {

constexpr std::size_t kLeastSlab = std::size_t{1} << 15, kLeastPiece = std::size_t{1} << 14;
constexpr std::size_t kLeastSlabOfRows = std::size_t{1} << 12;
constexpr std::uint64_t kMostSlabs = 60000;  // their numbers have 16 bits
constexpr std::uint64_t kLeastBytes = std::uint64_t{12} << 20;

std::uint64_t bytes_of_row(const StoredPoints& points) {
  return static_cast<std::uint64_t>(points.dimension()) *
         (points.scalar() == Scalar::float32 ? 4 : 8);
}

/// Of a point while its slab is linked: the row and the tree, or the tree and its sets.
std::uint64_t slab_bytes(const StoredPoints& points) {
  constexpr std::size_t kMany = 1000000;
  const MemoryEstimate tree = estimate_memory(kMany, points.dimension(), points.scalar());
  constexpr std::uint64_t kSets = 4 * 4 + 2;  // parents, sizes, lowest, numbers; points at edges
  return std::max(bytes_of_row(points) + tree.peak / kMany, tree.kept / kMany + kSets) + 2;
}

/// Of a point while it is sorted into slabs: its row twice, its cell and its slab.
std::uint64_t piece_bytes(const StoredPoints& points) { return 2 * bytes_of_row(points) + 16; }

}  // namespace

Budget budget_of(const StoredPoints& points, const DiskOptions& disk, std::uint64_t results) {
  const std::uint64_t per_point = slab_bytes(points) + results;
  const std::uint64_t least_slab = std::max<std::uint64_t>(
      results > 0 ? kLeastSlabOfRows : kLeastSlab, points.size() / kMostSlabs + 1);
  const std::uint64_t needed = kProgramBytes + std::max(kLeastBytes, 2 * per_point * least_slab);
  const std::uint64_t limit = memory_limit(disk);
  if (limit < needed)
    fail(ErrorCode::out_of_memory,
         "{} points from disk need at least {} MB of memory, of which {} are for the program "
         "itself; {:.3g} MB are allowed",
         points.size(), (needed + 999'999) / 1'000'000, kProgramBytes / 1'000'000,
         static_cast<double>(limit) / 1e6);
  Budget budget{.bytes = limit - kProgramBytes};
  const std::uint64_t slab = budget.bytes / 2 / per_point;
  budget.slab_points = static_cast<std::size_t>(
      std::min<std::uint64_t>({slab, std::uint64_t{1} << 31, most_slab_points}));
  const std::uint64_t piece = budget.bytes / 4 / piece_bytes(points);
  budget.piece_points =
      std::min<std::size_t>(std::max<std::size_t>(piece, kLeastPiece), most_piece_points);
  const std::uint64_t ghosts = budget.bytes / 8 / (2 * slab_bytes(points));
  budget.ghosts = std::min(std::max<std::size_t>(ghosts, kLeastPiece), most_ghosts);
  budget.table_bytes = budget.bytes * 2 / 5;
  return budget;
}

std::uint64_t memory_limit(const DiskOptions& disk) {
  if (disk.max_memory > 0) return disk.max_memory;
  const char* const given = std::getenv("KITH_MAX_MEMORY");
  if (!given || !*given)
    refuse("max_memory = 0: give the bytes that may be used, or set KITH_MAX_MEMORY, such as 4GB");
  return parse_memory(given, "KITH_MAX_MEMORY");
}

void check_tables(const char* call, std::uint64_t bytes, const Budget& budget) {
  if (bytes <= budget.table_bytes) return;
  fail(
      ErrorCode::out_of_memory,
      "{}: groups, and sets that meet the edges of slabs, take {} bytes of memory so far; allow at "
      "least {}, or ask for larger groups alone (min_size)",
      call, bytes, kProgramBytes + bytes * 5 / 2);
}

}  // namespace kith::slabs

namespace kith {

std::uint64_t parse_memory(std::string_view text, const char* option) {
  return public_call("parse_memory", [&] {
    constexpr std::string_view kUnits = "KMGT";
    constexpr double kMost = 1e18;
    const char *begin = text.data(), *const end = begin + text.size();
    while (begin < end && *begin == ' ') ++begin;
    double bytes = 0;
    const auto [after, error] = std::from_chars(begin, end, bytes);
    std::string unit;
    for (const char* c = after; c < end; ++c)
      if (*c != ' ') unit += *c >= 'a' && *c <= 'z' ? static_cast<char>(*c - 'a' + 'A') : *c;
    if (unit.ends_with('B')) unit.pop_back();
    const std::size_t power = unit.empty() ? 0 : std::min(kUnits.find(unit), kUnits.size()) + 1;
    for (std::size_t i = 0; i < power; ++i) bytes *= 1000;
    if (error != std::errc() || unit.size() > 1 || power > kUnits.size() || !(bytes >= 1) ||
        bytes > kMost)
      refuse("{}: '{}' is not an amount of memory; write 500MB or 8GB", option, text);
    return static_cast<std::uint64_t>(bytes);
  });
}

}  // namespace kith

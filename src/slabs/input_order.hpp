// Values that lie on disk slab after slab, read in the order of the input: a slab has its points in
// that order, so the list of slab numbers says where each value is.
#pragma once

#include <memory>
#include <vector>

#include "slabs/scratch.hpp"

namespace kith::slabs {

inline constexpr std::uint16_t kNoSlab = 0xffff;  ///< of points that were dropped

class OrderOfInput {
 public:
  /// `numbers`: place of the numbers of slabs; `begin`: of each slab among all points, and the end.
  OrderOfInput(std::shared_ptr<const Scratch> scratch, std::uint64_t numbers,
               std::vector<std::uint64_t> begin);

  /// The values, `bytes` each, of the points from `first` on; `none` is that of dropped points.
  /// Reading on from where the last call ended is fast.
  void read(std::uint64_t column, std::size_t bytes, std::uint64_t first, std::size_t points,
            const void* none, void* out);

 private:
  void seek(std::uint64_t first);
  void read_piece(std::uint64_t column, std::size_t bytes, std::size_t points, const void* none,
                  char* out);
  void read_numbers(std::size_t points);

  std::shared_ptr<const Scratch> scratch_;
  std::uint64_t numbers_;
  std::vector<std::uint64_t> begin_;
  std::uint64_t at_ = 0;             ///< points that were passed
  std::vector<std::uint64_t> from_;  ///< those of each slab, from its begin on
  std::vector<std::uint16_t> slab_;
  std::vector<std::size_t> place_;
  std::vector<char> sorted_;
};

}  // namespace kith::slabs

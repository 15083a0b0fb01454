#include "tree/subset.hpp"

#include <limits>

#include "tree/builders.hpp"

namespace kith {
namespace {

constexpr std::size_t kSubsetGrain = std::size_t{1} << 11;  // blocks

/// Fills block i with the points at these positions of the whole tree.
template <class T>
void fill_block(const Planes<T>& whole, const Array<std::uint32_t>& position, std::size_t i,
                const Planes<T>& out) {
  T* const block = out.block(i);
  std::uint32_t* const index = out.block_index(i);
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const std::size_t at = i * kLanes + lane;
    const bool is_used = at < out.points;
    for (int axis = 0; axis < out.dimension; ++axis)
      block[static_cast<std::size_t>(axis) * kLanes + lane] =
          is_used ? whole.coordinate(position[at], axis) : std::numeric_limits<T>::quiet_NaN();
    index[lane] = is_used ? whole.index(position[at]) : kNoIndex;
  }
}

}  // namespace

template <class T>
Subset<T> subset(const Planes<T>& planes, const Array<std::uint8_t>& mask, const Workers& workers) {
  Subset<T> result;
  result.position =
      pack<std::uint32_t>(workers, planes.points, [&](std::size_t i) { return mask[i] != 0; });
  result.planes.dimension = planes.dimension;
  result.planes.points = result.position.size();
  result.planes.blocks =
      Array<T>(result.planes.block_count() * result.planes.block_stride(), workers.pool());
  workers.for_ranges(result.planes.block_count(), kSubsetGrain,
                     [&](std::size_t begin, std::size_t end) {
                       for (std::size_t i = begin; i < end; ++i)
                         fill_block(planes, result.position, i, result.planes);
                     });
  build_packed(workers, result.planes);
  return result;
}

template Subset<float> subset(const Planes<float>&, const Array<std::uint8_t>&, const Workers&);
template Subset<double> subset(const Planes<double>&, const Array<std::uint8_t>&, const Workers&);

}  // namespace kith

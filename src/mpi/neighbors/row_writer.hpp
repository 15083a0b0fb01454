// Rows of global indices and distances, written as searches find them.
//
// Searches number points by 32 bits. Where all global indices of a rank fit into them, the points
// have these numbers for the time of a search, and rows need no change. Otherwise rows get
// local numbers at first. To look up a global index misses the cache once for each point, and a
// search would wait for it; so the numbers of some hundred rows are replaced at once, with the
// memory prefetched.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "mpi/neighbors/search.hpp"
#include "parallel/grains.hpp"

namespace kith::mpi {

/// The points of a part under its planes, with global indices of 32 bits in place of local ones.
template <class T>
struct GloballyNumbered {
  Array<T> blocks;
  std::vector<Array<std::uint32_t>> ends;  ///< smallest and largest of each plane
  PlanesView<T> view;

  static bool is_possible(const Part<T>& part) {
    return !part.global.empty() && part.global[part.global.size() - 1] <= kMaxPoints;
  }

  GloballyNumbered(const Part<T>& part, const Workers& workers) : view(part.view()) {
    const ShortGlobals globals = short_globals(part, workers);
    const std::size_t stride = block_stride<T>(view.any_axes());
    const std::size_t coordinates = kLanes * static_cast<std::size_t>(view.dimension);
    blocks = Array<T>(view.block_count() * stride, workers.pool());
    workers.for_ranges(view.block_count(), 2048, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const T* from = view.block(i);
        if (i + kAhead < end)
          prefetch(globals, indices_of(view.block(i + kAhead), view.any_axes()));
        T* to = blocks.data() + i * stride;
        std::copy_n(from, coordinates, to);
        to_global(
            globals, indices_of(from, view.any_axes()),
            const_cast<std::uint32_t*>(indices_of(static_cast<const T*>(to), view.any_axes())),
            kLanes);
      }
    });
    for (int p = 0; p < view.plane_count; ++p) {
      view.planes[p].smallest = globals_of(globals, view.planes[p].smallest, p, workers);
      view.planes[p].largest = globals_of(globals, view.planes[p].largest, p, workers);
    }
    view.blocks = blocks.data();
  }

 private:
  static constexpr std::size_t kAhead = 8;

  /// Global indices by local ones. In 32 bits, half as many lines of the cache are missed.
  using ShortGlobals = Array<std::uint32_t>;
  static ShortGlobals short_globals(const Part<T>& part, const Workers& workers) {
    ShortGlobals globals(part.global.size(), workers.pool());
    workers.for_ranges(globals.size(), kLightPointGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        globals[i] = static_cast<std::uint32_t>(part.global[i]);
    });
    return globals;
  }

  static void prefetch(const ShortGlobals& globals, const std::uint32_t* index) {
    for (std::size_t i = 0; i < kLanes; ++i) __builtin_prefetch(globals.data() + index[i]);
  }
  /// Lanes without a point are copied.
  static void to_global(const ShortGlobals& globals, const std::uint32_t* from, std::uint32_t* to,
                        std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      to[i] = from[i] < globals.size() ? globals[from[i]] : from[i];
  }
  const std::uint32_t* globals_of(const ShortGlobals& globals, const std::uint32_t* from, int plane,
                                  const Workers& workers) {
    const std::size_t nodes = view.plane(plane).nodes;
    ends.emplace_back(lanes_up(nodes), workers.pool());
    std::uint32_t* to = ends.back().data();
    workers.for_ranges(nodes, 4096, [&](std::size_t begin, std::size_t end) {
      to_global(globals, from + begin, to + begin, end - begin);
    });
    std::copy(from + nodes, from + lanes_up(nodes), to + nodes);
    return to;
  }
};

template <class T>
struct RowWriter {
  NeighborRows<T, std::int64_t> out;
  std::size_t k;
  const Sources<T>& sources;
  bool is_global;  ///< rows of own points come with global indices

  void write(const Row<T>& row) const {
    std::int64_t* index = out.index + row.position * k;
    T* distance = out.distance + row.position * k;
    for (std::size_t i = 0; i < row.count; ++i) index[i] = row.point[i];
    sources.distances(row, distance);
    pad(row.position, row.count);
  }

  /// Writes a row of own points and one of ghosts as one, by (d2, global index).
  void merge(std::size_t position, const Row<T>& own, const Row<T>& ghosts) const {
    std::int64_t* index = out.index + position * k;
    T* distance = out.distance + position * k;
    std::size_t a = 0, b = 0, count = 0;
    while (count < k && (a < own.count || b < ghosts.count)) {
      const std::uint64_t mine = a < own.count ? global_of(own.point[a]) : 0;
      const std::uint64_t other = b < ghosts.count ? sources.ghosts.global[ghosts.point[b]] : 0;
      const bool is_own = a < own.count && (b == ghosts.count || own.d2[a] < ghosts.d2[b] ||
                                            (own.d2[a] == ghosts.d2[b] && mine < other));
      index[count] = static_cast<std::int64_t>(is_own ? mine : other);
      distance[count++] = sources.distance(is_own ? own.d2[a] : ghosts.d2[b]);
      ++(is_own ? a : b);
    }
    pad(position, count);
  }

  /// Replaces local indices by global ones in the rows with reach2 < 0.
  void to_global(std::size_t begin, std::size_t end, const T* reach2) const {
    constexpr std::size_t kAhead = 4;
    const std::uint64_t* global = sources.part.global.data();
    const auto for_row = [&](std::size_t row, auto each) {
      std::int64_t* index = out.index + row * k;
      for (std::size_t i = 0; reach2[row] < 0 && i < k && index[i] >= 0; ++i) each(index[i]);
    };
    for (std::size_t row = begin; row < end; ++row) {
      if (row + kAhead < end)
        for_row(row + kAhead, [&](std::int64_t i) { __builtin_prefetch(global + i); });
      for_row(row, [&](std::int64_t& i) { i = static_cast<std::int64_t>(global[i]); });
    }
  }

 private:
  std::uint64_t global_of(std::uint32_t point) const {
    return is_global ? point : sources.part.global[point];
  }
  void pad(std::size_t position, std::size_t count) const {
    std::fill(out.index + position * k + count, out.index + (position + 1) * k, std::int64_t(-1));
    std::fill(out.distance + position * k + count, out.distance + (position + 1) * k,
              std::numeric_limits<T>::infinity());
  }
};

}  // namespace kith::mpi

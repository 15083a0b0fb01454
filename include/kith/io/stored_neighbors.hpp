// Neighbors and densities of point sets larger than memory: the bits of the searches in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <kith/correlation.hpp>
#include <kith/density.hpp>
#include <kith/io/stored_points.hpp>
#include <kith/neighbors.hpp>
#include <kith/pair_counts.hpp>
#include <kith/radius.hpp>

namespace kith {

// The points are divided into slabs that fit into the memory, together with their rows. Each slab
// is searched by itself; queries whose last neighbor may lie in another slab are searched for there
// as well, nearest slabs first. `tree` gives the box, and whether points that are not finite are
// dropped; searches are those of p = 2 in the order of the input. Cost: the points are read three
// times; about 40 bytes per point of float in 3-D and the results are written to the scratch file
// and read from it, and the points of a slab once for each slab nearby. Statistics count "slabs",
// "bytes written to scratch" and "bytes read from scratch". Errors: those of the searches in memory
// and DiskOptions.

/// The use of the disk by a result.
struct DiskUse {
  std::size_t slabs = 0;            ///< parts that were searched one after the other
  std::uint64_t bytes_written = 0;  ///< to the scratch file so far
  std::uint64_t bytes_read = 0;     ///< from it
};

/// Rows of k neighbors, as Neighbors has them, on disk. Copies share a result.
class KITH_API StoredNeighbors {
 public:
  std::uint64_t size() const;
  std::size_t k() const;
  Scalar scalar() const;  ///< of the distances
  /// The rows of the points from `begin` on, as many as fill the memory. Reading on where the last
  /// call has ended is fast. Errors: invalid_argument for points beyond the last and distances of
  /// another type; too_large for indices that do not fit; io.
  void read_index(std::uint64_t begin, std::span<std::int32_t> out) const;
  void read_index(std::uint64_t begin, std::span<std::int64_t> out) const;
  void read_distance(std::uint64_t begin, std::span<float> out) const;
  void read_distance(std::uint64_t begin, std::span<double> out) const;
  DiskUse disk() const;

  class Impl;

 private:
  friend struct detail::Access;
  explicit StoredNeighbors(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

/// One number for each point, on disk: a double, or a count of 64 bits. Copies share a result.
template <class Value>
class KITH_API StoredNumbers {
 public:
  std::uint64_t size() const;
  /// As StoredNeighbors::read_index.
  void read(std::uint64_t begin, std::span<Value> out) const;
  DiskUse disk() const;

  class Impl;

 private:
  friend struct detail::Access;
  explicit StoredNumbers(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

/// The k nearest neighbors of each point.
KITH_API StoredNeighbors knn(const StoredPoints& points, const KnnOptions& options,
                             const TreeOptions& tree, const DiskOptions& disk,
                             const Execution& execution = {});

KITH_API StoredNumbers<double> kth_distance(const StoredPoints& points, const KnnOptions& options,
                                            const TreeOptions& tree, const DiskOptions& disk,
                                            const Execution& execution = {});
KITH_API StoredNumbers<double> mean_distance(const StoredPoints& points, const KnnOptions& options,
                                             const TreeOptions& tree, const DiskOptions& disk,
                                             const Execution& execution = {});

struct StoredDensity {
  StoredNumbers<double> density;
  StoredNumbers<double> smoothing_length;  ///< the distance of the last neighbor, h
};
/// The masses are those of the points, 1 if they have none; `mass` of the options must be empty.
KITH_API StoredDensity sph_density(const StoredPoints& points, const DensityOptions& options,
                                   const TreeOptions& tree, const DiskOptions& disk,
                                   const Execution& execution = {});

/// `radii` must be empty.
KITH_API StoredNumbers<std::int64_t> radius_count(const StoredPoints& points,
                                                  const RadiusOptions& options,
                                                  const TreeOptions& tree, const DiskOptions& disk,
                                                  const Execution& execution = {});

/// Pairs of the points with themselves, as pair_counts has them for a tree with itself.
KITH_API std::vector<std::int64_t> pair_counts(const StoredPoints& points,
                                               const PairCountOptions& options,
                                               const TreeOptions& tree, const DiskOptions& disk,
                                               const Execution& execution = {});

/// Pairs of the points with themselves, without weights and regions, as pair_histogram has them.
/// Errors: invalid_argument too for regions, mean separations, pairwise weights and angles.
KITH_API PairHistogram pair_histogram(const StoredPoints& points,
                                      const PairHistogramOptions& options, const DiskOptions& disk,
                                      const Execution& execution = {});

/// Without randoms: the box must be periodic on all axes. Errors: those of pair_histogram.
KITH_API Correlation correlation(const StoredPoints& points, const CorrelationOptions& options,
                                 const DiskOptions& disk, const Execution& execution = {});

}  // namespace kith

// Density-based clusters: DBSCAN.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <kith/box.hpp>
#include <kith/execution.hpp>
#include <kith/export.hpp>
#include <kith/groups.hpp>
#include <kith/points.hpp>
#include <kith/tree.hpp>

namespace kith {

/// The cluster that a border point joins, a point that has core points within eps but is not one.
enum class Border {
  nearest,  ///< that of the nearest core point, ties by index
  sklearn,  ///< as scikit-learn does: the cluster whose lowest core point has the lowest index
  none,     ///< none: border points are noise (DBSCAN*)
};

constexpr const char* name(Border border) {  ///< "nearest"
  switch (border) {
    case Border::nearest: return "nearest";
    case Border::sklearn: return "sklearn";
    case Border::none: return "none";
  }
  return "?";
}

struct DbscanOptions {
  Box box = {};                 ///< for points; a tree already has one
  double eps = 0;               ///< neighbors: d2 <= eps^2, both in the scalar type of the points
  std::size_t min_samples = 5;  ///< points within eps of a core point, including itself
  Border border = Border::nearest;
  std::size_t border_links = 1;  ///< the number of core points within eps that a border point needs
  NonFinite non_finite = NonFinite::error;  ///< for points; fixed when a tree is built
  /// One per point, also negative: a core point is one where the weights within eps, its own
  /// included, add up to min_samples, as in scikit-learn. The sum is not rounded, so it has no
  /// order. Empty: 1 each. Border links count points.
  std::span<const double> sample_weight = {};
};

/// Clusters, numbered from the largest to the smallest, equal sizes by lowest member. Copies share
/// one result.
///
/// Threads: const calls may run from any number of threads at once.
class KITH_API Clusters {
 public:
  std::size_t count() const { return groups().count(); }

  /// The cluster of every point, in input order: 0 ... count() - 1, or -1 for noise and dropped
  /// points.
  std::span<const std::int32_t> label() const { return groups().label(); }

  /// 1 for core points, in input order; 0 for border points, noise and dropped points.
  std::span<const std::uint8_t> is_core() const;

  std::size_t size(std::size_t cluster) const { return groups().size(cluster); }
  std::vector<std::int64_t> sizes() const { return groups().sizes(); }

  /// The same clusters as groups, for a catalogue; their linking length is eps.
  const Groups& groups() const;

  class Impl;

 private:
  friend struct detail::Access;
  explicit Clusters(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

/// DBSCAN (Ester et al. 1996), exactly: core points within eps of each other are in one cluster,
/// border points join as `border` says. With min_samples = 2 clusters are the groups of fof with a
/// min_size of 2.
///
/// The result depends only on points and options, not on threads or the CPU. Cost: about twice
/// the time of fof; memory O(n) for any eps. Errors: those of AnyTree; invalid_argument for an eps
/// that is not positive and finite, for min_samples or border_links of 0, and for weights that are
/// not one finite number per point.
KITH_API Clusters dbscan(PointsView points, const DbscanOptions& options,
                         const Execution& execution = {});

/// Clusters of the points of an existing tree.
KITH_API Clusters dbscan(const AnyTree& tree, const DbscanOptions& options,
                         const Execution& execution = {});

}  // namespace kith

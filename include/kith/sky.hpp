// Positions on the sky or the globe: neighbors, matches, groups and clusters by angle.
//
// Every position becomes a unit vector in double, x = cos(dec) cos(ra), y = cos(dec) sin(ra), z =
// sin(dec), and all searches are those of <kith/neighbors.hpp>, <kith/groups.hpp> and so on for
// these vectors in three open dimensions. Two angles compare as their chords d2 = dx^2 + dy^2 +
// dz^2, ties by index. A chord c is the angle 2 asin(c / 2), and a limit of `angle` is the chord 2
// sin(angle / 2), inclusive: d2 <= c^2. These functions are kith's own, with the same bits on every
// machine. docs/sky.md says how they round, also at poles and antipodes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <kith/clusters.hpp>
#include <kith/execution.hpp>
#include <kith/export.hpp>
#include <kith/groups.hpp>
#include <kith/hdbscan.hpp>
#include <kith/neighbors.hpp>
#include <kith/points.hpp>
#include <kith/radius.hpp>
#include <kith/spanning_tree.hpp>
#include <kith/tree.hpp>

namespace kith::sky {

/// The unit of all angles of a call: of positions, limits and results.
enum class AngleUnit { degrees, radians };

constexpr const char* name(AngleUnit unit) {  ///< "degrees"
  return unit == AngleUnit::degrees ? "degrees" : "radians";
}

/// Right ascension and declination, or longitude and latitude, one of each per position. Right
/// ascensions may be any finite angles (in radians up to 10^6); declinations are from -90 to 90
/// degrees.
struct Positions {
  std::span<const double> ra;
  std::span<const double> dec;
  AngleUnit unit = AngleUnit::degrees;
  NonFinite non_finite = NonFinite::error;  ///< drop: leave out NaN positions

  std::size_t size() const { return ra.size(); }
};

using Vector = std::array<double, 3>;

/// The unit vectors. Errors: invalid_argument for as many ra as dec, or a dec beyond the poles;
/// non_finite.
KITH_API std::vector<Vector> unit_vectors(const Positions& positions,
                                          const Execution& execution = {});
/// A tree of the unit vectors, for several searches.
KITH_API Tree<double> tree(const Positions& positions, const Execution& execution = {});

/// The chord of an angle: 2 sin(angle / 2). Of 180 degrees and more: 3, longer than all chords.
/// Errors: invalid_argument for a negative angle or NaN.
KITH_API double chord(double angle, AngleUnit unit = AngleUnit::degrees);
/// The angle of a chord: 2 asin(chord / 2); 180 degrees for chords over 2, which rounding can make,
/// and infinity for infinity, the distance of a missing neighbor.
KITH_API double angle(double chord, AngleUnit unit = AngleUnit::degrees);
/// Turns chords into angles in place.
KITH_API void to_angles(std::span<double> chords, AngleUnit unit = AngleUnit::degrees,
                        const Execution& execution = {});

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

struct KnnOptions {
  std::size_t k = 1;
  bool exclude_self = false;    ///< without queries only
  double max_angle = kNoLimit;  ///< inclusive; rows may then have fewer than k
};

/// The k nearest positions of each position, or of each query, in the order of (chord, index).
/// `distance` of the result is the angle. Cost, determinism and errors: those of kith::knn.
KITH_API Neighbors<double, std::int64_t> knn(const Positions& positions, const KnnOptions& options,
                                             const Execution& execution = {});
KITH_API Neighbors<double, std::int64_t> knn(const Positions& positions, const Positions& queries,
                                             const KnnOptions& options,
                                             const Execution& execution = {});

/// For each position of a catalogue, the nearest one of another; index -1 and angle infinity if
/// there is none within max_angle.
struct Matches {
  std::vector<std::int64_t> index;
  std::vector<double> angle;
};
KITH_API Matches match(const Positions& positions, const Positions& others,
                       double max_angle = kNoLimit, const Execution& execution = {});

/// All positions within an angle of each position, or of each query, nearest first.
KITH_API NeighborLists<double, std::int64_t> radius(const Positions& positions, double angle,
                                                    const Execution& execution = {});
KITH_API NeighborLists<double, std::int64_t> radius(const Positions& positions,
                                                    const Positions& queries, double angle,
                                                    const Execution& execution = {});

/// All pairs i < j within an angle, sorted by i, then by (chord, j).
KITH_API Pairs<double, std::int64_t> pairs(const Positions& positions, double angle,
                                           const Execution& execution = {});

/// Friends of friends: positions within the linking angle are friends. The linking length of the
/// result is the chord.
KITH_API Groups fof(const Positions& positions, double angle, std::size_t min_size = 1,
                    const Execution& execution = {});

/// DBSCAN; options.eps is an angle, options.box and options.non_finite have no effect.
KITH_API Clusters dbscan(const Positions& positions, const DbscanOptions& options,
                         const Execution& execution = {});

/// The minimum spanning tree, by mutual reachability for core_k > 1. Lengths are angles, also in
/// the hierarchy of the tree: linking lengths, merges, and 1 / lambda of clusters.
KITH_API SpanningTree spanning_tree(const Positions& positions, std::size_t core_k = 1,
                                    const Execution& execution = {});
/// The tree of unit vectors, with angles for lengths. Errors: invalid_argument for points that are
/// not in three open dimensions, in double.
KITH_API SpanningTree in_angles(const SpanningTree& tree, AngleUnit unit = AngleUnit::degrees);

/// HDBSCAN*. Densities lambda are 1 / angle, and selection_epsilon is an angle; options.box and
/// options.non_finite have no effect.
KITH_API HdbscanClusters hdbscan(const Positions& positions, const HdbscanOptions& options = {},
                                 const Execution& execution = {});

}  // namespace kith::sky

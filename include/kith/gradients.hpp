// Gradients with respect to positions: vector-Jacobian products (suffix _vjp) and Jacobian-vector
// products (_jvp) on plain arrays.
//
// Neighbor lists, group memberships and mesh cells are kept fixed: they change only at isolated
// positions. The numbers computed from them are differentiated. Every sum over lists has a fixed
// order, so all results have the same bits for any number of threads.
//
// kith/topology.hpp has gradients of quantities that depend on the memberships.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <kith/box.hpp>
#include <kith/catalogue.hpp>
#include <kith/density.hpp>
#include <kith/execution.hpp>
#include <kith/export.hpp>
#include <kith/neighbors.hpp>
#include <kith/points.hpp>

namespace kith {

/// Neighbor lists from knn or radius: `k` per row, or row i from offset[i] to offset[i + 1].
/// Index -1 means no neighbor: such a pair has derivative 0.
struct ListsView {
  const void* index = nullptr;  ///< int32 or int64
  bool is_long = false;         ///< int64
  std::size_t rows = 0;
  std::size_t k = 0;
  std::span<const std::int64_t> offset = {};  ///< instead of k; rows + 1 values

  std::size_t begin(std::size_t row) const {
    return offset.empty() ? row * k : static_cast<std::size_t>(offset[row]);
  }
  std::size_t pairs() const { return begin(rows); }
};

template <ResultIndex Index>
ListsView lists_view(const Index* index, std::size_t rows, std::size_t k) {
  return {index, sizeof(Index) == 8, rows, k};
}
template <ResultIndex Index>
ListsView lists_view(const Index* index, std::span<const std::int64_t> offset) {
  return {index, sizeof(Index) == 8, offset.empty() ? 0 : offset.size() - 1, 0, offset};
}

/// The pairs of the lists: query i and point index[...] of its row.
struct PairsOf {
  PointsView points;
  PointsView queries = {};  ///< the points themselves if data is null
  Box box = {};
  ListsView lists;
};

/// The destination of gradients: rows in the caller's memory, which are overwritten. Without
/// separate queries, everything is added to `points`. Null if not needed.
template <Coordinate T>
struct PairGradient {
  T* points = nullptr;
  T* queries = nullptr;
};

/// Tangents of points and queries, one row each; null means that they do not move. Without separate
/// queries, those of `points` are used for both.
template <Coordinate T>
struct PairTangent {
  const T* points = nullptr;
  const T* queries = nullptr;
};

// Displacements: neighbor minus query, by minimum image (at exactly half a side, the direct
// difference). A row of the dimension for each pair; NaN where there is no neighbor.
// T is the scalar type of the points. Errors of all calls: invalid_argument.

template <Coordinate T>
KITH_API void displacements(const PairsOf& pairs, T* out, const Execution& execution = {});
/// `cotangent`: a row per pair. Cost: O(pairs), memory O(points).
template <Coordinate T>
KITH_API void displacements_vjp(const PairsOf& pairs, const T* cotangent, PairGradient<T> out,
                                const Execution& execution = {});
template <Coordinate T>
KITH_API void displacements_jvp(const PairsOf& pairs, PairTangent<T> tangent, T* out,
                                const Execution& execution = {});

// Distances, one for each pair; infinity where there is no neighbor. The derivative of a distance
// of 0 (a point with itself, coincident points) is defined as 0.

/// The distances of knn, bit for bit.
template <Coordinate T>
KITH_API void distances(const PairsOf& pairs, T* out, const Execution& execution = {});
template <Coordinate T>
KITH_API void distances_vjp(const PairsOf& pairs, const T* cotangent, PairGradient<T> out,
                            const Execution& execution = {});
template <Coordinate T>
KITH_API void distances_jvp(const PairsOf& pairs, PairTangent<T> tangent, T* out,
                            const Execution& execution = {});

/// Sums over lists: s_i = sum over the row of f(r_ij), for a function f whose derivative at the
/// distance of each pair is passed, including weights. `cotangent`: one per row.
template <Coordinate T>
KITH_API void pair_sums_vjp(const PairsOf& pairs, const T* derivative, const T* cotangent,
                            PairGradient<T> out, const Execution& execution = {});
template <Coordinate T>
KITH_API void pair_sums_jvp(const PairsOf& pairs, const T* derivative, PairTangent<T> tangent,
                            T* out, const Execution& execution = {});

/// The density of sph_density (see density.hpp) from the lists of knn: rho_i = sum_j m_j W(r_ij /
/// h_i) / h_i^d, where h_i is the distance to the last neighbor of row i. The points are the
/// queries.
struct ListDensityOptions {
  SphKernel kernel = SphKernel::cubic_spline;
  ValuesView mass = {};  ///< default 1 for all
};
/// The density of sph_density, bit for bit.
KITH_API std::vector<double> list_density(const PairsOf& pairs,
                                          const ListDensityOptions& options = {},
                                          const Execution& execution = {});

template <Coordinate T>
struct DensityGradient {
  T* points = nullptr;     ///< rows of the dimension
  double* mass = nullptr;  ///< one per point
};
/// Includes the change of h. Where h is 0, the density is infinite and the derivative is defined as
/// 0. Cotangents: one per row.
template <Coordinate T>
KITH_API void list_density_vjp(const PairsOf& pairs, const ListDensityOptions& options,
                               const double* cotangent, DensityGradient<T> out,
                               const Execution& execution = {});
/// Tangents of positions and masses may be null.
template <Coordinate T>
KITH_API std::vector<double> list_density_jvp(const PairsOf& pairs,
                                              const ListDensityOptions& options, const T* points,
                                              const double* mass, const Execution& execution = {});

/// Values for each group, for the fields of a catalogue that are smooth functions of the positions,
/// velocities and masses of the members. As an argument: cotangents or tangents; empty means none.
/// As a result: tangents.
struct GroupValues {
  std::vector<double> mass;
  std::vector<double> center;    ///< x dimension
  std::vector<double> velocity;  ///< x dimension
  std::vector<double> inertia_radius;
  std::vector<double> velocity_dispersion;
  std::vector<double> shape_tensor;    ///< x dimension^2: sum m x x^T / sum m
  std::vector<double> shape;           ///< x dimension: its eigenvalues, largest first
  std::vector<double> decorated_mass;  ///< see HaloOptions::alpha
};

/// Options of halo gradients.
struct HaloOptions {
  Box box = {};
  ValuesView mass = {};      ///< of each point; default 1 for all
  PointsView velocity = {};  ///< of each point
  /// The decorated mass of jFoF (Horowitz et al. 2025, section 3.1) is the mass of the group, with
  /// a derivative with respect to positions of -alpha times that of the logarithm of the inertia
  /// radius. A halo that contracts gains mass. `alpha` is a mass.
  double alpha = 0;
};

/// Gradients with respect to the points, in float64, in the caller's memory; null if not needed.
/// Points outside all groups get 0.
struct MemberGradient {
  double* position = nullptr;  ///< rows of the dimension
  double* velocity = nullptr;  ///< rows of the dimension
  double* mass = nullptr;
};
struct MemberTangent {
  const double* position = nullptr;
  const double* velocity = nullptr;
  const double* mass = nullptr;
};

/// The shape tensors of all groups: sum m x x^T / sum m about the center, row by row.
KITH_API std::vector<double> shape_tensors(PointsView points, const Members& members,
                                           const HaloOptions& options = {},
                                           const Execution& execution = {});

/// At fixed membership. The derivative of an inertia radius or dispersion of 0 is defined as
/// 0. Eigenvalues are differentiable where they are distinct; where two are equal, the derivative
/// of each belongs to the eigenvectors of the catalogue, and only that of symmetric functions of
/// them is meaningful. A group without mass is differentiated as if all its members had mass
/// 1, as in the catalogue.
KITH_API void halos_vjp(PointsView points, const Members& members, const HaloOptions& options,
                        const GroupValues& cotangent, MemberGradient out,
                        const Execution& execution = {});
KITH_API GroupValues halos_jvp(PointsView points, const Members& members,
                               const HaloOptions& options, const MemberTangent& tangent,
                               const Execution& execution = {});

/// Means of any values of the members, weighted by mass: `values` has `width` numbers per point.
KITH_API std::vector<double> group_means(const Members& members, std::span<const double> values,
                                         std::size_t width, ValuesView mass = {},
                                         const Execution& execution = {});
KITH_API std::vector<double> group_means_vjp(const Members& members,
                                             std::span<const double> cotangent, std::size_t width,
                                             ValuesView mass = {}, const Execution& execution = {});

/// Counts in bins of ln M with soft edges: a halo counts in a bin as
/// s((ln M - ln lower) / width) - s((ln M - ln upper) / width), with the logistic function s. For a
/// width far below that of the bins, this is the histogram. Masses that are not positive are not
/// counted.
struct SoftMassFunctionOptions {
  std::span<const double> edge;  ///< masses, ascending, one more than bins
  double width = 0.1;            ///< in ln M
};
KITH_API std::vector<double> soft_mass_function(std::span<const double> mass,
                                                const SoftMassFunctionOptions& options);
KITH_API std::vector<double> soft_mass_function_vjp(std::span<const double> mass,
                                                    const SoftMassFunctionOptions& options,
                                                    std::span<const double> cotangent);
KITH_API std::vector<double> soft_mass_function_jvp(std::span<const double> mass,
                                                    const SoftMassFunctionOptions& options,
                                                    std::span<const double> tangent);

/// A mesh over a box that is periodic on all axes: cells[axis] of them, the last axis fastest.
struct MeshOptions {
  Box box;
  std::vector<std::size_t> cells;
};
/// Cloud in cell: the weight of a point at x is distributed over the 2^d nodes around it; node i
/// is at origin + i * side / cells. In 1 to 4 dimensions.
KITH_API std::vector<double> paint(PointsView points, ValuesView weight, const MeshOptions& mesh,
                                   const Execution& execution = {});
/// `cotangent`: one per cell. At a node the derivative from above is taken.
KITH_API void paint_vjp(PointsView points, ValuesView weight, const MeshOptions& mesh,
                        std::span<const double> cotangent, double* position,
                        double* weight_gradient, const Execution& execution = {});
/// Tangents may be null.
KITH_API std::vector<double> paint_jvp(PointsView points, ValuesView weight,
                                       const MeshOptions& mesh, const double* position,
                                       const double* weight_tangent,
                                       const Execution& execution = {});

}  // namespace kith

// Gradients: vector-Jacobian products (suffix _vjp) and Jacobian-vector products (_jvp) of what
// kith computes from positions. Plain arrays, no framework.
//
// Lists of neighbors, memberships of groups and cells of a mesh are taken as fixed: they change
// only at isolated positions. What is differentiated are the numbers made from them. Every sum over
// lists has one order, so all results have the same bits for any number of threads.
//
// kith/topology.hpp has the gradients of what depends on the memberships themselves.
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

/// Lists of neighbors as knn and radius give them: `k` to a row, or row i from offset[i] to
/// offset[i + 1]. Index -1 means no neighbor: such a pair has derivative 0.
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

/// The pairs that lists stand for: query i and point index[...] of its row.
struct PairsOf {
  PointsView points;
  PointsView queries = {};  ///< without data: the points themselves
  Box box = {};
  ListsView lists;
};

/// Where gradients go: rows of the points' dimension in the caller's memory; what was there is
/// overwritten. Without separate queries everything goes to `points`. Null: not wanted.
template <Coordinate T>
struct PairGradient {
  T* points = nullptr;
  T* queries = nullptr;
};

/// Tangents of points and queries, rows of their dimension; null: they do not move. Without
/// separate queries, those of `points` serve both.
template <Coordinate T>
struct PairTangent {
  const T* points = nullptr;
  const T* queries = nullptr;
};

// Displacements: neighbor minus query, by minimum image (exactly half a side apart: the direct
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
// of 0 (a point with itself, points that coincide) is taken to be 0.

/// The bits of knn's distances.
template <Coordinate T>
KITH_API void distances(const PairsOf& pairs, T* out, const Execution& execution = {});
template <Coordinate T>
KITH_API void distances_vjp(const PairsOf& pairs, const T* cotangent, PairGradient<T> out,
                            const Execution& execution = {});
template <Coordinate T>
KITH_API void distances_jvp(const PairsOf& pairs, PairTangent<T> tangent, T* out,
                            const Execution& execution = {});

/// Sums over lists: s_i = sum over the row of f(r_ij), for a function f whose derivative at each
/// pair's distance is given; weights are part of it. `cotangent`: one per row.
template <Coordinate T>
KITH_API void pair_sums_vjp(const PairsOf& pairs, const T* derivative, const T* cotangent,
                            PairGradient<T> out, const Execution& execution = {});
template <Coordinate T>
KITH_API void pair_sums_jvp(const PairsOf& pairs, const T* derivative, PairTangent<T> tangent,
                            T* out, const Execution& execution = {});

/// The density of sph_density (see density.hpp), from lists that knn gave: rho_i = sum_j m_j
/// W(r_ij / h_i) / h_i^d with h_i the distance of the last neighbor of row i. Points are their own
/// queries.
struct ListDensityOptions {
  SphKernel kernel = SphKernel::cubic_spline;
  ValuesView mass = {};  ///< 1 for all if not given
};
/// The bits of sph_density.
KITH_API std::vector<double> list_density(const PairsOf& pairs,
                                          const ListDensityOptions& options = {},
                                          const Execution& execution = {});

template <Coordinate T>
struct DensityGradient {
  T* points = nullptr;     ///< rows of the dimension
  double* mass = nullptr;  ///< one per point
};
/// Through the distances and through h. Where h is 0 the density is infinite and the derivative is
/// taken to be 0. Cotangents: one per row.
template <Coordinate T>
KITH_API void list_density_vjp(const PairsOf& pairs, const ListDensityOptions& options,
                               const double* cotangent, DensityGradient<T> out,
                               const Execution& execution = {});
/// Tangents of positions and masses may be null.
template <Coordinate T>
KITH_API std::vector<double> list_density_jvp(const PairsOf& pairs,
                                              const ListDensityOptions& options, const T* points,
                                              const double* mass, const Execution& execution = {});

/// Numbers for each group of a catalogue, for those of its fields that are smooth functions of the
/// members' positions, velocities and masses. As an argument: cotangents or tangents, empty for
/// none. As a result: tangents.
struct GroupValues {
  std::vector<double> mass;
  std::vector<double> center;    ///< x dimension
  std::vector<double> velocity;  ///< x dimension
  std::vector<double> inertia_radius;
  std::vector<double> velocity_dispersion;
  std::vector<double> shape_tensor;    ///< x dimension^2: sum m x x^T / sum m
  std::vector<double> shape;           ///< x dimension: its eigenvalues, falling
  std::vector<double> decorated_mass;  ///< see HaloOptions::alpha
};

/// What halos are made of.
struct HaloOptions {
  Box box = {};
  ValuesView mass = {};      ///< of each point; 1 for all if not given
  PointsView velocity = {};  ///< of each point
  /// The decorated mass of jFoF (Horowitz et al. 2025, section 3.1): the group's mass, whose
  /// derivative by the members' positions is -alpha times that of the logarithm of the inertia
  /// radius. A halo that contracts gains mass. `alpha` is a mass.
  double alpha = 0;
};

/// Gradients by the points, in float64, in the caller's memory; null: not wanted. Points outside
/// all groups get 0.
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

/// With frozen membership. At an inertia radius or dispersion of 0 their derivative is taken to be
/// 0. Eigenvalues are differentiable where they are distinct; where two are equal, the derivative
/// of each belongs to the eigenvectors that the catalogue has, and only that of symmetric functions
/// of them means something. A group without mass is differentiated as if all its members had mass
/// 1, as in the catalogue.
KITH_API void halos_vjp(PointsView points, const Members& members, const HaloOptions& options,
                        const GroupValues& cotangent, MemberGradient out,
                        const Execution& execution = {});
KITH_API GroupValues halos_jvp(PointsView points, const Members& members,
                               const HaloOptions& options, const MemberTangent& tangent,
                               const Execution& execution = {});

/// Means of any values of the members, weighted by mass: `values` has `width` numbers a point.
KITH_API std::vector<double> group_means(const Members& members, std::span<const double> values,
                                         std::size_t width, ValuesView mass = {},
                                         const Execution& execution = {});
KITH_API std::vector<double> group_means_vjp(const Members& members,
                                             std::span<const double> cotangent, std::size_t width,
                                             ValuesView mass = {}, const Execution& execution = {});

/// Counts in bins of ln M whose edges are soft: a halo counts in a bin with
/// s((ln M - ln lower) / width) - s((ln M - ln upper) / width), s the logistic function. For a
/// width far below that of the bins it is the histogram. Masses that are not positive count
/// nowhere.
struct SoftMassFunctionOptions {
  std::span<const double> edge;  ///< masses, rising, one more than there are bins
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
/// Cloud in cell: a point at x gives its weight to the 2^d nodes around it, multilinearly; node i
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

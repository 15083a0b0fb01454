// The density of SPH from lists of neighbors, and its derivatives.
#include <cmath>
#include <limits>

#include "gradients/row_density.hpp"
#include "groups/columns.hpp"
#include "parallel/public_call.hpp"

namespace kith {
namespace {

void check(const char* call, const PairsOf& pairs, const ListDensityOptions& options) {
  if (pairs.points.dimension > 3)
    refuse("{}: {} dimensions; the density is defined for 1, 2 and 3", call,
           pairs.points.dimension);
  if (pairs.queries.data) refuse("{}: the points are their own queries", call);
  const ValueReader mass(options.mass);
  for (std::size_t i = 0; options.mass.data && i < options.mass.size; ++i)
    if (!std::isfinite(mass(i)))
      refuse("{}: mass {} of point {}; it must be finite", call, mass(i), i);
  if (options.mass.data && options.mass.size != pairs.points.size)
    refuse("{}: {} masses for {} points; give one for each", call, options.mass.size,
           pairs.points.size);
}

/// work(places, kernel, mass, workers) with everything checked.
template <class T, class Work>
void over_density(const char* call, const PairsOf& pairs, const ListDensityOptions& options,
                  const Execution& execution, Work work) {
  public_call(call, execution, [&](Workers& workers) {
    check_pairs(call, pairs, scalar_of<T>, workers);
    check(call, pairs, options);
    const Stage stage(workers, call, pairs.lists.rows);
    work(PairPlaces<T>(pairs, workers), KernelShape{options.kernel, pairs.points.dimension},
         ValueReader(options.mass), workers);
  });
}

}  // namespace

std::vector<double> list_density(const PairsOf& pairs, const ListDensityOptions& options,
                                 const Execution& execution) {
  std::vector<double> result;
  with_scalar(pairs.points.scalar, [&]<class T>() {
    over_density<T>("list_density", pairs, options, execution,
                    [&](const auto& places, const KernelShape& kernel, const ValueReader& mass,
                        const Workers& workers) {
                      result.assign(pairs.lists.rows, std::numeric_limits<double>::quiet_NaN());
                      for_each_row(places, kernel.dimension, workers, [&](const auto& row) {
                        const RowDensity density(row, kernel, mass);
                        if (!density.is_empty()) result[row.row] = density.value();
                      });
                    });
  });
  return result;
}

template <Coordinate T>
void list_density_vjp(const PairsOf& pairs, const ListDensityOptions& options,
                      const double* cotangent, DensityGradient<T> out, const Execution& execution) {
  over_density<T>("list_density_vjp", pairs, options, execution,
                  [&](const PairPlaces<T>& places, const KernelShape& kernel,
                      const ValueReader& mass, const Workers& workers) {
                    if (out.mass) {
                      std::fill_n(out.mass, places.size, 0.0);
                      add_mass_vjp(places, kernel, mass, cotangent, places.size, out.mass, workers);
                    }
                    if (!out.points) return;
                    PairGradientSum<T> sum(places, kernel.dimension, workers);
                    sum.add(density_vectors<T>(kernel, mass, cotangent));
                    sum.write({.points = out.points});
                  });
}

template <Coordinate T>
std::vector<double> list_density_jvp(const PairsOf& pairs, const ListDensityOptions& options,
                                     const T* points, const double* mass_tangent,
                                     const Execution& execution) {
  std::vector<double> result;
  over_density<T>("list_density_jvp", pairs, options, execution,
                  [&](const PairPlaces<T>& places, const KernelShape& kernel,
                      const ValueReader& mass, const Workers& workers) {
                    result.assign(pairs.lists.rows, 0.0);
                    for_each_row(places, kernel.dimension, workers, [&](const auto& row) {
                      result[row.row] = density_tangent(row, kernel, mass, points, mass_tangent);
                    });
                  });
  return result;
}

#define KITH_INSTANTIATE(T)                                                                \
  template void list_density_vjp(const PairsOf&, const ListDensityOptions&, const double*, \
                                 DensityGradient<T>, const Execution&);                    \
  template std::vector<double> list_density_jvp(const PairsOf&, const ListDensityOptions&, \
                                                const T*, const double*, const Execution&);
KITH_INSTANTIATE(float)
KITH_INSTANTIATE(double)
#undef KITH_INSTANTIATE

}  // namespace kith

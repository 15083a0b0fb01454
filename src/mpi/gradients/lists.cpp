// Derivatives of distances and densities over ranks.
#include "gradients/pair_products.hpp"
#include "gradients/row_density.hpp"
#include "mpi/gradients/rank_pairs.hpp"
#include "parallel/public_call.hpp"

namespace kith::mpi {
namespace {

/// A call on the pairs of all ranks: body(call, pairs).
template <class T, class Body>
auto pair_call(const char* name, MPI_Comm comm, const PairsOf& pairs, const Execution& execution,
               Body body) {
  return public_call(name, [&] {
    Communicator communicator(comm);
    Call call(name, communicator, execution);
    call.same().add_space(pairs.points, pairs.box);
    call.same().add("k", std::uint64_t{pairs.lists.k});
    RankPairs<T> over_ranks(call, pairs);
    return body(call, over_ranks);
  });
}

/// Whether this is so on any rank. Ranks without points do not know.
bool anywhere(Call& call, bool here) {
  std::int64_t none = here ? 0 : 1;
  call.communicator().least(&none, 1);
  return none == 0;
}

/// Whether all ranks have an array, or none. Collective; checked at the next agreement.
bool is_given(Call& call, const char* what, bool here, bool needs) {
  const bool given = anywhere(call, here && needs);
  call.prepare([&] {
    if (given && !here && needs)
      refuse("{}: {} on other ranks, but not here; give them on all ranks or on none", call.name(),
             what);
  });
  return given;
}

/// Sums of vectors over the pairs of all ranks into `out`.
template <class T, class Each>
void reverse(Call& call, RankPairs<T>& pairs, const PairGradient<T>& out, Each each) {
  const auto d = static_cast<std::size_t>(pairs.dimension());
  FarRecords<T> records;
  call.work([&](Workers& workers) {
    records = far_records<T>(pairs.places(), pairs.dimension(), pairs.points(), d, workers, each);
  });
  const auto delivered = pairs.deliver(records, d);
  call.phase([&](Workers& workers) {
    const Stage stage(workers, call.name(), pairs.rows());
    PairGradientSum<T> sum(pairs.places(), pairs.dimension(), workers, pairs.points());
    sum.add(each, pairs.first_row(), delivered.contributions);
    sum.write(out);
  });
  call.note_traffic("contributions");
}

/// Masses of own points and ghosts.
class PairMasses {
 public:
  template <class T>
  PairMasses(Call& call, RankPairs<T>& pairs, const ValuesView& given) : view_(given) {
    if (!is_given(call, "masses", given.data != nullptr, pairs.points() > 0)) return;
    std::vector<double> own;
    call.work([&](Workers&) {
      if (given.data && given.size != pairs.points())
        refuse("{}: {} masses for {} points; give one for each", call.name(), given.size,
               pairs.points());
      const ValueReader mass(given);
      for (std::size_t i = 0; i < pairs.points(); ++i) {
        if (!std::isfinite(mass(i)))
          refuse("{}: mass {} of point {}; it must be finite", call.name(), mass(i), i);
        own.push_back(mass(i));
      }
    });
    all_ = pairs.with_ghosts(own.data(), 1);
    view_ = {all_.data(), all_.size(), Scalar::float64};
  }
  const ValuesView& view() const { return view_; }

 private:
  std::vector<double> all_;
  ValuesView view_;
};

void check_density(const char* call, const PairsOf& pairs) {
  if (pairs.points.dimension > 3)
    refuse("{}: {} dimensions; the density is defined for 1, 2 and 3", call,
           pairs.points.dimension);
  if (pairs.queries.data) refuse("{}: the points are their own queries", call);
}

/// body(call, pairs, kernel, mass) of a product with the derivative of densities.
template <class T, class Body>
auto density_call(const char* name, MPI_Comm comm, const PairsOf& pairs,
                  const ListDensityOptions& options, const Execution& execution, Body body) {
  return pair_call<T>(name, comm, pairs, execution, [&](Call& call, RankPairs<T>& over_ranks) {
    call.same().add_unshown("kernel", static_cast<std::uint64_t>(options.kernel));
    call.quick([&] { check_density(name, pairs); });
    const PairMasses masses(call, over_ranks, options.mass);
    const ValueReader mass(masses.view());
    return body(call, over_ranks, KernelShape{options.kernel, pairs.points.dimension}, mass);
  });
}

/// The sums of weights by mass.
template <class T>
void mass_gradient(Call& call, RankPairs<T>& pairs, const KernelShape& kernel,
                   const ValueReader& mass, const double* cotangent, double* out) {
  FarRecords<double> records;
  call.work([&](Workers& workers) {
    records = far_records<double>(
        pairs.places(), pairs.dimension(), pairs.points(), 1, workers,
        [&](const auto& row, double* weights) {
          const RowDensity density(row, kernel, mass);
          std::fill_n(weights, row.end - row.begin, 0.0);
          if (!density.is_smooth()) return;
          for (std::size_t pair = row.begin; pair < density.last(); ++pair)
            weights[pair - row.begin] = cotangent[row.row] * density.weight(pair);
        });
  });
  const auto delivered = pairs.deliver(records, 1);
  call.phase([&](Workers& workers) {
    if (!out) return;
    std::fill_n(out, pairs.points(), 0.0);
    const Axes<kAnyDimension> one(1);
    const Contributions<double>& others = delivered.contributions;
    const std::size_t lower = others.before + others.beside;
    Transpose<kAnyDimension, double> transpose(workers, pairs.points(), one, out);
    transpose.add(lower, others.target.data(), others.value);
    add_mass_vjp(pairs.places(), kernel, mass, cotangent, pairs.points(), out, workers);
    transpose.add(others.target.size() - lower, others.target.data() + lower, others.value + lower);
  });
}

}  // namespace

template <Coordinate T>
void distances_vjp(MPI_Comm comm, const PairsOf& pairs, const T* cotangent, PairGradient<T> out,
                   const Execution& execution) {
  pair_call<T>("distances_vjp", comm, pairs, execution, [&](Call& call, RankPairs<T>& over_ranks) {
    reverse(call, over_ranks, out,
            distance_vectors<T>([=](std::size_t, std::size_t pair) { return cotangent[pair]; }));
  });
}

template <Coordinate T>
void distances_jvp(MPI_Comm comm, const PairsOf& pairs, PairTangent<T> tangent, T* out,
                   const Execution& execution) {
  pair_call<T>("distances_jvp", comm, pairs, execution, [&](Call& call, RankPairs<T>& over_ranks) {
    const auto d = static_cast<std::size_t>(over_ranks.dimension());
    const bool moves =
        is_given(call, "tangents", tangent.points != nullptr, over_ranks.points() > 0);
    std::vector<T> points;
    if (moves) points = over_ranks.with_ghosts(tangent.points, d);
    call.phase([&](Workers& workers) {
      const Stage stage(workers, call.name(), over_ranks.rows());
      const T* own = moves ? points.data() : nullptr;
      const TangentReader<T> read(own, over_ranks.has_queries() ? tangent.queries : own,
                                  over_ranks.dimension());
      for_each_row(over_ranks.places(), over_ranks.dimension(), workers,
                   [&](const auto& row) { distance_tangents(row, read, out); });
    });
  });
}

template <Coordinate T>
void list_density_vjp(MPI_Comm comm, const PairsOf& pairs, const ListDensityOptions& options,
                      const double* cotangent, DensityGradient<T> out, const Execution& execution) {
  density_call<T>("list_density_vjp", comm, pairs, options, execution,
                  [&](Call& call, RankPairs<T>& over_ranks, const KernelShape& kernel,
                      const ValueReader& mass) {
                    if (anywhere(call, out.mass != nullptr))
                      mass_gradient(call, over_ranks, kernel, mass, cotangent, out.mass);
                    if (anywhere(call, out.points != nullptr))
                      reverse(call, over_ranks, PairGradient<T>{.points = out.points},
                              density_vectors<T>(kernel, mass, cotangent));
                  });
}

template <Coordinate T>
std::vector<double> list_density_jvp(MPI_Comm comm, const PairsOf& pairs,
                                     const ListDensityOptions& options, const T* points,
                                     const double* mass_tangent, const Execution& execution) {
  std::vector<double> result;
  density_call<T>(
      "list_density_jvp", comm, pairs, options, execution,
      [&](Call& call, RankPairs<T>& over_ranks, const KernelShape& kernel,
          const ValueReader& mass) {
        const bool has_points = over_ranks.points() > 0;
        const bool moves = is_given(call, "tangents", points != nullptr, has_points);
        const bool grows =
            is_given(call, "tangents of masses", mass_tangent != nullptr, has_points);
        std::vector<T> moved;
        std::vector<double> grown;
        if (moves)
          moved = over_ranks.with_ghosts(points, static_cast<std::size_t>(over_ranks.dimension()));
        if (grows) grown = over_ranks.with_ghosts(mass_tangent, 1);
        call.phase([&](Workers& workers) {
          const Stage stage(workers, call.name(), over_ranks.rows());
          result.assign(over_ranks.rows(), 0.0);
          for_each_row(over_ranks.places(), kernel.dimension, workers, [&](const auto& row) {
            result[row.row] = density_tangent(row, kernel, mass, moves ? moved.data() : nullptr,
                                              grows ? grown.data() : nullptr);
          });
        });
      });
  return result;
}

#define KITH_INSTANTIATE(T)                                                                    \
  template void distances_vjp(MPI_Comm, const PairsOf&, const T*, PairGradient<T>,             \
                              const Execution&);                                               \
  template void distances_jvp(MPI_Comm, const PairsOf&, PairTangent<T>, T*, const Execution&); \
  template void list_density_vjp(MPI_Comm, const PairsOf&, const ListDensityOptions&,          \
                                 const double*, DensityGradient<T>, const Execution&);         \
  template std::vector<double> list_density_jvp(MPI_Comm, const PairsOf&,                      \
                                                const ListDensityOptions&, const T*,           \
                                                const double*, const Execution&);
KITH_INSTANTIATE(float)
KITH_INSTANTIATE(double)
#undef KITH_INSTANTIATE

}  // namespace kith::mpi

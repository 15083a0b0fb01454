// Numbers that are computed from neighborhoods without storing them.
#include <limits>

#include "mpi/neighbors/search.hpp"
#include "neighbors/checks.hpp"
#include "neighbors/sph_kernel.hpp"
#include "parallel/borrowed.hpp"
#include "parallel/public_call.hpp"

namespace kith::mpi {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

void agree_on_reduction(Call& call, const KnnOptions& options) {
  agree_on_nearest(call, options);
  call.quick([&] { check_nearest(call.name(), options); });
}

template <class T>
Queries<T> own_points(const Part<T>& part) {
  return {&part.planes, part.view(), true};
}

/// Numbers by position, in the order asked for.
template <class T>
std::vector<double> numbers_in_order(Call& call, const Domains::Impl& domains, RowOrder order,
                                     std::vector<double> values) {
  if (order == RowOrder::tree) return values;
  const Planes<T>& planes = domains.as<T>().planes;
  std::vector<double> result;
  Array<std::uint32_t> position;
  call.phase([&](Workers& workers) {
    result = filled(workers, domains.input_size, kNone);
    position = Array<std::uint32_t>(planes.points, workers.pool());
    for (std::size_t i = 0; i < planes.points; ++i)
      position[planes.index(i)] = static_cast<std::uint32_t>(i);
  });
  return_values(
      call, domains.route,
      [&](std::size_t local) -> const void* { return &values[position[local]]; }, sizeof(double),
      result.data());
  call.note_traffic("rows");
  return result;
}

/// One number for each point: value(row, sources).
template <class T, class Value>
std::vector<double> reduce_each(Call& call, const Domains::Impl& domains, const KnnOptions& options,
                                Sources<T>& sources, Value value) {
  std::vector<double> result;
  call.phase(
      [&](Workers& workers) { result = filled(workers, sources.part.planes.points, kNone); });
  search_knn<T>(call, own_points(sources.part), options, sources,
                [&](const Row<T>& row) { result[row.position] = value(row, sources); });
  return numbers_in_order<T>(call, domains, options.order, std::move(result));
}

template <class Value>
std::vector<double> reduced(const char* name, const Domains& domains, const KnnOptions& options,
                            Value value, const Execution& execution) {
  return public_call(name, [&] {
    const Domains::Impl& impl = impl_of(domains);
    Call call(name, *impl.communicator, execution, Devices::used);
    agree_on_reduction(call, options);
    return with_scalar(impl.scalar, [&]<class T>() {
      Sources<T> sources{impl.as<T>(), {}, nullptr, options.p};
      return reduce_each<T>(call, impl, options, sources, value);
    });
  });
}

/// As kith::sph_density adds them up.
template <class T>
double density(const Row<T>& row, const Sources<T>& sources, const KernelShape& kernel,
               double factor) {
  return kernel.density(
      row.count, factor, [&](std::size_t i) { return double{sources.distance(row.d2[i])}; },
      [&](std::size_t i) { return sources.value ? sources.value_of(row.point[i]) : 1; });
}

/// The neighbors of a row as a visitor sees them.
template <class T>
struct Shown {
  std::vector<std::int64_t> index;
  std::vector<T> distance;

  void set(const Row<T>& row, const Sources<T>& sources) {
    index.clear();
    distance.clear();
    for (std::size_t i = 0; i < row.count; ++i) {
      index.push_back(static_cast<std::int64_t>(sources.global(row.point[i])));
      distance.push_back(sources.distance(row.d2[i]));
    }
  }
};

}  // namespace

std::vector<double> kth_distance(const Domains& domains, const KnnOptions& options,
                                 const Execution& execution) {
  return reduced(
      "kth_distance", domains, options,
      [&]<class T>(const Row<T>& row, const Sources<T>& sources) {
        return row.count == options.k ? double{sources.distance(row.d2[row.count - 1])}
                                      : std::numeric_limits<double>::infinity();
      },
      execution);
}

std::vector<double> mean_distance(const Domains& domains, const KnnOptions& options,
                                  const Execution& execution) {
  return reduced(
      "mean_distance", domains, options,
      []<class T>(const Row<T>& row, const Sources<T>& sources) {
        double sum = 0;
        for (std::size_t i = 0; i < row.count; ++i) sum += double{sources.distance(row.d2[i])};
        return row.count > 0 ? sum / static_cast<double>(row.count) : kNone;
      },
      execution);
}

std::vector<double> sph_density(const Domains& domains, const DensityOptions& options,
                                RowOrder order, const Execution& execution) {
  return public_call("sph_density", [&] {
    const Domains::Impl& impl = impl_of(domains);
    Call call("sph_density", *impl.communicator, execution, Devices::used);
    const KnnOptions knn{.k = options.k, .order = order};
    call.same().add_unshown("kernel", static_cast<std::uint64_t>(options.kernel));
    call.prepare([&] { check_density(options, impl.dimension, impl.input_size); });
    agree_on_reduction(call, knn);
    // Ranks that gave no points do not know whether others have masses.
    std::int64_t has_none = options.mass.empty() ? 1 : 0;
    call.communicator().least(&has_none, 1);
    call.quick([&] {
      if (has_none == 0 && options.mass.empty() && impl.input_size > 0)
        refuse("sph_density: masses on other ranks, but not here; give them on all ranks");
    });
    Array<std::byte> mass;
    if (has_none == 0) mass = send_values(call, impl.route, options.mass.data(), sizeof(double));
    const KernelShape kernel{options.kernel, impl.dimension};
    const double factor = kernel.factor();
    return with_scalar(impl.scalar, [&]<class T>() {
      // Not null where a rank has no points: the others send masses with theirs.
      static const double none = 0;
      const auto* values = reinterpret_cast<const double*>(mass.data());
      Sources<T> sources{impl.as<T>(), {}, has_none ? nullptr : values ? values : &none};
      return reduce_each<T>(call, impl, knn, sources,
                            [&](const Row<T>& row, const Sources<T>& from) {
                              return density(row, from, kernel, factor);
                            });
    });
  });
}

template <Coordinate T>
void for_each_neighborhood(const Domains& domains, const KnnOptions& options,
                           const std::function<void(const Neighborhood<T>&)>& visit,
                           const Execution& execution) {
  public_call("for_each_neighborhood", [&] {
    const Domains::Impl& impl = impl_of(domains);
    Call call("for_each_neighborhood", *impl.communicator, execution, Devices::used);
    call.prepare([&] { check_scalar<T>("for_each_neighborhood", impl.scalar); });
    agree_on_reduction(call, options);
    Sources<T> sources{impl.as<T>(), {}, nullptr, options.p};
    const Part<T>& part = sources.part;
    Borrowed<Shown<T>> shown;
    search_knn<T>(call, own_points(part), options, sources, [&](const Row<T>& row) {
      const typename Borrowed<Shown<T>>::Loan out(shown);
      out->set(row, sources);
      const auto i = static_cast<std::int64_t>(part.global[part.planes.index(row.position)]);
      caller_code([&] { visit({row.position, i, out->index, out->distance}); });
    });
  });
}

template void for_each_neighborhood(const Domains&, const KnnOptions&,
                                    const std::function<void(const Neighborhood<float>&)>&,
                                    const Execution&);
template void for_each_neighborhood(const Domains&, const KnnOptions&,
                                    const std::function<void(const Neighborhood<double>&)>&,
                                    const Execution&);

}  // namespace kith::mpi

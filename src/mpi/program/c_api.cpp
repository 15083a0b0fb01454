// The C interface: structs of C become options of C++, errors become numbers.
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <kith/detail/catalogue_columns.hpp>
#include <kith/kith_mpi.h>
#include <kith/mpi.hpp>

#include "mpi/domains/domain.hpp"

namespace kith::mpi {
namespace {

thread_local std::string last_error;

/// f(), whose errors become a number: one more than the code.
template <class F>
int numbered(const kith_mpi_points& points, F f) {
  const InterruptCheck check(points.stop);
  try {
    f();
    return 0;
  } catch (const Error& error) {
    last_error = error.what();
    return static_cast<int>(error.code()) + 1;
  } catch (const std::exception& error) {
    last_error = error.what();
    return static_cast<int>(ErrorCode::internal) + 1;
  }
}

PointsView view_of(const kith_mpi_points& points) {
  return {points.data, points.size, points.dimension,
          points.stride == 0 ? points.dimension : points.stride,
          points.is_double ? Scalar::float64 : Scalar::float32};
}

Box box_of(const kith_mpi_points& points) {
  if (!points.box || points.dimension < 1) return Box::open();
  const auto d = static_cast<std::size_t>(points.dimension);
  const Box box = Box::periodic(std::vector<double>(points.box, points.box + d));
  return points.origin ? box.with_origin(std::vector<double>(points.origin, points.origin + d))
                       : box;
}

Execution execution_of(const kith_mpi_points& points) { return {.threads = points.threads}; }

Domains domains_of(MPI_Comm comm, const kith_mpi_points& points) {
  DomainOptions options;
  try {
    options.tree.box = box_of(points);
  } catch (...) {
    pending_error = std::current_exception();  // the other ranks make their domains
  }
  if (points.drop) options.tree.non_finite = NonFinite::drop;
  if (points.ids) options.ids = {points.ids, points.size};
  return points.keep ? Domains::keep(comm, view_of(points), options, execution_of(points))
                     : Domains::curve(comm, view_of(points), options, execution_of(points));
}

std::int64_t* copied(std::span<const std::int64_t> values) {
  auto* copy = static_cast<std::int64_t*>(std::malloc(values.size_bytes() + 1));
  if (!copy) throw Error(ErrorCode::out_of_memory, "fof: no memory for the rows of the groups");
  if (!values.empty()) std::memcpy(copy, values.data(), values.size_bytes());
  return copy;
}

void fill(const Groups& groups, bool wants_rows, kith_mpi_groups& out) {
  out = {groups.count(), groups.first(), groups.sizes().size(),
         nullptr,        nullptr,        groups.linking_length()};
  if (!wants_rows) return;
  out.sizes = copied(groups.sizes());
  out.lowest = copied(groups.lowest());
}

FofOptions options_of(const kith_mpi_fof_options& options) {
  return {.linking_length = options.linking_length,
          .b = options.b,
          .mean_separation = options.mean_separation,
          .volume = options.volume,
          .min_size = options.min_size == 0 ? 1 : options.min_size,
          .strict = options.strict != 0};
}

int fof_of(MPI_Comm comm, const kith_mpi_points& points, const kith_mpi_fof_options& options,
           std::int64_t* label, kith_mpi_groups* out) {
  return numbered(points, [&] {
    const Groups groups =
        fof(domains_of(comm, points), options_of(options), RowOrder::input, execution_of(points));
    std::copy(groups.label().begin(), groups.label().end(), label);
    if (out) fill(groups, options.wants_rows != 0, *out);
  });
}

/// A catalogue and its columns, as C sees them.
struct HaloTable {
  Catalogue catalogue;
  std::vector<kith_mpi_column> columns;

  /// Without velocities or gravity, columns that need them are left out, also on ranks without
  /// groups.
  HaloTable(Catalogue made, bool has_velocity, bool has_gravity) : catalogue(std::move(made)) {
    for_each_column(catalogue, [&]<class Value>(const CatalogueColumn& column,
                                                const std::vector<Value>& values) {
      const bool is_given =
          needs_gravity(column) ? has_gravity : column.unit.velocity == 0 || has_velocity;
      const std::size_t width = column_width(column, catalogue);
      constexpr int kType = std::is_same_v<Value, double>         ? 0
                            : std::is_same_v<Value, std::int64_t> ? 1
                                                                  : 2;
      if (is_given && width > 0 && values.size() == width * catalogue.count())
        columns.push_back({column.name, values.data(), width, kType});
    });
  }
};

CatalogueOptions options_of(const kith_mpi_points& points, const kith_mpi_halo_options& options) {
  CatalogueOptions result{.gravity = options.gravity};
  PointsView velocity = view_of(points);
  velocity.data = options.velocity;
  velocity.stride = points.dimension;
  if (options.velocity_type != 0)
    velocity.scalar = options.velocity_type == 1 ? Scalar::float32 : Scalar::float64;
  if (options.velocity) result.velocity = velocity;
  if (options.mass) result.mass = {options.mass, points.size, Scalar::float64};
  return result;
}

int halos_of(MPI_Comm comm, const kith_mpi_points& points, const kith_mpi_halo_options& options,
             std::int64_t* label, kith_mpi_halos* out) {
  return numbered(points, [&] {
    const Domains domains = domains_of(comm, points);
    const Groups groups =
        fof(domains, options_of(options.fof), RowOrder::input, execution_of(points));
    std::copy(groups.label().begin(), groups.label().end(), label);
    auto table =
        std::make_unique<HaloTable>(catalogue(domains, view_of(points), groups,
                                              options_of(points, options), execution_of(points)),
                                    options.velocity != nullptr, options.gravity > 0);
    fill(groups, true, out->groups);
    out->column = table->columns.data();
    out->columns = table->columns.size();
    out->memory = table.release();
  });
}

int density_of(MPI_Comm comm, const kith_mpi_points& points,
               const kith_mpi_density_options& options, double* density) {
  return numbered(points, [&] {
    DensityOptions density_options{.k = options.k == 0 ? 32 : options.k};
    if (options.is_wendland) density_options.kernel = SphKernel::wendland_c2;
    if (options.mass) density_options.mass = {options.mass, points.size};
    const std::vector<double> found = sph_density(domains_of(comm, points), density_options,
                                                  RowOrder::input, execution_of(points));
    std::copy(found.begin(), found.end(), density);
  });
}

template <class T>
void write_neighbors(const Domains& domains, const KnnOptions& options, const Execution& execution,
                     std::int64_t* index, void* distance) {
  const Neighbors<T, std::int64_t> rows = knn<T>(domains, options, execution);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::copy(rows.index(i).begin(), rows.index(i).end(), index + i * options.k);
    std::copy(rows.distance(i).begin(), rows.distance(i).end(),
              static_cast<T*>(distance) + i * options.k);
  }
}

int knn_of(MPI_Comm comm, const kith_mpi_points& points, const kith_mpi_knn_options& options,
           std::int64_t* index, void* distance) {
  return numbered(points, [&] {
    KnnOptions knn_options{
        .k = options.k, .exclude_self = options.exclude_self != 0, .strict = options.strict != 0};
    if (options.max_radius != 0 || options.is_limited) knn_options.max_radius = options.max_radius;
    const Domains domains = domains_of(comm, points);
    if (points.is_double)
      write_neighbors<double>(domains, knn_options, execution_of(points), index, distance);
    else
      write_neighbors<float>(domains, knn_options, execution_of(points), index, distance);
  });
}

}  // namespace
}  // namespace kith::mpi

using namespace kith::mpi;

int kith_mpi_fof(MPI_Comm comm, const kith_mpi_points* points, const kith_mpi_fof_options* options,
                 int64_t* label, kith_mpi_groups* groups) {
  return fof_of(comm, *points, *options, label, groups);
}
int kith_mpi_fof_f(MPI_Fint comm, const kith_mpi_points* points,
                   const kith_mpi_fof_options* options, int64_t* label, kith_mpi_groups* groups) {
  return fof_of(MPI_Comm_f2c(comm), *points, *options, label, groups);
}
int kith_mpi_density(MPI_Comm comm, const kith_mpi_points* points,
                     const kith_mpi_density_options* options, double* density) {
  return density_of(comm, *points, *options, density);
}
int kith_mpi_density_f(MPI_Fint comm, const kith_mpi_points* points,
                       const kith_mpi_density_options* options, double* density) {
  return density_of(MPI_Comm_f2c(comm), *points, *options, density);
}
int kith_mpi_knn(MPI_Comm comm, const kith_mpi_points* points, const kith_mpi_knn_options* options,
                 int64_t* index, void* distance) {
  return knn_of(comm, *points, *options, index, distance);
}
int kith_mpi_knn_f(MPI_Fint comm, const kith_mpi_points* points,
                   const kith_mpi_knn_options* options, int64_t* index, void* distance) {
  return knn_of(MPI_Comm_f2c(comm), *points, *options, index, distance);
}

int kith_mpi_find_halos(MPI_Comm comm, const kith_mpi_points* points,
                        const kith_mpi_halo_options* options, int64_t* label,
                        kith_mpi_halos* halos) {
  return halos_of(comm, *points, *options, label, halos);
}
int kith_mpi_find_halos_f(MPI_Fint comm, const kith_mpi_points* points,
                          const kith_mpi_halo_options* options, int64_t* label,
                          kith_mpi_halos* halos) {
  return halos_of(MPI_Comm_f2c(comm), *points, *options, label, halos);
}
void kith_mpi_free_halos(kith_mpi_halos* halos) {
  kith_mpi_free(&halos->groups);
  delete static_cast<HaloTable*>(halos->memory);
  halos->memory = nullptr;
  halos->columns = 0;
}

void kith_mpi_free(kith_mpi_groups* groups) {
  std::free(groups->sizes);
  std::free(groups->lowest);
  groups->sizes = groups->lowest = nullptr;
}

const char* kith_mpi_error(void) { return last_error.c_str(); }

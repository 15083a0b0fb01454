// Neighbors and densities of stored points as callers see them.
#include <optional>

#include "neighbors/sph_kernel.hpp"
#include "slabs/knn.hpp"
#include "slabs/radius.hpp"
#include "slabs/search_call.hpp"

namespace kith {
namespace {

using namespace slabs;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::string text_of(const KnnOptions& options) {
  return formatted("{} {} {} {}", options.k, options.exclude_self, options.max_radius,
                   options.strict);
}

bool has_wide_indices(const StoredPoints& points) {
  return points.size() + first_index > 0x7fffffff;
}

template <class T>
void search(const SlabStore<T>& store, const KnnOptions& options, const RowTargets<T>& targets,
            const Budget& budget, const Execution& execution, Workers& workers) {
  if (store.size + first_index > 0x7fffffff)
    search_slabs<T, std::int64_t>(store, options, targets, budget, execution, workers);
  else
    search_slabs<T, std::int32_t>(store, options, targets, budget, execution, workers);
}

/// A column for one number of each point.
template <class Value, class T>
StoredNumbers<Value> new_numbers(const SlabStore<T>& store, Value none) {
  auto numbers = std::make_shared<typename StoredNumbers<Value>::Impl>();
  numbers->column = std::make_unique<Column>(store, none, 1);
  return wrap_impl<StoredNumbers<Value>>(std::move(numbers));
}
template <class Value>
const Column* column_of(const StoredNumbers<Value>& numbers) {
  return impl_of(numbers).column.get();
}

/// One number for each point: value(count, distance) of its row.
template <class F>
StoredNumbers<double> reduced(SearchCall call, const KnnOptions& options, const Execution& given,
                              F value) {
  return search_call(
      call.name, given, call.points, knn_cost(options.k),
      [&](const Execution& execution, Workers& workers) {
        check_nearest(call.name, options);
        call.p = options.p;
        call.in_memory = knn_bytes(call.points, options, false) + sizeof(double);
        call.on_disk = sizeof(double);
        call.options = text_of(options);
        std::optional<StoredNumbers<double>> numbers;
        call.run(workers, [&]<class T>(const SlabStore<T>& store, const Budget& budget) {
          numbers = new_numbers(store, kNone);
          const auto of_row = [&](std::size_t count, const T* distance, const double*) {
            return value(count, distance);
          };
          search<T>(store, options, {nullptr, nullptr, {{of_row, column_of(*numbers)}}}, budget,
                    execution, workers);
        });
        return *std::move(numbers);
      });
}

template <class Index>
void read_index_of(const StoredNeighbors::Impl& impl, std::uint64_t begin, std::span<Index> out) {
  public_call("index", [&] {
    if (impl.is_wide == (sizeof(Index) == 8)) return impl.index->read("index", begin, out);
    if constexpr (sizeof(Index) == 4) {
      fail(ErrorCode::too_large, "index: {} points do not fit 32-bit indices; ask for std::int64_t",
           impl.index->size());
    } else {
      std::vector<std::int32_t> narrow(out.size());
      impl.index->read("index", begin, std::span(narrow));
      std::copy(narrow.begin(), narrow.end(), out.begin());
    }
  });
}

template <class T>
void read_distance_of(const StoredNeighbors::Impl& impl, std::uint64_t begin, std::span<T> out) {
  public_call("distance", [&] {
    check_scalar<T>("distance", impl.scalar);
    impl.distance->read("distance", begin, out);
  });
}

}  // namespace

std::uint64_t StoredNeighbors::size() const { return impl_->index->size(); }
std::size_t StoredNeighbors::k() const { return impl_->k; }
Scalar StoredNeighbors::scalar() const { return impl_->scalar; }
DiskUse StoredNeighbors::disk() const { return impl_->index->disk(); }
void StoredNeighbors::read_index(std::uint64_t begin, std::span<std::int32_t> out) const {
  read_index_of(*impl_, begin, out);
}
void StoredNeighbors::read_index(std::uint64_t begin, std::span<std::int64_t> out) const {
  read_index_of(*impl_, begin, out);
}
void StoredNeighbors::read_distance(std::uint64_t begin, std::span<float> out) const {
  read_distance_of(*impl_, begin, out);
}
void StoredNeighbors::read_distance(std::uint64_t begin, std::span<double> out) const {
  read_distance_of(*impl_, begin, out);
}

template <class Value>
std::uint64_t StoredNumbers<Value>::size() const {
  return impl_->column->size();
}
template <class Value>
DiskUse StoredNumbers<Value>::disk() const {
  return impl_->column->disk();
}
template <class Value>
void StoredNumbers<Value>::read(std::uint64_t begin, std::span<Value> out) const {
  public_call("read", [&] { impl_->column->read("read", begin, out); });
}
template class StoredNumbers<double>;
template class StoredNumbers<std::int64_t>;

StoredNeighbors knn(const StoredPoints& points, const KnnOptions& options, const TreeOptions& tree,
                    const DiskOptions& disk, const Execution& given) {
  return search_call(
      "knn", given, points, knn_cost(options.k), [&](const Execution& execution, Workers& workers) {
        check_nearest("knn", options);
        if (options.order != RowOrder::input)
          refuse("knn: rows from disk are in the order of the input; leave order out");
        auto rows = std::make_shared<StoredNeighbors::Impl>();
        rows->k = options.k;
        rows->scalar = points.scalar();
        rows->is_wide = has_wide_indices(points);
        const std::uint64_t bytes = knn_bytes(points, options, false);
        const SearchCall call{"knn", points,          tree, disk, options.p, bytes, options.k * 16,
                              false, text_of(options)};
        call.run(workers, [&]<class T>(const SlabStore<T>& store, const Budget& budget) {
          rows->index = rows->is_wide
                            ? std::make_unique<Column>(store, std::int64_t{-1}, options.k)
                            : std::make_unique<Column>(store, std::int32_t{-1}, options.k);
          rows->distance =
              std::make_unique<Column>(store, std::numeric_limits<T>::infinity(), options.k);
          search<T>(store, options, {rows->index.get(), rows->distance.get(), {}}, budget,
                    execution, workers);
        });
        return wrap_impl<StoredNeighbors>(std::move(rows));
      });
}

StoredNumbers<double> kth_distance(const StoredPoints& points, const KnnOptions& options,
                                   const TreeOptions& tree, const DiskOptions& disk,
                                   const Execution& execution) {
  return reduced({"kth_distance", points, tree, disk}, options, execution,
                 [&](std::size_t count, const auto* distance) {
                   return count == options.k ? double{distance[count - 1]}
                                             : std::numeric_limits<double>::infinity();
                 });
}

StoredNumbers<double> mean_distance(const StoredPoints& points, const KnnOptions& options,
                                    const TreeOptions& tree, const DiskOptions& disk,
                                    const Execution& execution) {
  return reduced({"mean_distance", points, tree, disk}, options, execution,
                 [](std::size_t count, const auto* distance) {
                   double sum = 0;
                   for (std::size_t i = 0; i < count; ++i) sum += double{distance[i]};
                   return count > 0 ? sum / static_cast<double>(count) : kNone;
                 });
}

StoredDensity sph_density(const StoredPoints& points, const DensityOptions& options,
                          const TreeOptions& tree, const DiskOptions& disk,
                          const Execution& given) {
  return search_call(
      "density", given, points, knn_cost(options.k),
      [&](const Execution& execution, Workers& workers) {
        if (!options.mass.empty())
          refuse("sph_density: {} masses for stored points; theirs are used", options.mass.size());
        check_density(options, points.dimension(), 0);
        const KnnOptions nearest{.k = options.k};
        check_nearest("sph_density", nearest);
        const bool has_mass = points.has(Field::mass);
        const KernelShape kernel{options.kernel, points.dimension()};
        const double factor = kernel.factor();
        const SearchCall call{"sph_density",
                              points,
                              tree,
                              disk,
                              2,
                              knn_bytes(points, nearest, has_mass) + 16,
                              16,
                              has_mass,
                              formatted("{} {}", options.k, name(options.kernel))};
        std::optional<StoredDensity> result;
        call.run(workers, [&]<class T>(const SlabStore<T>& store, const Budget& budget) {
          result = {new_numbers(store, kNone), new_numbers(store, kNone)};
          const auto density = [&](std::size_t count, const T* distance, const double* mass) {
            return kernel.density(
                count, factor, [&](std::size_t i) { return double{distance[i]}; },
                [&](std::size_t i) { return mass ? mass[i] : 1; });
          };
          const auto smoothing = [](std::size_t count, const T* distance, const double*) {
            return double{distance[count - 1]};
          };
          search<T>(store, nearest,
                    {nullptr,
                     nullptr,
                     {{density, column_of(result->density)},
                      {smoothing, column_of(result->smoothing_length)}}},
                    budget, execution, workers);
        });
        return *std::move(result);
      });
}

StoredNumbers<std::int64_t> radius_count(const StoredPoints& points, const RadiusOptions& options,
                                         const TreeOptions& tree, const DiskOptions& disk,
                                         const Execution& given) {
  return search_call(
      "radius", given, points, kBallCost, [&](const Execution& execution, Workers& workers) {
        if (!options.radii.empty())
          refuse("radius: {} radii need the points in memory; from disk there is one radius",
                 options.radii.size());
        check_balls(options, 0);
        constexpr std::uint64_t kCounts = 2 * 8 + 8 + 32;  // counts, index, and queries near edges
        const SearchCall call{
            "radius",
            points,
            tree,
            disk,
            options.p,
            kCounts,
            8,
            false,
            formatted("{} {} {}", options.radius, options.strict, options.exclude_self)};
        std::optional<StoredNumbers<std::int64_t>> counts;
        call.run(workers, [&]<class T>(const SlabStore<T>& store, const Budget& budget) {
          counts = new_numbers(store, std::int64_t{0});
          count_slabs(store, options, *column_of(*counts), budget, execution, workers);
        });
        return *std::move(counts);
      });
}

}  // namespace kith

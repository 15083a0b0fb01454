// Reductions of neighborhoods without storing them.
#include <kith/density.hpp>
#include <kith/radius.hpp>

#include "neighbors/driver.hpp"
#include "neighbors/on_device.hpp"
#include "neighbors/sph_kernel.hpp"

namespace kith {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// Neighborhoods come from the device in batches; they are reduced here.
template <class T>
void search_on_device(const char* call, const AnyTree& tree, const KnnOptions& options,
                      FunctionRef<void(const Found<T>&)> visit, const Execution& execution,
                      Workers& workers) {
  check_device_norm(call, options.p);
  const T limit = limit2(options.max_radius, options.strict, frame_of_tree<T>(tree));
  if (tree.size() == 0) return;
  const T unscale = unscale_of<T>(tree);
  device_calls<T>(call, execution)
      .knn(
          {impl_of(tree), nullptr, options.exclude_self, limit}, options.k,
          [&](const DeviceRows<T>& found) {
            visit_rows(found, unscale, workers,
                       [&](std::size_t, const Found<T>& row) { visit(row); });
          },
          workers);
}

template <class T>
void search(const char* call, const AnyTree& tree, const KnnOptions& options,
            FunctionRef<void(const Found<T>&)> visit, const Execution& execution,
            Workers& workers) {
  check_nearest<T>(call, tree.scalar(), options);
  if (!is_cpu(execution))
    return search_on_device<T>(call, tree, options, visit, execution, workers);
  KnnJob<T> job;
  set_source(job, tree);
  job.k = options.k;
  job.exclude_self = options.exclude_self;
  set_limit(job, options.max_radius, options.strict, options.p, impl_of(tree).as<T>().frame);
  job.visit = &visit;
  if (job.source.points > 0) run_search(job, call, options.k, workers);
}

/// One number for each point, from its neighbors.
template <class F>
std::vector<double> reduce_each(const char* call, const AnyTree& tree, const KnnOptions& options,
                                F value, const Execution& execution) {
  return device_call(call, execution, [&](Workers& workers) {
    std::vector<double> result = filled(workers, tree.input_size(), kNone);
    with_scalar(tree.scalar(), [&]<class T>() {
      search<T>(
          call, tree, options, [&](const Found<T>& found) { result[found.row] = value(found); },
          execution, workers);
    });
    return result;
  });
}

}  // namespace

template <Coordinate T>
void for_each_neighborhood(const Tree<T>& tree, const KnnOptions& options, const Visitor<T>& visit,
                           const Execution& execution) {
  device_call("for_each_neighborhood", execution, [&](Workers& workers) {
    search<T>(
        "for_each_neighborhood", tree, options,
        [&](const Found<T>& found) {
          caller_code([&] {
            visit({found.row, {found.index, found.count}, {found.distance, found.count}});
          });
        },
        execution, workers);
  });
}

template void for_each_neighborhood(const Tree<float>&, const KnnOptions&, const Visitor<float>&,
                                    const Execution&);
template void for_each_neighborhood(const Tree<double>&, const KnnOptions&, const Visitor<double>&,
                                    const Execution&);

std::vector<double> kth_distance(const AnyTree& tree, const KnnOptions& options,
                                 const Execution& execution) {
  return reduce_each(
      "kth_distance", tree, options,
      [&](const auto& found) {
        return found.count == options.k ? double{found.distance[found.count - 1]}
                                        : std::numeric_limits<double>::infinity();
      },
      execution);
}

std::vector<double> mean_distance(const AnyTree& tree, const KnnOptions& options,
                                  const Execution& execution) {
  return reduce_each(
      "mean_distance", tree, options,
      [](const auto& found) {
        double sum = 0;
        for (std::size_t i = 0; i < found.count; ++i) sum += double{found.distance[i]};
        return found.count > 0 ? sum / static_cast<double>(found.count) : kNone;
      },
      execution);
}

std::vector<double> sph_density(const AnyTree& tree, const DensityOptions& options,
                                const Execution& execution) {
  const int d = tree.dimension();
  check_density(options, d, tree.input_size());
  const KernelShape kernel{options.kernel, d};
  const double factor = kernel.factor();
  return reduce_each(
      "sph_density", tree, {.k = options.k},
      [&](const auto& found) {
        return kernel.density(
            found.count, factor, [&](std::size_t i) { return double{found.distance[i]}; },
            [&](std::size_t i) { return options.mass.empty() ? 1 : options.mass[found.index[i]]; });
      },
      execution);
}

}  // namespace kith

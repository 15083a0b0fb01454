// Pairs of the points of slabs, one slab after the other.
#include <algorithm>
#include <cmath>
#include <limits>

#include <kith/io/stored_neighbors.hpp>

#include "neighbors/limits.hpp"
#include "neighbors/part_trees.hpp"
#include "pairs/parts.hpp"
#include "slabs/ghosts.hpp"
#include "slabs/passes.hpp"
#include "slabs/search_call.hpp"

namespace kith {
namespace {

using namespace slabs;

/// Points to count, and how.
template <class T>
struct PairSlabs {
  const SlabStore<T>& store;
  const Budget& budget;
  const Execution& execution;
  Workers& workers;
};

using Counts = std::vector<std::int64_t>;

/// The sum of count(receivers, sources, workers) over all pairs of trees that may have pairs within
/// reach; without sources, of the points of a slab with themselves. Pairs across slabs are counted
/// from one end, and then twice: the kernels are symmetric.
template <class T, class Count>
Counts sum_over_slabs(const PairSlabs<T>& slabs, T reach2, std::size_t bins, Count count) {
  const SlabStore<T>& store = slabs.store;
  Counts counts(bins);
  const auto add = [&](const Planes<T>& receivers, const Planes<T>* sources, Workers& inside) {
    const Counts more = count(receivers, sources, inside);
    for (std::size_t i = 0; i < bins; ++i) counts[i] += sources ? 2 * more[i] : more[i];
  };
  each_slab(
      store, "count neighbors", slabs.execution, slabs.workers,
      [&](auto& archive) { archive(counts); },
      [&](std::size_t slab, Workers& inside) {
        const SlabPart<T> part = read_slab(store, slab, inside);
        add(part.planes, nullptr, inside);
        Array<T> reaches2(part.planes.points, inside.pool());
        std::fill(reaches2.begin(), reaches2.end(),
                  std::min(std::numeric_limits<T>::max(), reach2));
        const FarQueries<T> far = far_queries(store, part, reaches2, inside, slab + 1);
        each_ghosts<T>(
            store, slab, far, slabs.budget, inside,
            [&](const Ghosts<T>& ghosts) { add(far.queries.planes, &ghosts.planes, inside); },
            slab + 1);
      });
  return counts;
}

/// As pair_counts has them for a tree with itself.
template <class T>
Counts count_slab_pairs(const PairSlabs<T>& slabs, const PairCountOptions& options,
                        const TreeOptions& tree) {
  const SlabStore<T>& store = slabs.store;
  // Radii beyond all points count everything, without a look at them.
  double largest = 0;
  for (const double r : options.radii)
    if (std::isfinite(r)) largest = std::max(largest, r);
  std::vector<double> radii;
  for (const double r : options.radii) radii.push_back(std::min(r, largest));
  PairCountOptions within = options;
  within.radii = radii;
  within.cumulative = true;
  const auto count = [&](const Planes<T>& receivers, const Planes<T>* sources, Workers& inside) {
    const auto tree_over = [&](const Planes<T>& planes) {
      return tree_of_planes(borrowed_planes(planes, inside), store.frame, tree);
    };
    const AnyTree from = tree_over(receivers);
    return pair_counts(from, sources ? tree_over(*sources) : from, within,
                       inside_stage(slabs.execution));
  };
  const T reach2 = limit2<T>(largest, false, store.frame);
  Counts counts = sum_over_slabs(slabs, reach2, radii.size(), count);
  const auto all = static_cast<std::int64_t>(store.total * store.total);
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (!std::isfinite(options.radii[i])) counts[i] = all;
  if (!options.cumulative)
    for (std::size_t i = counts.size(); i-- > 1;) counts[i] -= counts[i - 1];
  return counts;
}

/// As pair_histogram has it for points without weights and regions.
template <class T>
PairHistogram slab_histogram(const PairSlabs<T>& slabs, const PairBinning& bins) {
  const Frame<T>& frame = slabs.store.frame;
  const auto count = [&](const Planes<T>& receivers, const Planes<T>* sources, Workers& inside) {
    const PlanesView<T> from = receivers.view(), to = sources ? sources->view() : from;
    return PairParts<T>::counts(bins, frame, from, sources ? &to : nullptr, inside);
  };
  return histogram_of_counts(
      bins, sum_over_slabs(slabs, PairParts<T>::reach2(bins, frame), bins.size(), count),
      slabs.store.total);
}

}  // namespace

std::vector<std::int64_t> pair_counts(const StoredPoints& points, const PairCountOptions& options,
                                      const TreeOptions& tree, const DiskOptions& disk,
                                      const Execution& given) {
  return search_call(
      "pair_counts", given, points, kBallCost, [&](const Execution& execution, Workers& workers) {
        const Searched searched{tree.box, points.dimension(), points.scalar()};
        check_pair_options(searched, searched, options);
        check_pair_total(points.size(), points.size());
        SearchCall call{"pair_counts", points, tree, disk, options.p};
        call.sorts = true;
        call.options = formatted("{} {}", options.strict, options.cumulative);
        for (const double r : options.radii) call.options += formatted(" {}", r);
        std::vector<std::int64_t> counts;
        call.run(workers, [&]<class T>(const SlabStore<T>& store, const Budget& budget) {
          counts = count_slab_pairs<T>({store, budget, execution, workers}, options, tree);
        });
        return counts;
      });
}

PairHistogram pair_histogram(const StoredPoints& points, const PairHistogramOptions& options,
                             const DiskOptions& disk, const Execution& given) {
  return search_call(
      "pair_histogram", given, points, kBallCost,
      [&](const Execution& execution, Workers& workers) {
        const PairBinning& bins = options.bins;
        if (options.regions > 0 || options.mean_separation || options.table.words > 0 ||
            bins.separation == Separation::theta)
          refuse(
              "pair_histogram: regions, mean separations, pairwise weights and angles need the "
              "points in memory");
        const PointsView none{nullptr, 0, points.dimension(), points.dimension(), points.scalar()};
        check_histogram({.points = none}, nullptr, options);
        check_pair_total(points.size(), points.size());
        const TreeOptions tree{.box = options.box};
        SearchCall call{"pair_histogram", points, tree, disk};
        call.sorts = true;
        call.options = formatted("{} {} {} {} {}", static_cast<int>(bins.separation), bins.pi_max,
                                 bins.pi_bins, bins.mu_bins, static_cast<int>(bins.line_of_sight));
        for (const double edge : bins.edges) call.options += formatted(" {}", edge);
        PairHistogram pairs;
        call.run(workers, [&]<class T>(const SlabStore<T>& store, const Budget& budget) {
          pairs = slab_histogram<T>({store, budget, execution, workers}, bins);
        });
        return pairs;
      });
}

Correlation correlation(const StoredPoints& points, const CorrelationOptions& options,
                        const DiskOptions& disk, const Execution& execution) {
  return public_call("correlation", [&] {
    const int dimension = points.dimension();
    const PairHistogramOptions ask = analytic_histogram(options, dimension);
    return analytic_correlation(pair_histogram(points, ask, disk, execution), options, dimension);
  });
}

}  // namespace kith

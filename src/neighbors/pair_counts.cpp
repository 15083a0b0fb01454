#include <numeric>

#include <kith/pair_counts.hpp>

#include "neighbors/driver.hpp"
#include "neighbors/pair_run.hpp"
#include "neighbors/pair_scene.hpp"
#include "neighbors/pair_walk.hpp"

namespace kith {
namespace {

void check_weights(const char* which, std::span<const double> weights, const Tree& tree) {
  if (!weights.empty() && weights.size() != tree.input_size())
    refuse("pair_counts: {} weights for the {} {}; give one for each", weights.size(),
           tree.input_size(), which);
}

/// The level whose nodes are the tasks: enough of them to share, few enough to keep bins for each.
template <class T>
int task_level(const PlanesView<T>& view) {
  constexpr std::size_t kTasks = 1024;
  int level = 0;
  while (level < view.entry() && view.plane(level).nodes > kTasks) ++level;
  return level;
}

/// Weights in tree order and of every node.
template <class T>
Weighted weights_of(const PlanesView<T>& view, std::span<const double> weights) {
  Weighted result;
  result.points.resize(view.points);
  for (std::size_t i = 0; i < view.points; ++i)
    result.points[i] = weights.empty() ? 1 : weights[view.index(i)];
  const std::vector<double>* below = &result.points;
  result.levels.reserve(static_cast<std::size_t>(view.plane_count));
  for (int level = 0; level < view.plane_count; ++level) {
    std::vector<double> sums(view.plane(level).nodes);
    for (std::size_t i = 0; i < below->size(); ++i) sums[i / kLanes] += (*below)[i];
    result.levels.push_back(std::move(sums));
    below = &result.levels.back();
  }
  return result;
}

/// The sum of every bin, by a norm other than p = 2; `limits` ascend.
template <class T, class Weights>
std::vector<typename Weights::Sum> norm_sums(const PairScene<T>& scene,
                                             const Weights& receiver_weights,
                                             const Weights& source_weights, double p,
                                             const std::vector<double>& limits, Workers& workers) {
  using Sums = std::vector<typename Weights::Sum>;
  const PlanesView<T>&receivers = scene.receivers.view(), &sources = scene.sources.view();
  Sums total(limits.size() + 1);
  if (receivers.points == 0 || sources.points == 0 || limits.empty()) return total;
  const Stage stage(workers, "pairs", receivers.points);
  const int level = task_level(receivers);
  std::vector<Sums> parts(receivers.plane(level).nodes);
  const auto check_cancelled = [&] { workers.check_cancelled(); };
  with_other_norm<T>(p, sources.dimension, [&]<int D, class Norm>(const Norm& norm) {
    using Walk = PairWalk<D, T, Norm, Weights>;
    const MeasuredTree<D, T, Norm> from(receivers, scene.frame.side, norm),
        to(sources, scene.frame.side, norm);
    const std::vector<typename Norm::Key> keys(limits.begin(), limits.end());
    workers.for_each(parts.size(), [&](std::size_t node) {
      Walk walk({from, receiver_weights}, {to, source_weights}, keys, check_cancelled);
      walk.walk(level, node);
      parts[node] = walk.bins();
      workers.advance(from.points_of(level, node));
    });
  });
  for (const Sums& part : parts)
    for (std::size_t i = 0; i < total.size(); ++i) total[i] += part[i];
  return total;
}

/// The same for p = 2. A tree with itself sees each pair once; each point is at distance 0 of
/// itself.
template <class T>
PairTotals distance_sums(const PairScene<T>& scene, const PairColumns& receivers,
                         const PairColumns& sources, bool is_own, const std::vector<double>& limits,
                         Workers& workers) {
  const PairPoints<T> from(scene.receivers.view(), receivers, nullptr, workers);
  const PairPoints<T> to(is_own ? PlanesView<T>() : scene.sources.view(), sources, nullptr,
                         workers);
  PairJob<T> job;
  job.receivers = &from.side();
  job.sources = is_own ? &from.side() : &to.side();
  job.is_own = is_own;
  job.side = scene.frame.side;
  job.order = kAxesInOrder.data();
  job.first = PairBins<T>(std::vector<T>(limits.begin(), limits.end()));
  PairTotals totals = run_pairs(job, 0, workers);
  if (!is_own || limits.empty()) return totals;
  for (double& sum : totals.sums) sum *= 2;
  for (std::int64_t& count : totals.counts) count *= 2;
  const std::size_t zero = job.first.bin(0);
  if (zero == limits.size()) return totals;
  if (receivers.is_weighted)
    for (const double w : from.side().weight) totals.sums[zero] += w * w;
  else
    totals.counts[zero] += static_cast<std::int64_t>(scene.receivers.view().points);
  return totals;
}

/// From bins of ascending radii to the caller's radii.
template <class Sum>
std::vector<Sum> in_order(std::vector<Sum> bins, const std::vector<std::size_t>& order,
                          bool is_cumulative) {
  bins.resize(order.size());
  if (is_cumulative) std::partial_sum(bins.begin(), bins.end(), bins.begin());
  std::vector<Sum> result(bins.size());
  for (std::size_t i = 0; i < order.size(); ++i) result[order[i]] = bins[i];
  return result;
}

/// The radii in ascending order: which they are, and what keys are compared with.
struct Limits {
  std::vector<std::size_t> order;
  std::vector<double> keys;

  template <class T>
  Limits(const PairCountOptions& options, const Frame<T>& frame) : order(options.radii.size()) {
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
      return options.radii[i] < options.radii[j];
    });
    for (const std::size_t i : order)
      keys.push_back(key_limit(options.radii[i], options.strict, options.p, frame));
  }
};

/// One tree with itself, each pair of which weighs the same both ways.
bool is_symmetric(const Tree& receivers, const Tree& sources, const PairWeights& weights) {
  return &receivers.impl() == &sources.impl() &&
         weights.receivers.data() == weights.sources.data() &&
         weights.receivers.size() == weights.sources.size();
}

}  // namespace

std::vector<std::int64_t> pair_counts(const Tree& receivers, const Tree& sources,
                                      const PairCountOptions& options, const Execution& execution) {
  return public_call("pair_counts", execution, [&](Workers& workers) {
    check_pair_options(searched(receivers), searched(sources), options);
    check_pair_total(receivers.size(), sources.size());
    return with_scalar(sources.scalar(), [&]<class T>() {
      const PairScene<T> scene(receivers, sources, workers);
      const Limits limits(options, scene.frame);
      auto counts = options.p == 2
                        ? distance_sums(scene, {}, {}, is_symmetric(receivers, sources, {}),
                                        limits.keys, workers)
                              .counts
                        : norm_sums(scene, OneEach(), OneEach(), options.p, limits.keys, workers);
      return in_order(std::move(counts), limits.order, options.cumulative);
    });
  });
}

std::vector<double> weighted_pair_counts(const Tree& receivers, const Tree& sources,
                                         const PairWeights& weights,
                                         const PairCountOptions& options,
                                         const Execution& execution) {
  return public_call("pair_counts", execution, [&](Workers& workers) {
    check_pair_options(searched(receivers), searched(sources), options);
    check_weights("receivers", weights.receivers, receivers);
    check_weights("sources", weights.sources, sources);
    return with_scalar(sources.scalar(), [&]<class T>() {
      const PairScene<T> scene(receivers, sources, workers);
      const Limits limits(options, scene.frame);
      const auto columns = [](std::span<const double> of) {
        return PairColumns{.weight = of, .is_weighted = true};
      };
      auto sums =
          options.p == 2
              ? distance_sums(scene, columns(weights.receivers), columns(weights.sources),
                              is_symmetric(receivers, sources, weights), limits.keys, workers)
                    .sums
              : norm_sums(scene, weights_of(scene.receivers.view(), weights.receivers),
                          weights_of(scene.sources.view(), weights.sources), options.p, limits.keys,
                          workers);
      return in_order(std::move(sums), limits.order, options.cumulative);
    });
  });
}

}  // namespace kith

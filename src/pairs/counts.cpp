#include <numeric>

#include <kith/pair_counts.hpp>

#include "neighbors/driver.hpp"
#include "pairs/run.hpp"
#include "pairs/scene.hpp"

namespace kith {
namespace {

void check_weights(const char* which, std::span<const double> weights, const AnyTree& tree) {
  if (!weights.empty() && weights.size() != tree.input_size())
    refuse("pair_counts: {} weights for the {} {}; give one for each", weights.size(),
           tree.input_size(), which);
}

/// The sum of every bin; `limits` are keys of the norm of p and ascend. A tree with itself sees
/// each pair once; each point is at distance 0 of itself.
template <class T>
PairTotals sum_pairs(const PairScene<T>& scene, const PairColumns& receivers,
                     const PairColumns& sources, bool is_own, double p,
                     const std::vector<double>& limits, Workers& workers) {
  const PairPoints<T> from(scene.receivers.view(), receivers, nullptr, workers);
  const PairPoints<T> to(is_own ? PlanesView<T>() : scene.sources.view(), sources, nullptr,
                         workers);
  PairJob<T> job;
  job.receivers = &from.side();
  job.sources = is_own ? &from.side() : &to.side();
  job.is_own = is_own;
  job.side = scene.frame.side;
  job.order = kAxesInOrder.data();
  job.p = p;
  if (p == 2)
    job.first = PairBins<T>(std::vector<T>(limits.begin(), limits.end()));
  else
    job.keys = PairBins<double>(limits);
  PairTotals totals = run_pairs(job, 0, workers);
  if (!is_own || limits.empty()) return totals;
  for (double& sum : totals.sums) sum *= 2;
  for (std::int64_t& count : totals.counts) count *= 2;
  const std::size_t zero = p == 2 ? job.first.bin(0) : job.keys.bin(0);
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

/// The radii in ascending order, and their keys.
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
bool is_symmetric(const AnyTree& receivers, const AnyTree& sources, const PairWeights& weights) {
  return &impl_of(receivers) == &impl_of(sources) &&
         weights.receivers.data() == weights.sources.data() &&
         weights.receivers.size() == weights.sources.size();
}

}  // namespace

std::vector<std::int64_t> pair_counts(const AnyTree& receivers, const AnyTree& sources,
                                      const PairCountOptions& options, const Execution& execution) {
  return public_call("pair_counts", execution, [&](Workers& workers) {
    check_pair_options(searched(receivers), searched(sources), options);
    check_pair_total(receivers.size(), sources.size());
    return with_scalar(sources.scalar(), [&]<class T>() {
      const PairScene<T> scene(receivers, sources, workers);
      const Limits limits(options, scene.frame);
      PairTotals totals = sum_pairs(scene, {}, {}, is_symmetric(receivers, sources, {}), options.p,
                                    limits.keys, workers);
      return in_order(std::move(totals.counts), limits.order, options.cumulative);
    });
  });
}

std::vector<double> weighted_pair_counts(const AnyTree& receivers, const AnyTree& sources,
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
      PairTotals totals =
          sum_pairs(scene, columns(weights.receivers), columns(weights.sources),
                    is_symmetric(receivers, sources, weights), options.p, limits.keys, workers);
      return in_order(std::move(totals.sums), limits.order, options.cumulative);
    });
  });
}

}  // namespace kith

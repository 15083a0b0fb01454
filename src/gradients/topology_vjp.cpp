// Derivatives of the probabilities of sampled links, and of relaxed links.
//
// logit = alpha (l^2 - d^2) / l^2, so d logit / d x_j = -(2 alpha / l^2) (x_j - x_i), and
// d log P / d logit = y - p for a link y (1 or 0) of probability p.
#include <cmath>

#include "gradients/link_numbers.hpp"
#include "gradients/pair_gradient.hpp"
#include "parallel/public_call.hpp"

namespace kith {
namespace {

void check_points(const char* call, const PointsView& points, const SoftLinks& links) {
  if (points.size != links.points())
    refuse("{}: {} points, but the links are of {}; pass the points that they were made of", call,
           points.size, links.points());
}

/// Adds slope(pair) * d logit / d x over all pairs; slope: the derivative by the pair's logit.
template <class T, class Slope>
void by_logits(const char* call, const PointsView& points, const SoftLinks& links, T* out,
               const Execution& execution, Slope slope) {
  const PairsOf pairs{points, {}, links.options.box, lists_view(links.second.data(), links.offset)};
  public_call(call, execution, [&](Workers& workers) {
    check_points(call, points, links);
    check_pairs(call, pairs, scalar_of<T>, workers);
    const Stage stage(workers, call, links.points());
    const PairPlaces<T> places(pairs, workers);
    const double l = links.options.linking_length;
    const double slope_of_d2 = -2 * links.options.alpha,
                 unscale = static_cast<double>(places.unscale);
    const double factor =
        std::isnormal(l * l) ? slope_of_d2 / (l * l) * unscale : slope_of_d2 / l * (unscale / l);
    PairGradientSum<T> sum(places, points.dimension, workers);
    sum.add([&]<int D>(const PairRow<D, T>& row, T* vectors) {
      const auto d = static_cast<std::size_t>(row.metric.axes.count());
      T between[kAxisRoom<D>];
      for (std::size_t pair = row.begin; pair < row.end; ++pair, vectors += d) {
        const std::int64_t j = row.neighbor(pair);
        row.displacement(j, between);
        const double by_logit = factor * slope(Link{pair, row.row, static_cast<std::size_t>(j)});
        for (std::size_t axis = 0; axis < d; ++axis)
          vectors[axis] = static_cast<T>(by_logit * static_cast<double>(between[axis]));
      }
    });
    sum.write({.points = out});
  });
}

/// The soft value of a link: s((logit + noise) / tau).
double relaxed(double logit, std::uint32_t number, double tau) {
  const double u = unit_number(number);
  return 1 / (1 + std::exp(-(logit + std::log1p(-u) - std::log(u)) / tau));
}

void check(const RelaxedLinkOptions& options) {
  if (options.samples == 0) refuse("relaxed_links: samples = 0; draw at least 1");
  if (!(options.tau > 0)) refuse("relaxed_links: tau = {}; give a positive one", options.tau);
}

}  // namespace

std::vector<double> log_probability(const SoftLinks& links, const LinkSamples& samples,
                                    const Execution& execution) {
  return public_call("log_probability", execution, [&](Workers& workers) {
    using SampleSums = std::vector<double>;
    return reduce(
        workers, links.points(), std::size_t{1} << 12, SampleSums(samples.samples, 0.0),
        [&](std::size_t begin, std::size_t end) {
          SampleSums sums(samples.samples, 0.0);
          for_each_link(links, begin, end, [&](const Link& link) {
            const double p = links.probability[link.pair];
            for (std::size_t sample = 0; sample < samples.samples; ++sample)
              sums[sample] += samples.is_linked(link.pair, sample) ? std::log(p) : std::log1p(-p);
          });
          return sums;
        },
        [](SampleSums total, const SampleSums& part) {
          for (std::size_t i = 0; i < part.size(); ++i) total[i] += part[i];
          return total;
        });
  });
}

template <Coordinate T>
void log_probability_vjp(PointsView points, const SoftLinks& links, const LinkSamples& samples,
                         std::span<const double> weight, T* out, const Execution& execution) {
  if (weight.size() != samples.samples)
    refuse("log_probability_vjp: {} weights for {} samples", weight.size(), samples.samples);
  if (samples.bits.size() != links.size() * samples.bytes())
    refuse("log_probability_vjp: the samples are not of these {} links", links.size());
  double all = 0;
  for (const double w : weight) all += w;
  by_logits("log_probability_vjp", points, links, out, execution, [&](const Link& link) {
    double linked = 0;
    for (std::size_t sample = 0; sample < weight.size(); ++sample)
      if (samples.is_linked(link.pair, sample)) linked += weight[sample];
    return linked - all * links.probability[link.pair];
  });
}

std::vector<double> relaxed_links(const SoftLinks& links, const RelaxedLinkOptions& options,
                                  const Execution& execution) {
  return public_call("relaxed_links", execution, [&](Workers& workers) {
    check(options);
    std::vector<double> out(options.samples * links.size());
    workers.for_ranges(links.points(), kRowGrain, [&](std::size_t begin, std::size_t end) {
      for_each_link(links, begin, end, [&](const Link& link) {
        const double p = links.probability[link.pair];
        for_each_number(link, options.seed, options.samples,
                        [&](std::size_t sample, std::uint32_t number) {
                          out[sample * links.size() + link.pair] =
                              options.is_hard ? (number < link_limit(p) ? 1.0 : 0.0)
                                              : relaxed(logit_of(p), number, options.tau);
                        });
      });
    });
    return out;
  });
}

template <Coordinate T>
void relaxed_links_vjp(PointsView points, const SoftLinks& links, const RelaxedLinkOptions& options,
                       std::span<const double> cotangent, T* out, const Execution& execution) {
  check(options);
  if (cotangent.size() != options.samples * links.size())
    refuse("relaxed_links_vjp: {} cotangents for {} samples of {} links", cotangent.size(),
           options.samples, links.size());
  by_logits("relaxed_links_vjp", points, links, out, execution, [&](const Link& link) {
    double sum = 0;
    const double logit = logit_of(links.probability[link.pair]);
    for_each_number(
        link, options.seed, options.samples, [&](std::size_t sample, std::uint32_t number) {
          const double soft = relaxed(logit, number, options.tau);
          sum += cotangent[sample * links.size() + link.pair] * soft * (1 - soft) / options.tau;
        });
    return sum;
  });
}

#define KITH_INSTANTIATE(T)                                                                \
  template void log_probability_vjp(PointsView, const SoftLinks&, const LinkSamples&,      \
                                    std::span<const double>, T*, const Execution&);        \
  template void relaxed_links_vjp(PointsView, const SoftLinks&, const RelaxedLinkOptions&, \
                                  std::span<const double>, T*, const Execution&);
KITH_INSTANTIATE(float)
KITH_INSTANTIATE(double)
#undef KITH_INSTANTIATE

}  // namespace kith

// Topological gradients: how the expected groups change when points move. They follow jFoF
// (Horowitz et al. 2025, section 3.2).
//
// Links become random: a pair at distance d is linked with probability p = s(alpha (l^2 - d^2) /
// l^2), with the logistic function s and the linking length l. Groups are the components of a
// sample of the links, and the gradient of the expectation of any function of them is estimated
// from samples:
//   score term (REINFORCE)   mean over samples of advantage * gradient of log P(sample)
//   pathwise term            mean over samples of the gradient at the fixed groups of that sample,
//                            see halos_vjp
//
// Random numbers are a function of (seed, i, j, sample), so the same seed gives the same bits for
// any number of threads, and a pair keeps its numbers when points move or `reach` changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <kith/box.hpp>
#include <kith/catalogue.hpp>
#include <kith/execution.hpp>
#include <kith/export.hpp>
#include <kith/points.hpp>

namespace kith {

struct SoftLinkOptions {
  Box box = {};
  double linking_length = 0;  ///< required
  double alpha = 5;           ///< sharpness: for large values, links are those of fof
  /// Pairs beyond reach * linking_length are never linked. Their probability would be below
  /// s(alpha (1 - reach^2)): 3e-7 for the defaults.
  double reach = 2;
};

/// The pairs i < j that may be linked: row i has second[offset[i]] ... second[offset[i + 1] - 1].
struct SoftLinks {
  SoftLinkOptions options;
  std::vector<std::int64_t> offset;  ///< points + 1 values
  std::vector<std::int32_t> second;
  std::vector<double> probability;  ///< of each pair, in the precision of the points

  std::size_t points() const { return offset.empty() ? 0 : offset.size() - 1; }
  std::size_t size() const { return second.size(); }
};

/// Finds the pairs; there is no limit on their number. Cost: one search of all pairs within reach,
/// 12 bytes per pair kept and 16 more at the peak. Errors: those of AnyTree; invalid_argument for a
/// linking length, alpha or reach that is not positive; too_large for 2^31 points.
KITH_API SoftLinks soft_links(PointsView points, const SoftLinkOptions& options,
                              const Execution& execution = {});

/// Sets the probabilities of the same pairs at other positions. Errors: invalid_argument.
KITH_API void set_probabilities(PointsView points, SoftLinks& links,
                                const Execution& execution = {});

struct LinkSampleOptions {
  std::size_t samples = 16;
  std::uint64_t seed = 0;
  std::size_t min_size = 1;  ///< points of smaller groups get the label -1
};

/// Samples of the links and their groups: a bit per pair, a label per point, in each sample.
struct LinkSamples {
  std::size_t samples = 0, points = 0;
  std::vector<std::uint8_t> bits;    ///< [pair][sample / 8], lowest bit first
  std::vector<std::int32_t> labels;  ///< [sample][point], numbered as by fof
  std::vector<std::int64_t> count;   ///< number of groups of each sample

  std::size_t bytes() const { return (samples + 7) / 8; }  ///< of bits per pair
  bool is_linked(std::size_t pair, std::size_t sample) const {
    return bits[pair * bytes() + sample / 8] >> sample % 8 & 1;
  }
  std::span<const std::int32_t> label(std::size_t sample) const {
    return {labels.data() + sample * points, points};
  }
};
KITH_API LinkSamples sample_links(const SoftLinks& links, const LinkSampleOptions& options,
                                  const Execution& execution = {});

/// Points sorted by label; labels are 0 ... count - 1, or negative.
KITH_API Members members(std::span<const std::int32_t> label, std::size_t count);

/// The log probability of each sample.
KITH_API std::vector<double> log_probability(const SoftLinks& links, const LinkSamples& samples,
                                             const Execution& execution = {});

/// The sum over samples of weight * gradient of log P(sample) with respect to the positions of the
/// points: one row each, overwritten. A pair at distance 0 has derivative 0.
template <Coordinate T>
KITH_API void log_probability_vjp(PointsView points, const SoftLinks& links,
                                  const LinkSamples& samples, std::span<const double> weight,
                                  T* out, const Execution& execution = {});

/// The baseline that is subtracted from the loss of each sample.
enum class Baseline {
  none,           ///< unbiased, largest variance
  leave_one_out,  ///< the mean loss of the other samples: unbiased
  /// The mean of all, as in jFoF. The gradient is too short by the factor (1 - 1 / samples).
  batch_mean,
};
enum class Advantage {
  plain,
  normalized,  ///< divided by the standard deviation of all: changes the length of the gradient
  clipped,     ///< to [-clip, clip]: biased
};
struct AdvantageOptions {
  Baseline baseline = Baseline::leave_one_out;
  Advantage form = Advantage::plain;
  double clip = 10;
};
/// The weights for log_probability_vjp: advantage / samples. Leave-one-out needs at least two
/// samples.
KITH_API std::vector<double> score_weights(std::span<const double> loss,
                                           const AdvantageOptions& options = {});

/// The links as numbers, [sample][pair]: 1 and 0 as in sample_links, or their relaxation by the
/// logistic distribution (Gumbel): s((logit + log(1 - u) - log u) / tau), which tends to them as
/// tau falls.
struct RelaxedLinkOptions {
  std::size_t samples = 16;
  std::uint64_t seed = 0;
  double tau = 0.5;
  bool is_hard = true;  ///< 1 and 0
};
KITH_API std::vector<double> relaxed_links(const SoftLinks& links,
                                           const RelaxedLinkOptions& options,
                                           const Execution& execution = {});
/// The derivative of the relaxation, also of hard links: straight-through. For a loss that is
/// linear in each link it tends to the exact gradient of the expectation as tau falls, with a
/// variance that grows as 1 / tau.
template <Coordinate T>
KITH_API void relaxed_links_vjp(PointsView points, const SoftLinks& links,
                                const RelaxedLinkOptions& options,
                                std::span<const double> cotangent, T* out,
                                const Execution& execution = {});

}  // namespace kith

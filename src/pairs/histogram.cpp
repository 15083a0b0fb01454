// Histograms of pairs: from options to a job, from bins of the job to the caller's.
#include "pairs/histogram.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include <kith/tree.hpp>

#include "base/fail.hpp"
#include "neighbors/limits.hpp"
#include "pairs/parts.hpp"
#include "pairs/scene.hpp"
#include "parallel/public_call.hpp"

namespace kith {
namespace {

constexpr double kDegree = std::numbers::pi / 180;

void check_bins(const PairBinning& bins, int dimension) {
  if (bins.edges.size() < 2)
    refuse("pair_histogram: {} edges; give at least 2, in ascending order", bins.edges.size());
  for (std::size_t i = 0; i < bins.edges.size(); ++i) {
    if (!(bins.edges[i] >= 0) || std::isinf(bins.edges[i]))
      refuse("pair_histogram: edge {} is {}; give lengths of 0 or more", i, bins.edges[i]);
    if (i > 0 && !(bins.edges[i] > bins.edges[i - 1]))
      refuse("pair_histogram: edge {} = {} is not above the one before, {}; sort the edges", i,
             bins.edges[i], bins.edges[i - 1]);
  }
  if (bins.separation != Separation::r && dimension != 3)
    refuse("pair_histogram: points of dimension {}; a line of sight and angles need 3", dimension);
  if (bins.separation == Separation::theta && bins.edges.back() > 180)
    refuse("pair_histogram: an angle of {} degrees; give at most 180", bins.edges.back());
  if (bins.separation == Separation::rp_pi && !(bins.pi_max > 0 && bins.pi_bins > 0))
    refuse("pair_histogram: pi_max = {} in {} bins; both must be over 0", bins.pi_max,
           bins.pi_bins);
  if (bins.separation == Separation::s_mu && bins.mu_bins == 0)
    refuse("pair_histogram: mu_bins = 0; ask for at least 1");
  if (bins.edges.size() * bins.second() >= std::size_t{1} << 24)
    fail(ErrorCode::too_large, "pair_histogram: {} bins; ask for fewer than 2^24",
         bins.edges.size() * bins.second());
}

void check_set(const PairSet& set, const PairHistogramOptions& options, Scalar scalar) {
  const std::size_t size = set.points.size;
  if (set.points.scalar != scalar) refuse("pair_histogram: float and double points; convert one");
  if (!set.weight.empty() && set.weight.size() != size)
    refuse("pair_histogram: {} weights for {} points; give one for each", set.weight.size(), size);
  for (std::size_t i = 0; i < set.weight.size(); ++i)
    if (!std::isfinite(set.weight[i]))
      refuse("pair_histogram: weight {} is {}; give finite ones", i, set.weight[i]);
  if (options.regions > 0 && set.region.size() != size)
    refuse("pair_histogram: {} region numbers for {} points; give one for each", set.region.size(),
           size);
  for (const std::int32_t region : set.region)
    if (options.regions > 0 && (region < 0 || static_cast<std::size_t>(region) >= options.regions))
      refuse("pair_histogram: region {}; they are numbered from 0 to {}", region,
             options.regions - 1);
  if (set.bits.size() != size * options.table.words)
    refuse("pair_histogram: {} words of bits for {} points; give {} for each", set.bits.size(),
           size, options.table.words);
}

/// Angles follow from chords of the unit sphere.
template <class T>
void check_unit_vectors(const PairSet& set) {
  constexpr double kRounding = 1e-5;  // of the length
  const T* data = static_cast<const T*>(set.points.data);
  for (std::size_t i = 0; i < set.points.size; ++i, data += set.points.stride) {
    const auto x = static_cast<double>(data[0]), y = static_cast<double>(data[1]),
               z = static_cast<double>(data[2]);
    const double length = std::hypot(x, y, z);
    if (!(std::abs(length - 1) <= kRounding))
      refuse(
          "pair_histogram: point {} has length {}; angles need unit vectors: divide each point by "
          "its length",
          i, length);
  }
}

/// Roundings of rp2 and pi2 are below a few dozen units in the last place of s2.
template <class T>
T with_rounding(T s2) {
  return s2 * (1 + 64 * std::numeric_limits<T>::epsilon());
}

/// The bins of a job. The line of sight comes last among its axes.
template <class T>
void set_bins(PairJob<T>& job, const PairBinning& bins, const Frame<T>& frame,
              std::array<int, kMaxDimension>& order) {
  const bool is_axis = bins.line_of_sight != LineOfSight::midpoint;
  const auto scaled = [&](double length) {
    return std::ldexp(static_cast<T>(length), frame.exponent);
  };
  order = kAxesInOrder;
  std::vector<T> limits;
  for (const double edge : bins.edges) {
    const double length =
        bins.separation == Separation::theta ? 2 * std::sin(edge * kDegree / 2) : edge;
    limits.push_back(limit2(length, true, frame));
  }
  job.first = PairBins<T>(std::move(limits));
  job.second = bins.second();
  if (bins.separation == Separation::rp_pi) {
    job.kind = is_axis ? PairKind::projected : PairKind::survey_projected;
    const T pi = job.second_end = scaled(bins.pi_max);
    if (!is_axis) job.reach2 = with_rounding(job.first.last() + pi * pi);
  } else if (bins.separation == Separation::s_mu) {
    job.kind = is_axis ? PairKind::angle : PairKind::survey_angle;
    job.second_end = 1;
    job.second_is_closed = true;
  }
  if (bins.separation != Separation::r && is_axis && bins.separation != Separation::theta) {
    const int axis = static_cast<int>(bins.line_of_sight);
    order[0] = axis == 0 ? 1 : 0;
    order[1] = axis == 2 ? 1 : 2;
    order[2] = axis;
  }
}

template <class T>
PairRegions regions_of(const PairSet& set, const PlanesView<T>& view, std::size_t count) {
  PairRegions regions{count, std::vector<std::int32_t>(view.points)};
  for (std::size_t i = 0; i < view.points; ++i) regions.of_position[i] = set.region[view.index(i)];
  return regions;
}

/// Weights of a set: their sum and the sum of their squares, in all and of each region.
struct Mass {
  double sum = 0, square = 0;
  void add(double w) {
    sum += w;
    square += w * w;
  }
};
struct Masses {
  Mass all;
  std::vector<Mass> region;

  Masses(const PairSet& set, std::size_t regions) : region(regions) {
    for (std::size_t i = 0; i < set.points.size; ++i) {
      const double w = set.weight.empty() ? 1 : set.weight[i];
      all.add(w);
      if (regions > 0) region[static_cast<std::size_t>(set.region[i])].add(w);
    }
  }
  Mass without(std::size_t i) const {
    return {all.sum - region[i].sum, all.square - region[i].square};
  }
};

double own_pairs(const Mass& mass) { return mass.sum * mass.sum - mass.square; }

void set_totals(PairHistogram& result, const PairSet& points, const PairSet* others,
                std::size_t regions) {
  const Masses from(points, regions), to(others ? *others : points, regions);
  result.total = others ? from.all.sum * to.all.sum : own_pairs(from.all);
  for (std::size_t i = 0; i < regions; ++i) {
    result.left_out_total.push_back(others ? from.without(i).sum * to.without(i).sum
                                           : own_pairs(from.without(i)));
    result.left_out_first_share.push_back(from.without(i).sum / from.all.sum);
  }
}

/// The caller's bins from those of the job, whose first coordinate has one more: below all edges.
template <class Values>
auto inner(const Values& values, const PairBinning& bins) {
  const auto second = static_cast<std::ptrdiff_t>(bins.second());
  return Values(values.begin() + second,
                values.begin() + second + static_cast<std::ptrdiff_t>(bins.size()));
}

std::vector<std::int64_t> both_orders(std::vector<std::int64_t> counts, bool is_own) {
  for (std::int64_t& count : counts) count *= is_own ? 2 : 1;
  return counts;
}

/// The counts of all pairs without those that touch a region, and without those whose first
/// point is there (a set with itself: half of those that cross its edge).
void set_regions(PairHistogram& result, const PairTotals& totals, bool is_own,
                 std::size_t regions) {
  const PairBinning& bins = result.bins;
  const std::size_t stride = bins.edges.size() * bins.second(), skip = bins.second();
  const double times = is_own ? 2 : 1;
  for (std::size_t region = 0; region < regions; ++region)
    for (std::size_t i = 0; i < bins.size(); ++i) {
      const double touching = times * totals.touching[region * stride + skip + i],
                   within = times * totals.within[region * stride + skip + i];
      result.left_out.push_back(result.weight[i] - touching);
      result.left_out_first.push_back(result.weight[i] - (touching + within) / 2);
    }
}

/// A job without weights: how many pairs there are.
template <class T>
struct PlainJob {
  PlainJob(const PairJob<T>& like, const PlanesView<T>& receivers, const PlanesView<T>& sources,
           const Workers& workers)
      : from(receivers, {}, nullptr, workers),
        to(like.is_own ? PlanesView<T>() : sources, {}, nullptr, workers),
        job(like) {
    job.receivers = &from.side();
    job.sources = job.is_own ? &from.side() : &to.side();
    job.with_lengths = false;
    job.words = 0;
  }
  PlainJob(const PlainJob&) = delete;
  PlainJob& operator=(const PlainJob&) = delete;

  PairPoints<T> from, to;
  PairJob<T> job;
};

template <class T>
class CountOf final : public HistogramCount {
 public:
  CountOf(const PairSet& points, const PairSet* others, const PairHistogramOptions& options,
          const Execution& execution, Workers& workers)
      : points_(points),
        others_(others),
        options_(options),
        from_tree_(points.points, {.box = options.box}, execution),
        to_tree_(others ? AnyTree(others->points, {.box = options.box}, execution) : from_tree_),
        scene_(from_tree_, to_tree_, workers),
        is_weighted_(!points.weight.empty() || (others && !others->weight.empty()) ||
                     options.table.words > 0),
        from_(columns(points, scene_.receivers.view(), workers)),
        to_(others ? columns(*others, scene_.sources.view(), workers)
                   : PairPoints<T>(PlanesView<T>(), {}, nullptr, workers)) {
    if (options.bins.separation == Separation::theta) {
      check_unit_vectors<T>(points);
      if (others) check_unit_vectors<T>(*others);
    }
    set_bins(job_, options.bins, scene_.frame, order_);
    job_.is_own = !others;
    job_.side = scene_.frame.side;
    job_.order = order_.data();
    job_.with_lengths = options.mean_separation;
    job_.words = options.table.words;
    job_.table = options.table.weight.data();
    job_.receivers = &from_.side();
    job_.sources = others ? &to_.side() : &from_.side();
  }

  std::size_t passes() const override { return is_weighted_ && options_.counts ? 2 : 1; }

  TaskParts run(std::size_t pass, const PairShare& share, Workers& workers) override {
    return pass == 0 ? run_tasks(job_, share, workers) : run_unweighted(share, workers);
  }

  PairTotals no_pairs(std::size_t pass) const override {
    // A side without points has no weights either.
    if (pass == 0) return kith::no_pairs(job_, options_.regions, is_weighted_);
    PairTotals totals;
    totals.counts.resize(job_.bins());
    return totals;
  }

  PairHistogram result(std::vector<PairTotals> of_passes) const override {
    const PairTotals& totals = of_passes.front();
    PairHistogram result{.bins = options_.bins, .is_weighted = is_weighted_};
    const double times = others_ ? 1 : 2;
    if (!is_weighted_ || options_.counts)
      result.counts = both_orders(inner(of_passes.back().counts, options_.bins), !others_);
    result.weight.assign(result.counts.begin(), result.counts.end());
    if (is_weighted_) {
      result.weight = inner(totals.sums, options_.bins);
      for (double& w : result.weight) w *= times;
    }
    if (options_.mean_separation) {
      result.mean_separation = inner(totals.lengths, options_.bins);
      const double unscale = std::ldexp(1.0, -scene_.frame.exponent);
      for (std::size_t i = 0; i < options_.bins.size(); ++i)
        result.mean_separation[i] *= times * unscale / result.weight[i];
    }
    set_totals(result, points_, others_, options_.regions);
    set_regions(result, totals, !others_, options_.regions);
    return result;
  }

 private:
  PairPoints<T> columns(const PairSet& set, const PlanesView<T>& view, Workers& workers) const {
    const PairColumns columns{set.weight, set.bits, options_.table.words, is_weighted_};
    if (options_.regions == 0) return PairPoints<T>(view, columns, nullptr, workers);
    const PairRegions regions = regions_of(set, view, options_.regions);
    return PairPoints<T>(view, columns, &regions, workers);
  }

  /// How many pairs there are.
  TaskParts run_unweighted(const PairShare& share, Workers& workers) const {
    const PlainJob<T> plain(job_, scene_.receivers.view(), scene_.sources.view(), workers);
    return run_tasks(plain.job, share, workers);
  }

  const PairSet& points_;
  const PairSet* others_;
  PairHistogramOptions options_;
  AnyTree from_tree_, to_tree_;
  PairScene<T> scene_;
  bool is_weighted_;
  PairPoints<T> from_, to_;
  std::array<int, kMaxDimension> order_;
  PairJob<T> job_;
};

PairHistogram count(const PairSet& points, const PairSet* others,
                    const PairHistogramOptions& options, const Execution& execution) {
  return public_call("pair_histogram", execution, [&](Workers& workers) {
    check_histogram(points, others, options);
    const auto count = make_histogram_count(points, others, options, execution, workers);
    std::vector<PairTotals> totals;
    for (std::size_t pass = 0; pass < count->passes(); ++pass) {
      totals.push_back(count->no_pairs(pass));
      for (const auto& task : count->run(pass, {}, workers))
        for (const PairPart& part : task) add_part(part, totals.back());
    }
    return count->result(std::move(totals));
  });
}

}  // namespace

void check_histogram(const PairSet& points, const PairSet* others,
                     const PairHistogramOptions& options) {
  check_bins(options.bins, points.points.dimension);
  if (options.table.words > 0 && options.table.weight.size() != 64 * options.table.words + 1)
    refuse("pair_histogram: a table of {} pairwise weights; {} words of bits need {}",
           options.table.weight.size(), options.table.words, 64 * options.table.words + 1);
  check_set(points, options, points.points.scalar);
  if (others) check_set(*others, options, points.points.scalar);
  if (others && others->points.dimension != points.points.dimension)
    refuse("pair_histogram: points of dimension {} and {}; both sets must have the same",
           points.points.dimension, others->points.dimension);
  const bool is_around = options.bins.separation == Separation::theta ||
                         (options.bins.separation != Separation::r &&
                          options.bins.line_of_sight == LineOfSight::midpoint);
  if (is_around && options.box.is_periodic())
    refuse("pair_histogram: a line of sight from the origin in a periodic box; use an open box");
}

std::unique_ptr<HistogramCount> make_histogram_count(const PairSet& points, const PairSet* others,
                                                     const PairHistogramOptions& options,
                                                     const Execution& execution, Workers& workers) {
  return with_scalar(points.points.scalar, [&]<class T>() -> std::unique_ptr<HistogramCount> {
    return std::make_unique<CountOf<T>>(points, others, options, execution, workers);
  });
}

PairHistogram histogram_of_counts(const PairBinning& bins, std::vector<std::int64_t> counts,
                                  std::uint64_t points) {
  PairHistogram result{.bins = bins, .counts = std::move(counts)};
  result.weight.assign(result.counts.begin(), result.counts.end());
  const auto n = static_cast<double>(points);
  result.total = own_pairs({n, n});
  return result;
}

template <class T>
std::vector<std::int64_t> PairParts<T>::counts(const PairBinning& bins, const Frame<T>& frame,
                                               const PlanesView<T>& receivers,
                                               const PlanesView<T>* sources, Workers& workers) {
  PairJob<T> job;
  std::array<int, kMaxDimension> order;
  set_bins(job, bins, frame, order);
  job.is_own = !sources;
  job.side = frame.side;
  job.order = order.data();
  const PlainJob<T> plain(job, receivers, sources ? *sources : receivers, workers);
  return both_orders(inner(run_pairs(plain.job, 0, workers).counts, bins), job.is_own);
}

template <class T>
T PairParts<T>::reach2(const PairBinning& bins, const Frame<T>& frame) {
  const T across2 = limit2<T>(bins.edges.back(), true, frame);
  if (bins.separation == Separation::r) return across2;
  const T pi = bins.separation == Separation::rp_pi
                   ? std::ldexp(static_cast<T>(bins.pi_max), frame.exponent)
                   : T(0);
  return with_rounding(across2 + pi * pi);
}

template struct PairParts<float>;
template struct PairParts<double>;

PairHistogram pair_histogram(const PairSet& points, const PairHistogramOptions& options,
                             const Execution& execution) {
  return count(points, nullptr, options, execution);
}

PairHistogram pair_histogram(const PairSet& points, const PairSet& others,
                             const PairHistogramOptions& options, const Execution& execution) {
  return count(points, &others, options, execution);
}

std::vector<double> log_edges(double low, double high, std::size_t bins) {
  if (!(low > 0 && high > low) || bins == 0)
    refuse("log_edges: {} bins from {} to {}; give 0 < low < high and at least 1 bin", bins, low,
           high);
  std::vector<double> edges(bins + 1);
  const double from = std::log10(low), to = std::log10(high);
  for (std::size_t i = 0; i <= bins; ++i)
    edges[i] =
        std::pow(10.0, from + (to - from) * static_cast<double>(i) / static_cast<double>(bins));
  return edges;
}

std::vector<double> linear_edges(double low, double high, std::size_t bins) {
  if (!(low >= 0 && high > low) || bins == 0)
    refuse("linear_edges: {} bins from {} to {}; give 0 <= low < high and at least 1 bin", bins,
           low, high);
  std::vector<double> edges(bins + 1);
  for (std::size_t i = 0; i <= bins; ++i)
    edges[i] = low + (high - low) * static_cast<double>(i) / static_cast<double>(bins);
  return edges;
}

}  // namespace kith

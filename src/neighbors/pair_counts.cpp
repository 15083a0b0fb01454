#include <numeric>

#include <kith/pair_counts.hpp>

#include "neighbors/driver.hpp"
#include "neighbors/pair_walk.hpp"

namespace kith {
namespace {

void check(const Tree& receivers, const Tree& sources, const PairCountOptions& options) {
  if (receivers.dimension() != sources.dimension() || receivers.scalar() != sources.scalar())
    refuse(
        "pair_counts: trees of dimension {} and {} bits, and of dimension {} and {} bits; they "
        "must agree",
        receivers.dimension(), receivers.scalar() == Scalar::float32 ? 32 : 64, sources.dimension(),
        sources.scalar() == Scalar::float32 ? 32 : 64);
  for (int axis = 0; axis < sources.dimension(); ++axis) {
    const Box &a = receivers.box(), &b = sources.box();
    if (a.side(axis) != b.side(axis) || (a.is_periodic(axis) && a.origin(axis) != b.origin(axis)))
      refuse(
          "pair_counts: axis {} has side {} and origin {} in one tree, {} and {} in the other; "
          "build both in the same box",
          axis, a.side(axis), a.origin(axis), b.side(axis), b.origin(axis));
  }
  check_norm("pair_counts", options.p);
  for (const double r : options.radii) check_radius("pair_counts", "a radius", r);
  if (!options.cumulative && !std::is_sorted(options.radii.begin(), options.radii.end()))
    refuse("pair_counts: radii that do not ascend, with cumulative = false; sort them");
}

void check_total(const Tree& receivers, const Tree& sources) {
  constexpr auto kMost = static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max());
  if (sources.size() > 0 && receivers.size() > kMost / sources.size())
    fail(ErrorCode::too_large,
         "pair_counts: {} times {} points make more than 2^63 - 1 pairs; count a part of them",
         receivers.size(), sources.size());
}

void check_weights(const char* which, std::span<const double> weights, const Tree& tree) {
  if (!weights.empty() && weights.size() != tree.input_size())
    refuse("pair_counts: {} weights for the {} {}; give one for each", weights.size(),
           tree.input_size(), which);
}

/// A tree in the scale of another: its own, unless their data differ so much in size that one of
/// them was scaled.
template <class T>
class InScaleOf {
 public:
  InScaleOf(const Tree& tree, const Frame<T>& frame, const Workers& workers) {
    const TreeData<T>& data = tree.impl().as<T>();
    const int exponent = frame.exponent - data.frame.exponent;
    if (exponent == 0 || data.planes.points == 0) {
      view_ = implicit_view<T>(tree.impl());
      return;
    }
    planes_.dimension = data.planes.dimension;
    planes_.points = data.planes.points;
    planes_.blocks = Array<T>(data.planes.blocks.size(), workers.pool());
    std::copy(data.planes.blocks.begin(), data.planes.blocks.end(), planes_.blocks.begin());
    Frame<T> change;
    change.exponent = exponent;
    for (std::size_t i = 0; i < planes_.points; ++i)
      for (int axis = 0; axis < planes_.dimension; ++axis)
        planes_.coordinate(i, axis) = change.scaled(planes_.coordinate(i, axis));
    planes_.planes = packed_planes(workers, planes_);
    view_ = planes_.view();
  }
  const PlanesView<T>& view() const { return view_; }

 private:
  Planes<T> planes_;
  PlanesView<T> view_;
};

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

/// Two trees in one frame.
template <class T>
struct Scene {
  Frame<T> frame;
  InScaleOf<T> receivers, sources;

  Scene(const Tree& receiving, const Tree& giving, const Workers& workers)
      : frame(giving.impl().as<T>().frame),
        receivers(receiving, frame, workers),
        sources(giving, frame, workers) {}
};

/// The sum of every bin; `limits` ascend.
template <class T, class Weights>
std::vector<typename Weights::Sum> sums_of_bins(const Scene<T>& scene,
                                                const Weights& receiver_weights,
                                                const Weights& source_weights, double p,
                                                const std::vector<double>& limits,
                                                Workers& workers) {
  using Sums = std::vector<typename Weights::Sum>;
  const PlanesView<T>&receivers = scene.receivers.view(), &sources = scene.sources.view();
  Sums total(limits.size() + 1);
  if (receivers.points == 0 || sources.points == 0 || limits.empty()) return total;
  const Stage stage(workers, "pairs", receivers.points);
  const int level = task_level(receivers);
  std::vector<Sums> parts(receivers.plane(level).nodes);
  const auto check_cancelled = [&] { workers.check_cancelled(); };
  with_dimension(sources.dimension, [&]<int D>() {
    with_norm<T>(p, [&]<class Norm>(const Norm& norm) {
      using Walk = PairWalk<D, T, Norm, Weights>;
      const NormWalk<D, T, Norm> from(receivers, scene.frame.side, norm),
          to(sources, scene.frame.side, norm);
      const std::vector<typename Norm::Key> keys(limits.begin(), limits.end());
      workers.for_each(parts.size(), [&](std::size_t node) {
        Walk walk({from, receiver_weights}, {to, source_weights}, keys, check_cancelled);
        walk.walk(level, node);
        parts[node] = walk.bins();
        workers.advance(from.points_of(level, node));
      });
    });
  });
  for (const Sums& part : parts)
    for (std::size_t i = 0; i < total.size(); ++i) total[i] += part[i];
  return total;
}

/// From bins of ascending radii to the caller's radii.
template <class Sum>
std::vector<Sum> in_order(std::vector<Sum> bins, const std::vector<std::size_t>& order,
                          bool is_cumulative) {
  bins.pop_back();
  if (is_cumulative) std::partial_sum(bins.begin(), bins.end(), bins.begin());
  std::vector<Sum> result(bins.size());
  for (std::size_t i = 0; i < order.size(); ++i) result[order[i]] = bins[i];
  return result;
}

template <class T, class Weights>
std::vector<typename Weights::Sum> count(const Scene<T>& scene, const Weights& receiver_weights,
                                         const Weights& source_weights,
                                         const PairCountOptions& options, Workers& workers) {
  std::vector<std::size_t> order(options.radii.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
    return options.radii[i] < options.radii[j];
  });
  std::vector<double> limits;
  for (const std::size_t i : order)
    limits.push_back(key_limit(options.radii[i], options.strict, options.p, scene.frame));
  return in_order(sums_of_bins(scene, receiver_weights, source_weights, options.p, limits, workers),
                  order, options.cumulative);
}

}  // namespace

std::vector<std::int64_t> pair_counts(const Tree& receivers, const Tree& sources,
                                      const PairCountOptions& options, const Execution& execution) {
  return public_call("pair_counts", execution, [&](Workers& workers) {
    check(receivers, sources, options);
    check_total(receivers, sources);
    return with_scalar(sources.scalar(), [&]<class T>() {
      const Scene<T> scene(receivers, sources, workers);
      return count(scene, OneEach(), OneEach(), options, workers);
    });
  });
}

std::vector<double> weighted_pair_counts(const Tree& receivers, const Tree& sources,
                                         const PairWeights& weights,
                                         const PairCountOptions& options,
                                         const Execution& execution) {
  return public_call("pair_counts", execution, [&](Workers& workers) {
    check(receivers, sources, options);
    check_weights("receivers", weights.receivers, receivers);
    check_weights("sources", weights.sources, sources);
    return with_scalar(sources.scalar(), [&]<class T>() {
      const Scene<T> scene(receivers, sources, workers);
      return count(scene, weights_of(scene.receivers.view(), weights.receivers),
                   weights_of(scene.sources.view(), weights.sources), options, workers);
    });
  });
}

}  // namespace kith

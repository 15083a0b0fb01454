// Random links between points, their samples and the groups of each sample.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <kith/gradients.hpp>
#include <kith/radius.hpp>
#include <kith/topology.hpp>
#include <kith/tree.hpp>

#include "base/fail.hpp"
#include "gradients/link_numbers.hpp"
#include "parallel/grains.hpp"
#include "parallel/public_call.hpp"
#include "parallel/union_find.hpp"
#include "tree/input.hpp"

namespace kith {
namespace {

void check(const SoftLinkOptions& options) {
  const auto require = [](const char* name, double value) {
    if (!(value > 0 && std::isfinite(value)))
      refuse("soft_links: {} = {}; give a positive, finite number", name, value);
  };
  require("linking_length", options.linking_length);
  require("alpha", options.alpha);
  require("reach", options.reach);
}

/// Rows of pairs from their first points, which ascend.
std::vector<std::int64_t> offsets_of(const std::vector<std::int32_t>& first, std::size_t points) {
  std::vector<std::int64_t> offset(points + 1);
  for (const std::int32_t i : first) ++offset[static_cast<std::size_t>(i) + 1];
  std::partial_sum(offset.begin(), offset.end(), offset.begin());
  return offset;
}

/// Draws all samples of the links of each row.
void draw(const SoftLinks& links, const LinkSampleOptions& options, const Workers& workers,
          LinkSamples& out) {
  const std::size_t bytes = out.bytes();
  out.bits.assign(links.size() * bytes, 0);
  workers.for_ranges(links.points(), kHeavyPointGrain, [&](std::size_t begin, std::size_t end) {
    for_each_link(links, begin, end, [&](const Link& link) {
      std::uint8_t* bits = out.bits.data() + link.pair * bytes;
      const std::uint64_t limit = link_limit(links.probability[link.pair]);
      for_each_number(
          link, options.seed, options.samples, [&](std::size_t sample, std::uint32_t number) {
            if (number < limit)
              bits[sample / 8] = static_cast<std::uint8_t>(bits[sample / 8] | 1u << sample % 8);
          });
    });
    workers.advance(end - begin);
  });
}

/// The components of one sample: the lowest member of each point's.
void find_components(const SoftLinks& links, const LinkSamples& samples, std::size_t sample,
                     const Workers& workers, std::vector<std::uint32_t>& root) {
  root.resize(links.points());
  std::iota(root.begin(), root.end(), 0u);
  const UnionFind<std::uint32_t> sets(root.data());
  for (std::size_t begin = 0; begin < links.points(); begin += kHeavyPointGrain) {
    workers.check_cancelled();
    for_each_link(links, begin, std::min(begin + kHeavyPointGrain, links.points()),
                  [&](const Link& link) {
                    if (samples.is_linked(link.pair, sample))
                      sets.unite_alone(static_cast<std::uint32_t>(link.i),
                                       static_cast<std::uint32_t>(link.j));
                  });
  }
  for (std::uint32_t i = 0; i < root.size(); ++i) sets.flatten(i);
}

/// Labels by falling size, then by lowest member; returns the number of groups.
std::size_t name_components(const std::vector<std::uint32_t>& root, std::size_t min_size,
                            std::int32_t* label) {
  std::vector<std::uint32_t> size(root.size(), 0);
  for (const std::uint32_t each : root) ++size[each];
  std::vector<std::uint32_t> kept;
  for (std::uint32_t i = 0; i < root.size(); ++i)
    if (root[i] == i && size[i] >= min_size) kept.push_back(i);
  std::stable_sort(kept.begin(), kept.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return size[a] > size[b]; });
  std::vector<std::int32_t> name(root.size(), -1);
  for (std::size_t group = 0; group < kept.size(); ++group)
    name[kept[group]] = static_cast<std::int32_t>(group);
  for (std::size_t i = 0; i < root.size(); ++i) label[i] = name[root[i]];
  return kept.size();
}

/// From the distances of the pairs.
template <class T>
void set_probabilities(const T* distance, SoftLinks& links, const Workers& workers) {
  links.probability.resize(links.size());
  const SoftLinkOptions& options = links.options;
  workers.for_ranges(links.size(), kHeavyPointGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t pair = begin; pair < end; ++pair) {
      const double q = static_cast<double>(distance[pair]) / options.linking_length;
      links.probability[pair] =
          static_cast<double>(static_cast<T>(1 / (1 + std::exp(-options.alpha * (1 - q * q)))));
    }
  });
}

double deviation(std::span<const double> values, double mean) {
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return std::sqrt(sum / static_cast<double>(values.size()));
}

}  // namespace

SoftLinks soft_links(PointsView points, const SoftLinkOptions& options,
                     const Execution& execution) {
  return public_call("soft_links", execution, [&](Workers& workers) {
    check_view("soft_links", points, options.box);
    check(options);
    SoftLinks links{options, {}, {}, {}};
    const AnyTree tree(points, {.box = options.box}, execution);
    with_scalar(points.scalar, [&]<class T>() {
      auto pairs = radius_pairs<T, std::int32_t>(
          tree, {.radius = options.reach * options.linking_length}, execution);
      links.offset = offsets_of(pairs.i, points.size);
      pairs.i = {};
      links.second = std::move(pairs.j);
      set_probabilities(pairs.distance.data(), links, workers);
    });
    return links;
  });
}

void set_probabilities(PointsView points, SoftLinks& links, const Execution& execution) {
  public_call("set_probabilities", execution, [&](Workers& workers) {
    check(links.options);
    with_scalar(points.scalar, [&]<class T>() {
      std::vector<T> distance(links.size());
      distances<T>({points, {}, links.options.box, lists_view(links.second.data(), links.offset)},
                   distance.data(), execution);
      set_probabilities(distance.data(), links, workers);
    });
  });
}

LinkSamples sample_links(const SoftLinks& links, const LinkSampleOptions& options,
                         const Execution& execution) {
  return public_call("sample_links", execution, [&](Workers& workers) {
    if (options.samples == 0) refuse("sample_links: samples = 0; draw at least 1");
    LinkSamples out{options.samples, links.points(), {}, {}, {}};
    {
      const Stage stage(workers, "draw links", links.points());
      draw(links, options, workers, out);
    }
    const Stage stage(workers, "components", options.samples);
    out.labels.resize(options.samples * links.points());
    out.count.resize(options.samples);
    workers.for_each(options.samples, [&](std::size_t sample) {
      std::vector<std::uint32_t> root;
      find_components(links, out, sample, workers, root);
      out.count[sample] = static_cast<std::int64_t>(
          name_components(root, options.min_size, out.labels.data() + sample * out.points));
      workers.advance(1);
    });
    return out;
  });
}

Members members(std::span<const std::int32_t> label, std::size_t count) {
  return public_call("members", [&] {
    Members members;
    members.offset.assign(count + 1, 0);
    for (const std::int32_t each : label) {
      if (each >= 0 && static_cast<std::size_t>(each) >= count)
        refuse("members: label {} of {} groups", each, count);
      if (each >= 0) ++members.offset[static_cast<std::size_t>(each) + 1];
    }
    std::partial_sum(members.offset.begin(), members.offset.end(), members.offset.begin());
    members.order.resize(label.size());
    std::vector<std::size_t> next(members.offset);
    for (std::size_t i = 0; i < label.size(); ++i) {
      const std::size_t group = label[i] < 0 ? count : static_cast<std::size_t>(label[i]);
      members.order[next[group]++] = static_cast<std::uint32_t>(i);
    }
    return members;
  });
}

std::vector<double> score_weights(std::span<const double> loss, const AdvantageOptions& options) {
  return public_call("score_weights", [&] {
    const auto count = static_cast<double>(loss.size());
    if (options.baseline == Baseline::leave_one_out && loss.size() < 2)
      refuse("score_weights: {} samples; leave-one-out needs at least 2", loss.size());
    const double mean = std::accumulate(loss.begin(), loss.end(), 0.0) / count;
    std::vector<double> weight(loss.begin(), loss.end());
    for (double& value : weight) {
      if (options.baseline == Baseline::batch_mean) value -= mean;
      // The mean of the others is (count mean - value) / (count - 1).
      if (options.baseline == Baseline::leave_one_out) value = (value - mean) * count / (count - 1);
    }
    const double unit = deviation(loss, mean) + 1e-8;  // as jFoF: no division by 0
    for (double& value : weight) {
      if (options.form == Advantage::normalized) value /= unit;
      if (options.form == Advantage::clipped)
        value = std::clamp(value, -options.clip, options.clip);
      value /= count;
    }
    return weight;
  });
}

}  // namespace kith

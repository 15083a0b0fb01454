// Some of the points, for what scripts draw: the particles in three dimensions, maps of any depth,
// and close-ups of any group. Groups get a share that grows more slowly than their size, so that
// small ones keep their shape and large ones do not take everything.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <numbers>

#include <kith/neighbors.hpp>

#include "html.hpp"
#include "report/report.hpp"

namespace kith::cli {
namespace {

constexpr std::size_t kMostPoints = 330000;  // 7 bytes each, 3.1 MB in base64
constexpr double kGroupPart = 0.65;          // of them, at most, in groups
constexpr double kSharePower = 0.75;         // of a group's size
constexpr std::size_t kNeighbors = 16;       // that the density is measured with
// The logarithm of density / mean is stored in a byte.
constexpr double kLeastDensity = -1.5, kDensityRange = 6.5;

/// A hash that is the same for all runs and machines.
std::uint64_t scattered(std::uint64_t i) {
  std::uint64_t x = (i + 1) * 0x9e3779b97f4a7c15U;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
  x = (x ^ x >> 27) * 0x94d049bb133111ebU;
  return x ^ x >> 31;
}

/// `count` of `size` things: one out of each of equal runs, at a place that does not follow a grid.
template <class Visit>
void for_some(std::size_t size, std::size_t count, Visit&& visit) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t begin = i * size / count, end = (i + 1) * size / count;
    visit(begin + scattered(i) % (end - begin));
  }
}

/// How many of each group's points are taken, about `wanted` in all.
std::vector<std::size_t> group_shares(const Findings& findings, std::size_t groups,
                                      std::size_t wanted) {
  const std::vector<std::size_t>& offset = findings.members.offset;
  const auto share = [&](std::size_t g, double scale) {
    const auto size = static_cast<double>(offset[g + 1] - offset[g]);
    return static_cast<std::size_t>(std::min(size, scale * std::pow(size, kSharePower)));
  };
  double low = 0, high = 1e3;  // sizes to the power of a quarter
  for (int step = 0; step < 40; ++step) {
    const double middle = (low + high) / 2;
    std::size_t all = 0;
    for (std::size_t g = 0; g < groups; ++g) all += share(g, middle);
    (all > wanted ? high : low) = middle;
  }
  std::vector<std::size_t> shares(groups);
  for (std::size_t g = 0; g < groups; ++g) shares[g] = share(g, low);
  return shares;
}

/// Points in the order of the page: those of each group, then others.
struct Sample {
  std::vector<std::size_t> point;
  std::vector<std::size_t> share;  ///< of each group
  double others = 0;               ///< points that are in none of these groups
};

Sample choose_points(const Findings& findings) {
  const std::size_t size = findings.points.size;
  const bool has_members = !findings.members.offset.empty();
  const std::size_t groups = has_members ? std::min(kMostRows, findings.members.count()) : 0;
  Sample sample;
  std::vector<bool> is_member(size, false);
  std::size_t members = 0;
  if (groups > 0) {
    const auto most = static_cast<std::size_t>(kGroupPart * double(kMostPoints));
    sample.share = group_shares(findings, groups, size <= kMostPoints ? size : most);
    members = findings.members.offset[groups];
    for (std::size_t g = 0; g < groups; ++g) {
      const auto own = findings.members.of(g);
      for_some(own.size(), sample.share[g], [&](std::size_t i) { sample.point.push_back(own[i]); });
      for (const std::uint32_t i : own) is_member[i] = true;
    }
  }
  std::vector<std::uint32_t> others;
  others.reserve(size - members);
  for (std::size_t i = 0; i < size; ++i)
    if (!is_member[i]) others.push_back(static_cast<std::uint32_t>(i));
  sample.others = static_cast<double>(others.size());
  const std::size_t room = kMostPoints - std::min(kMostPoints, sample.point.size());
  for_some(others.size(), std::min(others.size(), room),
           [&](std::size_t i) { sample.point.push_back(others[i]); });
  return sample;
}

/// The densities at the chosen points, in units of the mean, from the distance of a neighbor.
template <class T>
std::vector<double> densities(const Findings& findings, const AnyTree& tree, const Sample& sample,
                              double volume, const Execution& execution) {
  std::vector<T> rows;
  rows.reserve(3 * sample.point.size());
  for (const std::size_t i : sample.point)
    for (int axis = 0; axis < 3; ++axis)
      rows.push_back(static_cast<T>(coordinate_of(findings.points, i, axis)));
  const std::size_t k = std::min(kNeighbors, tree.size());
  const auto found =
      knn<T, std::int64_t>(tree, view(rows.data(), sample.point.size(), 3), {.k = k}, execution);
  const double mean = static_cast<double>(tree.size()) / volume;
  std::vector<double> result;
  result.reserve(sample.point.size());
  for (std::size_t i = 0; i < sample.point.size(); ++i) {
    const auto r = static_cast<double>(found.distance(i)[k - 1]);
    const double inside = 4 * std::numbers::pi / 3 * r * r * r;
    result.push_back(static_cast<double>(k) / inside / mean);  // infinite for equal points
  }
  return result;
}

struct Extent {
  double low[3], side[3];
};

Extent extent_of(const Findings& findings) {
  Extent extent{};
  for (int axis = 0; axis < 3; ++axis) {
    const auto [begin, end] = shown_along(findings, axis);
    extent.low[axis] = begin;
    extent.side[axis] = end - begin;
  }
  return extent;
}

/// Three 16-bit parts of the sides, x of all points first, then the bytes of the densities.
std::string packed(const Findings& findings, const Sample& sample, const Extent& extent,
                   const std::vector<double>& density) {
  std::string bytes;
  bytes.reserve(7 * sample.point.size());
  for (int axis = 0; axis < 3; ++axis)
    for (const std::size_t point : sample.point) {
      double part =
          (coordinate_of(findings.points, point, axis) - extent.low[axis]) / extent.side[axis];
      if (findings.about.box.is_periodic(axis)) part -= std::floor(part);
      const auto word = static_cast<unsigned>(std::clamp(part, 0.0, 1.0) * 65535);
      bytes += {static_cast<char>(word & 255U), static_cast<char>(word >> 8)};
    }
  for (const double d : density) {
    const double part = (std::log10(std::clamp(d, 1e-9, 1e9)) - kLeastDensity) / kDensityRange;
    bytes += static_cast<char>(static_cast<unsigned char>(255 * std::clamp(part, 0.0, 1.0)));
  }
  return base64(bytes);
}

void drop_non_finite(const Findings& findings, Sample& sample) {
  const auto is_bad = [&](std::size_t i) {
    for (int axis = 0; axis < 3; ++axis)
      if (!std::isfinite(coordinate_of(findings.points, i, axis))) return true;
    return false;
  };
  std::erase_if(sample.point, is_bad);  // members of groups are finite, so shares stay right
}

}  // namespace

std::string particle_data(const Findings& findings, const AnyTree* tree,
                          const Execution& execution) {
  if (!tree || findings.about.dimension != 3 || tree->size() == 0) return "null";
  Sample sample = choose_points(findings);
  drop_non_finite(findings, sample);
  const Extent extent = extent_of(findings);
  const double volume = extent.side[0] * extent.side[1] * extent.side[2];
  const std::vector<double> density =
      findings.points.scalar == Scalar::float32
          ? densities<float>(findings, *tree, sample, volume, execution)
          : densities<double>(findings, *tree, sample, volume, execution);
  const Box& box = findings.about.box;
  std::string colors;
  for (int i = 0; i < 256; ++i) {
    const Color c = color_of(i / 255.0);
    colors += {static_cast<char>(c.red), static_cast<char>(c.green), static_cast<char>(c.blue)};
  }
  std::string shares;
  for (const std::size_t n : sample.share)
    shares += fmt::format("{}{}", shares.empty() ? "" : ",", n);
  return fmt::format(
      R"({{"low":{},"side":{},"wraps":[{},{},{}],"count":{},"all":{},"others":{},"neighbors":{},)"
      R"("density":[{},{}],"shares":[{}],"colors":"{}","points":"{}"}})",
      json_numbers(extent.low), json_numbers(extent.side), box.is_periodic(0), box.is_periodic(1),
      box.is_periodic(2), sample.point.size(), tree->size(), sample.others, kNeighbors,
      kLeastDensity, kDensityRange, shares, base64(colors),
      packed(findings, sample, extent, density));
}

}  // namespace kith::cli

// Candidates in phase space by their definition: every pair of members is visited.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "subhalos/brute_halo.hpp"

namespace kith {
namespace {

using Place = std::vector<double>;

/// From another place, squared.
double off2(const Place& at, const Place& from) {
  double sum = 0;
  for (std::size_t axis = 0; axis < at.size(); ++axis)
    sum += (at[axis] - from[axis]) * (at[axis] - from[axis]);
  return sum;
}

double ratio(double square, double scale2) { return scale2 > 0 ? square / scale2 : 0; }

Place mean_place(const std::vector<Place>& places, const List& members) {
  Place mean(places[0].size());
  for (const std::uint32_t i : members)
    for (std::size_t axis = 0; axis < mean.size(); ++axis) mean[axis] += places[i][axis];
  for (double& each : mean) each /= static_cast<double>(members.size());
  return mean;
}

/// The mean square of the distances from a place.
double spread2(const std::vector<Place>& places, const List& members, const Place& from) {
  double sum = 0;
  for (const std::uint32_t i : members) sum += off2(places[i], from);
  return sum / static_cast<double>(members.size());
}

/// The members of a set in units of its extent.
std::vector<Place> scaled(const BruteHalo& halo, const List& members) {
  std::vector<Place> rows(members.size());
  for (const auto* places : {&halo.x, &halo.v}) {
    const Place mean = mean_place(*places, members);
    const double scale = std::sqrt(spread2(*places, members, mean));
    for (std::size_t k = 0; k < members.size(); ++k)
      for (std::size_t axis = 0; axis < halo.d; ++axis)
        rows[k].push_back(scale > 0 ? ((*places)[members[k]][axis] - mean[axis]) / scale : 0);
  }
  return rows;
}

/// Just above the distance within which 7 of 10 members have their nearest neighbor.
double length_of(const std::vector<Place>& rows) {
  std::vector<double> nearest;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < rows.size(); ++j)
      if (j != i) least = std::min(least, off2(rows[i], rows[j]));
    nearest.push_back(std::sqrt(least));
  }
  std::sort(nearest.begin(), nearest.end());
  std::size_t linked = 1;
  while (10 * linked < 7 * rows.size()) ++linked;
  return std::nextafter(nearest[linked - 1], std::numeric_limits<double>::infinity());
}

/// Groups of linked members, the largest first, ties by lowest member.
std::vector<List> groups_of(const BruteHalo& halo, const List& members, std::size_t min_size) {
  if (members.size() < 2) return {};
  const std::vector<Place> rows = scaled(halo, members);
  const double length = length_of(rows);
  std::vector<bool> is_taken(members.size());
  std::vector<List> groups;
  for (std::size_t seed = 0; seed < members.size(); ++seed) {
    if (is_taken[seed]) continue;
    std::vector<std::size_t> linked{seed};
    is_taken[seed] = true;
    for (std::size_t next = 0; next < linked.size(); ++next)
      for (std::size_t j = 0; j < members.size(); ++j)
        if (!is_taken[j] && off2(rows[linked[next]], rows[j]) <= length * length) {
          is_taken[j] = true;
          linked.push_back(j);
        }
    if (linked.size() < min_size) continue;
    std::sort(linked.begin(), linked.end());
    List group;
    for (const std::size_t k : linked) group.push_back(members[k]);
    groups.push_back(group);
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const List& a, const List& b) { return a.size() > b.size(); });
  if (groups.size() == 1 && groups[0].size() == members.size()) return {};
  return groups;
}

struct BruteSeed {
  Place x, v;               ///< the center of its leaf
  double error_x, error_v;  ///< squares of the errors of the center
  List region;              ///< in the order in which members joined
};

double distance2(const BruteHalo& halo, const BruteSeed& seed, const Place& x, const Place& v) {
  return ratio(off2(x, seed.x), spread2(halo.x, seed.region, seed.x)) +
         ratio(off2(v, seed.v), spread2(halo.v, seed.region, seed.v));
}

bool is_distinct(const BruteHalo& halo, const BruteSeed& larger, const BruteSeed& seed) {
  const double errors2 = ratio(off2(larger.x, seed.x), larger.error_x + seed.error_x) +
                         ratio(off2(larger.v, seed.v), larger.error_v + seed.error_v);
  return errors2 >= 200 && distance2(halo, seed, larger.x, larger.v) >= 4;
}

void sort_by_size(std::vector<BruteSeed>& seeds) {
  const auto lowest = [](const List& region) {
    return *std::min_element(region.begin(), region.end());
  };
  std::sort(seeds.begin(), seeds.end(), [&](const BruteSeed& a, const BruteSeed& b) {
    return a.region.size() != b.region.size() ? a.region.size() > b.region.size()
                                              : lowest(a.region) < lowest(b.region);
  });
}

/// The first one of several seeds that is nearest.
std::size_t nearest_seed(const BruteHalo& halo, const std::vector<BruteSeed>& seeds,
                         std::size_t count, const Place& x, const Place& v) {
  std::vector<double> distance;
  for (std::size_t s = 0; s < count; ++s) distance.push_back(distance2(halo, seeds[s], x, v));
  return static_cast<std::size_t>(std::min_element(distance.begin(), distance.end()) -
                                  distance.begin());
}

std::vector<BruteSeed> seeds_of(const BruteHalo& halo, const List& set, std::size_t min_size) {
  const std::vector<List> groups = groups_of(halo, set, min_size);
  if (groups.empty()) {
    const Place x = mean_place(halo.x, set), v = mean_place(halo.v, set);
    const auto n = static_cast<double>(set.size());
    return {{x, v, spread2(halo.x, set, x) / n, spread2(halo.v, set, v) / n, set}};
  }
  std::vector<BruteSeed> inside, seeds;
  for (const List& group : groups)
    for (const BruteSeed& seed : seeds_of(halo, group, min_size)) inside.push_back(seed);
  sort_by_size(inside);
  List rest = set;
  for (const BruteSeed& seed : inside) {
    for (const std::uint32_t i : seed.region) std::erase(rest, i);
    std::size_t s = 0;
    while (s < seeds.size() && is_distinct(halo, seeds[s], seed)) ++s;
    if (s == seeds.size()) seeds.push_back({seed.x, seed.v, seed.error_x, seed.error_v, {}});
    seeds[s].region.insert(seeds[s].region.end(), seed.region.begin(), seed.region.end());
  }
  std::vector<std::size_t> joined;
  for (const std::uint32_t i : rest)
    joined.push_back(nearest_seed(halo, seeds, seeds.size(), halo.x[i], halo.v[i]));
  for (std::size_t k = 0; k < rest.size(); ++k) seeds[joined[k]].region.push_back(rest[k]);
  return seeds;
}

}  // namespace

std::vector<List> brute_phase_candidates(const BruteHalo& halo, std::size_t min_size) {
  List all(halo.size());
  std::iota(all.begin(), all.end(), 0u);
  std::vector<BruteSeed> seeds = seeds_of(halo, all, min_size);
  sort_by_size(seeds);
  std::vector<List> found;
  for (const BruteSeed& seed : seeds) found.push_back(seed.region);
  for (std::size_t s = seeds.size(); s-- > 1;) {
    List& host = found[nearest_seed(halo, seeds, s, seeds[s].x, seeds[s].v)];
    host.insert(host.end(), found[s].begin(), found[s].end());
  }
  std::reverse(found.begin(), found.end());
  return found;
}

}  // namespace kith

#include "subhalos/phase_candidates.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "parallel/grains.hpp"
#include "parallel/pieces.hpp"

namespace kith {
namespace {

/// A seed is distinct from a larger one if their centers are as many errors of the distance apart,
/// squared, and if the larger one's center is as many extents of its own region away.
constexpr double kErrors2 = 200, kExtents2 = 4;

/// a / b, or nothing where there is no scale.
double part_of(double square, double scale2) { return scale2 > 0 ? square / scale2 : 0; }

/// Squared distances in position and in velocity.
struct PhaseSquares2 {
  double x = 0, v = 0;

  void add(const PhaseSquares2& more) {
    x += more.x;
    v += more.v;
  }
};

/// A leaf, the members that joined it, and their extent about the center of the leaf.
struct Seed {
  std::vector<double> x, v;  ///< the center
  PhaseSquares2 error;       ///< the square of its error
  std::vector<std::uint32_t> region;
  std::uint32_t lowest = kNoMember;
  PhaseSquares2 sum;  ///< of squared distances of the region from the center

  bool is_larger(const Seed& other) const {
    const std::size_t size = region.size(), others = other.region.size();
    return size != others ? size > others : lowest < other.lowest;
  }
};

class Seeds {
 public:
  Seeds(const PhaseRows& rows, const Workers& workers)
      : rows_(rows), workers_(workers), is_inside_(rows.x.size() / rows.d) {}

  /// Of a set, from those of the sets inside it.
  std::vector<Seed> of(const PhaseSet& set, std::vector<Seed> inside) {
    if (inside.empty()) return {leaf(set.members)};
    std::sort(inside.begin(), inside.end(),
              [](const Seed& a, const Seed& b) { return a.is_larger(b); });
    std::vector<Seed> seeds = distinct(std::move(inside));
    assign(set.members, seeds);
    return seeds;
  }

  /// As seeds see another place: in units of their extent.
  double distance2(const Seed& seed, const double* x, const double* v) const {
    const PhaseSquares2 off = squares(seed, x, v);
    const auto n = static_cast<double>(seed.region.size());
    return part_of(off.x, seed.sum.x / n) + part_of(off.v, seed.sum.v / n);
  }

 private:
  const double* x(std::uint32_t member) const { return &rows_.x[member * rows_.d]; }
  const double* v(std::uint32_t member) const { return &rows_.v[member * rows_.d]; }

  PhaseSquares2 squares(const Seed& seed, const double* at, const double* speed) const {
    PhaseSquares2 sum;
    for (std::size_t axis = 0; axis < rows_.d; ++axis) {
      sum.x += (at[axis] - seed.x[axis]) * (at[axis] - seed.x[axis]);
      sum.v += (speed[axis] - seed.v[axis]) * (speed[axis] - seed.v[axis]);
    }
    return sum;
  }

  void add(std::uint32_t member, Seed& to) const {
    to.region.push_back(member);
    to.lowest = std::min(to.lowest, member);
    to.sum.add(squares(to, x(member), v(member)));
  }

  Seed leaf(const std::vector<std::uint32_t>& members) const {
    const auto n = static_cast<double>(members.size());
    Seed seed{std::vector<double>(rows_.d), std::vector<double>(rows_.d)};
    for_each_in_order(workers_, members.size(), [&](std::size_t k) {
      for (std::size_t axis = 0; axis < rows_.d; ++axis) {
        seed.x[axis] += x(members[k])[axis];
        seed.v[axis] += v(members[k])[axis];
      }
    });
    for (double& each : seed.x) each /= n;
    for (double& each : seed.v) each /= n;
    for_each_in_order(workers_, members.size(), [&](std::size_t k) { add(members[k], seed); });
    seed.error = {seed.sum.x / n / n, seed.sum.v / n / n};
    return seed;
  }

  /// Each seed joins the first larger one from which it is not distinct.
  std::vector<Seed> distinct(std::vector<Seed> seeds) const {
    std::vector<Seed> kept;
    WorkMeter meter(workers_);
    for (Seed& seed : seeds) {
      meter.add(kept.size() + seed.region.size());
      const auto same = std::find_if(
          kept.begin(), kept.end(), [&](const Seed& larger) { return !is_distinct(larger, seed); });
      if (same == kept.end())
        kept.push_back(std::move(seed));
      else
        for (const std::uint32_t member : seed.region) add(member, *same);
    }
    return kept;
  }
  bool is_distinct(const Seed& larger, const Seed& seed) const {
    const PhaseSquares2 off = squares(larger, seed.x.data(), seed.v.data());
    return part_of(off.x, larger.error.x + seed.error.x) +
                   part_of(off.v, larger.error.v + seed.error.v) >=
               kErrors2 &&
           distance2(seed, larger.x.data(), larger.v.data()) >= kExtents2;
  }

  /// Members that are in no region yet join the nearest seed, the first of equally near ones.
  void assign(const std::vector<std::uint32_t>& members, std::vector<Seed>& seeds) {
    std::vector<std::uint32_t> rest;
    for (const Seed& seed : seeds)
      for (const std::uint32_t member : seed.region) is_inside_[member] = 1;
    for (const std::uint32_t member : members)
      if (!is_inside_[member]) rest.push_back(member);
    for (const Seed& seed : seeds)
      for (const std::uint32_t member : seed.region) is_inside_[member] = 0;
    std::vector<std::uint32_t> nearest(rest.size());
    const std::size_t grain = std::max<std::size_t>(1, kPointGrain / seeds.size());
    workers_.for_ranges(rest.size(), grain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) nearest[k] = nearest_seed(seeds, rest[k]);
    });
    for_each_in_order(workers_, rest.size(),
                      [&](std::size_t k) { add(rest[k], seeds[nearest[k]]); });
  }
  std::uint32_t nearest_seed(const std::vector<Seed>& seeds, std::uint32_t member) const {
    std::uint32_t nearest = 0;
    double least = distance2(seeds[0], x(member), v(member));
    for (std::uint32_t s = 1; s < seeds.size(); ++s) {
      const double other = distance2(seeds[s], x(member), v(member));
      if (other < least) std::tie(nearest, least) = std::pair(s, other);
    }
    return nearest;
  }

  const PhaseRows& rows_;
  const Workers& workers_;
  std::vector<std::uint8_t> is_inside_;
};

/// The seed to which each one but the first belongs: the nearest larger one, by its own extent.
std::vector<std::size_t> hosts_of(const std::vector<Seed>& seeds, const Seeds& space,
                                  const Workers& workers) {
  std::vector<std::size_t> host(seeds.size());
  WorkMeter meter(workers);
  for (std::size_t s = 2; s < seeds.size(); ++s) {
    meter.add(s);
    const auto distance2 = [&](std::size_t larger) {
      return space.distance2(seeds[larger], seeds[s].x.data(), seeds[s].v.data());
    };
    double least = distance2(0);
    for (std::size_t larger = 1; larger < s; ++larger)
      if (const double other = distance2(larger); other < least)
        std::tie(host[s], least) = std::pair(larger, other);
  }
  return host;
}

/// `seeds`: the largest first. Each one's region begins its run; those of the seeds that belong to
/// it follow.
Candidates nested(const std::vector<Seed>& seeds, const std::vector<std::size_t>& host) {
  std::vector<std::size_t> size(seeds.size()), begin(seeds.size()), next(seeds.size());
  for (std::size_t s = seeds.size(); s-- > 0;) {
    size[s] += seeds[s].region.size();
    if (s > 0) size[host[s]] += size[s];
  }
  Candidates found;
  found.order.resize(size[0]);
  for (std::size_t s = 0; s < seeds.size(); ++s) {
    if (s > 0) begin[s] = std::exchange(next[host[s]], next[host[s]] + size[s]);
    next[s] = begin[s] + seeds[s].region.size();
    std::copy(seeds[s].region.begin(), seeds[s].region.end(),
              found.order.begin() + static_cast<std::ptrdiff_t>(begin[s]));
  }
  for (std::size_t s = seeds.size(); s-- > 0;) found.runs.push_back({begin[s], begin[s] + size[s]});
  return found;
}

}  // namespace

Candidates find_phase_candidates(const PhaseRows& rows, std::size_t min_size,
                                 const Workers& workers, const Execution& execution) {
  const std::vector<PhaseSet> sets = phase_sets(rows, min_size, workers, execution);
  std::vector<std::vector<Seed>> seeds(sets.size());
  Seeds space(rows, workers);
  // Sets inside a set come after it.
  for (std::size_t s = sets.size(); s-- > 0;) {
    std::vector<Seed> inside;
    for (std::size_t part = sets[s].first; part < sets[s].first + sets[s].count; ++part) {
      std::move(seeds[part].begin(), seeds[part].end(), std::back_inserter(inside));
      seeds[part].clear();
    }
    workers.check_cancelled();
    seeds[s] = space.of(sets[s], std::move(inside));
  }
  std::vector<Seed>& all = seeds.front();
  std::sort(all.begin(), all.end(), [](const Seed& a, const Seed& b) { return a.is_larger(b); });
  return nested(all, hosts_of(all, space, workers));
}

}  // namespace kith

#include "subhalos/binding.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/checked_sort.hpp"
#include "parallel/grains.hpp"
#include "parallel/pieces.hpp"

namespace kith {
namespace {

/// The mean of some columns of members, weighted by mass.
class WeightedMean {
 public:
  WeightedMean(const HaloBodies& halo, std::span<const std::uint32_t> members) : halo_(halo) {
    for (const std::uint32_t i : members) mass_ += halo.mass[i];
    members_ = members;
  }
  std::vector<double> of(std::span<const double> rows) const {
    std::vector<double> mean(halo_.d);
    for (const std::uint32_t i : members_)
      for (std::size_t axis = 0; axis < halo_.d; ++axis)
        mean[axis] += halo_.mass[i] * rows[i * halo_.d + axis];
    for (double& sum : mean) sum = mass_ > 0 ? sum / mass_ : 0;
    return mean;
  }

 private:
  const HaloBodies& halo_;
  std::span<const std::uint32_t> members_;
  double mass_ = 0;
};

}  // namespace

std::vector<Bound> Unbinding::run(std::vector<std::uint32_t> members, Start start) const {
  std::vector<double> potential;
  std::size_t summed = 0;  // members when potentials were last computed
  while (members.size() >= rules_.min_size) {
    workers_.check_cancelled();
    if (potential.empty()) {
      potential = potentials(bodies_of(members), rules_.softening, workers_);
      summed = members.size();
    }
    const std::vector<double> energy = energies(members, potential);
    if (std::exchange(start, Start::any) == Start::half) {
      const auto bound =
          std::count_if(energy.begin(), energy.end(), [](double e) { return e < 0; });
      if (2 * static_cast<std::size_t>(bound) < members.size()) return {};
    }
    const std::vector<std::uint32_t> gone = least_bound(members, energy);
    if (!gone.empty()) {
      remove(gone, members, potential);
      // Differences have the errors of the sums that they began with.
      const bool is_close = gone.size() <= kAllDirect && 2 * members.size() >= summed;
      if (is_close)
        subtract(gone, members, potential);
      else
        potential.clear();
      continue;
    }
    std::vector<Bound> bound(members.size());
    for (std::size_t k = 0; k < members.size(); ++k) bound[k] = {energy[k], members[k]};
    checked_sort(bound.begin(), bound.end(), [&] { workers_.check_cancelled(); });
    return bound;
  }
  return {};
}

std::vector<double> Unbinding::energies(std::span<const std::uint32_t> members,
                                        std::span<const double> potential) const {
  const std::size_t d = halo_.d;
  const WeightedMean mean(halo_, members);
  const std::vector<double> middle = mean.of(halo_.x), stream = mean.of(halo_.v);
  std::vector<double> energy(members.size());
  workers_.for_ranges(members.size(), kPointGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      const std::size_t i = members[k];
      double v2 = 0;
      for (std::size_t axis = 0; axis < d; ++axis) {
        const double flow = rules_.hubble_flow * (halo_.x[i * d + axis] - middle[axis]);
        const double v = halo_.v[i * d + axis] - stream[axis] + flow;
        v2 += v * v;
      }
      energy[k] = rules_.gravity * potential[k] + 0.5 * v2 + halo_.heat[i];
    }
  });
  return energy;
}

std::vector<std::uint32_t> Unbinding::least_bound(std::span<const std::uint32_t> members,
                                                  std::span<const double> energy) const {
  std::vector<Bound> found;
  for (std::size_t k = 0; k < members.size(); ++k)
    if (!(energy[k] < 0)) found.push_back({energy[k], members[k]});
  const std::size_t most = std::max<std::size_t>(1, members.size() / 4);
  if (found.size() > most) {
    std::nth_element(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(most), found.end(),
                     [](const Bound& a, const Bound& b) { return b < a; });
    found.resize(most);
  }
  std::vector<std::uint32_t> gone;
  gone.reserve(found.size());
  for (const Bound& each : found) gone.push_back(each.member);
  std::sort(gone.begin(), gone.end());
  return gone;
}

void Unbinding::remove(const std::vector<std::uint32_t>& gone, std::vector<std::uint32_t>& members,
                       std::vector<double>& potential) {
  std::size_t kept = 0, next = 0;
  for (std::size_t k = 0; k < members.size(); ++k) {
    if (next < gone.size() && gone[next] == members[k]) {
      ++next;
      continue;
    }
    members[kept] = members[k];
    potential[kept++] = potential[k];
  }
  members.resize(kept);
  potential.resize(kept);
}

void Unbinding::subtract(const std::vector<std::uint32_t>& gone,
                         std::span<const std::uint32_t> members,
                         std::vector<double>& potential) const {
  std::vector<double> rows;
  rows.reserve(members.size() * halo_.d);
  for (const std::uint32_t i : members)
    rows.insert(rows.end(), &halo_.x[i * halo_.d], &halo_.x[i * halo_.d] + halo_.d);
  const std::vector<double> less = potentials_at(rows, bodies_of(gone), rules_.softening, workers_);
  for (std::size_t k = 0; k < members.size(); ++k) potential[k] -= less[k];
}

Bodies Unbinding::bodies_of(std::span<const std::uint32_t> members) const {
  const std::size_t n = members.size();
  Bodies bodies{.d = halo_.d,
                .count = n,
                .x = std::vector<double>(n * halo_.d),
                .mass = std::vector<double>(n),
                .block_end = {n},
                .number = {}};
  for_each_in_order(workers_, n, [&](std::size_t k) {
    bodies.mass[k] = halo_.mass[members[k]];
    for (std::size_t axis = 0; axis < halo_.d; ++axis)
      bodies.x[axis * n + k] = halo_.x[members[k] * halo_.d + axis];
  });
  return bodies;
}

}  // namespace kith

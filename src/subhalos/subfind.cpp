#include "subhalos/subfind.hpp"

#include <algorithm>
#include <cmath>

#include "base/checked_sort.hpp"
#include "parallel/pieces.hpp"
#include "subhalos/binding.hpp"
#include "subhalos/candidates.hpp"
#include "subhalos/density_field.hpp"
#include "subhalos/phase_candidates.hpp"

namespace kith {
namespace {

/// A candidate whose members are bound.
struct BoundCandidate {
  Candidates::Run run;
  std::vector<Bound> members;  ///< the most bound one first
  std::uint32_t lowest = 0;
  std::size_t around = kNone;  ///< the smallest one that contains it

  static constexpr std::size_t kNone = ~std::size_t{0};
};

/// The bound candidates, those inside another before it. A member belongs to the first one that
/// holds it.
std::vector<BoundCandidate> bound_candidates(const Candidates& candidates,
                                             const Unbinding& unbinding, const BindingRules& rules,
                                             const Workers& workers) {
  using Start = Unbinding::Start;
  std::vector<BoundCandidate> found;
  std::vector<std::uint8_t> is_taken(candidates.order.size());
  WorkMeter meter(workers);
  for (const Candidates::Run& run : candidates.runs) {
    meter.add(run.size());
    std::vector<std::uint32_t> members;
    for (std::size_t k = run.begin; k < run.end; ++k)
      if (!is_taken[candidates.order[k]]) members.push_back(candidates.order[k]);
    if (members.size() < rules.min_size) continue;
    checked_sort(members.begin(), members.end(), [&] { workers.check_cancelled(); });
    const bool is_halo = run.size() == candidates.order.size();
    const bool is_region = rules.method == SubhaloMethod::phase && !is_halo;
    BoundCandidate bound{run,
                         unbinding.run(std::move(members), is_region ? Start::half : Start::any)};
    if (bound.members.empty()) continue;
    bound.lowest = kNoMember;
    for (const Bound& each : bound.members) {
      is_taken[each.member] = 1;
      bound.lowest = std::min(bound.lowest, each.member);
    }
    for (BoundCandidate& inside : found)
      if (inside.around == BoundCandidate::kNone && run.contains(inside.run))
        inside.around = found.size();
    found.push_back(std::move(bound));
  }
  return found;
}

/// Places of the candidates, the largest first, ties by lowest member.
std::vector<std::size_t> by_size(const std::vector<BoundCandidate>& found) {
  std::vector<std::size_t> order(found.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const std::size_t size = found[a].members.size(), other = found[b].members.size();
    return size != other ? size > other : found[a].lowest < found[b].lowest;
  });
  return order;
}

std::vector<HaloPart> sorted_parts(const std::vector<BoundCandidate>& found,
                                   std::span<const std::uint32_t> halo, const Workers& workers) {
  const std::vector<std::size_t> order = by_size(found);
  std::vector<std::int64_t> place(found.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = static_cast<std::int64_t>(i);
  std::vector<HaloPart> parts;
  parts.reserve(order.size());
  for (const std::size_t i : order) {
    HaloPart& part = parts.emplace_back();
    for (const Bound& each : found[i].members) part.by_binding.push_back(halo[each.member]);
    part.members = part.by_binding;
    checked_sort(part.members.begin(), part.members.end(), [&] { workers.check_cancelled(); });
    if (found[i].around != BoundCandidate::kNone) part.host = place[found[i].around];
  }
  return parts;
}

}  // namespace

BindingRules::BindingRules(const SubhaloOptions& options, const PropertyColumns& columns)
    : method(chosen_method(options)),
      gravity(std::ldexp(options.gravity,
                         2 * columns.speed() + columns.length() - columns.heaviness())),
      softening(std::ldexp(options.softening, columns.length())),
      hubble_flow(std::ldexp(options.hubble_flow, columns.speed() - columns.length())),
      thermal_energy(options.thermal_energy),
      thermal_scale(std::ldexp(1.0, 2 * columns.speed())),
      min_size(options.min_size),
      density_neighbors(options.density_neighbors),
      link_neighbors(options.link_neighbors) {}

namespace {

Candidates candidates_of(const HaloBodies& bodies, const BindingRules& rules,
                         const Workers& workers, const Execution& execution) {
  if (rules.method == SubhaloMethod::phase)
    return find_phase_candidates({bodies.d, bodies.x, bodies.v}, rules.min_size, workers,
                                 execution);
  return find_candidates(
      density_field(bodies.x, bodies.d, bodies.mass,
                    {rules.density_neighbors, rules.link_neighbors}, workers, execution),
      rules.min_size, workers);
}

}  // namespace

std::vector<HaloPart> bound_parts(const Source& from, std::span<const std::uint32_t> halo,
                                  const BindingRules& rules, const Workers& workers,
                                  const Execution& execution) {
  const MemberBlock members(from, halo, halo.front());
  HaloBodies bodies{from.d, members.x, members.v, members.m, filled<double>(workers, halo.size())};
  for_each_in_order(workers, halo.size(), [&](std::size_t i) {
    bodies.heat[i] = rules.thermal_energy(halo[i]) * rules.thermal_scale;
  });
  const Candidates candidates = candidates_of(bodies, rules, workers, execution);
  return sorted_parts(
      bound_candidates(candidates, Unbinding(bodies, rules, workers), rules, workers), halo,
      workers);
}

}  // namespace kith

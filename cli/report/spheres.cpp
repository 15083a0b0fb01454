// Spheres of 200 times a density about the centers of groups, and the NFW profiles of their shells.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>

#include <kith/centers.hpp>
#include <kith/radius.hpp>

#include "report/report.hpp"

namespace kith::cli {
namespace {

constexpr std::size_t kMeasuredMembers = 4000000;  // in groups whose spheres are found
constexpr std::size_t kFittedPoints = 200;         // in the shells of a fit
constexpr std::size_t kFittedShells = 6;
constexpr double kSoftened = 2.8;  // softening lengths beyond which forces are those of points

double critical_density(const ResultAbout& about) {
  constexpr double kMpc = 3.0856775814913673e24, kGravity = 6.6743e-8, kKmPerS = 1e5;
  const Units& units = about.units;
  const Background& b = about.background;
  // 1/h in the unit of length cancels the h of the Hubble constant.
  const double h = units.is_per_h ? 1 : b.h;
  const Cosmology cosmology{.omega_m = b.omega_m,
                            .omega_lambda = b.omega_lambda,
                            .redshift = b.redshift,
                            .hubble = 100 * h * units.length / kMpc,
                            .gravity = kGravity * units.mass / (units.length * kKmPerS * kKmPerS)};
  const double physical = units.is_comoving ? 1 : std::pow(1 + b.redshift, 3);
  return edge_density(Edge::critical200, cosmology) / 200 * physical;
}

Reference reference_of(const Findings& findings) {
  const ResultAbout& about = findings.about;
  if (about.dimension != 3) return {};
  const bool has_units = about.units.length > 0 && about.units.mass > 0;
  if (about.background.is_known && has_units && findings.has_mass)
    return {critical_density(about), "c", "critical density"};
  const double volume = volume_of(about);
  if (!(volume > 0) || !std::isfinite(volume)) return {};
  double total = 0;
  for (std::size_t i = 0; i < findings.points.size; ++i) total += mass_of(findings.mass, i);
  return {total / volume, "m", "mean density"};
}

/// The largest groups, as many as can be measured in seconds and may have resolved spheres.
std::size_t measured_groups(const Catalogue& c) {
  std::size_t groups = 0, members = 0;
  while (groups < std::min(kMostRows, c.count()) &&
         (groups < kCloseUps || (members < kMeasuredMembers && c.size[groups] >= kResolvedSize)))
    members += static_cast<std::size_t>(c.size[groups++]);
  return groups;
}

/// The points within a radius of each center.
template <class T>
NeighborLists<T, std::int64_t> points_near(const AnyTree& tree, std::span<const double> center,
                                           std::span<const double> radii,
                                           const Execution& execution) {
  std::vector<T> rows(center.begin(), center.end());
  return radius<T, std::int64_t>(tree, view(rows.data(), rows.size() / 3, 3), {.radii = radii},
                                 execution);
}

/// The center of shrinking spheres over all points as near to the center of a group as its farthest
/// member.
template <class T>
std::vector<double> shrinking_centers(const Findings& findings, const AnyTree& tree,
                                      std::size_t groups, const Execution& execution) {
  const Catalogue& c = findings.catalogue;
  const auto lists = points_near<T>(tree, std::span(c.center).first(3 * groups),
                                    std::span(c.radius).first(groups), execution);
  std::vector<T> points;
  std::vector<double> mass;
  Members members{std::vector<std::uint32_t>(lists.total()), {}};
  for (const std::int64_t first : lists.offsets())
    members.offset.push_back(static_cast<std::size_t>(first));
  std::iota(members.order.begin(), members.order.end(), 0U);
  for (std::size_t at = 0; at < lists.total(); ++at) {
    const auto i = static_cast<std::size_t>(lists.indices()[at]);
    for (int axis = 0; axis < 3; ++axis)
      points.push_back(static_cast<T>(coordinate_of(findings.points, i, axis)));
    mass.push_back(mass_of(findings.mass, i));
  }
  return centers(view(points.data(), lists.total(), 3), members,
                 {.box = findings.about.box, .mass = values(mass), .kind = CenterKind::shrinking},
                 execution);
}

/// The deepest member of each group, as kith fof --overdensities has it, where members are known.
template <class T>
std::vector<double> group_centers(const Findings& findings, const AnyTree& tree, std::size_t groups,
                                  const Execution& execution) {
  const std::vector<std::size_t>& offset = findings.members.offset;
  if (offset.size() <= groups) return shrinking_centers<T>(findings, tree, groups, execution);
  const Members members{findings.members.order,
                        {offset.begin(), offset.begin() + static_cast<std::ptrdiff_t>(groups + 1)}};
  return centers(findings.points, members,
                 {.box = findings.about.box,
                  .mass = findings.mass,
                  .kind = CenterKind::potential,
                  .softening = 0.2 * findings.about.linking_length},
                 execution);
}

void count_shells(const Findings& findings, HaloSphere& sphere, auto&& indices, auto&& distances) {
  sphere.shell_count.assign(kShells, 0);
  sphere.shell_mass.assign(kShells, 0);
  const double inner = sphere.edge(0), per_shell = -std::log(kInnermost) / double(kShells);
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const auto r = static_cast<double>(distances[i]);
    if (!(r >= inner)) continue;
    const auto shell =
        std::min(kShells - 1, static_cast<std::size_t>(std::log(r / inner) / per_shell));
    sphere.shell_count[shell] += 1;
    sphere.shell_mass[shell] += mass_of(findings.mass, static_cast<std::size_t>(indices[i]));
  }
}

/// The first shell that collisions of particles and the softening have not changed. Power et al.
/// 2003: inside a radius the time of relaxation is at least 0.6 of the orbital time at R200.
std::size_t first_converged(const HaloSphere& sphere, double softening) {
  double mass = sphere.mass, count = static_cast<double>(sphere.size);
  for (std::size_t i = 0; i < kShells; ++i) {
    mass -= sphere.shell_mass[i];
    count -= sphere.shell_count[i];
  }
  for (std::size_t i = 0; i < kShells; ++i) {
    const double part = sphere.edge(i) / sphere.radius;
    const double contrast = mass / sphere.mass / (part * part * part);  // over that of the sphere
    const double relaxed = count > 2 ? count / (8 * std::log(count)) / std::sqrt(contrast) : 0;
    if (relaxed >= 0.6 && sphere.edge(i) >= kSoftened * softening) return i;
    mass += sphere.shell_mass[i];
    count += sphere.shell_count[i];
  }
  return kShells;
}

/// How likely the counts in the fitted shells are: their logarithm but for a constant.
double likelihood(const HaloSphere& sphere, double concentration) {
  const auto inside = [&](std::size_t i) {
    return nfw_mass(concentration * sphere.edge(i) / sphere.radius);
  };
  const double all = inside(kShells) - inside(sphere.first_fitted);
  double sum = 0;
  for (std::size_t i = sphere.first_fitted; i < kShells; ++i)
    sum += sphere.shell_count[i] * std::log((inside(i + 1) - inside(i)) / all);
  return sum;
}

/// The most likely concentration between 0.5 and 60, by sections of ln c.
double concentration_of(const HaloSphere& sphere) {
  const auto first = sphere.shell_count.begin() + static_cast<std::ptrdiff_t>(sphere.first_fitted);
  const double points = std::accumulate(first, sphere.shell_count.end(), 0.0);
  if (sphere.first_fitted + kFittedShells > kShells || points < double(kFittedPoints)) return 0;
  double low = std::log(0.5), high = std::log(60);
  for (int step = 0; step < 40; ++step) {
    const double third = (high - low) / 3;
    const bool is_left =
        likelihood(sphere, std::exp(low + third)) > likelihood(sphere, std::exp(high - third));
    (is_left ? high : low) += is_left ? -third : third;
  }
  return std::exp((low + high) / 2);
}

template <class T>
void find_spheres(const Findings& findings, const AnyTree& tree, double softening,
                  HaloSpheres& spheres, const Execution& execution) {
  const Catalogue& c = findings.catalogue;
  const std::size_t groups = spheres.of.size();
  spheres.center = group_centers<T>(findings, tree, groups, execution);
  const std::vector<double> within(c.radius.begin(),
                                   c.radius.begin() + static_cast<std::ptrdiff_t>(groups));
  const Overdensities found = overdensities(tree, spheres.center,
                                            {.density = {200 * spheres.reference.density},
                                             .mass = findings.mass,
                                             .within = values(within)},
                                            execution);
  std::vector<double> radii(groups);
  for (std::size_t g = 0; g < groups; ++g) {
    if (!(found.radius[g] > 0)) continue;  // NaN, too
    spheres.of[g] = {found.radius[g], found.mass[g], static_cast<std::size_t>(found.size[g])};
    if (g < kCloseUps || found.size[g] >= kResolvedSize) radii[g] = found.radius[g];
  }
  const auto lists = points_near<T>(tree, spheres.center, radii, execution);
  for (std::size_t g = 0; g < groups; ++g) {
    HaloSphere& sphere = spheres.of[g];
    if (!(radii[g] > 0)) continue;
    count_shells(findings, sphere, lists.index(g), lists.distance(g));
    sphere.first_fitted = first_converged(sphere, softening);
    sphere.concentration = concentration_of(sphere);
  }
}

}  // namespace

double mass_of(const ValuesView& mass, std::size_t i) {
  if (!mass.data) return mass.same;
  return mass.scalar == Scalar::float32
             ? static_cast<double>(static_cast<const float*>(mass.data)[i])
             : static_cast<const double*>(mass.data)[i];
}

double nfw_mass(double x) { return std::log1p(x) - x / (1 + x); }

double HaloSphere::edge(std::size_t shell) const {
  return radius * std::pow(kInnermost, 1 - static_cast<double>(shell) / double(kShells));
}

HaloSpheres halo_spheres(const Findings& findings, const AnyTree* tree, double softening,
                         const Execution& execution) {
  HaloSpheres spheres;
  if (!tree || findings.about.dimension != 3) return spheres;
  spheres.reference = reference_of(findings);
  const std::size_t groups = measured_groups(findings.catalogue);
  if (!(spheres.reference.density > 0) || groups == 0) return spheres;
  spheres.of.resize(groups);
  if (findings.points.scalar == Scalar::float32)
    find_spheres<float>(findings, *tree, softening, spheres, execution);
  else
    find_spheres<double>(findings, *tree, softening, spheres, execution);
  return spheres;
}

}  // namespace kith::cli

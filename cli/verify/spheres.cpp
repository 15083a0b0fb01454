// Masses and radii within given mean densities, from their definitions.
#include <fmt/format.h>
#include <numbers>

#include "brute.hpp"
#include "verify/verify.hpp"

namespace kith::cli {
namespace {

constexpr std::size_t kResolved = 100;  // points in a sphere whose mass is resolved
constexpr const char* kEdges[] = {"critical200", "critical500", "mean200", "virial"};

/// Densities of the edges, in the snapshot's units of mass and length.
double density_of(const std::string& edge, const ResultAbout& about) {
  constexpr double kMpc = 3.0856775814913673e24, kGravity = 6.6743e-8;
  const Background& b = about.background;
  const Units& u = about.units;
  const double h = u.is_per_h ? 1 : b.h, z1 = 1 + b.redshift;
  const double hubble = 1e7 * h / kMpc;  // 1/s: 100 h km/s per Mpc
  const double critical0 = 3 * hubble * hubble / (8 * std::numbers::pi * kGravity) *
                           (u.length / u.mass * u.length * u.length);
  const double curvature = 1 - b.omega_m - b.omega_lambda;
  const double e2 = b.omega_m * z1 * z1 * z1 + curvature * z1 * z1 + b.omega_lambda;
  const double x = b.omega_m * z1 * z1 * z1 / e2 - 1;
  const double per_volume = u.is_comoving ? 1 / (z1 * z1 * z1) : 1;
  if (edge == "critical200") return 200 * critical0 * e2 * per_volume;
  if (edge == "critical500") return 500 * critical0 * e2 * per_volume;
  if (edge == "mean200") return 200 * b.omega_m * critical0 * z1 * z1 * z1 * per_volume;
  return (18 * std::numbers::pi * std::numbers::pi + 82 * x - 39 * x * x) * critical0 * e2 *
         per_volume;
}

double unit_ball(std::size_t d) {
  return std::pow(std::numbers::pi, static_cast<double>(d) / 2) /
         std::tgamma(static_cast<double>(d) / 2 + 1);
}

struct Sphere {
  double mass = 0, radius = 0;
  std::size_t size = 0;
  bool is_known = false;  ///< enough points were checked
};

/// The outermost edge that begins inside `within`, over points by distance.
Sphere outermost(const std::vector<std::pair<double, double>>& by_distance, double ball, double d,
                 double within, double reach) {
  Sphere sphere;
  double mass = 0;
  for (std::size_t i = 0; i < by_distance.size();) {
    const double here = by_distance[i].first;
    for (; i < by_distance.size() && by_distance[i].first == here; ++i)
      mass += by_distance[i].second;
    const double next = i < by_distance.size() ? by_distance[i].first : reach;
    const double radius = std::pow(mass / ball, 1 / d);
    if (radius < here) {
      if (here > within) break;
      continue;
    }
    if (radius >= next) {
      if (i == by_distance.size()) return {};  // still above: look farther
      continue;
    }
    sphere = {mass, radius, i, true};
    if (next > within) return sphere;
  }
  sphere.is_known = reach >= within;
  return sphere;
}

template <class T>
class SphereCheck {
 public:
  SphereCheck(const Verification& v, const ParticleData& data, const BruteForce<T>& brute,
              const std::string& edge)
      : v_(v),
        data_(data),
        brute_(brute),
        edge_(edge),
        ball_(unit_ball(brute.dimension()) * density_of(edge, v.about())),
        mass_(v.result.numbers(edge + "_mass")),
        radius_(v.result.numbers(edge + "_radius")),
        center_(v.result.numbers(v.result.has("peak") ? "peak" : "center")),
        within_(v.result.numbers("radius")) {
    for (int axis = 0; axis < v.about().dimension; ++axis)
      if (v.input.box().side(axis) > 0) limit_ = std::min(limit_, v.input.box().side(axis) / 2);
    if (edge == kEdges[0] && v.result.has("is_resolved"))
      is_resolved_ = v.result.numbers("is_resolved");
  }

  /// Mass and radius fit each other: cheap enough for all.
  std::string check_pair(std::size_t g) const {
    if (std::isnan(mass_[g]) && std::isnan(radius_[g])) return "";
    const double right = ball_ * std::pow(radius_[g], static_cast<double>(brute_.dimension()));
    if (std::abs(mass_[g] - right) <= 1e-7 * right) return "";
    return fmt::format("{}_radius of group {} holds {:g}, not {:g}", edge_, g, right, mass_[g]);
  }

  std::string check(std::size_t g) const {
    std::vector<T> distance2(brute_.size());
    const std::vector<T> at = brute_.place(&center_[g * brute_.dimension()], v_.input.box());
    brute_.for_all(at, [&](std::size_t first, std::size_t count, const T* d2) {
      std::copy_n(d2, count, distance2.begin() + static_cast<std::ptrdiff_t>(first));
    });
    Sphere right;
    double reach = 2 * std::max(within_[g], std::isnan(radius_[g]) ? limit_ : radius_[g]);
    for (bool is_last = false; !right.is_known && !is_last; reach *= 2) {
      is_last = reach >= limit_ || std::isinf(reach);
      right = find(distance2, std::min(reach, limit_), within_[g]);
    }
    if (!right.is_known) right = {NAN, NAN, 0, true};  // the edge lies beyond half the box
    if (is_close(right.mass, mass_[g]) && is_close(right.radius, radius_[g]))
      return check_resolved(g, right.size);
    return fmt::format("{} of group {}: mass {:g} and radius {:g}, not {:g} and {:g}", edge_, g,
                       right.mass, right.radius, mass_[g], radius_[g]);
  }

 private:
  Sphere find(const std::vector<T>& distance2, double reach, double within) const {
    std::vector<std::pair<double, double>> near;
    const T limit2 = brute_.limit2(reach, false);
    for (std::size_t i = 0; i < distance2.size(); ++i)
      if (distance2[i] <= limit2)
        near.emplace_back(std::sqrt(static_cast<double>(distance2[i])) * brute_.unit(),
                          data_.mass_of(i));
    std::sort(near.begin(), near.end());
    return outermost(near, ball_, static_cast<double>(brute_.dimension()), within, reach);
  }
  std::string check_resolved(std::size_t g, std::size_t size) const {
    if (is_resolved_.empty() || (is_resolved_[g] != 0) == (size >= kResolved)) return "";
    return fmt::format("is_resolved of group {} is {}, but {} points are in its sphere", g,
                       is_resolved_[g], size);
  }
  static bool is_close(double a, double b) {
    return (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= 1e-7 * std::abs(a);
  }
  const Verification& v_;
  const ParticleData& data_;
  const BruteForce<T>& brute_;
  std::string edge_;
  double ball_;
  std::vector<double> mass_, radius_, center_, within_, is_resolved_;
  double limit_ = std::numeric_limits<double>::infinity();
};

template <class T>
void check_edge(Verification& v, const ParticleData& data, const BruteForce<T>& brute,
                const std::string& edge, std::size_t groups) {
  if (!v.result.has(edge + "_mass") || !v.result.has(edge + "_radius")) return;
  const SphereCheck<T> check(v, data, brute, edge);
  v.settle(fmt::format("{} masses and radii of all {} fit each other", edge,
                       counted(groups, "group", "groups")),
           first_complaint("spheres", groups, v.execution(),
                           [&](std::size_t g) { return check.check_pair(g); }));
  const Indices chosen =
      draw(groups, std::min<std::size_t>(100, v.sample_size(4 * static_cast<double>(brute.size()))),
           v.random);
  v.settle(fmt::format("{} spheres of {}", edge, counted(chosen.size(), "group", "groups")),
           first_complaint("spheres", chosen.size(), v.execution(),
                           [&](std::size_t s) { return check.check(chosen[s]); }),
           edge == kEdges[0]
               ? std::vector<std::string>{edge + "_mass", edge + "_radius", "is_resolved"}
               : std::vector<std::string>{edge + "_mass", edge + "_radius"});
}

}  // namespace

void verify_spheres(Verification& v, ParticleData& data, const Sets& groups) {
  verify_centers(v, data, groups);
  with_brute_force(v.input, data.positions, [&](const auto& brute) {
    for (const char* edge : kEdges) check_edge(v, data, brute, edge, groups.count());
  });
}

}  // namespace kith::cli

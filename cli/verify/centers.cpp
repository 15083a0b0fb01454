// Centers of groups, from their definitions.
#include <fmt/format.h>

#include "brute.hpp"
#include "verify/verify.hpp"

namespace kith::cli {
namespace {

constexpr std::size_t kPeakNeighbors = 16;  // as docs/catalogue.md defines the densest member
constexpr double kTolerance = 1e-9;
using Real = long double;

/// Is the peak the place of this point?
bool is_at(const Verification& v, const ParticleData& data, std::size_t i, const double* peak) {
  const auto d = static_cast<std::size_t>(v.about().dimension);
  for (std::size_t axis = 0; axis < d; ++axis) {
    const double side = v.input.box().side(static_cast<int>(axis));
    const double off = data.positions[i * d + axis] - peak[axis];
    if (std::abs(side > 0 ? std::remainder(off, side) : off) >
        1e-12 * std::max(side, std::abs(peak[axis])))
      return false;
  }
  return true;
}

/// Of every group: the place of one of its members.
std::string check_place(const Verification& v, const ParticleData& data, const Sets& groups,
                        const std::vector<double>& peak, std::size_t g) {
  const auto d = static_cast<std::size_t>(v.about().dimension);
  for (const std::size_t i : groups.of(g))
    if (is_at(v, data, i, &peak[g * d])) return "";
  return fmt::format("peak of group {} is not at the position of a member", g);
}

template <class T>
T kth_distance2(const BruteForce<T>& brute, const std::vector<std::uint8_t>& is_linked,
                std::size_t i) {
  std::vector<T> least;  // a heap, the largest in front
  brute.for_all(brute.place(i), [&](std::size_t first, std::size_t count, const T* d2) {
    for (std::size_t k = 0; k < count; ++k) {
      if (!is_linked[first + k] || (least.size() == kPeakNeighbors && d2[k] >= least.front()))
        continue;
      least.push_back(d2[k]);
      std::push_heap(least.begin(), least.end());
      if (least.size() <= kPeakNeighbors) continue;
      std::pop_heap(least.begin(), least.end());
      least.pop_back();
    }
  });
  return least.empty() ? T(0) : least.front();
}

/// The densest member: the one with the nearest 16th neighbor among the linked points.
template <class T>
std::string check_densest(const Verification& v, const ParticleData& data,
                          const BruteForce<T>& brute, const std::vector<std::uint8_t>& is_linked,
                          std::span<const std::size_t> members, const double* peak) {
  std::size_t densest = 0;
  T nearest = std::numeric_limits<T>::infinity();
  for (const std::size_t i : members) {
    if (!is_linked[i]) continue;
    const T d2 = kth_distance2(brute, is_linked, i);
    if (!(d2 < nearest)) continue;
    nearest = d2;
    densest = i;
  }
  if (is_at(v, data, densest, peak)) return "";
  return fmt::format("the densest member is point {}, which is not at the peak", densest);
}

std::vector<std::uint8_t> linked_of(const ParticleData& data, const ResultAbout& about) {
  std::vector<std::uint8_t> flags(about.points, 1);
  if (data.type.empty()) return flags;
  for (std::size_t i = 0; i < flags.size(); ++i)
    flags[i] = std::find(about.attach_types.begin(), about.attach_types.end(), data.type[i]) ==
               about.attach_types.end();
  return flags;
}

/// Members of a group that decide about its center, about its first member, in long double.
struct Cloud {
  std::vector<std::size_t> index;
  std::vector<std::vector<Real>> x;  ///< [axis][member]
  std::vector<Real> mass;

  Cloud(const Verification& v, const ParticleData& data, const std::vector<std::uint8_t>& is_linked,
        std::span<const std::size_t> members)
      : x(static_cast<std::size_t>(v.about().dimension)) {
    const std::size_t d = x.size();
    Real total = 0;
    for (const std::size_t i : members) {
      if (!is_linked[i]) continue;
      index.push_back(i);
      mass.push_back(data.mass_of(i));
      total += mass.back();
      for (std::size_t axis = 0; axis < d; ++axis) {
        const Real side = v.input.box().side(static_cast<int>(axis));
        const Real off =
            Real{data.positions[i * d + axis]} - Real{data.positions[members.front() * d + axis]};
        x[axis].push_back(side > 0 ? std::remainder(off, side) : off);
      }
    }
    if (!(total > 0)) std::fill(mass.begin(), mass.end(), Real{1});
  }

  Real potential(std::size_t i, Real softening) const {
    Real sum = 0;
    for (std::size_t j = 0; j < index.size(); ++j) {
      Real r2 = softening * softening;
      for (const std::vector<Real>& axis : x) r2 += (axis[i] - axis[j]) * (axis[i] - axis[j]);
      if (i != j) sum -= mass[j] / std::sqrt(r2);
    }
    return sum;
  }
};

/// No member lies deeper: all are tried in small groups, some in large ones.
std::string check_deepest(const Verification& v, const ParticleData& data,
                          const std::vector<std::uint8_t>& is_linked,
                          std::span<const std::size_t> members, const double* peak) {
  const Cloud cloud(v, data, is_linked, members);
  const Real softening = v.about().softening;
  std::size_t at = 0;
  while (at < cloud.index.size() && !is_at(v, data, cloud.index[at], peak)) ++at;
  if (at == cloud.index.size()) return "the peak is not at the position of a linked member";
  const Real depth = cloud.potential(at, softening);
  constexpr std::size_t kMost = 1'000'000;  // pairs
  const std::size_t step = cloud.index.size() * cloud.index.size() / kMost + 1;
  for (std::size_t i = 0; i < cloud.index.size(); i += step)
    if (cloud.potential(i, softening) < depth * (1 + kTolerance))
      return fmt::format("point {} lies deeper than the peak", cloud.index[i]);
  return "";
}

/// Spheres about a center, shrinking by a fortieth.
class Shrinking {
 public:
  explicit Shrinking(const Cloud& cloud) : cloud_(cloud), middle_(cloud.x.size(), 0) {}

  /// About the cloud's first member.
  std::vector<Real> center() {
    const std::size_t n = cloud_.index.size(), least = std::max<std::size_t>(16, n / 100);
    move_to(all());
    Real radius = 0;
    for (std::size_t i = 0; i < n; ++i) radius = std::max(radius, distance(i));
    while (radius > 0) {
      radius *= Real{0.975};
      const Indices inside = within(radius);
      if (inside.size() < least || !(weight_of(inside) > 0)) break;
      const bool is_one_place = within(0).size() == inside.size();
      move_to(inside);
      if (is_one_place) break;
    }
    return middle_;
  }

 private:
  Indices all() const { return within(std::numeric_limits<Real>::infinity()); }
  Real distance(std::size_t i) const {
    Real r2 = 0;
    for (std::size_t a = 0; a < middle_.size(); ++a)
      r2 += (cloud_.x[a][i] - middle_[a]) * (cloud_.x[a][i] - middle_[a]);
    return std::sqrt(r2);
  }
  Indices within(Real radius) const {
    Indices inside;
    for (std::size_t i = 0; i < cloud_.index.size(); ++i)
      if (distance(i) <= radius) inside.push_back(i);
    return inside;
  }
  Real weight_of(const Indices& members) const {
    Real sum = 0;
    for (const std::size_t i : members) sum += cloud_.mass[i];
    return sum;
  }
  void move_to(const Indices& members) {
    for (std::size_t a = 0; a < middle_.size(); ++a) {
      Real sum = 0;
      for (const std::size_t i : members) sum += cloud_.mass[i] * cloud_.x[a][i];
      middle_[a] = sum / weight_of(members);
    }
  }

  const Cloud& cloud_;
  std::vector<Real> middle_;
};

std::string check_shrinking(const Verification& v, const ParticleData& data,
                            const std::vector<std::uint8_t>& is_linked,
                            std::span<const std::size_t> members, const double* peak) {
  const Cloud cloud(v, data, is_linked, members);
  const std::vector<Real> middle = Shrinking(cloud).center();
  const std::size_t d = middle.size();
  for (std::size_t a = 0; a < d; ++a) {
    const Real side = v.input.box().side(static_cast<int>(a));
    const Real off = Real{data.positions[members.front() * d + a]} + middle[a] - Real{peak[a]};
    if (std::abs(side > 0 ? std::remainder(off, side) : off) >
        1e-7 * std::max(side, std::abs(Real{peak[a]})))
      return "the peak is not the center of the last sphere";
  }
  return "";
}

void check_centers(Verification& v, const ParticleData& data, const Sets& groups,
                   const std::vector<double>& peak) {
  const std::vector<std::uint8_t> is_linked = linked_of(data, v.about());
  const Indices chosen = draw(groups.count(), 1000, v.random);
  const bool is_deepest = v.about().center == "potential";
  const auto check = is_deepest ? check_deepest : check_shrinking;
  const auto complaint_of = [&](std::size_t g) {
    const std::string complaint = check(v, data, is_linked, groups.of(g),
                                        &peak[g * static_cast<std::size_t>(v.about().dimension)]);
    return complaint.empty() ? "" : fmt::format("group {}: {}", g, complaint);
  };
  v.settle(fmt::format("{} of {}", is_deepest ? "the deepest members" : "shrinking spheres",
                       counted(chosen.size(), "group", "groups")),
           first_complaint("centers", chosen.size(), v.execution(),
                           [&](std::size_t s) { return complaint_of(chosen[s]); }),
           {"peak"});
}

template <class T>
void check_peaks(Verification& v, const ParticleData& data, const BruteForce<T>& brute,
                 const Sets& groups) {
  if (!v.result.has("peak")) return;
  const std::vector<double> peak = v.result.numbers("peak");
  const std::string& kind = v.about().center;
  if (kind == "shrinking") return check_centers(v, data, groups, peak);
  if (kind != "density" && kind != "potential") {
    v.settle("peaks are the centers of mass",
             peak == v.result.numbers("center") ? "" : "peak is not the center of mass", {"peak"});
    return;
  }
  v.settle(fmt::format("peaks of all {} are positions of members",
                       counted(groups.count(), "group", "groups")),
           first_complaint("peaks", groups.count(), v.execution(),
                           [&](std::size_t g) { return check_place(v, data, groups, peak, g); }),
           {"peak"});
  if (kind == "potential") return check_centers(v, data, groups, peak);
  const std::vector<std::uint8_t> is_linked = linked_of(data, v.about());
  const Indices drawn = draw(groups.count(), 20, v.random);
  Indices chosen;
  double budget = static_cast<double>(v.sample_size(static_cast<double>(brute.size())));
  for (std::size_t s = drawn.size(); s-- > 0;) {  // the smallest first
    budget -= static_cast<double>(groups.of(drawn[s]).size());
    if (budget >= 0 || chosen.empty()) chosen.push_back(drawn[s]);
  }
  v.settle(fmt::format("the densest members of {}", counted(chosen.size(), "group", "groups")),
           first_complaint("densest", chosen.size(), v.execution(), [&](std::size_t s) {
             const std::size_t g = chosen[s];
             const std::string complaint = check_densest(v, data, brute, is_linked, groups.of(g),
                                                         &peak[g * brute.dimension()]);
             return complaint.empty() ? "" : fmt::format("group {}: {}", g, complaint);
           }));
}

}  // namespace

void verify_centers(Verification& v, ParticleData& data, const Sets& groups) {
  with_brute_force(v.input, data.positions,
                   [&](const auto& brute) { check_peaks(v, data, brute, groups); });
}

}  // namespace kith::cli

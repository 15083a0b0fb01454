// Groups and their catalogue against brute force.
#include <fmt/format.h>
#include <numeric>

#include <kith/error.hpp>

#include "brute.hpp"
#include "verify.hpp"

namespace kith::cli {
namespace {

using Labels = std::vector<std::int32_t>;
using Indices = std::vector<std::size_t>;

constexpr std::size_t kGroups = 50;      // whose members and sums are looked at
constexpr double kTolerance = 1e-9;      // of sums, relative
constexpr double kGroupDistances = 4e8;  // for the links of one group, at most

/// What the checks of groups need to know about the points.
struct Particles {
  Labels label;
  std::vector<std::uint8_t> is_linked;
  Indices linked;
  Indices attached;
};

std::vector<std::uint8_t> linked_flags(const ResultAbout& about) {
  std::vector<std::uint8_t> flags;
  for (std::size_t t = 0; t < about.types.size(); ++t) {
    const bool is_linked = std::find(about.attach_types.begin(), about.attach_types.end(),
                                     about.types[t]) == about.attach_types.end();
    flags.insert(flags.end(), about.counts[t], is_linked ? 1 : 0);
  }
  if (flags.empty()) flags.assign(about.points, 1);
  return flags;
}

Particles particles_of(const ResultFile& result) {
  Particles particles;
  particles.label = result.label();
  particles.is_linked = linked_flags(result.about());
  for (std::size_t i = 0; i < particles.is_linked.size(); ++i)
    (particles.is_linked[i] ? particles.linked : particles.attached).push_back(i);
  return particles;
}

/// Sizes of the catalogue, and the order of groups: by falling number of linked points, then by the
/// lowest of them.
std::string check_sizes(const Particles& particles, const Catalogue& catalogue,
                        std::uint64_t min_size) {
  const std::size_t groups = catalogue.count();
  std::vector<std::int64_t> size(groups), linked(groups), lowest(groups, -1);
  for (std::size_t i = 0; i < particles.label.size(); ++i) {
    const std::int32_t label = particles.label[i];
    if (label < -1 || label >= static_cast<std::int64_t>(groups))
      return fmt::format("point {} is in group {} of {}", i, label, groups);
    if (label < 0) continue;
    const auto g = static_cast<std::size_t>(label);
    ++size[g];
    if (!particles.is_linked[i]) continue;
    if (linked[g]++ == 0) lowest[g] = static_cast<std::int64_t>(i);
  }
  for (std::size_t g = 0; g < groups; ++g) {
    if (size[g] != catalogue.size[g])
      return fmt::format("group {} has {} members, not {}", g, size[g], catalogue.size[g]);
    if (linked[g] < static_cast<std::int64_t>(min_size))
      return fmt::format("group {} has {} linked members, fewer than {}", g, linked[g], min_size);
    if (g > 0 &&
        (linked[g] > linked[g - 1] || (linked[g] == linked[g - 1] && lowest[g] < lowest[g - 1])))
      return fmt::format("group {} belongs before group {}", g, g - 1);
  }
  return "";
}

template <class T>
std::string check_friends(const BruteForce<T>& brute, const Particles& particles, std::size_t i,
                          T reach2) {
  for (const std::size_t j : particles.linked)
    if (particles.label[j] != particles.label[i] && brute.distance2(i, j) <= reach2)
      return fmt::format("points {} and {} are friends, but in groups {} and {}", i, j,
                         particles.label[i], particles.label[j]);
  return "";
}

/// The group of the nearest linked point within reach, or none.
template <class T>
std::string check_attached(const BruteForce<T>& brute, const Particles& particles, std::size_t i,
                           T reach2) {
  std::int32_t right = -1;
  T nearest = std::numeric_limits<T>::infinity();
  for (const std::size_t j : particles.linked) {
    const T d2 = brute.distance2(i, j);
    if (!(d2 <= reach2) || d2 >= nearest) continue;
    nearest = d2;
    right = particles.label[j];
  }
  if (particles.label[i] == right) return "";
  return fmt::format("attached point {} belongs to group {}, not {}", i, right, particles.label[i]);
}

/// Those of `among` that hang together with `first`; stops when `enough` are found.
template <class T>
Indices component(const BruteForce<T>& brute, std::size_t first, Indices among, T reach2,
                  std::size_t enough) {
  Indices found{first};
  std::erase(among, first);
  for (std::size_t next = 0; next < found.size() && found.size() < enough; ++next) {
    const auto friends = std::partition(among.begin(), among.end(), [&](std::size_t j) {
      return !(brute.distance2(found[next], j) <= reach2);
    });
    found.insert(found.end(), friends, among.end());
    among.erase(friends, among.end());
  }
  return found;
}

Indices members_of(const Particles& particles, std::size_t group, bool only_linked) {
  Indices members;
  for (std::size_t i = 0; i < particles.label.size(); ++i)
    if (particles.label[i] == static_cast<std::int32_t>(group) &&
        (!only_linked || particles.is_linked[i]))
      members.push_back(i);
  return members;
}

template <class T>
std::string check_connected(const BruteForce<T>& brute, const Particles& particles,
                            std::size_t group, T reach2) {
  const Indices members = members_of(particles, group, true);
  const double links = static_cast<double>(members.size()) * static_cast<double>(members.size());
  if (members.empty() || links > kGroupDistances) return "";
  const std::size_t found =
      component(brute, members.front(), members, reach2, members.size()).size();
  if (found == members.size()) return "";
  return fmt::format("group {} falls apart: {} of its {} linked points hang together with point {}",
                     group, found, members.size(), members.front());
}

/// Sums over members, in the order of their indices, relative to the first.
class Sums {
 public:
  explicit Sums(Verification& v)
      : input_(v.input),
        positions_(v.input.positions(v.session.execution())),
        masses_(v.input.masses(v.session.execution())),
        mass_(v.input.mass_values(masses_)) {}

  std::string check(const Catalogue& catalogue, std::size_t group, const Indices& members) const {
    const auto dimension = static_cast<std::size_t>(input_.dimension());
    double mass = 0;
    std::vector<double> sum(dimension);
    for (const std::size_t i : members) {
      const double m = mass_.data ? masses_[i] : mass_.same;
      mass += m;
      for (std::size_t axis = 0; axis < dimension; ++axis)
        sum[axis] += m * offset(members.front(), i, axis);
    }
    if (!is_close(mass, catalogue.mass[group], mass))
      return fmt::format("group {} has mass {}, not {}", group, mass, catalogue.mass[group]);
    if (mass == 0) return "";
    for (std::size_t axis = 0; axis < dimension; ++axis) {
      const double right = positions_[members.front() * dimension + axis] + sum[axis] / mass;
      const double found = catalogue.center[group * dimension + axis];
      const double side = input_.box().side(static_cast<int>(axis));
      const double far = side > 0 ? std::remainder(found - right, side) : found - right;
      if (!is_close(far, 0, std::max(side, std::abs(right))))
        return fmt::format("group {} has its center at {} on axis {}, not {}", group, right, axis,
                           found);
    }
    return "";
  }

 private:
  static bool is_close(double a, double b, double size) {
    return std::abs(a - b) <= kTolerance * size;
  }
  /// By minimum image.
  double offset(std::size_t first, std::size_t i, std::size_t axis) const {
    const auto dimension = static_cast<std::size_t>(input_.dimension());
    const double side = input_.box().side(static_cast<int>(axis));
    double dx = positions_[i * dimension + axis] - positions_[first * dimension + axis];
    if (side > 0) dx = std::remainder(dx, side);
    return dx;
  }
  const Input& input_;
  Numbers positions_, masses_;
  ValuesView mass_;
};

template <class T>
void check_labels(Verification& v, const BruteForce<T>& brute, const Particles& particles) {
  const Execution& execution = v.session.execution();
  const T reach2 = brute.limit2(v.about().linking_length, v.about().strict);
  const double cost = static_cast<double>(particles.linked.size());
  const Indices linked = draw(particles.linked.size(), v.sample_size(cost), v.random);
  v.settle(
      fmt::format("all friends of {} share their group", counted(linked.size(), "point", "points")),
      first_complaint("friends", linked.size(), execution, [&](std::size_t s) {
        return check_friends(brute, particles, particles.linked[linked[s]], reach2);
      }));
  if (particles.attached.empty()) return;
  const Indices attached = draw(particles.attached.size(), v.sample_size(cost), v.random);
  v.settle(fmt::format("{} belong to the group of their nearest linked point",
                       counted(attached.size(), "attached point", "attached points")),
           first_complaint("attached", attached.size(), execution, [&](std::size_t s) {
             return check_attached(brute, particles, particles.attached[attached[s]], reach2);
           }));
}

/// Points without a group are in one that is too small.
template <class T>
void check_small(Verification& v, const BruteForce<T>& brute, const Particles& particles) {
  const T reach2 = brute.limit2(v.about().linking_length, v.about().strict);
  Indices alone;
  for (const std::size_t i : particles.linked)
    if (particles.label[i] < 0) alone.push_back(i);
  const Indices chosen =
      draw(alone.size(), v.sample_size(8 * static_cast<double>(alone.size())), v.random);
  v.settle(fmt::format("{} without a group hang together with fewer than {}",
                       counted(chosen.size(), "point", "points"), v.about().min_size),
           first_complaint("ungrouped", chosen.size(), v.session.execution(), [&](std::size_t s) {
             const std::size_t i = alone[chosen[s]];
             const std::size_t size = component(brute, i, alone, reach2, v.about().min_size).size();
             return size < v.about().min_size
                        ? std::string()
                        : fmt::format("point {} has no group, but hangs together with {} others", i,
                                      size - 1);
           }));
}

/// With the members in the file, or grown from the first member where it has none.
template <class T>
void check_groups(Verification& v, const BruteForce<T>& brute, const Particles& particles,
                  const Catalogue& catalogue) {
  const T reach2 = brute.limit2(v.about().linking_length, v.about().strict);
  const Indices groups = draw(catalogue.count(), kGroups, v.random);
  const Sums sums(v);
  if (!particles.label.empty())
    v.settle(fmt::format("{} hang together", counted(groups.size(), "group", "groups")),
             first_complaint("links", groups.size(), v.session.execution(), [&](std::size_t s) {
               return check_connected(brute, particles, groups[s], reach2);
             }));
  const std::string how = particles.label.empty() ? ", grown from their first members" : "";
  v.settle(fmt::format("mass and center of {}{}", counted(groups.size(), "group", "groups"), how),
           first_complaint("sums", groups.size(), v.session.execution(), [&](std::size_t s) {
             const std::size_t g = groups[s];
             Indices members;
             if (!particles.label.empty()) {
               members = members_of(particles, g, false);
             } else {
               const auto size = static_cast<std::size_t>(catalogue.size[g]);
               members = component(brute, static_cast<std::size_t>(catalogue.first[g]),
                                   particles.linked, reach2, size + 1);
               std::sort(members.begin(), members.end());
               if (members.size() != size)
                 return fmt::format(
                     "group {} has {} members, not {}", g,
                     members.size() > size ? "more" : fmt::format("{}", members.size()), size);
             }
             return sums.check(catalogue, g, members);
           }));
}

void check_table(const Catalogue& catalogue, const ResultAbout& about) {
  const std::size_t groups = catalogue.count();
  const auto dimension = static_cast<std::size_t>(about.dimension);
  if (catalogue.mass.size() != groups || catalogue.center.size() != groups * dimension)
    throw Mismatch(fmt::format("{} groups with {} masses and {} coordinates of centers", groups,
                               catalogue.mass.size(), catalogue.center.size()));
  for (const std::int64_t first : catalogue.first)
    if (first < 0 || static_cast<std::uint64_t>(first) >= about.points)
      throw Mismatch(fmt::format("a first member {} of {} points", first, about.points));
}

}  // namespace

void verify_groups(Verification& v) {
  const Catalogue catalogue = v.result.catalogue();
  check_table(catalogue, v.about());
  const Particles particles = particles_of(v.result);
  const bool has_labels = !particles.label.empty();
  if (has_labels)
    v.settle(
        fmt::format("sizes and order of all {}", counted(catalogue.count(), "group", "groups")),
        check_sizes(particles, catalogue, v.about().min_size));
  else if (!particles.attached.empty())
    throw Error(ErrorCode::invalid_argument,
                "the result has neither labels nor order, and groups with attached points cannot "
                "be checked without; write it with --labels");
  Numbers positions = v.input.positions(v.session.execution());
  with_brute_force(v.input, positions, [&](const auto& brute) {
    if (has_labels) check_labels(v, brute, particles);
    if (has_labels) check_small(v, brute, particles);
    check_groups(v, brute, particles, catalogue);
  });
}

}  // namespace kith::cli

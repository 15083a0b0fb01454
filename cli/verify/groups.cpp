// Groups against brute force: labels, order, ids, and the links between points.
#include <fmt/format.h>
#include <numeric>

#include <kith/error.hpp>

#include "brute.hpp"
#include "verify/links.hpp"
#include "verify/verify.hpp"

namespace kith::cli {
namespace {

using Labels = std::vector<std::int32_t>;

constexpr std::size_t kGroups = 50;      // whose links are checked
constexpr double kGroupDistances = 4e8;  // for the links of one group, at most

/// The facts about the points for the checks of groups.
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

/// The points of each group, by counting: ascending, since they are gone through in order.
Sets groups_of(const Labels& label, std::size_t count) {
  Sets sets{.prefix = "", .noun = "group", .order = {}, .offset = Indices(count + 1)};
  for (std::size_t i = 0; i < label.size(); ++i) {
    if (label[i] < -1 || label[i] >= static_cast<std::int64_t>(count))
      throw Mismatch(fmt::format("point {} is in group {} of {}", i, label[i], count));
    if (label[i] >= 0) ++sets.offset[static_cast<std::size_t>(label[i]) + 1];
  }
  std::partial_sum(sets.offset.begin(), sets.offset.end(), sets.offset.begin());
  sets.order.resize(sets.offset.back());
  Indices next(sets.offset.begin(), sets.offset.end() - 1);
  for (std::size_t i = 0; i < label.size(); ++i)
    if (label[i] >= 0) sets.order[next[static_cast<std::size_t>(label[i])]++] = i;
  return sets;
}

/// Groups fall in their number of linked points; among equals the lowest of them comes first.
std::string check_numbering(const Particles& particles, const Sets& groups,
                            std::uint64_t min_size) {
  std::size_t size_before = static_cast<std::size_t>(-1), first_before = 0;
  for (std::size_t g = 0; g < groups.count(); ++g) {
    std::size_t size = 0, first = 0;
    for (const std::size_t i : groups.of(g))
      if (particles.is_linked[i] && size++ == 0) first = i;
    if (size < min_size)
      return fmt::format("group {} has {} linked members, fewer than {}", g, size, min_size);
    if (size > size_before || (size == size_before && first < first_before))
      return fmt::format("group {} belongs before group {}", g, g - 1);
    size_before = size;
    first_before = first;
  }
  return "";
}

/// One type of points, or all of them: where they begin among the points that were read.
struct Slice {
  std::string suffix;
  int type = 0;
  std::size_t begin = 0, end = 0;
};

std::vector<Slice> slices_of(const ResultAbout& about) {
  std::vector<Slice> slices;
  std::size_t begin = 0;
  for (std::size_t t = 0; t < about.types.size(); ++t) {
    slices.push_back({fmt::format("_{}", about.types[t]), about.types[t], begin,
                      begin + static_cast<std::size_t>(about.counts[t])});
    begin = slices.back().end;
  }
  if (slices.empty()) slices.push_back({"_0", 0, 0, static_cast<std::size_t>(about.points)});
  return slices;
}

/// The order must have every point once, group after group, and in each group ascending (where
/// there are subhalos, ascending inside each of them: verify_subhalos looks at that).
std::string check_order(const Labels& label, const std::vector<std::int64_t>& order,
                        const Slice& slice, bool has_subhalos) {
  std::vector<std::uint8_t> is_seen(slice.end - slice.begin, 0);
  std::int64_t before = -1;
  std::uint32_t group_before = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (order[k] < 0 || static_cast<std::size_t>(order[k]) >= is_seen.size() ||
        is_seen[static_cast<std::size_t>(order[k])]++)
      return fmt::format("place {} of the order of type {} names row {} of {}, or names it again",
                         k, slice.type, order[k], is_seen.size());
    // Points without a group come last: -1 is the largest unsigned number.
    const auto group =
        static_cast<std::uint32_t>(label[slice.begin + static_cast<std::size_t>(order[k])]);
    const bool is_same = k > 0 && group == group_before;
    if ((k > 0 && group < group_before) ||
        (is_same && order[k] < before && (!has_subhalos || group == 0xffffffffU)))
      return fmt::format("place {} of the order of type {} is out of order", k, slice.type);
    before = order[k];
    group_before = group;
  }
  return "";
}

void check_orders(Verification& v, const Labels& label) {
  const bool has_subhalos = v.about().kind == ResultKind::subhalos;
  std::vector<Slice> slices = slices_of(v.about());
  if (v.result.has("order")) slices = {{"", -1, 0, static_cast<std::size_t>(v.about().points)}};
  for (const Slice& slice : slices)
    if (const std::string name = "order" + slice.suffix; v.result.has(name))
      v.settle(fmt::format("the order of {}", counted(slice.end - slice.begin, "point", "points")),
               check_order(label, v.result.integers(name), slice, has_subhalos), {name});
}

/// Ids beside the points (.npz, SWIFT), or of the members in the order of the groups (Gadget).
void check_ids(Verification& v, const Sets& groups) {
  const std::vector<std::uint64_t> ids = v.input.ids(v.execution());
  const auto compare = [&](const std::string& name, std::size_t count, const auto& point_at) {
    if (!v.result.has(name)) return;
    const std::vector<std::int64_t> found = v.result.integers(name);
    std::string complaint;
    if (found.size() != count || ids.empty())
      complaint = fmt::format("{} has {} ids for {} points", name, found.size(), count);
    for (std::size_t k = 0; complaint.empty() && k < count; ++k)
      if (static_cast<std::uint64_t>(found[k]) != ids[point_at(k)])
        complaint = fmt::format("{}: id {} of point {} is {}, not {}", name, k, point_at(k),
                                ids[point_at(k)], found[k]);
    v.settle(fmt::format("{} ids", grouped(count)), complaint, {name});
  };
  compare("id", ids.size(), [](std::size_t k) { return k; });
  for (const Slice& slice : slices_of(v.about()))
    compare(fmt::format("PartType{}/ParticleIDs", slice.type), slice.end - slice.begin,
            [&](std::size_t k) { return slice.begin + k; });
  if (!v.result.has("IDs/ID")) return;
  // In the order of the file, where subhalos may come first in their group: type by type, as the
  // groups follow each other.
  std::vector<std::uint64_t> wanted, found;
  for (const std::size_t i : groups.order) wanted.push_back(ids[i]);
  for (const std::int64_t id : v.result.integers("IDs/ID"))
    found.push_back(static_cast<std::uint64_t>(id));
  std::string complaint;
  if (found.size() != wanted.size())
    complaint = fmt::format("IDs/ID has {} ids for {} members", found.size(), wanted.size());
  for (std::size_t g = 0; complaint.empty() && g < groups.count(); ++g) {
    const auto begin = static_cast<std::ptrdiff_t>(groups.offset[g]);
    const auto end = static_cast<std::ptrdiff_t>(groups.offset[g + 1]);
    if (v.about().kind == ResultKind::subhalos) {
      std::sort(wanted.begin() + begin, wanted.begin() + end);
      std::sort(found.begin() + begin, found.begin() + end);
    }
    if (!std::equal(wanted.begin() + begin, wanted.begin() + end, found.begin() + begin))
      complaint = fmt::format("IDs/ID has ids for group {} that are not those of its members", g);
  }
  v.settle(fmt::format("ids of {}", counted(wanted.size(), "member", "members")), complaint,
           {"IDs/ID"});
}

template <class T>
std::string check_friends(const BruteForce<T>& brute, const Particles& particles, std::size_t i,
                          const Links<T>& links) {
  std::string complaint;
  brute.for_all(brute.place(i), [&](std::size_t first, std::size_t count, const T* d2) {
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t j = first + k;
      if (!links(i, j, d2[k]) || particles.label[j] == particles.label[i]) continue;
      if (particles.is_linked[j] && complaint.empty())
        complaint = fmt::format("points {} and {} are friends, but are in groups {} and {}", i, j,
                                particles.label[i], particles.label[j]);
    }
  });
  return complaint;
}

/// The group of the nearest linked point within reach, or none.
template <class T>
std::string check_attached(const BruteForce<T>& brute, const Particles& particles, std::size_t i,
                           T reach2) {
  std::int32_t right = -1;
  T nearest = std::numeric_limits<T>::infinity();
  brute.for_all(brute.place(i), [&](std::size_t first, std::size_t count, const T* d2) {
    for (std::size_t k = 0; k < count; ++k) {
      if (!(d2[k] <= reach2) || d2[k] >= nearest || !particles.is_linked[first + k]) continue;
      nearest = d2[k];
      right = particles.label[first + k];
    }
  });
  if (particles.label[i] == right) return "";
  return fmt::format("attached point {} belongs to group {}, not {}", i, right, particles.label[i]);
}

template <class T>
std::string check_connected(const BruteForce<T>& brute, const Particles& particles,
                            const Sets& groups, std::size_t group, const Links<T>& links) {
  Indices members;
  for (const std::size_t i : groups.of(group))
    if (particles.is_linked[i]) members.push_back(i);
  const double pairs = static_cast<double>(members.size()) * static_cast<double>(members.size());
  if (members.empty() || pairs > kGroupDistances) return "";
  const std::size_t found =
      component(brute, members.front(), members, links, members.size()).size();
  if (found == members.size()) return "";
  return fmt::format(
      "group {} is not connected: only {} of its {} linked points are connected with point {}",
      group, found, members.size(), members.front());
}

template <class T>
void check_links(Verification& v, const BruteForce<T>& brute, const Particles& particles,
                 const Sets& groups, const Links<T>& links) {
  const double cost = static_cast<double>(brute.size());
  std::vector<std::string> labels;
  for (const std::string& name : v.result.names())
    if (name.starts_with("label")) labels.push_back(name);
  const Indices linked = draw(particles.linked.size(), v.sample_size(cost), v.random);
  v.settle(
      fmt::format("all friends of {} share their group", counted(linked.size(), "point", "points")),
      first_complaint("friends", linked.size(), v.execution(),
                      [&](std::size_t s) {
                        return check_friends(brute, particles, particles.linked[linked[s]], links);
                      }),
      labels);
  if (!particles.attached.empty()) {
    const Indices attached = draw(particles.attached.size(), v.sample_size(cost), v.random);
    v.settle(fmt::format("{} belong to the group of their nearest linked point",
                         counted(attached.size(), "attached point", "attached points")),
             first_complaint("attached", attached.size(), v.execution(), [&](std::size_t s) {
               return check_attached(brute, particles, particles.attached[attached[s]],
                                     links.attached_reach2());
             }));
  }
  const Indices chosen = draw(groups.count(), kGroups, v.random);
  v.settle(fmt::format("{} are connected", counted(chosen.size(), "group", "groups")),
           first_complaint("links", chosen.size(), v.execution(), [&](std::size_t s) {
             return check_connected(brute, particles, groups, chosen[s], links);
           }));
}

/// Points without a group are in one that is too small.
template <class T>
void check_small(Verification& v, const BruteForce<T>& brute, const Particles& particles,
                 const Links<T>& links) {
  Indices alone;
  for (const std::size_t i : particles.linked)
    if (particles.label[i] < 0) alone.push_back(i);
  const double cost = static_cast<double>(alone.size()) * static_cast<double>(v.about().min_size);
  const Indices chosen = draw(alone.size(), v.sample_size(cost), v.random);
  v.settle(fmt::format("{} without a group are connected with fewer than {}",
                       counted(chosen.size(), "point", "points"), v.about().min_size),
           first_complaint("alone", chosen.size(), v.execution(), [&](std::size_t s) {
             const std::size_t i = alone[chosen[s]];
             const std::size_t size = component(brute, i, alone, links, v.about().min_size).size();
             return size < v.about().min_size
                        ? std::string()
                        : fmt::format("point {} has no group, but is connected with {} others", i,
                                      size - 1);
           }));
}

/// Without labels and order: groups grown from their first members, at most so many of them.
template <class T>
Sets grown_groups(Verification& v, const BruteForce<T>& brute, const Particles& particles,
                  const Links<T>& links) {
  const std::vector<std::int64_t> sizes = v.result.integers("size");
  const std::vector<std::int64_t> lowest = v.result.integers("lowest");
  Labels label(brute.size(), -1);
  for (std::size_t g = 0; g < sizes.size(); ++g) {
    const auto first = static_cast<std::size_t>(lowest.at(g));
    if (lowest[g] < 0 || first >= brute.size())
      throw Mismatch(fmt::format("first member {} of {} points", lowest[g], brute.size()));
    for (const std::size_t i : component(brute, first, particles.linked, links, brute.size()))
      label[i] = static_cast<std::int32_t>(g);
  }
  v.settle(
      fmt::format("{} grown from their first members", counted(sizes.size(), "group", "groups")),
      "");
  return groups_of(label, sizes.size());
}

void check_sizes_of_arrays(const Verification& v, std::size_t groups) {
  for (const char* name : {"mass", "center", "lowest"})
    if (!v.result.has(name) || v.result.rows(name) != groups)
      throw Mismatch(fmt::format("{} groups, but not as many rows of {}", groups, name));
}

/// The points as links see them: in redshift space one axis is compressed.
template <class Work>
void with_links(const Verification& v, ParticleData& data, const Work& work) {
  const std::size_t axis = std::string("xyz").find(v.about().line_of_sight);
  if (v.about().line_of_sight.empty()) return with_brute_force(v.input, data.positions, work);
  const double stretch = v.about().stretch;
  const auto dimension = static_cast<std::size_t>(v.about().dimension);
  if (axis >= dimension || !(stretch > 0))
    throw Mismatch(fmt::format("a line of sight {} for {} dimensions, stretched by {:g}",
                               printable(v.about().line_of_sight), dimension, stretch));
  Numbers compressed(data.positions.scalar(), data.positions.count());
  for (std::size_t i = 0; i < compressed.count(); ++i)
    compressed.set(i, data.positions[i] / (i % dimension == axis ? stretch : 1));
  std::vector<double> sides, origins;
  for (std::size_t k = 0; k < dimension; ++k) {
    sides.push_back(v.input.box().side(static_cast<int>(k)) / (k == axis ? stretch : 1));
    origins.push_back(v.input.box().origin(static_cast<int>(k)) / (k == axis ? stretch : 1));
  }
  const Box box = v.input.box().is_periodic() ? Box::periodic(sides).with_origin(origins) : Box();
  if (v.input.scalar() == Scalar::float32)
    work(BruteForce<float>(compressed.floats(), v.input.size(), v.input.dimension(), box));
  else
    work(BruteForce<double>(compressed.doubles(), v.input.size(), v.input.dimension(), box));
}

/// The groups by their labels, or grown from their first members; and their links.
Sets linked_groups(Verification& v, ParticleData& data, const Particles& particles,
                   std::size_t count) {
  Sets groups;
  with_links(v, data, [&]<class T>(const BruteForce<T>& brute) {
    const Links<T> links(v, brute);
    if (particles.label.empty()) {
      const double cost = static_cast<double>(count) * static_cast<double>(brute.size());
      if (!particles.attached.empty() || cost > 1e11)
        throw Error(ErrorCode::invalid_argument,
                    "the result has neither labels nor order, and without them its groups cannot "
                    "be checked; write it with --labels");
      groups = grown_groups(v, brute, particles, links);
      return;
    }
    groups = groups_of(particles.label, count);
    v.settle(fmt::format("numbering of all {}", counted(count, "group", "groups")),
             check_numbering(particles, groups, v.about().min_size));
    check_orders(v, particles.label);
    check_links(v, brute, particles, groups, links);
    check_small(v, brute, particles, links);
  });
  return groups;
}

/// Lines of sight to midpoints have links that this program does not look at: labels stay
/// unchecked.
Sets given_groups(Verification& v, const Particles& particles, std::size_t count) {
  if (particles.label.empty())
    throw Error(
        ErrorCode::invalid_argument,
        "groups along lines of sight to midpoints are checked with their labels or order alone; "
        "write them with --labels");
  Sets groups = groups_of(particles.label, count);
  v.settle(fmt::format("numbering of all {}", counted(count, "group", "groups")),
           check_numbering(particles, groups, v.about().min_size));
  check_orders(v, particles.label);
  return groups;
}

}  // namespace

ParticleData::ParticleData(const Verification& v)
    : positions(v.input.positions(v.execution())), masses(v.input.masses(v.execution())) {
  if (v.input.has(Field::velocity)) velocities = v.input.velocities(v.execution());
  mass = v.input.mass_values(masses);
  if (!v.about().types.empty()) only_type = v.about().types.front();
  if (v.about().types.size() < 2) return;
  for (std::size_t t = 0; t < v.about().types.size(); ++t)
    type.insert(type.end(), v.about().counts[t], static_cast<std::uint8_t>(v.about().types[t]));
}

void verify_groups(Verification& v) {
  const std::size_t count = v.result.rows("size");
  check_sizes_of_arrays(v, count);
  const Particles particles = particles_of(v.result);
  ParticleData data(v);
  Sets groups;
  if (v.about().line_of_sight == "midpoint") {
    groups = given_groups(v, particles, count);
  } else {
    groups = linked_groups(v, data, particles, count);
  }
  check_ids(v, groups);
  verify_columns(v, data, groups);
  verify_spheres(v, data, groups);
  if (v.about().kind == ResultKind::subhalos) verify_subhalos(v, data, groups);
}

}  // namespace kith::cli

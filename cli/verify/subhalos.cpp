// Subhalos: that they are the groups in phase space of their halos, and their columns.
#include <fmt/format.h>
#include <map>
#include <numeric>

#include "brute.hpp"
#include "verify/verify.hpp"

namespace kith::cli {
namespace {

constexpr std::size_t kHalos = 50;  // whose subhalos are found again
constexpr double kHaloPairs = 1e8;  // in one of them, at most

bool is_bound(const Verification& v) { return has_bound_subhalos(v.about()); }

/// The points of every subhalo, from the order: subhalos come first in their group, one by one.
class SubhaloMembers {
 public:
  SubhaloMembers(const Verification& v, const Sets& groups) : v_(v), groups_(groups) {}

  Sets read() const {
    const std::vector<std::int64_t> size = v_.result.integers("subhalo_size");
    const std::vector<std::int64_t> parent = v_.result.integers("subhalo_parent");
    Sets sets{.prefix = "subhalo_", .noun = "subhalo", .order = {}, .offset = {0}};
    check_parents(parent, size);
    if (v_.result.has("order"))
      take_all(parent, size, sets);
    else
      take_types(size, sets);
    return sets;
  }

 private:
  void check_parents(const std::vector<std::int64_t>& parent,
                     const std::vector<std::int64_t>& size) const {
    for (std::size_t s = 0; s < parent.size(); ++s) {
      const bool is_one = parent[s] >= 0 && static_cast<std::size_t>(parent[s]) < groups_.count();
      if (!is_one || (s > 0 && parent[s] < parent[s - 1]) || size.at(s) < 1)
        throw Mismatch(fmt::format("subhalo {} of {} points is in group {} of {}, out of order", s,
                                   size[s], parent[s], groups_.count()));
    }
  }
  /// Ascending in each subhalo, unless members are in the order of binding.
  void add_subhalo(const std::vector<std::int64_t>& order, std::size_t begin, std::size_t count,
                   std::size_t first, std::size_t s, Sets& sets) const {
    if (begin > order.size() || count > order.size() - begin)
      throw Mismatch(fmt::format("subhalo {} ends beyond the order", s));
    for (std::size_t k = begin; k < begin + count; ++k) {
      if (k > begin && order[k] <= order[k - 1] && !is_bound(v_))
        throw Mismatch(fmt::format("place {} of the order, in subhalo {}, is out of order", k, s));
      sets.order.push_back(first + static_cast<std::size_t>(order[k]));
    }
  }
  void take_all(const std::vector<std::int64_t>& parent, const std::vector<std::int64_t>& size,
                Sets& sets) const {
    const std::vector<std::int64_t> order = v_.result.integers("order");
    std::size_t begin = 0;
    for (std::size_t s = 0; s < parent.size(); ++s) {
      if (s == 0 || parent[s] != parent[s - 1])
        begin = groups_.offset[static_cast<std::size_t>(parent[s])];
      add_subhalo(order, begin, static_cast<std::size_t>(size[s]), 0, s, sets);
      begin += static_cast<std::size_t>(size[s]);
      sets.offset.push_back(sets.order.size());
    }
  }
  void take_types(const std::vector<std::int64_t>& size, Sets& sets) const {
    const std::vector<std::int64_t> offset = v_.result.integers("subhalo_type_offset");
    const std::vector<std::int64_t> sizes = v_.result.integers("subhalo_type_size");
    const std::size_t types = v_.result.width("subhalo_type_offset");
    std::vector<int> present = v_.about().types;
    if (present.empty()) present = {0};
    std::vector<std::vector<std::int64_t>> orders;
    orders.reserve(present.size());
    for (const int type : present)
      orders.push_back(v_.result.integers(fmt::format("order_{}", type)));
    for (std::size_t s = 0; s < size.size(); ++s) {
      std::size_t first = 0;
      for (std::size_t t = 0; t < present.size(); ++t) {
        const std::size_t at = s * types + static_cast<std::size_t>(present[t]);
        add_subhalo(orders[t], static_cast<std::size_t>(offset.at(at)),
                    static_cast<std::size_t>(sizes.at(at)), first, s, sets);
        first += orders[t].size();
      }
      sets.offset.push_back(sets.order.size());
    }
  }
  const Verification& v_;
  const Sets& groups_;
};

/// Friends of friends in phase space inside one halo, by the definition.
class PhaseSpace {
 public:
  PhaseSpace(const Verification& v, const ParticleData& data)
      : about_(v.about()),
        box_(v.input.box()),
        data_(data),
        d_(static_cast<std::size_t>(v.about().dimension)) {}

  std::vector<Indices> subhalos(std::span<const std::size_t> halo) const {
    const std::vector<double> rows = scaled(halo);
    std::vector<std::uint8_t> is_taken(halo.size(), 0);
    std::vector<Indices> found;
    for (std::size_t seed = 0; seed < halo.size(); ++seed) {
      if (is_taken[seed]) continue;
      Indices parts{seed};
      is_taken[seed] = 1;
      for (std::size_t next = 0; next < parts.size(); ++next)
        for (std::size_t j = 0; j < halo.size(); ++j)
          if (!is_taken[j] && are_friends(rows, parts[next], j)) {
            is_taken[j] = 1;
            parts.push_back(j);
          }
      if (parts.size() < about_.subhalo_min_size) continue;
      std::sort(parts.begin(), parts.end());
      for (std::size_t& part : parts) part = halo[part];
      found.push_back(std::move(parts));
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const Indices& a, const Indices& b) { return a.size() > b.size(); });
    return found;
  }

 private:
  /// Positions about the first member and velocities, over their scales.
  std::vector<double> scaled(std::span<const std::size_t> halo) const {
    std::vector<double> rows(halo.size() * 2 * d_);
    for (std::size_t k = 0; k < halo.size(); ++k)
      for (std::size_t axis = 0; axis < d_; ++axis) {
        const double side = box_.side(static_cast<int>(axis));
        const double dx =
            data_.positions[halo[k] * d_ + axis] - data_.positions[halo[0] * d_ + axis];
        rows[k * 2 * d_ + axis] = side > 0 ? std::remainder(dx, side) : dx;
        rows[k * 2 * d_ + d_ + axis] = data_.velocities[halo[k] * d_ + axis];
      }
    apply(rows, 0, about_.position_scale);
    apply(rows, d_, about_.velocity_scale);
    return rows;
  }
  void apply(std::vector<double>& rows, std::size_t begin, double scale) const {
    const std::size_t n = rows.size() / (2 * d_);
    if (scale == 0) {
      long double sum2 = 0;
      for (std::size_t axis = begin; axis < begin + d_; ++axis) {
        long double mean = 0, square = 0;
        for (std::size_t k = 0; k < n; ++k) mean += rows[k * 2 * d_ + axis];
        mean /= static_cast<long double>(n);
        for (std::size_t k = 0; k < n; ++k) {
          const long double off = rows[k * 2 * d_ + axis] - mean;
          square += off * off;
        }
        sum2 += square / static_cast<long double>(n);
      }
      scale = static_cast<double>(std::sqrt(sum2));
    }
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t axis = begin; axis < begin + d_; ++axis)
        rows[k * 2 * d_ + axis] = scale > 0 ? rows[k * 2 * d_ + axis] / scale : 0;
  }
  bool are_friends(const std::vector<double>& rows, std::size_t a, std::size_t b) const {
    double d2 = 0;
    for (std::size_t k = 0; k < 2 * d_; ++k) {
      const double dx = rows[a * 2 * d_ + k] - rows[b * 2 * d_ + k];
      d2 += dx * dx;
    }
    return d2 <= about_.subhalo_linking_length * about_.subhalo_linking_length;
  }
  const ResultAbout& about_;
  const Box& box_;
  const ParticleData& data_;
  std::size_t d_;
};

/// The subhalo of each point, of all or of each type.
void check_labels(Verification& v, const Sets& subhalos) {
  std::vector<std::int64_t> right(v.about().points, -1);
  for (std::size_t s = 0; s < subhalos.count(); ++s)
    for (const std::size_t i : subhalos.of(s)) right.at(i) = static_cast<std::int64_t>(s);
  std::size_t begin = 0;
  const auto compare = [&](const std::string& name, std::size_t count) {
    if (!v.result.has(name)) return;
    const std::vector<std::int64_t> found = v.result.integers(name);
    const bool is_right =
        found.size() == count &&
        std::equal(found.begin(), found.end(), right.begin() + static_cast<std::ptrdiff_t>(begin));
    v.settle(fmt::format("{} of all points", name),
             is_right ? "" : fmt::format("{} does not follow from the members", name), {name});
  };
  compare("subhalo_label", right.size());
  const std::vector<int> types = v.about().types.empty() ? std::vector<int>{0} : v.about().types;
  for (std::size_t t = 0; t < types.size(); ++t) {
    const std::size_t count = v.about().counts.empty() ? right.size() : v.about().counts[t];
    compare(fmt::format("subhalo_label_{}", types[t]), count);
    begin += count;
  }
}

/// How many subhalos each group has, which is the first, and their places.
void check_counts(Verification& v, const std::vector<std::int64_t>& parent, std::size_t groups) {
  std::vector<double> count(groups), first(groups, -1), rank;
  for (std::size_t s = 0; s < parent.size(); ++s) {
    const auto g = static_cast<std::size_t>(parent[s]);
    if (count[g] == 0) first[g] = static_cast<double>(s);
    rank.push_back(count[g]);
    count[g] += 1;
  }
  const auto compare = [&](const char* name, const std::vector<double>& right) {
    if (!v.result.has(name)) return;
    const std::vector<double> found = v.result.numbers(name);
    v.settle(fmt::format("{} of all", name),
             found == right ? "" : fmt::format("{} does not follow from subhalo_parent", name),
             {name});
  };
  compare("subhalos", count);
  compare("first_subhalo", first);
  compare("subhalo_rank", rank);
  compare("Subhalo/SubhaloGroupNr", std::vector<double>(parent.begin(), parent.end()));
  if (!is_bound(v) && v.result.has("subhalo_peak"))
    compare("subhalo_peak", v.result.numbers("subhalo_center"));
}

/// Subhalos come first in their group, one after the other, in the order of each type.
void check_offsets(Verification& v, const std::vector<std::int64_t>& parent) {
  const char* name = "subhalo_type_offset";
  if (!v.result.has(name) || !v.result.has("type_offset")) return;
  const std::vector<std::int64_t> found = v.result.integers(name);
  const std::vector<std::int64_t> size = v.result.integers("subhalo_type_size");
  const std::vector<std::int64_t> group = v.result.integers("type_offset");
  const std::size_t types = v.result.width(name);
  std::string complaint;
  for (std::size_t k = 0; complaint.empty() && k < found.size(); ++k) {
    const std::size_t s = k / types;
    const std::int64_t right =
        s > 0 && parent[s] == parent[s - 1]
            ? found[k - types] + size.at(k - types)
            : group.at(static_cast<std::size_t>(parent[s]) * types + k % types);
    if (found[k] != right)
      complaint = fmt::format("{} of subhalo {} is {}, not {}", name, s, right, found[k]);
  }
  v.settle(fmt::format("{} of all", name), complaint, {name});
}

std::string check_halo(const PhaseSpace& space, const Sets& groups, const Sets& subhalos,
                       std::span<const std::size_t> of_halo, std::size_t g) {
  const std::vector<Indices> right = space.subhalos(groups.of(g));
  if (right.size() != of_halo.size())
    return fmt::format("group {} has {} subhalos, not {}", g, right.size(), of_halo.size());
  for (std::size_t k = 0; k < right.size(); ++k) {
    const std::span<const std::size_t> found = subhalos.of(of_halo[k]);
    if (!std::is_permutation(found.begin(), found.end(), right[k].begin(), right[k].end()))
      return fmt::format("subhalo {} has different points from those that friends of friends finds",
                         of_halo[k]);
  }
  return "";
}

void check_phase_fof(Verification& v, const ParticleData& data, const Sets& groups,
                     const Sets& subhalos) {
  const std::vector<std::int64_t> parent = v.result.integers("subhalo_parent");
  std::vector<Indices> of_halo(groups.count());
  for (std::size_t s = 0; s < parent.size(); ++s)
    of_halo[static_cast<std::size_t>(parent[s])].push_back(s);
  const PhaseSpace space(v, data);
  const Indices chosen = draw(groups.count(), kHalos, v.random);
  v.settle(fmt::format("subhalos of {}, recomputed", counted(chosen.size(), "group", "groups")),
           first_complaint("subhalos", chosen.size(), v.execution(),
                           [&](std::size_t s) {
                             const std::size_t g = chosen[s];
                             const double n = static_cast<double>(groups.of(g).size());
                             return n * n > kHaloPairs
                                        ? std::string()
                                        : check_halo(space, groups, subhalos, of_halo[g], g);
                           }),
           {"subhalo_parent"});
}

}  // namespace

void verify_subhalos(Verification& v, const ParticleData& data, const Sets& groups) {
  if (!v.result.has("order") && !v.result.has("subhalo_type_offset")) return;
  Sets subhalos = SubhaloMembers(v, groups).read();
  const std::vector<std::int64_t> parent = v.result.integers("subhalo_parent");
  check_counts(v, parent, groups.count());
  check_offsets(v, parent);
  if (!is_bound(v)) check_phase_fof(v, data, groups, subhalos);
  const Indices by_binding = subhalos.order;
  // The first member is the lowest of all types.
  for (std::size_t s = 0; s < subhalos.count(); ++s)
    std::sort(subhalos.order.begin() + static_cast<std::ptrdiff_t>(subhalos.offset[s]),
              subhalos.order.begin() + static_cast<std::ptrdiff_t>(subhalos.offset[s + 1]));
  if (is_bound(v)) verify_bound_subhalos(v, data, groups, subhalos, by_binding);
  check_labels(v, subhalos);
  verify_columns(v, data, subhalos);
}

}  // namespace kith::cli

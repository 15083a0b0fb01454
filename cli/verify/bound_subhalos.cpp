// Bound subhalos: members must be bound by the gravity of the others, by sums over all pairs, and
// the rest of a group must not; hosts, centers and IDs must be those of the members.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "brute.hpp"
#include "verify/verify.hpp"

namespace kith::cli {
namespace {

using Real = long double;

/// Of members of a subhalo; of a larger one, some members are judged.
constexpr std::size_t kPairs = 20'000'000;
constexpr std::size_t kSubhalos = 200;
/// Potentials of the search are those of a tree code: a part of a potential by which it may be off.
constexpr Real kTreeError = 0.02;
/// Members are removed in several rounds: while others were there, one may have been less bound by
/// as much of its potential. In smaller subhalos a round moves the mean velocity by more than that.
constexpr Real kRounds = 0.25;
constexpr std::size_t kSteady = 256;

/// The energies of members and others in the field of a subhalo.
class Field {
 public:
  Field(const Verification& v, const ParticleData& data, std::span<const std::size_t> members)
      : about_(v.about()),
        box_(v.input.box()),
        data_(data),
        members_(members),
        d_(static_cast<std::size_t>(v.about().dimension)),
        middle_(d_),
        stream_(d_) {
    for (const std::size_t i : members) {
      mass_ += data.mass_of(i);
      for (std::size_t axis = 0; axis < d_; ++axis) {
        middle_[axis] += data.mass_of(i) * offset(i, members[0], axis);
        stream_[axis] += data.mass_of(i) * Real{data.velocities[i * d_ + axis]};
      }
    }
    for (std::size_t axis = 0; axis < d_; ++axis) {
      middle_[axis] /= mass_;
      stream_[axis] /= mass_;
    }
  }

  Real potential(std::size_t at) const {
    Real sum = 0;
    for (const std::size_t i : members_) {
      if (i == at) continue;
      Real r2 = Real{about_.subhalo_softening} * about_.subhalo_softening;
      for (std::size_t axis = 0; axis < d_; ++axis) {
        const Real dx = offset(i, at, axis);
        r2 += dx * dx;
      }
      sum -= data_.mass_of(i) / std::sqrt(r2);
    }
    return about_.gravity * sum;
  }
  Real kinetic(std::size_t at) const {
    Real v2 = 0;
    for (std::size_t axis = 0; axis < d_; ++axis) {
      const Real flow = about_.hubble_flow * (offset(at, members_[0], axis) - middle_[axis]);
      const Real v = data_.velocities[at * d_ + axis] - stream_[axis] + flow;
      v2 += v * v;
    }
    return v2 / 2;
  }

 private:
  /// From one particle to another, the nearest image.
  Real offset(std::size_t to, std::size_t from, std::size_t axis) const {
    const Real side = box_.side(static_cast<int>(axis));
    const Real dx = Real{data_.positions[to * d_ + axis]} - data_.positions[from * d_ + axis];
    return side > 0 ? std::remainder(dx, side) : dx;
  }

  const ResultAbout& about_;
  const Box& box_;
  const ParticleData& data_;
  std::span<const std::size_t> members_;
  std::size_t d_;
  Real mass_ = 0;
  std::vector<Real> middle_, stream_;
};

class BindingCheck {
 public:
  BindingCheck(Verification& v, const ParticleData& data, const Sets& groups, const Sets& subhalos,
               const Indices& by_binding)
      : v_(v),
        data_(data),
        groups_(groups),
        subhalos_(subhalos),
        by_binding_(by_binding),
        parent_(v.result.integers("subhalo_parent")),
        deepest_(v.result.integers("subhalo_most_bound")) {}

  void run() {
    const Indices chosen = draw(subhalos_.count(), kSubhalos, v_.random);
    v_.settle(fmt::format("binding of {}", counted(chosen.size(), "subhalo", "subhalos")),
              first_complaint("binding", chosen.size(), v_.execution(),
                              [&](std::size_t k) { return check_bound(chosen[k]); }),
              {"subhalo_parent", "subhalo_most_bound"});
    check_hosts();
    check_most_bound();
  }

 private:
  /// One of this many is judged by the sum over all members.
  std::size_t step(std::size_t s, std::size_t judged) const {
    return 1 + judged * subhalos_.of(s).size() / kPairs;
  }

  std::string check_bound(std::size_t s) const {
    const std::span<const std::size_t> members = subhalos_.of(s);
    const auto least = static_cast<std::size_t>(deepest_[s]);
    if (!std::binary_search(members.begin(), members.end(), least))
      return fmt::format("the most bound member of subhalo {}, {}, is not in it", s, least);
    if (members.size() < v_.about().subhalo_min_size)
      return fmt::format("subhalo {} has {} members", s, members.size());
    const Field field(v_, data_, members);
    const Real lowest = field.potential(least) + field.kinetic(least);
    for (std::size_t k = 0; k < members.size(); k += step(s, members.size())) {
      const std::size_t i = members[k];
      const Real depth = field.potential(i), energy = depth + field.kinetic(i);
      if (energy > -kTreeError * depth)
        return fmt::format("member {} of subhalo {} is not bound: its energy is {:.6g}", i, s,
                           static_cast<double>(energy));
      if (energy < lowest + kTreeError * depth)
        return fmt::format("member {} of subhalo {} is more bound than {}", i, s, least);
    }
    const std::string complaint = check_order(s, field);
    return complaint.empty() ? check_rest(s, field) : complaint;
  }

  /// Of each type, members follow each other by their energies.
  std::string check_order(std::size_t s, const Field& field) const {
    Real last = 0;
    const std::size_t by = step(s, subhalos_.of(s).size());
    for (std::size_t k = subhalos_.offset[s]; k < subhalos_.offset[s + 1]; k += by) {
      const std::size_t i = by_binding_[k];
      const Real depth = field.potential(i), energy = depth + field.kinetic(i);
      const bool begins =
          k == subhalos_.offset[s] || data_.type_of(i) != data_.type_of(by_binding_[k - by]);
      if (!begins && energy < last + 2 * kTreeError * depth)
        return fmt::format("member {} of subhalo {} is out of the order of binding", i, s);
      last = energy;
    }
    return "";
  }

  /// Members of the group that are in no subhalo, beside the largest one.
  std::string check_rest(std::size_t s, const Field& field) const {
    if (s > 0 && parent_[s] == parent_[s - 1]) return "";
    if (subhalos_.of(s).size() < kSteady) return "";
    const auto group = static_cast<std::size_t>(parent_[s]);
    Indices taken;
    for (std::size_t other = s; other < parent_.size() && parent_[other] == parent_[s]; ++other)
      taken.insert(taken.end(), subhalos_.of(other).begin(), subhalos_.of(other).end());
    std::sort(taken.begin(), taken.end());
    const std::span<const std::size_t> all = groups_.of(group);
    for (std::size_t k = 0; k < all.size(); k += step(s, all.size() - taken.size())) {
      const std::size_t i = all[k];
      if (std::binary_search(taken.begin(), taken.end(), i)) continue;
      const Real depth = field.potential(i), energy = depth + field.kinetic(i);
      if (energy < kRounds * depth)
        return fmt::format("particle {} of group {} is in no subhalo, but is bound to subhalo {}",
                           i, group, s);
    }
    return "";
  }

  /// Ranks of the subhalos around others, which are in the same group and not themselves inside.
  void check_hosts() {
    const std::vector<std::int64_t> host = v_.result.integers("subhalo_host"),
                                    rank = v_.result.integers("subhalo_rank");
    std::string complaint;
    for (std::size_t s = 0; complaint.empty() && s < host.size(); ++s) {
      const auto place = static_cast<std::int64_t>(s) - rank[s] + host[s];
      const bool is_one = host[s] >= 0 && place < static_cast<std::int64_t>(parent_.size()) &&
                          parent_[static_cast<std::size_t>(place)] == parent_[s];
      if (!is_one)
        complaint = fmt::format("subhalo {} is inside the {}th of its group", s, host[s]);
    }
    v_.settle("subhalo_host of all", complaint, {"subhalo_host"});
  }

  void check_most_bound() {
    const auto d = static_cast<std::size_t>(v_.about().dimension);
    const std::vector<double> peak = v_.result.numbers("subhalo_peak");
    std::string complaint;
    for (std::size_t k = 0; complaint.empty() && k < peak.size(); ++k) {
      const double side = v_.input.box().side(static_cast<int>(k % d));
      double off = peak[k] - data_.positions[static_cast<std::size_t>(deepest_[k / d]) * d + k % d];
      if (side > 0) off = std::remainder(off, side);
      if (std::abs(off) > 1e-12 * std::max(side, std::abs(peak[k])))
        complaint =
            fmt::format("subhalo_peak of subhalo {} is not where its most bound member is", k / d);
    }
    v_.settle("subhalo_peak of all", complaint, {"subhalo_peak"});
    if (!v_.result.has("subhalo_most_bound_id")) return;
    const std::vector<std::uint64_t> id = v_.input.ids(v_.execution());
    const std::vector<std::int64_t> found = v_.result.integers("subhalo_most_bound_id");
    for (std::size_t s = 0; complaint.empty() && s < found.size(); ++s)
      if (static_cast<std::uint64_t>(found[s]) != id.at(static_cast<std::size_t>(deepest_[s])))
        complaint = fmt::format("subhalo_most_bound_id of subhalo {} is not that of particle {}", s,
                                deepest_[s]);
    v_.settle("subhalo_most_bound_id of all", complaint, {"subhalo_most_bound_id"});
  }

  Verification& v_;
  const ParticleData& data_;
  const Sets& groups_;
  const Sets& subhalos_;
  const Indices& by_binding_;
  std::vector<std::int64_t> parent_, deepest_;
};

}  // namespace

void verify_bound_subhalos(Verification& v, const ParticleData& data, const Sets& groups,
                           const Sets& subhalos, const Indices& by_binding) {
  BindingCheck(v, data, groups, subhalos, by_binding).run();
}

}  // namespace kith::cli

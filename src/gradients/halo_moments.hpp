// The terms of the derivatives of halo fields: the moments of one group about its center, in one
// order for any number of threads.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include <kith/gradients.hpp>

#include "groups/eigen.hpp"
#include "groups/source.hpp"
#include "parallel/workers.hpp"

namespace kith {

/// Sums over the members of a group; those of blocks add up.
template <int N>
struct Totals {
  std::array<double, N> value{};
  Totals& operator+=(const Totals& more) {
    for (std::size_t i = 0; i < value.size(); ++i) value[i] += more.value[i];
    return *this;
  }
};

/// The moments that were asked for.
struct MomentsWanted {
  bool radius = false, dispersion = false, tensor = false, shape = false;
  bool any() const { return radius || dispersion || tensor || shape; }
};

/// A group, its center and the moments about it.
template <int D>
class HaloMoments {
 public:
  static constexpr int kRoom = kAxisRoom<D>;
  static constexpr std::size_t kBlock = 4096;

  HaloMoments(const Source& from, std::span<const std::uint32_t> members,
              const MomentsWanted& wanted, const Workers& workers)
      : from_(from), members_(members), workers_(workers) {
    if (members.size() <= kBlock) whole_.emplace(from, members, members.front());
    find_center();
    if (wanted.any()) find_moments(wanted);
    if (wanted.shape) axes_ = JacobiSolver(tensor_, from.d).solve().vectors;
  }

  /// The dimension: a constant where it is compiled, and never beyond the room.
  std::size_t d() const {
    return D == kAnyDimension ? std::min<std::size_t>(from_.d, kRoom) : std::size_t{kRoom};
  }

  double weight = 0;        ///< total
  bool is_weighted = true;  ///< by mass; false if the group has none
  double inertia_radius = 0, dispersion = 0;
  const std::vector<double>& tensor() const { return tensor_; }
  const std::vector<double>& axes() const { return axes_; }

  /// A member about the center: place, velocity, weight.
  struct Member {
    std::size_t index = 0;
    double x[kRoom] = {}, v[kRoom] = {};
    double weight = 0;
    double x2 = 0, v2 = 0;
  };

  /// visit(member) for all, concurrently if there are very many; writes go to the member's rows.
  template <class Visit>
  void for_each(Visit visit) const {
    over_blocks([&](const MemberBlock& block) { visit_block(block, visit); });
  }

  /// The sum of N numbers that add(member, sums) gives for each member.
  template <int N, class Add>
  Totals<N> sum(Add add) const {
    return sum_blocks<N>([&](const MemberBlock& block) {
      Totals<N> part;
      visit_block(block, [&](const Member& member) { add(member, part.value); });
      return part;
    });
  }

 private:
  template <class Body>
  void over_blocks(Body body) const {
    if (whole_) return body(*whole_);
    workers_.for_ranges(members_.size(), kBlock, [&](std::size_t begin, std::size_t end) {
      body(MemberBlock(from_, members_.subspan(begin, end - begin), members_.front()));
    });
  }

  template <int N, class Map>
  Totals<N> sum_blocks(Map map) const {
    if (whole_) return map(*whole_);
    std::vector<Totals<N>> part(range_count(members_.size(), kBlock));
    workers_.for_ranges(members_.size(), kBlock, [&](std::size_t begin, std::size_t end) {
      part[begin / kBlock] =
          map(MemberBlock(from_, members_.subspan(begin, end - begin), members_.front()));
    });
    Totals<N> total;
    for (const Totals<N>& each : part) total += each;
    return total;
  }

  template <class Visit>
  void visit_block(const MemberBlock& block, Visit visit) const {
    Member member;
    for (std::size_t i = 0; i < block.m.size(); ++i) {
      member.index = block.members[i];
      member.weight = is_weighted ? block.m[i] : 1;
      member.x2 = member.v2 = 0;
      for (std::size_t axis = 0; axis < d(); ++axis) {
        member.x[axis] = block.x[i * d() + axis] - center_[axis];
        member.x2 += member.x[axis] * member.x[axis];
        if (!from_.has_velocity()) continue;
        member.v[axis] = block.v[i * d() + axis] - velocity_[axis];
        member.v2 += member.v[axis] * member.v[axis];
      }
      visit(member);
    }
  }

  void find_center() {
    constexpr int kMass = 2 * kRoom;
    for (const bool weighted : {true, false}) {
      is_weighted = weighted;
      const Totals<kMass + 1> total = sum<kMass + 1>([&](const Member& member, auto& sums) {
        sums[kMass] += member.weight;
        for (std::size_t axis = 0; axis < d(); ++axis) {
          sums[axis] += member.weight * member.x[axis];
          sums[kRoom + axis] += member.weight * member.v[axis];
        }
      });
      weight = total.value[kMass];
      if (!(weight > 0)) continue;
      for (std::size_t axis = 0; axis < d(); ++axis) {
        center_[axis] = total.value[axis] / weight;
        velocity_[axis] = total.value[kRoom + axis] / weight;
      }
      return;
    }
  }

  void find_moments(const MomentsWanted& wanted) {
    const Totals<2> total = sum<2>([](const Member& member, auto& sums) {
      sums[0] += member.weight * member.x2;
      sums[1] += member.weight * member.v2;
    });
    inertia_radius = std::sqrt(total.value[0] / weight);
    dispersion = std::sqrt(total.value[1] / weight);
    if (!wanted.tensor && !wanted.shape) return;
    constexpr int kPairs = kRoom * kRoom;
    const Totals<kPairs> products = sum<kPairs>([&](const Member& member, auto& sums) {
      for (std::size_t row = 0; row < d(); ++row)
        for (std::size_t column = row; column < d(); ++column)
          sums[row * kRoom + column] += member.weight * member.x[row] * member.x[column];
    });
    tensor_.resize(d() * d());
    for (std::size_t row = 0; row < d(); ++row)
      for (std::size_t column = row; column < d(); ++column)
        tensor_[row * d() + column] = tensor_[column * d() + row] =
            products.value[row * kRoom + column] / weight;
  }

  const Source& from_;
  std::span<const std::uint32_t> members_;
  const Workers& workers_;
  std::optional<MemberBlock> whole_;  ///< of a group of one block, read once for all passes
  double center_[kRoom] = {}, velocity_[kRoom] = {};
  std::vector<double> tensor_, axes_;
};

}  // namespace kith

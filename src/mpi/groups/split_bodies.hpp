// Bodies of groups that lie on several ranks: their members, or those of some types. Each rank has
// its blocks of members, and a part of the group along a curve, in whole branches of an octree.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "groups/octree.hpp"
#include "groups/potential.hpp"
#include "mpi/groups/rank_team.hpp"

namespace kith::mpi {

/// Where the ranks of a group begin among its bodies along the curve; the same on all ranks.
struct CurveCuts {
  std::uint64_t bodies = 0;
  int owner = 0;
  std::vector<std::uint64_t> begin;  ///< of each of its ranks, and the end

  /// Few bodies are all on the owner.
  bool is_small() const { return bodies <= kDirect; }
  std::uint64_t begin_of(int rank) const { return begin[static_cast<std::size_t>(rank - owner)]; }
  std::uint64_t branches() const { return (bodies + kBranch - 1) / kBranch; }
  std::size_t size_of(std::uint64_t branch) const {
    return static_cast<std::size_t>(std::min<std::uint64_t>(kBranch, bodies - branch * kBranch));
  }
  int rank_of(std::uint64_t branch) const {
    const auto after = std::upper_bound(begin.begin(), begin.end() - 1, branch * kBranch);
    return owner + static_cast<int>(after - begin.begin()) - 1;
  }
};

/// The facts about a group's bodies that all ranks know: members of the chosen types, or all if
/// there are none.
struct BodyOutline {
  bool has_chosen = false, has_mass = false;
  std::vector<double> lower, upper;
  CurveCuts cuts;
};

/// The part of a group that this rank has along the curve.
struct CurvePart {
  std::size_t first = 0, count = 0;   ///< branches
  std::vector<double> x, mass;        ///< rows
  std::vector<std::uint64_t> number;  ///< in the group, of each body

  std::size_t bodies() const { return number.size(); }
};

class SplitBodies {
 public:
  SplitBodies(Call& call, const RankTeam& team) : call_(call), team_(team), split_(team.split()) {}

  /// Collective.
  void find();

  // For each part here.
  const BodyOutline& outline(std::size_t p) const { return outline_[split_.set_of(pieces()[p])]; }
  const CurveCuts& cuts(std::size_t p) const { return outline(p).cuts; }
  const CurvePart& part(std::size_t p) const { return part_[p]; }
  /// In the order of members, with blocks of them and their numbers in the group.
  const Bodies& bodies(std::size_t p) const { return bodies_[p]; }

 private:
  const std::vector<GroupPiece>& pieces() const { return split_.pieces(); }
  std::size_t d() const { return team_.source().d; }

  void find_outlines();
  void measure(std::size_t p, std::int64_t* counts, double* bounds) const;
  BodyOutline outlined(std::size_t set, const std::int64_t* counts, const double* bounds) const;
  void find_bodies(const Workers& workers);
  void sort_along_curve();
  KeyedRows curve_rows(const Workers& workers) const;
  CurvePart part_of(std::size_t p, const KeyedRows& rows) const;

  Call& call_;
  const RankTeam& team_;
  const SplitGroups& split_;
  std::vector<BodyOutline> outline_;  ///< of all split groups
  std::vector<Bodies> bodies_;
  std::vector<CurvePart> part_;
};

}  // namespace kith::mpi

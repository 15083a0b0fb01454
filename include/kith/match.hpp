// Matching: which objects of two sets consist of the same particles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <kith/execution.hpp>
#include <kith/export.hpp>

namespace kith {

/// The weight of a member of rank r in the order of binding; the most bound one has rank 0.
enum class RankWeight {
  equal,         ///< 1
  inverse_rank,  ///< 1 / (1 + r), as SubLink
  sqrt_rank,     ///< 1 / (1 + sqrt(r)), as Gadget-4
};
KITH_API const char* name(RankWeight weight);  ///< "sqrt_rank"

/// Particles of one set: their IDs and the objects that they belong to. The members of an object
/// come in order of binding; where the order is unknown, choose RankWeight::equal.
struct LabeledIds {
  std::span<const std::uint64_t> id;
  std::span<const std::int32_t> label;  ///< of the object; negative: of none
  std::size_t objects = 0;              ///< 0 = the largest label + 1
};

struct MatchOptions {
  RankWeight weight = RankWeight::sqrt_rank;
  std::uint64_t most_bound = 0;  ///< members of this rank and beyond have no weight; 0 = all have
};

/// The best partners of each object of one set in the other set.
///
/// The score of object i with partner j is the sum of the weights of those members of i whose IDs
/// are members of j, added in order of rank in float64. The best partner has the largest score, the
/// second best the next one; equal scores are ordered by label.
struct KITH_API Matches {
  std::vector<std::int32_t> best;         ///< -1: no weighted member is in any object
  std::vector<std::int32_t> second;       ///< -1: all are in one object
  std::vector<double> score;              ///< with the best; 0 without one
  std::vector<double> second_score;       ///< with the second best; 0 without one
  std::vector<std::int64_t> shared = {};  ///< members in common with the best, of any rank

  std::size_t size() const { return best.size(); }
  /// 1 - second_score / score: 1 if no other object shares a weighted member, 0 if two have equal
  /// scores; 0 for objects without a partner.
  double margin(std::size_t object) const;
};

struct Match {
  Matches forward;  ///< of the objects of a, among those of b; ranks are those in a
  Matches reverse;  ///< of the objects of b, among those of a; ranks are those in b
};

/// Matches the objects of two sets by the IDs of their members, in both directions: those of two
/// times, of two runs, or of two finders. Particles may come in any order and be missing in either
/// set; an ID may be a member of several objects, but of each only once.
///
/// The result does not depend on threads. Cost: two radix sorts of the members and a join; about 70
/// bytes of memory per member. Errors: invalid_argument for arrays of different lengths, labels
/// beyond `objects` (or, if that is 0, labels that exceed the number of IDs), and for an ID that is
/// twice a member of one object; too_large for 2^32 members of a set or more.
KITH_API Match match(const LabeledIds& a, const LabeledIds& b, const MatchOptions& options = {},
                     const Execution& execution = {});

}  // namespace kith

#include <kith/match.hpp>

#include "histories/partners.hpp"
#include "parallel/public_call.hpp"

namespace kith {

const char* name(RankWeight weight) {
  switch (weight) {
    case RankWeight::equal: return "equal";
    case RankWeight::inverse_rank: return "inverse_rank";
    case RankWeight::sqrt_rank: return "sqrt_rank";
  }
  return "";
}

double Matches::margin(std::size_t object) const {
  return best[object] < 0 ? 0 : 1 - second_score[object] / score[object];
}

Match match(const LabeledIds& a, const LabeledIds& b, const MatchOptions& options,
            const Execution& execution) {
  using namespace histories;
  return public_call("match", execution, [&](Workers& workers) {
    const auto sorted = [&](const LabeledIds& set, const char* name_of_set) {
      const Stage stage(workers, "sort", 1);
      return sorted_members(workers, set, {"match", name_of_set});
    };
    const auto best = [&](const SortedMembers& from, const SortedMembers& to) {
      const Partners partners = [&] {
        const Stage stage(workers, "join", 1);
        return partners_of(workers, from, to);
      }();
      const Stage stage(workers, "score", 1);
      return best_partners(workers, from, partners, to.objects(), options);
    };
    const SortedMembers first = sorted(a, "a"), other = sorted(b, "b");
    Matches forward = best(first, other);
    return Match{std::move(forward), best(other, first)};
  });
}

}  // namespace kith

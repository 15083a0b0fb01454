#include "histories/brute.hpp"

#include <algorithm>

#include "histories/weights.hpp"

namespace kith::histories {
namespace {

using IdsOfObjects = std::vector<std::vector<std::uint64_t>>;

IdsOfObjects ids_of_objects(const LabeledIds& set) {
  IdsOfObjects ids(set.objects);
  for (std::size_t i = 0; i < set.id.size(); ++i) {
    if (set.label[i] < 0) continue;
    ids.resize(std::max(ids.size(), static_cast<std::size_t>(set.label[i]) + 1));
    ids[static_cast<std::size_t>(set.label[i])].push_back(set.id[i]);
  }
  return ids;
}

struct Shared {
  double score = 0;
  std::int64_t members = 0;
};

Shared shared_members(const std::vector<std::uint64_t>& from, const std::vector<std::uint64_t>& to,
                      const MatchOptions& options) {
  Shared shared;
  for (std::size_t rank = 0; rank < from.size(); ++rank) {
    if (std::find(to.begin(), to.end(), from[rank]) == to.end()) continue;
    shared.score += weight_of(options, rank);
    ++shared.members;
  }
  return shared;
}

void brute_partners(const std::vector<std::uint64_t>& from, const IdsOfObjects& to,
                    const MatchOptions& options, Matches& matches) {
  std::int32_t best = -1, second = -1;
  std::vector<Shared> shared;
  for (std::size_t j = 0; j < to.size(); ++j) {
    shared.push_back(shared_members(from, to[j], options));
    const auto score_of = [&](std::int32_t object) {
      return object < 0 ? 0 : shared[static_cast<std::size_t>(object)].score;
    };
    if (shared[j].score > score_of(best)) {
      second = best;
      best = static_cast<std::int32_t>(j);
    } else if (shared[j].score > score_of(second)) {
      second = static_cast<std::int32_t>(j);
    }
  }
  const auto of = [&](std::int32_t object) {
    return object < 0 ? Shared{} : shared[static_cast<std::size_t>(object)];
  };
  matches.best.push_back(best);
  matches.second.push_back(second);
  matches.score.push_back(of(best).score);
  matches.second_score.push_back(of(second).score);
  matches.shared.push_back(of(best).members);
}

}  // namespace

Match brute_match(const LabeledIds& a, const LabeledIds& b, const MatchOptions& options) {
  const IdsOfObjects first = ids_of_objects(a), other = ids_of_objects(b);
  Match match;
  for (const auto& ids : first) brute_partners(ids, other, options, match.forward);
  for (const auto& ids : other) brute_partners(ids, first, options, match.reverse);
  return match;
}

}  // namespace kith::histories

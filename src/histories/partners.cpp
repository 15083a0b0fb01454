#include "histories/partners.hpp"

#include <algorithm>

#include "base/checked_sort.hpp"
#include "histories/weights.hpp"
#include "parallel/borrowed.hpp"
#include "parallel/pieces.hpp"

namespace kith::histories {
namespace {

constexpr std::size_t kJoinGrain = std::size_t{1} << 16;
constexpr std::size_t kObjectGrain = 16;

/// Joins the rows [begin, end) of one sorted set with the other.
class Join {
 public:
  Join(const SortedMembers& from, const SortedMembers& to, Array<std::int32_t>& first)
      : from_(from), to_(to), first_(first) {}

  std::vector<Partners::More> operator()(std::size_t begin, std::size_t end) const {
    std::vector<Partners::More> more;
    const KeyIndex* const last = to_.by_id.end();
    const KeyIndex* run = to_.by_id.begin();
    run = std::lower_bound(run, last, KeyIndex{key(begin), 0});
    for (std::size_t k = begin; k < end; ++k) {
      while (run != last && run->key < key(k)) ++run;
      const std::uint32_t place = from_.by_id[k].index;
      first_[place] = run != last && run->key == key(k) ? to_.object[run->index] : -1;
      if (first_[place] < 0) continue;
      for (const KeyIndex* next = run + 1; next != last && next->key == key(k); ++next)
        more.push_back({place, to_.object[next->index]});
    }
    return more;
  }

 private:
  std::uint64_t key(std::size_t k) const { return from_.by_id[k].key; }
  const SortedMembers& from_;
  const SortedMembers& to_;
  Array<std::int32_t>& first_;
};

/// Sums of the weights and counts of members that one object shares with others.
class Tally {
 public:
  void resize(std::size_t objects) {
    if (sum_.size() >= objects) return;
    sum_.resize(objects, 0);
    count_.resize(objects, 0);
  }

  void add(std::int32_t object, double weight) {
    const auto o = static_cast<std::size_t>(object);
    if (count_[o]++ == 0) touched_.push_back(object);
    sum_[o] += weight;
  }

  /// Writes the best two to row `object`, and forgets all.
  void give(std::size_t object, Matches& matches) {
    for (const std::int32_t candidate : touched_) offer(candidate, object, matches);
    const std::int32_t best = matches.best[object];
    if (best >= 0) matches.shared[object] = count_[static_cast<std::size_t>(best)];
    for (const std::int32_t candidate : touched_) {
      sum_[static_cast<std::size_t>(candidate)] = 0;
      count_[static_cast<std::size_t>(candidate)] = 0;
    }
    touched_.clear();
  }

 private:
  static bool is_better(double score, std::int32_t candidate, double than, std::int32_t other) {
    return score > than || (score == than && candidate < other);
  }

  void offer(std::int32_t candidate, std::size_t object, Matches& matches) const {
    const double score = sum_[static_cast<std::size_t>(candidate)];
    if (!(score > 0)) return;  // shared members without weight
    std::int32_t& best = matches.best[object];
    std::int32_t& second = matches.second[object];
    if (is_better(score, candidate, matches.score[object], best)) {
      second = std::exchange(best, candidate);
      matches.second_score[object] = std::exchange(matches.score[object], score);
    } else if (is_better(score, candidate, matches.second_score[object], second)) {
      second = candidate;
      matches.second_score[object] = score;
    }
  }

  std::vector<double> sum_;
  std::vector<std::int64_t> count_;
  std::vector<std::int32_t> touched_;
};

Matches no_matches(const Workers& workers, std::size_t objects) {
  return {filled<std::int32_t>(workers, objects, -1), filled<std::int32_t>(workers, objects, -1),
          filled<double>(workers, objects), filled<double>(workers, objects),
          filled<std::int64_t>(workers, objects)};
}

}  // namespace

Partners partners_of(const Workers& workers, const SortedMembers& from, const SortedMembers& to) {
  const std::size_t n = from.members();
  Partners partners{Array<std::int32_t>(n, workers.pool()), {}};
  std::vector<std::vector<Partners::More>> more(range_count(n, kJoinGrain));
  const Join join(from, to, partners.first);
  workers.for_ranges(n, kJoinGrain, [&](std::size_t begin, std::size_t end) {
    more[begin / kJoinGrain] = join(begin, end);
  });
  for (const auto& part : more) partners.more.insert(partners.more.end(), part.begin(), part.end());
  checked_sort(partners.more.begin(), partners.more.end(), [&] { workers.check_cancelled(); });
  return partners;
}

Matches best_partners(const Workers& workers, const SortedMembers& from, const Partners& partners,
                      std::size_t objects, const MatchOptions& options) {
  Matches matches = no_matches(workers, from.objects());
  Borrowed<Tally> tallies;
  workers.for_ranges(from.objects(), kObjectGrain, [&](std::size_t begin, std::size_t end) {
    const Borrowed<Tally>::Loan tally(tallies);
    tally->resize(objects);
    WorkMeter meter(workers);
    for (std::size_t o = begin; o < end; ++o) {
      const std::size_t first = from.offset[o];
      auto more = std::lower_bound(partners.more.begin(), partners.more.end(),
                                   Partners::More{static_cast<std::uint32_t>(first), -1});
      for (std::size_t place = first; place < from.offset[o + 1]; ++place) {
        if (partners.first[place] < 0) continue;
        const double weight = weight_of(options, place - first);
        tally->add(partners.first[place], weight);
        for (; more != partners.more.end() && more->place <= place; ++more)
          if (more->place == place) tally->add(more->object, weight);
      }
      tally->give(o, matches);
      meter.add(from.offset[o + 1] - first);
    }
  });
  return matches;
}

}  // namespace kith::histories

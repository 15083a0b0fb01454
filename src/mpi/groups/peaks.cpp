#include "mpi/groups/peaks.hpp"

#include <algorithm>
#include <tuple>

#include "mpi/transport/rows.hpp"

namespace kith::mpi {
namespace {

struct Candidate {
  std::int64_t label;
  double value;
  std::int64_t index;
  friend bool operator<(const Candidate& a, const Candidate& b) {
    return std::tie(a.label, a.value, a.index) < std::tie(b.label, b.value, b.index);
  }
};

/// The best one of each group, by label.
std::vector<Candidate> candidates_of(const Groups::Impl& groups, const PlacedValues& values) {
  std::vector<Candidate> all;
  for (std::size_t i = 0; i < values.value.size(); ++i)
    if (groups.label[i] >= 0)
      all.push_back(
          {groups.label[i], values.value[i], static_cast<std::int64_t>(values.first + i)});
  std::sort(all.begin(), all.end());
  const auto is_same = [](const Candidate& a, const Candidate& b) { return a.label == b.label; };
  all.erase(std::unique(all.begin(), all.end(), is_same), all.end());
  return all;
}

}  // namespace

std::vector<double> places_of_least(Call& call, const Groups::Impl& groups,
                                    const PlacedValues& values) {
  const auto dimension = static_cast<std::size_t>(values.dimension);
  const auto owner = [&](const Candidate& each) {
    return groups.cuts.owner(static_cast<std::uint64_t>(each.label));
  };
  std::vector<Candidate> own;
  std::vector<double> places;
  call.prepare([&] {
    own = candidates_of(groups, values);
    for (const Candidate& each : own)
      for (int axis = 0; axis < values.dimension; ++axis)
        places.push_back(values.place(static_cast<std::size_t>(each.index) - values.first, axis));
  });
  const Received<Candidate> found = send_rows(call, own, owner);
  Runs runs;
  call.prepare([&] { runs = runs_by_rank(std::span<const Candidate>(own), owner); });
  const Received<double> found_places = call.exchange(runs, places.data(), dimension);
  std::vector<double> result;
  call.quick([&] {
    const auto candidates = found.all();
    std::vector<const Candidate*> best(groups.size.size(), nullptr);
    for (const Candidate& each : candidates) {
      const Candidate*& place = best[static_cast<std::size_t>(each.label) - groups.first];
      if (!place || each < *place) place = &each;
    }
    result.resize(best.size() * dimension);
    for (std::size_t g = 0; g < best.size(); ++g)
      std::copy_n(found_places.values.data() +
                      static_cast<std::size_t>(best[g] - candidates.data()) * dimension,
                  dimension, &result[g * dimension]);
  });
  return result;
}

}  // namespace kith::mpi

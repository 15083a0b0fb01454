// Sample sort over ranks: sampled keys divide the rows of all ranks into about equal parts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "mpi/transport/call.hpp"

namespace kith::mpi {

/// Some keys of one rank, evenly spaced, each of which represents the same number of others.
template <class Key>
struct Sample {
  static constexpr std::size_t kKeys = 64;
  std::uint64_t keys = 0;
  Key key[kKeys] = {};
};

template <class Key>
std::vector<Key> choose_splitters(const std::vector<Sample<Key>>& samples) {
  std::vector<std::pair<Key, double>> weighted;
  double total = 0;
  for (const auto& sample : samples)
    for (std::size_t i = 0; i < Sample<Key>::kKeys && sample.keys > 0; ++i) {
      weighted.emplace_back(sample.key[i], static_cast<double>(sample.keys));
      total += static_cast<double>(sample.keys);
    }
  std::sort(weighted.begin(), weighted.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  const auto ranks = static_cast<double>(samples.size());
  std::vector<Key> splitters;
  double before = 0;
  for (const auto& [key, weight] : weighted) {
    before += weight;
    while (splitters.size() + 1 < samples.size() &&
           before * ranks > total * static_cast<double>(splitters.size() + 1))
      splitters.push_back(key);
  }
  return splitters;
}

/// The first key of every rank but the first; `keys`: ascending ones of this rank. Collective; the
/// result is for bodies only.
template <class Keys, class Key = typename Keys::value_type>
std::vector<Key> sample_splitters(Call& call, const Keys& keys) {
  std::vector<Sample<Key>> samples;
  Sample<Key> mine;
  call.quick([&] {
    samples.resize(static_cast<std::size_t>(call.ranks()));
    mine.keys = keys.size();
    for (std::size_t i = 0; i < Sample<Key>::kKeys && mine.keys > 0; ++i)
      mine.key[i] = keys[(2 * i + 1) * mine.keys / (2 * Sample<Key>::kKeys)];
  });
  call.communicator().gather_all(&mine, sizeof mine, samples.data());
  std::vector<Key> splitters;
  call.prepare([&] { splitters = choose_splitters(samples); });
  return splitters;
}

/// The runs of ascending rows: those of rank r are before splitter r.
template <class Row>
Runs runs_between(std::span<const Row> rows, const std::vector<Row>& splitters) {
  Runs runs;
  auto begin = rows.begin();
  for (std::size_t r = 0; begin != rows.end(); ++r) {
    const auto end =
        r < splitters.size() ? std::lower_bound(begin, rows.end(), splitters[r]) : rows.end();
    if (end != begin) runs.add(static_cast<int>(r), static_cast<std::size_t>(end - begin));
    begin = end;
  }
  return runs;
}

/// Rows that were sent, and those that came: a run of the rows of all ranks.
template <class Row>
struct DealtRows {
  Runs out;
  Received<Row> arrived;  ///< ascending within the run of each sender
};

/// The exchange of a sample sort: each rank gets a run of all rows, about as long as the others'.
/// `rows`: ascending ones of this rank. Collective.
template <class Rows, class Row = typename Rows::value_type>
DealtRows<Row> deal_in_order(Call& call, const Rows& rows) {
  const std::vector<Row> splitters = sample_splitters(call, rows);
  DealtRows<Row> dealt;
  call.prepare([&] { dealt.out = runs_between(std::span<const Row>(rows), splitters); });
  dealt.arrived = call.exchange(dealt.out, rows.data());
  return dealt;
}

}  // namespace kith::mpi

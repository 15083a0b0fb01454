// Where a sample sort cuts: keys that divide those of all ranks into about equal parts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "mpi/call.hpp"

namespace kith::mpi {

/// What all ranks learn of one: some of its keys, evenly spaced, each for as many others.
template <class Key>
struct Sample {
  static constexpr std::size_t kKeys = 64;
  std::uint64_t keys = 0;
  Key key[kKeys] = {};
};

template <class Key>
std::vector<Key> chosen_splitters(const std::vector<Sample<Key>>& samples) {
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

/// The first key of every rank but the first; `key(i)` is key i of `count` ascending ones of this
/// rank. Collective; what it makes is for bodies only.
template <class Key, class At>
std::vector<Key> sample_splitters(Call& call, const std::size_t& count, At key) {
  std::vector<Sample<Key>> samples;
  Sample<Key> mine;
  call.quick([&] {
    samples.resize(static_cast<std::size_t>(call.ranks()));
    mine.keys = count;
    for (std::size_t i = 0; i < Sample<Key>::kKeys && count > 0; ++i)
      mine.key[i] = key((2 * i + 1) * count / (2 * Sample<Key>::kKeys));
  });
  call.communicator().gather_all(&mine, sizeof mine, samples.data());
  std::vector<Key> splitters;
  call.prepare([&] { splitters = chosen_splitters(samples); });
  return splitters;
}

/// Ascending rows by rank, in bytes: those of rank r are before splitter r.
template <class Row, class Key, class Before>
Runs sorted_runs(const std::vector<Row>& rows, const std::vector<Key>& splitters,
                 std::size_t row_bytes, Before before) {
  Runs runs;
  auto begin = rows.begin();
  for (std::size_t r = 0; begin != rows.end(); ++r) {
    const auto end = r < splitters.size()
                         ? std::lower_bound(begin, rows.end(), splitters[r], before)
                         : rows.end();
    if (end != begin)
      runs.add(static_cast<int>(r), static_cast<std::size_t>(end - begin) * row_bytes);
    begin = end;
  }
  return runs;
}

}  // namespace kith::mpi

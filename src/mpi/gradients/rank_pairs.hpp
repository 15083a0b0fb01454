// The pairs of lists over ranks: points of other ranks in the lists are ghosts, numbered after the
// own points; what pairs contribute to them travels to their ranks.
#pragma once

#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include <kith/mpi/gradients.hpp>

#include "gradients/pair_gradient.hpp"
#include "mpi/transport/call.hpp"

namespace kith::mpi {

/// Contributions of the rows here to ghosts, by ghost and in the order of the rows.
template <class Value>
struct FarRecords {
  std::vector<std::uint32_t> ghost, row;
  std::vector<Value> value;
};

/// Records of all pairs whose point is not one of the first `own`: each(row, vectors) writes
/// `width` values for every pair of a row.
template <class Value, class T, class Each>
FarRecords<Value> far_records(const PairPlaces<T>& places, int dimension, std::size_t own,
                              std::size_t width, const Workers& workers, Each each) {
  const auto limit = static_cast<std::int64_t>(own);
  const auto far_pairs = [&](std::size_t row) {
    std::size_t count = 0;
    for (std::size_t pair = places.lists.begin(row); pair < places.lists.begin(row + 1); ++pair)
      count += neighbor_of(places.lists, pair) >= limit ? 1 : 0;
    return count;
  };
  std::vector<std::size_t> first(places.rows + 1);
  workers.for_ranges(places.rows, kRowGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) first[row + 1] = far_pairs(row);
  });
  for (std::size_t row = 0; row < places.rows; ++row) first[row + 1] += first[row];
  FarRecords<Value> records;
  records.ghost.resize(first.back());
  records.row.resize(first.back());
  records.value.resize(first.back() * width);
  for_each_row(places, dimension, workers, [&](const auto& row) {
    std::size_t at = first[row.row];
    if (first[row.row + 1] == at) return;
    std::vector<Value> vectors((row.end - row.begin) * width);
    each(row, vectors.data());
    for (std::size_t pair = row.begin; pair < row.end; ++pair) {
      const std::int64_t neighbor = row.neighbor(pair);
      if (neighbor < limit) continue;
      records.ghost[at] = static_cast<std::uint32_t>(neighbor - limit);
      records.row[at] = static_cast<std::uint32_t>(row.row);
      std::copy_n(vectors.data() + (pair - row.begin) * width, width,
                  records.value.data() + at++ * width);
    }
  });
  return records;
}

template <class T>
class RankPairs {
 public:
  /// Checks the lists and imports ghosts. Collective, as all that are not const.
  RankPairs(Call& call, const PairsOf& pairs);

  const PairPlaces<T>& places() const { return *places_; }
  int dimension() const { return pairs_.points.dimension; }
  std::size_t points() const { return pairs_.points.size; }  ///< of this rank
  std::size_t rows() const { return pairs_.lists.rows; }
  std::uint64_t first_row() const { return first_row_[static_cast<std::size_t>(call_.rank())]; }
  std::size_t ghosts() const { return global_.size(); }
  bool has_queries() const { return has_queries_; }

  /// Rows of `width` values of the own points, then those of the ghosts.
  template <class Value>
  std::vector<Value> with_ghosts(const Value* own, std::size_t width);

  /// Contributions from the records of all ranks to points here.
  template <class Value>
  struct Delivered {
    Received<std::uint32_t> target;
    Received<Value> value;
    Contributions<Value> contributions;
  };
  template <class Value>
  Delivered<Value> deliver(FarRecords<Value>& records, std::size_t width);

 private:
  void agree_on_frame();
  void find_ghosts(const Workers& workers);
  void import_ghosts();
  void check(const Workers& workers);
  int owner(std::uint64_t global) const;
  std::uint64_t start(int rank) const { return first_point_[static_cast<std::size_t>(rank)]; }
  std::uint64_t batch_of(std::uint64_t row) const {
    return row / batch_rows(pairs_.lists.k, Transpose<kAnyDimension, T>::kBatch);
  }

  Call& call_;
  const PairsOf& pairs_;
  std::vector<std::uint64_t> first_point_, first_row_;  ///< of each rank, and the end
  Frame<T> frame_;
  bool has_queries_ = false;           ///< on any rank
  std::vector<std::uint64_t> global_;  ///< of the ghosts, ascending
  Runs in_;                            ///< ghosts by their ranks
  Runs asked_;                         ///< own points for other ranks
  Array<std::uint32_t> asked_point_;
  std::vector<std::int64_t> local_;  ///< the lists in local numbers
  ListsView lists_;
  std::optional<PairPlaces<T>> places_;
};

template <class T>
template <class Value>
std::vector<Value> RankPairs<T>::with_ghosts(const Value* own, std::size_t width) {
  std::vector<Value> all;
  Array<Value> out;
  call_.work([&](Workers& workers) {
    all.resize((points() + ghosts()) * width);
    if (points() > 0) std::copy_n(own, points() * width, all.data());
    out = Array<Value>(asked_point_.size() * width, workers.pool());
    for (std::size_t i = 0; i < asked_point_.size(); ++i)
      std::copy_n(own + asked_point_[i] * width, width, out.data() + i * width);
  });
  const Array<Value> arrived = call_.exchange(asked_, out.data(), in_, width);
  call_.quick([&] {
    std::copy(arrived.begin(), arrived.end(),
              all.begin() + static_cast<std::ptrdiff_t>(points() * width));
  });
  return all;
}

template <class T>
template <class Value>
typename RankPairs<T>::template Delivered<Value> RankPairs<T>::deliver(FarRecords<Value>& records,
                                                                       std::size_t width) {
  Runs runs, single;
  std::vector<Value> value;
  std::vector<std::uint32_t> target;
  std::vector<std::uint64_t> early;  // records of batches before the first one of the other rank
  call_.work([&](Workers&) {
    std::vector<std::uint32_t> run_of(ghosts());
    for (std::size_t i = 0; i < in_.size(); ++i)
      std::fill_n(run_of.begin() + static_cast<std::ptrdiff_t>(in_.offset[i]), in_.length(i),
                  static_cast<std::uint32_t>(i));
    std::vector<std::size_t> count(in_.size()), next(in_.size());
    std::vector<std::uint64_t> before(in_.size());
    for (std::size_t r = 0; r < records.ghost.size(); ++r) {
      const std::uint32_t run = run_of[records.ghost[r]];
      ++count[run];
      const std::uint64_t begins = first_row_[static_cast<std::size_t>(in_.rank[run])];
      if (batch_of(first_row() + records.row[r]) < batch_of(begins)) ++before[run];
    }
    for (std::size_t i = 0, at = 0; i < count.size(); at += count[i++]) {
      next[i] = at;
      if (count[i] == 0) continue;
      runs.add(in_.rank[i], count[i]);
      single.add(in_.rank[i], 1);
      early.push_back(before[i]);
    }
    // Those of one rank keep the order of the rows.
    value.resize(records.value.size());
    target.resize(records.ghost.size());
    for (std::size_t r = 0; r < records.ghost.size(); ++r) {
      const std::uint32_t ghost = records.ghost[r], run = run_of[ghost];
      const std::size_t at = next[run]++;
      target[at] = static_cast<std::uint32_t>(global_[ghost] - start(in_.rank[run]));
      std::copy_n(records.value.data() + r * width, width, value.data() + at * width);
    }
    records = {};
  });
  Delivered<Value> found;
  const Received<std::uint64_t> sooner = call_.exchange(single, early.data());
  found.target = call_.exchange(runs, target.data());
  found.value = call_.exchange(runs, value.data(), width);
  call_.quick([&] {
    found.contributions.target = found.target.all();
    found.contributions.value = found.value.values.data();
    std::size_t lower = 0;
    for (std::size_t i = 0; i < found.target.runs.size(); ++i) {
      if (found.target.runs.rank[i] > call_.rank()) break;
      lower += found.target.runs.length(i);
      found.contributions.before += static_cast<std::size_t>(sooner.values[i]);
    }
    found.contributions.beside = lower - found.contributions.before;
  });
  return found;
}

}  // namespace kith::mpi

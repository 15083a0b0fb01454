// Threads for one call: loops, reductions, scans and packing on oneTBB, with progress, cancelling
// and the floating-point environment. Nothing above this layer depends on TBB.
//
// Loop bodies get ranges, not single indices, and ranges depend on the grain alone, never on the
// number of threads: results per range are the same for any number of threads.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <kith/execution.hpp>

#include "base/array.hpp"
#include "base/function_ref.hpp"
#include "base/shared.hpp"

namespace kith {

class Arena;

class KITH_SHARED Workers {
 public:
  /// Threads as `execution` asks; errors: invalid_argument for a negative number or one over 4096.
  /// `call` names the public call in messages; it must outlive the workers, as a literal does.
  explicit Workers(const Execution& execution, const char* call = "kith");
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  int threads() const;
  const std::shared_ptr<Workspace::Pool>& pool() const { return pool_; }

  /// body(begin, end) for [0, n) cut into ranges of `grain` (the last one shorter), concurrently.
  /// An exception of a body reaches the caller; once a body has thrown, ranges that have not begun
  /// are skipped. May be called from inside a body.
  void for_ranges(std::size_t n, std::size_t grain,
                  FunctionRef<void(std::size_t begin, std::size_t end)> body) const;

  /// body(i) for i in [0, n), one task each: for tasks that are few and large.
  void for_each(std::size_t n, FunctionRef<void(std::size_t i)> body) const {
    for_ranges(n, 1, [&](std::size_t begin, std::size_t) { body(begin); });
  }

  /// Throws Error (cancelled) if the caller asked to stop. Long bodies call it every few
  /// milliseconds.
  void check_cancelled() const;

  /// Progress of the current stage; `advance` may be called from any body.
  void begin_stage(std::string name, std::uint64_t total);
  void advance(std::uint64_t done) const;
  /// Ends the current stage: its time is added to the statistics. An exception of the progress
  /// callback is kept for `finish`.
  void end_stage() noexcept;
  /// The end of a call that has not failed: rethrows an exception of the last progress callback.
  void finish() const;

  /// Adds to the statistics; not from inside a body.
  void count(std::string name, std::uint64_t value) const;

 private:
  struct Meter;
  const Arena& arena() const;

  const Execution& execution_;
  const char* call_;
  /// 0 until the first use: counting CPUs takes a system call, a fifth of a search for one query.
  /// No race, as with the arena.
  mutable int threads_;
  std::shared_ptr<Workspace::Pool> pool_;
  /// Taken by the first loop that has something to share. No race: loops that run at once are
  /// inside one that has taken it.
  mutable std::unique_ptr<Arena> arena_;
  std::unique_ptr<Meter> meter_;
};

/// A stage of a call, from here to the end of the scope.
class Stage {
 public:
  Stage(Workers& workers, std::string name, std::uint64_t total) : workers_(workers) {
    workers.begin_stage(std::move(name), total);
  }
  ~Stage() { workers_.end_stage(); }
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

 private:
  Workers& workers_;
};

inline std::size_t range_count(std::size_t n, std::size_t grain) { return (n + grain - 1) / grain; }

/// A vector of n equal values, made piece by piece: memory that was never touched comes from the
/// system at about 1 GB/s, and a cancelled call must not wait for it.
template <class Value>
std::vector<Value> filled(const Workers& workers, std::size_t n, Value value = {}) {
  constexpr std::size_t kPiece = (std::size_t{4} << 20) / sizeof(Value);
  std::vector<Value> values;
  values.reserve(n);
  while (values.size() < n) {
    workers.check_cancelled();
    values.resize(std::min(n, values.size() + kPiece), value);
  }
  return values;
}

/// combine(...combine(identity, map(range 0))..., map(last range)), in this order for any number of
/// threads.
template <class Value, class Map, class Combine>
Value reduce(const Workers& workers, std::size_t n, std::size_t grain, Value identity, Map map,
             Combine combine) {
  std::vector<Value> partial(range_count(n, grain), identity);
  workers.for_ranges(n, grain, [&](std::size_t begin, std::size_t end) {
    partial[begin / grain] = map(begin, end);
  });
  for (const Value& value : partial) identity = combine(std::move(identity), value);
  return identity;
}

/// Replaces values[i] by the sum of all values before it; returns the total.
template <class Value>
Value exclusive_scan(const Workers& workers, Value* values, std::size_t n,
                     std::size_t grain = std::size_t{1} << 16) {
  std::vector<Value> offset(range_count(n, grain));
  workers.for_ranges(n, grain, [&](std::size_t begin, std::size_t end) {
    Value sum{};
    for (std::size_t i = begin; i < end; ++i) sum += values[i];
    offset[begin / grain] = sum;
  });
  Value total{};
  for (Value& sum : offset) {
    const Value before = total;
    total += sum;
    sum = before;
  }
  workers.for_ranges(n, grain, [&](std::size_t begin, std::size_t end) {
    Value sum = offset[begin / grain];
    for (std::size_t i = begin; i < end; ++i) {
      const Value value = values[i];
      values[i] = sum;
      sum += value;
    }
  });
  return total;
}

/// The indices i of [0, n) with keep(i), ascending. keep is called twice for each.
template <class Index, class Keep>
Array<Index> pack(const Workers& workers, std::size_t n, Keep keep,
                  std::size_t grain = std::size_t{1} << 14) {
  std::vector<std::size_t> offset(range_count(n, grain));
  workers.for_ranges(n, grain, [&](std::size_t begin, std::size_t end) {
    std::size_t kept = 0;
    for (std::size_t i = begin; i < end; ++i) kept += keep(i) ? 1 : 0;
    offset[begin / grain] = kept;
  });
  const std::size_t total = exclusive_scan(workers, offset.data(), offset.size());
  Array<Index> result(total, workers.pool());
  workers.for_ranges(n, grain, [&](std::size_t begin, std::size_t end) {
    Index* out = result.data() + offset[begin / grain];
    for (std::size_t i = begin; i < end; ++i)
      if (keep(i)) *out++ = static_cast<Index>(i);
  });
  return result;
}

}  // namespace kith

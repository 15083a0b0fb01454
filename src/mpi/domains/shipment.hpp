// Sends points to their ranks: rows by destination, with their coordinates and indices.
#pragma once

#include "mpi/domains/domain.hpp"

namespace kith::mpi {

class Shipment {
 public:
  Shipment(Call& call, Route& route) : call_(call), route_(route) {}

  /// Rows by destination, in the order of input; `rank` is that of each row.
  void plan(const Array<std::uint32_t>& rank, const Workers& workers);
  /// All of `n` rows stay. `lists_rows`: fills Route::row.
  void plan_keep(std::size_t n, bool lists_rows, const Workers& workers);
  /// Announces to each rank the rows that it gets. Collective, after a plan.
  void announce() { route_.in = call_.announced(route_.out); }

  /// Sends `width` values of each row, which fill(row, to) writes. Those of rows that stay are
  /// written in place. Collective, after announce().
  template <class Value, class Fill>
  Array<Value> send(const char* stage_name, std::size_t width, Fill fill);

 private:
  static constexpr std::size_t kGrain = std::size_t{1} << 14;

  void set_others();
  std::size_t mine_begins() const {
    std::size_t i = 0;
    while (route_.in.rank[i] != call_.rank()) ++i;
    return route_.in.offset[i];
  }

  Call& call_;
  Route& route_;
  Runs others_;  ///< of the rows that leave
};

template <class Value, class Fill>
Array<Value> Shipment::send(const char* stage_name, std::size_t width, Fill fill) {
  Array<Value> out, in;
  call_.work([&](Workers& workers) {
    const std::size_t n = route_.in.total();
    if (n > most_points)
      fail(ErrorCode::too_large, "domains: {} points on one rank; it holds at most {}", n,
           most_points);
    const Stage stage(workers, stage_name, route_.size());
    out = Array<Value>(others_.total() * width, workers.pool());
    in = Array<Value>(n * width, workers.pool());
    Value* next = out.data();
    for (std::size_t run = 0; run < route_.out.size(); ++run) {
      const bool is_mine = route_.out.rank[run] == call_.rank();
      Value* begin_of = is_mine ? in.data() + width * mine_begins() : next;
      const std::size_t first = route_.out.offset[run];
      workers.for_ranges(route_.out.length(run), kGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
          fill(route_.row_of(first + i), begin_of + i * width);
      });
      if (!is_mine) next += width * route_.out.length(run);
    }
  });
  call_.exchange(others_, out.data(), route_.in, in.data(), width);
  return in;
}

}  // namespace kith::mpi

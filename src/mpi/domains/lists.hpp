// Lists of different lengths on their way back to the ranks and rows of the input.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "mpi/domains/domain.hpp"

namespace kith::mpi {

/// Where the lists of the input rows are: elements [offset[row], offset[row + 1]), each of some
/// values.
struct ListPlaces {
  std::span<const std::int64_t> offset;
  std::size_t width = 1;

  std::size_t begin(std::size_t row) const { return static_cast<std::size_t>(offset[row]) * width; }
  std::size_t size(std::size_t row) const { return begin(row + 1) - begin(row); }
};

/// list_of(local index) is the list of a point, of as many values as its row has room for. It is
/// called in a body of the call. Collective.
template <class Value, class ListOf>
void return_lists(Call& call, const Route& way, const ListOf& list_of, const ListPlaces& places,
                  Value* to) {
  Array<Value> out;
  Runs runs, back;
  call.phase([&](Workers& workers) {
    std::size_t total = 0;
    for (std::size_t r = 0; r < way.in.size(); ++r) {
      const std::size_t before = total;
      for (std::size_t a = way.in.offset[r]; a < way.in.offset[r + 1]; ++a)
        total += list_of(way.local_of(a)).size();
      runs.add(way.in.rank[r], total - before);
    }
    out = Array<Value>(total, workers.pool());
    Value* at = out.data();
    for (std::size_t a = 0; a < way.in.total(); ++a) {
      const std::span<const Value> list = list_of(way.local_of(a));
      at = std::copy_n(list.data(), list.size(), at);
    }
    for (std::size_t r = 0; r < way.out.size(); ++r) {
      std::size_t values = 0;
      for (std::size_t a = way.out.offset[r]; a < way.out.offset[r + 1]; ++a)
        values += places.size(way.row_of(a));
      back.add(way.out.rank[r], values);
    }
  });
  const Array<Value> received = call.exchange(runs, out.data(), back);
  const Value* at = received.data();
  for (std::size_t i = 0; i < way.size(); ++i) {
    const std::size_t row = way.row_of(i), count = places.size(row);
    std::copy_n(at, count, to + places.begin(row));
    at += count;
  }
}

}  // namespace kith::mpi

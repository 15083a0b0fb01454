// Stored points, a piece at a time.
#pragma once

#include <algorithm>
#include <vector>

#include <kith/io/stored_points.hpp>

#include "base/array.hpp"
#include "parallel/workers.hpp"

namespace kith::slabs {

/// Calls f(begin, count) for pieces of `rows`, in order, with a check of the cancel token and
/// progress in between.
template <class F>
void for_pieces(std::uint64_t rows, std::size_t piece, const Workers& workers, F f) {
  for (std::uint64_t begin = 0; begin < rows; begin += piece) {
    workers.check_cancelled();
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(piece, rows - begin));
    f(begin, count);
    workers.advance(count);
  }
}

/// Moves many values to or from a place on disk: transfer(first, values), and checks the cancel
/// token in between.
template <class Value, class F>
void in_pieces(std::span<Value> values, const Workers& workers, F transfer) {
  constexpr std::size_t kPiece = (std::size_t{16} << 20) / sizeof(Value);
  for (std::size_t begin = 0; begin < values.size(); begin += kPiece) {
    workers.check_cancelled();
    transfer(begin, values.subspan(begin, std::min(kPiece, values.size() - begin)));
  }
}

/// The execution of work inside a stage: progress and times are those of the stage.
inline Execution inside_stage(const Execution& execution) {
  return {.threads = execution.threads, .cancel = execution.cancel};
}

}  // namespace kith::slabs

// Rows for other ranks: sorted by rank, sent, and read where they arrive.
#pragma once

#include <cstring>
#include <span>
#include <vector>

#include "mpi/call.hpp"

namespace kith::mpi {

/// The runs, in bytes, of rows that ascend by rank(row).
template <class Row, class Rank>
Runs runs_of(std::span<const Row> rows, Rank rank) {
  Runs runs;
  for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
    const int to = rank(rows[begin]);
    while (end < rows.size() && rank(rows[end]) == to) ++end;
    runs.add(to, (end - begin) * sizeof(Row));
  }
  return runs;
}

/// What arrived, as rows.
template <class Row>
std::span<const Row> rows_of(const Array<std::byte>& bytes) {
  return {reinterpret_cast<const Row*>(bytes.data()), bytes.size() / sizeof(Row)};
}

/// Sends rows that ascend by rank(row) to their ranks. Collective.
template <class Row, class Rank>
Arrived mailed(Call& call, const std::vector<Row>& rows, Rank rank) {
  Runs runs;
  call.prepare([&] { runs = runs_of(std::span<const Row>(rows), rank); });
  return call.exchange(runs, reinterpret_cast<const std::byte*>(rows.data()));
}

/// The answers of other ranks to the rows of this rank.
struct Answers {
  bool is_anyone;  ///< some rank asked something
  Array<std::byte> bytes;
};

/// Asks for an answer to each row; rows ascend by rank(row). answer(row) runs on the rank of the
/// row, after all questions have arrived and before any answer does. Collective.
template <class Answer, class Row, class Rank, class Reply>
Answers answered(Call& call, const std::vector<Row>& rows, Rank rank, Reply reply) {
  Runs out;
  call.prepare([&] { out = runs_of(std::span<const Row>(rows), rank); });
  const Arrived asked = call.exchange(out, reinterpret_cast<const std::byte*>(rows.data()));
  if (!asked.is_anyone) return {false, {}};
  std::vector<Answer> answers;
  Runs in, back;
  call.prepare([&] {
    for (const Row& row : rows_of<Row>(asked.bytes)) answers.push_back(reply(row));
    in = asked.runs;
    back = out;
    for (std::size_t& at : in.offset) at = at / sizeof(Row) * sizeof(Answer);
    for (std::size_t& at : back.offset) at = at / sizeof(Row) * sizeof(Answer);
  });
  return {true, call.exchange(in, reinterpret_cast<const std::byte*>(answers.data()), back)};
}

}  // namespace kith::mpi

// Rows for other ranks, and their answers.
#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "mpi/transport/call.hpp"

namespace kith::mpi {

/// The runs of rows that ascend by rank_of(row).
template <class Row, class RankOf>
Runs runs_by_rank(std::span<const Row> rows, RankOf rank_of) {
  Runs runs;
  for (const Row& row : rows) runs.extend(rank_of(row), 1);
  return runs;
}

/// Sends rows that ascend by rank_of(row) to their ranks. Collective.
template <class Row, class RankOf>
Received<Row> send_rows(Call& call, const std::vector<Row>& rows, RankOf rank_of) {
  Runs out;
  call.prepare([&] { out = runs_by_rank(std::span<const Row>(rows), rank_of); });
  return call.exchange(out, rows.data());
}

/// The rows of all ranks on rank 0, rank by rank; none on the others. Collective.
template <class Row>
Received<Row> rows_on_first(Call& call, const std::vector<Row>& rows) {
  Runs out;
  call.prepare([&] {
    if (!rows.empty()) out.add(0, rows.size());
  });
  return call.exchange(out, rows.data());
}

/// The same on every rank. Collective.
template <class Row>
Array<Row> rows_of_all(Call& call, const std::vector<Row>& rows) {
  constexpr std::size_t kMost = std::size_t{1} << 30;  // MPI counts bytes by int
  Received<Row> first = rows_on_first(call, rows);
  call.quick([] {});  // the rows have arrived
  std::uint64_t count = first.values.size();
  call.communicator().broadcast(&count, sizeof count, 0);
  Array<Row> all = std::move(first.values);
  call.quick([&] {
    if (call.rank() != 0) all = Array<Row>(count);
  });
  auto* const bytes = reinterpret_cast<std::byte*>(all.data());
  for (std::size_t sent = 0; sent < count * sizeof(Row); sent += kMost)
    call.communicator().broadcast(bytes + sent, std::min(kMost, count * sizeof(Row) - sent), 0);
  return all;
}

/// The answers of other ranks to the rows of this rank.
template <class Answer>
struct Answers {
  Array<Answer> of_row;
  bool is_empty_everywhere;  ///< no rank asked anything
};

/// Asks for an answer to each row; rows ascend by rank_of(row). answer(row) runs on the rank of the
/// row, after all questions have arrived and before any answer does. Collective.
template <class Answer, class Row, class RankOf, class Reply>
Answers<Answer> answer_rows(Call& call, const std::vector<Row>& rows, RankOf rank_of,
                            Reply answer) {
  Runs out;
  call.prepare([&] { out = runs_by_rank(std::span<const Row>(rows), rank_of); });
  const Received<Row> asked = call.exchange(out, rows.data());
  if (asked.is_empty_everywhere) return {{}, true};
  std::vector<Answer> answers;
  call.prepare([&] {
    answers.reserve(asked.values.size());
    for (const Row& row : asked.all()) answers.push_back(answer(row));
  });
  return {call.exchange(asked.runs, answers.data(), out), false};
}

}  // namespace kith::mpi

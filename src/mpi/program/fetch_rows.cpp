// Rows that ranks ask each other for by number.
#include <algorithm>

#include "mpi/program/collect.hpp"
#include "mpi/transport/call.hpp"

namespace kith::mpi {
namespace {

/// The rows that each rank is asked for, in the order in which they are wanted.
struct RowQuestions {
  std::vector<std::uint64_t> row;
  std::vector<std::size_t> place;  ///< of each question: k of wanted[k]
  Runs runs;                       ///< of rows

  RowQuestions() = default;
  RowQuestions(const std::vector<std::uint64_t>& start, std::span<const std::int64_t> wanted) {
    const auto owner = [&](std::int64_t number) {
      const auto after =
          std::upper_bound(start.begin() + 1, start.end(), static_cast<std::uint64_t>(number));
      return static_cast<std::size_t>(after - start.begin()) - 1;
    };
    std::vector<std::size_t> next(start.size());  // places among the questions, by rank
    for (const std::int64_t number : wanted) ++next[owner(number) + 1];
    for (std::size_t r = 0; r + 1 < next.size(); ++r) {
      if (next[r + 1] > 0) runs.add(static_cast<int>(r), next[r + 1]);
      next[r + 1] += next[r];
    }
    row.resize(wanted.size());
    place.resize(wanted.size());
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      const std::size_t rank = owner(wanted[k]), at = next[rank]++;
      row[at] = static_cast<std::uint64_t>(wanted[k]) - start[rank];
      place[at] = k;
    }
  }
};

}  // namespace

void fetch_rows(Call& call, const ResultArray& own, const std::vector<std::uint64_t>& start,
                std::span<const std::int64_t> wanted, std::byte* to) {
  const std::size_t size = row_bytes(own);
  RowQuestions questions;
  call.prepare([&] { questions = RowQuestions(start, wanted); });
  const Received<std::uint64_t> asked = call.exchange(questions.runs, questions.row.data());
  Array<std::byte> answers;
  call.quick([&] {
    const auto* rows = static_cast<const std::byte*>(own.data);
    answers = Array<std::byte>(asked.values.size() * size, pool_of(call.execution()));
    for (std::size_t k = 0; k < asked.values.size(); ++k)
      std::copy_n(rows + asked.values[k] * size, size, answers.data() + k * size);
  });
  const Array<std::byte> found = call.exchange(asked.runs, answers.data(), questions.runs, size);
  call.quick([&] {
    for (std::size_t k = 0; k < wanted.size(); ++k)
      std::copy_n(found.data() + k * size, size, to + questions.place[k] * size);
  });
}

}  // namespace kith::mpi

// Rows that ranks ask each other for by number.
#include <algorithm>
#include <optional>

#include "mpi/collect.hpp"
#include "mpi/mail.hpp"

namespace kith::mpi {
namespace {

/// What each rank is asked for: numbers of its rows, in the order in which they are wanted.
struct RowQuestions {
  std::vector<std::uint64_t> row;
  std::vector<std::size_t> place;  ///< of each question: k of wanted[k]
  Runs runs;                       ///< of rows

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

void fetch_rows(Call& call, const SharedRows& own, const std::vector<std::uint64_t>& start,
                std::span<const std::int64_t> wanted, std::byte* to) {
  const std::size_t size = own.row_bytes;
  std::optional<RowQuestions> questions;
  Runs out;
  call.prepare([&] {
    questions.emplace(start, wanted);
    out = questions->runs.times(sizeof(std::uint64_t));
  });
  const Arrived arrived = call.exchange(
      out, questions ? reinterpret_cast<const std::byte*>(questions->row.data()) : nullptr);
  Array<std::byte> answers;
  Runs back, in;
  call.quick([&] {
    const std::span<const std::uint64_t> asked = rows_of<std::uint64_t>(arrived.bytes);
    const auto* rows = static_cast<const std::byte*>(own.data);
    answers = Array<std::byte>(asked.size() * size, pool_of(call.execution()));
    for (std::size_t k = 0; k < asked.size(); ++k)
      std::copy_n(rows + asked[k] * size, size, answers.data() + k * size);
    for (std::size_t i = 0; i < arrived.runs.size(); ++i)
      back.add(arrived.runs.rank[i], arrived.runs.length(i) / sizeof(std::uint64_t) * size);
    in = questions->runs.times(size);
  });
  const Array<std::byte> found = call.exchange(back, answers.data(), in);
  call.quick([&] {
    for (std::size_t k = 0; k < wanted.size(); ++k)
      std::copy_n(found.data() + k * size, size, to + questions->place[k] * size);
  });
}

}  // namespace kith::mpi

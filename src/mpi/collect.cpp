#include "mpi/collect.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace kith::mpi {
namespace {

/// What the first rank asks for; an array that does not exist: nothing more.
struct Question {
  std::int64_t array = -1;
  std::uint64_t begin = 0, rows = 0;
};

class Collection {
 public:
  Collection(Call& call, std::span<const SharedRows> arrays) : call_(call), arrays_(arrays) {
    const auto ranks = static_cast<std::size_t>(call.ranks());
    call.quick([&] {
      start_.assign(arrays.size(), std::vector<std::uint64_t>(ranks + 1));
      piece_.resize(arrays.size());
    });
    for (std::size_t a = 0; a < arrays.size(); ++a) {
      const std::uint64_t rows = arrays[a].rows;
      call.communicator().gather_all(&rows, sizeof rows, start_[a].data() + 1);
      for (std::size_t r = 0; r < ranks; ++r) start_[a][r + 1] += start_[a][r];
    }
  }

  /// Sends rows until the first rank has what it wants.
  void serve() {
    for (Question question; ask(question), question.array >= 0;) answer(question);
  }

  const void* fetch(std::size_t array, std::size_t begin, std::size_t rows) {
    Question question{static_cast<std::int64_t>(array), begin, rows};
    ask(question);
    has_ended_ = true;  // for all ranks, should they agree on a failure now
    const void* data = answer(question);
    has_ended_ = false;
    return data;
  }

  bool has_ended() const { return has_ended_; }
  void end() {
    if (std::exchange(has_ended_, true)) return;
    Question nothing;
    ask(nothing);
  }

 private:
  void ask(Question& question) { call_.communicator().broadcast(&question, sizeof question, 0); }

  const void* answer(const Question& question) {
    const auto array = static_cast<std::size_t>(question.array);
    const std::size_t bytes = arrays_[array].row_bytes;
    Runs out, in;
    call_.quick([&] {
      const auto [begin, end] = part_of(call_.rank(), question);
      if (begin < end) out.add(0, (end - begin) * bytes);
      if (call_.rank() > 0) return;
      for (int r = 0; r < call_.ranks(); ++r)
        if (const auto [first, last] = part_of(r, question); first < last)
          in.add(r, (last - first) * bytes);
    });
    const std::uint64_t first = part_of(call_.rank(), question).first -
                                start_[array][static_cast<std::size_t>(call_.rank())];
    const auto* data = static_cast<const std::byte*>(arrays_[array].data);
    Array<std::byte>& piece = piece_[array];
    piece = call_.exchange(out, out.size() > 0 ? data + first * bytes : nullptr, in);
    call_.quick([] {});  // there was memory for it
    return piece.data();
  }

  /// The rows of all ranks, of those asked for, that a rank has.
  std::pair<std::uint64_t, std::uint64_t> part_of(int rank, const Question& question) const {
    const auto& start = start_[static_cast<std::size_t>(question.array)];
    const auto r = static_cast<std::size_t>(rank);
    const std::uint64_t begin = std::max(start[r], question.begin);
    return {begin, std::max(begin, std::min(start[r + 1], question.begin + question.rows))};
  }

  Call& call_;
  std::span<const SharedRows> arrays_;
  std::vector<std::vector<std::uint64_t>> start_;  ///< per array: the first row of each rank
  std::vector<Array<std::byte>> piece_;            ///< per array: what was asked for last
  bool has_ended_ = false;
};

std::vector<ReadRows> readers_of(Collection& collection, std::size_t arrays) {
  std::vector<ReadRows> readers;
  for (std::size_t a = 0; a < arrays; ++a)
    readers.emplace_back([&collection, a](std::size_t begin, std::size_t rows) {
      return collection.fetch(a, begin, rows);
    });
  return readers;
}

}  // namespace

void collect(Call& call, std::span<const SharedRows> arrays,
             const std::function<void(std::span<const ReadRows>)>& use) {
  Collection collection(call, arrays);
  if (call.rank() > 0) collection.serve();
  std::exception_ptr own;
  bool is_agreed = false;
  if (call.rank() == 0) {
    try {
      use(readers_of(collection, arrays.size()));
    } catch (...) {
      own = std::current_exception();
      is_agreed = collection.has_ended();
    }
    collection.end();
  }
  if (is_agreed) std::rethrow_exception(own);
  try {
    call.quick([&] {
      if (own) std::rethrow_exception(own);
    });
  } catch (const Error&) {
    if (own) std::rethrow_exception(own);
    throw;
  }
}

}  // namespace kith::mpi

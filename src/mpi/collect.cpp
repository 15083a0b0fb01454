#include "mpi/collect.hpp"

#include <algorithm>
#include <exception>
#include <fcntl.h>
#include <optional>
#include <string>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "base/write_at.hpp"

namespace kith::mpi {
namespace {

constexpr std::size_t kPathBytes = 4096;
constexpr std::size_t kPiece = std::size_t{4} << 20;  // bytes between two looks at the cancel token

/// What the first rank asks for; an array that does not exist: nothing more.
struct Question {
  std::int64_t array = -1;
  std::uint64_t begin = 0, rows = 0;
  std::uint64_t offset = 0;    ///< of row `begin` in a file
  bool is_sync = false;        ///< of what was written to the file
  char path[kPathBytes] = "";  ///< empty: rows are sent
};

/// A file that other ranks write to as well.
class SharedFile {
 public:
  explicit SharedFile(const char* path) : path_(path), file_(open(path, O_WRONLY | O_CLOEXEC)) {
    if (file_ < 0) fail_with("opened");
  }
  const std::string& path() const { return path_; }
  ~SharedFile() {
    if (file_ >= 0) close(file_);
  }
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;

  /// Syncs now and then: the last sync of much would take long, and nothing stops it.
  void write(std::uint64_t offset, const std::byte* data, std::size_t bytes) {
    if (!write_at(file_, data, bytes, offset)) fail_with("written");
    unsynced_ += bytes;
    if (unsynced_ >= kUnsynced) sync();
  }
  void finish() {
    sync();
    if (close(std::exchange(file_, -1)) != 0) fail_with("closed");
  }

 private:
  static constexpr std::size_t kUnsynced = std::size_t{32} << 20;
  void sync() {
    if (fsync(file_) != 0) fail_with("synced");
    unsynced_ = 0;
  }
  [[noreturn]] void fail_with(const char* what) const {
    const std::string reason = std::generic_category().message(errno);
    fail(ErrorCode::io, "{}: cannot be {}: {}", path_, what, reason);
  }
  std::string path_;
  int file_;
  std::size_t unsynced_ = 0;
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
    for (Question question; ask(question), question.array >= 0;)
      if (question.is_sync)
        finish();
      else if (question.path[0] != '\0')
        put(question);
      else
        answer(question);
  }

  const void* fetch(std::size_t array, std::size_t begin, std::size_t rows) {
    Question question{static_cast<std::int64_t>(array), begin, rows};
    ask(question);
    has_ended_ = true;  // for all ranks, should they agree on a failure now
    const void* data = answer(question);
    has_ended_ = false;
    return data;
  }

  void store(std::size_t array, const std::string& path, const Question& rows) {
    if (path.size() >= kPathBytes)
      fail(ErrorCode::io, "{}: the path is too long; use one of less than {} bytes", path,
           kPathBytes);
    Question question = rows;
    question.array = static_cast<std::int64_t>(array);
    std::copy(path.begin(), path.end(), question.path);
    ask(question);
    has_ended_ = true;
    put(question);
    has_ended_ = false;
  }

  /// What all ranks have put into the file.
  void sync(std::size_t array) {
    Question question{.array = static_cast<std::int64_t>(array), .is_sync = true};
    ask(question);
    has_ended_ = true;
    finish();
    has_ended_ = false;
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

  /// Writes the rows of this rank to the file.
  void put(const Question& question) {
    const auto array = static_cast<std::size_t>(question.array);
    const std::size_t row = arrays_[array].row_bytes;
    const auto [begin, end] = part_of(call_.rank(), question);
    const std::uint64_t offset = question.offset + (begin - question.begin) * row;
    const std::size_t bytes = (end - begin) * row;
    const std::uint64_t first = begin - start_[array][static_cast<std::size_t>(call_.rank())];
    call_.phase([&](Workers& workers) {
      if (bytes == 0) return;
      const auto* data = static_cast<const std::byte*>(arrays_[array].data) + first * row;
      if (file_ && file_->path() != question.path) close_file();
      if (!file_) file_.emplace(question.path);
      for (std::size_t at = 0; at < bytes; at += kPiece) {
        workers.check_cancelled();
        file_->write(offset + at, data + at, std::min(kPiece, bytes - at));
      }
    });
  }
  void finish() {
    call_.phase([&](Workers&) {
      if (file_) close_file();
    });
  }
  void close_file() {
    file_->finish();
    file_.reset();
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
  std::optional<SharedFile> file_;                 ///< that this rank has written to
  bool has_ended_ = false;
};

std::vector<RowAccess> access_to(Collection& collection, std::size_t arrays) {
  std::vector<RowAccess> access(arrays);
  for (std::size_t a = 0; a < arrays; ++a) {
    access[a].read = [&collection, a](std::size_t begin, std::size_t rows) {
      return collection.fetch(a, begin, rows);
    };
    access[a].store = [&collection, a](const std::string& path, std::uint64_t offset,
                                       std::size_t begin, std::size_t rows) {
      collection.store(a, path, {.begin = begin, .rows = rows, .offset = offset});
    };
    access[a].sync = [&collection, a](const std::string&) { collection.sync(a); };
  }
  return access;
}

}  // namespace

void collect(Call& call, std::span<const SharedRows> arrays,
             const std::function<void(std::span<const RowAccess>)>& use) {
  Collection collection(call, arrays);
  if (call.rank() > 0) collection.serve();
  std::exception_ptr own;
  bool is_agreed = false;
  if (call.rank() == 0) {
    try {
      use(access_to(collection, arrays.size()));
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

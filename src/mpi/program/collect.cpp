#include "mpi/program/collect.hpp"

#include <algorithm>
#include <exception>
#include <fcntl.h>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "base/write_at.hpp"

namespace kith::mpi {
namespace {

constexpr std::size_t kPathBytes = 4096;
constexpr std::size_t kPiece = std::size_t{4}
                               << 20;  // bytes between two checks of the cancel token

/// The next request of the first rank; an array that does not exist: the end.
struct Request {
  std::int64_t array = -1;
  std::uint64_t begin = 0, rows = 0;
  std::uint64_t offset = 0;    ///< of row `begin` in a file
  bool is_sync = false;        ///< of the rows that were written to the file
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
  Collection(Call& call, std::span<const ResultArray> arrays) : call_(call), arrays_(arrays) {
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

  std::uint64_t rows(std::size_t array) const { return start_[array].back(); }

  /// On the other ranks: sends and writes rows until the first one has what it wants.
  void serve() {
    for (Request request; share(request), request.array >= 0;) obey(request);
  }

  const void* read(std::size_t array, std::size_t begin, std::size_t rows) {
    command({.array = static_cast<std::int64_t>(array), .begin = begin, .rows = rows});
    return piece_[array].data();
  }

  void store(std::size_t array, const std::string& path, std::uint64_t offset, std::size_t begin,
             std::size_t rows) {
    if (path.size() >= kPathBytes)
      fail(ErrorCode::io, "{}: the path is too long; use one of less than {} bytes", path,
           kPathBytes);
    Request request{
        .array = static_cast<std::int64_t>(array), .begin = begin, .rows = rows, .offset = offset};
    std::copy(path.begin(), path.end(), request.path);
    command(request);
  }

  void sync() { command({.array = 0, .is_sync = true}); }

  bool has_ended() const { return has_ended_; }
  void end() {
    if (std::exchange(has_ended_, true)) return;
    Request nothing;
    share(nothing);
  }

 private:
  void share(Request& request) { call_.communicator().broadcast(&request, sizeof request, 0); }

  /// On the first rank: the same step on all.
  void command(Request request) {
    share(request);
    has_ended_ = true;  // for all ranks, should they agree on a failure now
    obey(request);
    has_ended_ = false;
  }
  void obey(const Request& request) {
    if (request.is_sync) return finish();
    if (request.path[0] != '\0') return put(request);
    send(request);
  }

  void send(const Request& request) {
    const auto array = static_cast<std::size_t>(request.array);
    const std::size_t bytes = row_bytes(arrays_[array]);
    Runs out, in;
    call_.quick([&] {
      const auto [begin, end] = part_of(call_.rank(), request);
      if (begin < end) out.add(0, (end - begin) * bytes);
      if (call_.rank() > 0) return;
      for (int r = 0; r < call_.ranks(); ++r)
        if (const auto [first, last] = part_of(r, request); first < last)
          in.add(r, (last - first) * bytes);
    });
    const std::uint64_t first = part_of(call_.rank(), request).first -
                                start_[array][static_cast<std::size_t>(call_.rank())];
    const auto* data = static_cast<const std::byte*>(arrays_[array].data);
    piece_[array] = call_.exchange(out, out.size() > 0 ? data + first * bytes : nullptr, in);
    call_.quick([] {});  // there was memory for it
  }

  /// Writes the rows of this rank to the file.
  void put(const Request& request) {
    const auto array = static_cast<std::size_t>(request.array);
    const std::size_t row = row_bytes(arrays_[array]);
    const auto [begin, end] = part_of(call_.rank(), request);
    const std::uint64_t offset = request.offset + (begin - request.begin) * row;
    const std::size_t bytes = (end - begin) * row;
    const std::uint64_t first = begin - start_[array][static_cast<std::size_t>(call_.rank())];
    call_.phase([&](Workers& workers) {
      if (bytes == 0) return;
      const auto* data = static_cast<const std::byte*>(arrays_[array].data) + first * row;
      if (file_ && file_->path() != request.path) close_file();
      if (!file_) file_.emplace(request.path);
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

  /// The rows of all ranks, of those in the request, that a rank has.
  std::pair<std::uint64_t, std::uint64_t> part_of(int rank, const Request& request) const {
    const auto& start = start_[static_cast<std::size_t>(request.array)];
    const auto r = static_cast<std::size_t>(rank);
    const std::uint64_t begin = std::max(start[r], request.begin);
    return {begin, std::max(begin, std::min(start[r + 1], request.begin + request.rows))};
  }

  Call& call_;
  std::span<const ResultArray> arrays_;
  std::vector<std::vector<std::uint64_t>> start_;  ///< per array: the first row of each rank
  std::vector<Array<std::byte>> piece_;            ///< per array: the rows that were read last
  std::optional<SharedFile> file_;                 ///< that this rank has written to
  bool has_ended_ = false;
};

/// One array of all ranks, for the writers on the first.
class RowsOfAll : public RowSource {
 public:
  RowsOfAll(Collection& collection, std::size_t array) : collection_(collection), array_(array) {}
  const void* read(std::size_t begin, std::size_t rows) override {
    return collection_.read(array_, begin, rows);
  }
  bool can_store() const override { return true; }
  void store(const std::string& file, std::uint64_t offset, std::size_t begin,
             std::size_t rows) override {
    collection_.store(array_, file, offset, begin, rows);
  }
  void sync() override { collection_.sync(); }

 private:
  Collection& collection_;
  std::size_t array_;
};

std::vector<ResultRows> rows_of_all(Collection& collection, std::span<const ResultArray> arrays) {
  std::vector<ResultRows> all;
  for (std::size_t a = 0; a < arrays.size(); ++a) {
    ResultRows& array = all.emplace_back(ResultRows{arrays[a]});
    array.data = nullptr;
    array.rows = collection.rows(a);
    array.source = std::make_shared<RowsOfAll>(collection, a);
  }
  return all;
}

}  // namespace

void collect(Call& call, std::span<const ResultArray> arrays,
             const std::function<void(std::span<const ResultRows>)>& use) {
  Collection collection(call, arrays);
  if (call.rank() > 0) collection.serve();
  std::exception_ptr own;
  bool is_agreed = false;
  if (call.rank() == 0) {
    try {
      use(rows_of_all(collection, arrays));
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

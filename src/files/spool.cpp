#include "files/spool.hpp"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>
#include <zlib.h>

#include "base/fail.hpp"
#include "files/system_error.hpp"

namespace kith::io {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t kPiece = std::size_t{1} << 18;

/// An open file that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  int get() const { return number_; }

 private:
  int number_;
};

std::size_t read_some(const Descriptor& from, const std::string& path, std::vector<char>& buffer) {
  const ssize_t count = ::read(from.get(), buffer.data(), buffer.size());
  // A wait for a pipe must be interruptible.
  if (count < 0 && errno == EINTR) fail(ErrorCode::cancelled, "{}: reading was stopped", path);
  if (count < 0) fail_with(path, "read");
  return static_cast<std::size_t>(count);
}

void write_all(int to, const std::string& path, const char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t done = ::write(to, bytes, count);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail_with(path, "copied to a temporary file");
    bytes += done;
    count -= static_cast<std::size_t>(done);
  }
}

// Real points compress less; a small file that unpacks to a full disk is a decompression bomb.
constexpr std::uint64_t kFreeGzip = std::uint64_t{256} << 20;
constexpr std::uint64_t kDensestGzip = 256;

/// Bytes in order, unpacked if they begin as gzip's do.
class Copier {
 public:
  Copier(const Descriptor& from, int to, const std::string& path, const Workers& workers)
      : from_(from), to_(to), path_(path), workers_(workers), in_(kPiece), out_(kPiece) {}
  ~Copier() {
    if (is_packed_) inflateEnd(&state_);
  }
  Copier(const Copier&) = delete;
  Copier& operator=(const Copier&) = delete;

  void run() {
    std::size_t count = 0;  // enough to recognize the format, even if a pipe gives a byte at a time
    std::vector<char> first;
    while (first.size() < 2 && (count = read_some(from_, path_, in_)) > 0)
      first.insert(first.end(), in_.begin(), in_.begin() + static_cast<std::ptrdiff_t>(count));
    begin(first);
    feed(first.data(), first.size());
    while ((count = read_some(from_, path_, in_)) > 0) feed(in_.data(), count);
    if (is_packed_ && !is_ended_)
      fail(ErrorCode::io,
           "{}: is cut off after {} bytes: the packed bytes do not end; copy it again", path_,
           packed_bytes_);
  }

 private:
  [[noreturn]] void damaged() const {
    fail(ErrorCode::io, "{}: packed bytes are damaged or truncated", path_);
  }

  void begin(const std::vector<char>& first) {
    if (first.size() < 2 || first[0] != '\x1f' || first[1] != '\x8b') return;
    if (inflateInit2(&state_, MAX_WBITS + 16) != Z_OK)
      fail(ErrorCode::out_of_memory, "{}: no memory to unpack", path_);
    is_packed_ = true;
  }

  void feed(char* bytes, std::size_t count) {
    workers_.check_cancelled();
    packed_bytes_ += count;
    if (!is_packed_) return write_all(to_, path_, bytes, count);
    state_.next_in = reinterpret_cast<Bytef*>(bytes);
    state_.avail_in = static_cast<uInt>(count);
    while (state_.avail_in > 0) {
      if (std::exchange(is_ended_, false)) inflateReset(&state_);  // one member after the other
      unpack_some();
    }
    // Output of the last input that did not fit before.
    while (!is_ended_ && state_.avail_out == 0) unpack_some();
  }

  void unpack_some() {
    workers_.check_cancelled();
    state_.next_out = reinterpret_cast<Bytef*>(out_.data());
    state_.avail_out = static_cast<uInt>(out_.size());
    const int status = inflate(&state_, Z_NO_FLUSH);
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) damaged();
    is_ended_ = status == Z_STREAM_END;
    const std::size_t count = out_.size() - state_.avail_out;
    bytes_ += count;
    if (bytes_ > kFreeGzip + kDensestGzip * packed_bytes_)
      fail(
          ErrorCode::io,
          "{}: claims more than {} bytes in {} packed ones; the file is damaged or a decompression "
          "bomb: unpack it yourself if you trust it",
          path_, kFreeGzip + kDensestGzip * packed_bytes_, packed_bytes_);
    write_all(to_, path_, out_.data(), count);
  }

  const Descriptor& from_;
  int to_;
  const std::string& path_;
  const Workers& workers_;
  std::vector<char> in_, out_;
  z_stream state_{};
  std::uint64_t packed_bytes_ = 0;
  std::uint64_t bytes_ = 0;
  bool is_packed_ = false;
  bool is_ended_ = false;
};

bool is_pipe(const std::string& path) {
  struct stat status {};
  if (path == "-" || stat(path.c_str(), &status) != 0) return path == "-";
  return S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode) || S_ISCHR(status.st_mode);
}

bool is_gzip(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  char bytes[3] = {};
  return file.get() >= 0 && pread(file.get(), bytes, 3, 0) == 3 && bytes[0] == '\x1f' &&
         bytes[1] == '\x8b' && bytes[2] == 8;
}

Descriptor open_input(const std::string& path) {
  Descriptor file(path == "-" ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                              : open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0 && errno == EINTR) fail(ErrorCode::cancelled, "{}: was stopped", path);
  if (file.get() < 0) fail_with(path, "opened");
  struct stat status {};
  if (fstat(file.get(), &status) == 0 && S_ISCHR(status.st_mode))
    fail(ErrorCode::io, "{}: is a terminal or a device; give a file or a pipe", path);
  return file;
}

std::string name_of_copy(const std::string& path) {
  std::string name = path == "-" ? "" : fs::path(path).filename().string();
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  return fs::path(name).has_extension() ? name : name + ".txt";
}

std::string temporary_path() {
  const char* where = std::getenv("TMPDIR");
  return std::string(where && *where ? where : "/tmp") + "/kith-XXXXXX";
}

}  // namespace

std::optional<Spool> Spool::of(const std::string& path, const Workers& workers) {
  if (!is_pipe(path) && !is_gzip(path)) return std::nullopt;
  const Descriptor from = open_input(path);
  Spool spool(path);
  Copier(from, spool.file_, path, workers).run();
  return spool;
}

// The file never has a name if the system offers another way to open it again: then no file is left
// behind, however the process ends.
Spool::Spool(const std::string& original) : name_(name_of_copy(original)) {
  std::string given = temporary_path();
  file_ = mkostemp(given.data(), O_CLOEXEC);
  if (file_ < 0) fail_with(original, "copied to a temporary file");
  path_ = "/proc/self/fd/" + std::to_string(file_);
  if (access(path_.c_str(), R_OK) == 0)
    unlink(given.c_str());
  else
    path_ = named_ = given;
}

Spool::Spool(Spool&& other) noexcept
    : file_(std::exchange(other.file_, -1)),
      name_(std::move(other.name_)),
      path_(std::move(other.path_)),
      named_(std::exchange(other.named_, "")) {}

Spool::~Spool() {
  if (file_ >= 0) close(file_);
  if (!named_.empty()) unlink(named_.c_str());
}

}  // namespace kith::io

#include "files/input_bytes.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <zlib.h>

#include "base/fail.hpp"
#include "files/system_error.hpp"

namespace kith::io {
namespace {

/// 1234567 as 1,234,567.
std::string grouped_digits(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, 1, ',');
  return digits;
}

class PlainStream : public ByteStream {
 public:
  PlainStream(const InputBytes& file, std::uint64_t begin, std::uint64_t bytes)
      : file_(file), next_(begin), left_(bytes) {}

  std::size_t some(char* to, std::size_t most) override {
    const std::size_t count = static_cast<std::size_t>(std::min<std::uint64_t>(most, left_));
    file_.read(next_, to, count);
    next_ += count;
    left_ -= count;
    return count;
  }

 private:
  const InputBytes& file_;
  std::uint64_t next_;
  std::uint64_t left_;
};

class InflateStream : public ByteStream {
 public:
  InflateStream(const InputBytes& file, std::uint64_t begin, std::uint64_t bytes,
                std::uint64_t unpacked)
      : file_(file), packed_(file, begin, bytes), left_(unpacked), buffer_(std::size_t{1} << 16) {
    if (inflateInit2(&state_, -MAX_WBITS) != Z_OK)
      fail(ErrorCode::out_of_memory, "{}: no memory to unpack", file.path());
  }
  ~InflateStream() override { inflateEnd(&state_); }
  InflateStream(const InflateStream&) = delete;
  InflateStream& operator=(const InflateStream&) = delete;

  std::size_t some(char* to, std::size_t most) override {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 30;
    const auto wanted = static_cast<uInt>(std::min({std::uint64_t{most}, left_, kMost}));
    if (wanted == 0) return 0;
    state_.next_out = reinterpret_cast<Bytef*>(to);
    state_.avail_out = wanted;
    while (state_.avail_out == wanted) {
      if (state_.avail_in == 0) refill();
      const int status = inflate(&state_, Z_NO_FLUSH);
      if (status == Z_STREAM_END && state_.avail_out == wanted) return 0;
      if (status != Z_OK && status != Z_STREAM_END)
        fail(ErrorCode::io, "{}: packed bytes are damaged or truncated", file_.path());
    }
    const std::size_t count = wanted - state_.avail_out;
    left_ -= count;
    return count;
  }

 private:
  void refill() {
    state_.next_in = reinterpret_cast<Bytef*>(buffer_.data());
    state_.avail_in = static_cast<uInt>(packed_.some(buffer_.data(), buffer_.size()));
  }

  const InputBytes& file_;
  PlainStream packed_;
  std::uint64_t left_;
  std::vector<char> buffer_;
  z_stream state_{};
};

}  // namespace

InputBytes::InputBytes(std::string path) : path_(std::move(path)) {
  file_ = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (file_ < 0) fail_with(path_, "opened");
  struct stat status {};
  if (fstat(file_, &status) != 0 || !S_ISREG(status.st_mode)) {
    close(std::exchange(file_, -1));
    fail(ErrorCode::io, "{}: is not a regular file", path_);
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
}

InputBytes::~InputBytes() {
  if (file_ >= 0) close(file_);
}

void InputBytes::read(std::uint64_t begin, void* to, std::size_t bytes) const {
  char* next = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t count = pread(file_, next, bytes, static_cast<off_t>(begin));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_with(path_, "read");
    if (count == 0) fail_cut_off(path_, begin, begin + bytes, Whole::at_least);
    next += count;
    begin += static_cast<std::uint64_t>(count);
    bytes -= static_cast<std::size_t>(count);
  }
}

std::string InputBytes::text(std::uint64_t begin, std::size_t most) const {
  const std::uint64_t left = begin < size_ ? size_ - begin : 0;
  std::string result(static_cast<std::size_t>(std::min<std::uint64_t>(most, left)), '\0');
  read(begin, result.data(), result.size());
  return result;
}

void fail_cut_off(const std::string& where, std::uint64_t bytes, std::uint64_t whole, Whole kind) {
  fail(ErrorCode::io, "{}: is cut off: {} of {}{} bytes; copy it again", where,
       grouped_digits(bytes), kind == Whole::at_least ? "at least " : "", grouped_digits(whole));
}

void ByteStream::read(char* to, std::size_t bytes, const std::string& where) {
  while (bytes > 0) {
    const std::size_t count = some(to, bytes);
    if (count == 0)
      fail(ErrorCode::io, "{}: ends {} bytes too early; it is truncated", where, bytes);
    to += count;
    bytes -= count;
  }
}

std::unique_ptr<ByteStream> stream(const InputBytes& file, std::uint64_t begin,
                                   std::uint64_t bytes) {
  return std::make_unique<PlainStream>(file, begin, bytes);
}

std::unique_ptr<ByteStream> inflated(const InputBytes& file, std::uint64_t begin,
                                     std::uint64_t bytes, std::uint64_t unpacked) {
  return std::make_unique<InflateStream>(file, begin, bytes, unpacked);
}

}  // namespace kith::io

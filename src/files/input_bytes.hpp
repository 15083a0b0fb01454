// The bytes of a file that is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace kith::io {

/// A regular file opened for reading; any number of threads may read it at once. All calls throw
/// Error (io) that names the path.
class InputBytes {
 public:
  explicit InputBytes(std::string path);
  ~InputBytes();
  InputBytes(const InputBytes&) = delete;
  InputBytes& operator=(const InputBytes&) = delete;

  const std::string& path() const { return path_; }
  std::uint64_t size() const { return size_; }
  /// Exactly these bytes; it is an error if the file ends before.
  void read(std::uint64_t begin, void* to, std::size_t bytes) const;
  /// At most `most` bytes from `begin` on; fewer at the end of the file.
  std::string text(std::uint64_t begin, std::size_t most) const;

 private:
  std::string path_;
  int file_ = -1;
  std::uint64_t size_ = 0;
};

enum class Whole { exactly, at_least };

/// Throws Error (io) for a file of this many bytes whose headers say that it has `whole`.
[[noreturn]] void fail_cut_off(const std::string& where, std::uint64_t bytes, std::uint64_t whole,
                               Whole kind = Whole::exactly);

/// Bytes one after the other.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  /// Up to `most` bytes, 0 only at the end.
  virtual std::size_t some(char* to, std::size_t most) = 0;
  /// Exactly these; it is an error if there are fewer.
  void read(char* to, std::size_t bytes, const std::string& where);
};

/// A part of a file as it is.
std::unique_ptr<ByteStream> stream(const InputBytes& file, std::uint64_t begin,
                                   std::uint64_t bytes);

/// A part of a file that holds a raw deflate stream (RFC 1951), unpacked, up to `unpacked` bytes.
std::unique_ptr<ByteStream> inflated(const InputBytes& file, std::uint64_t begin,
                                     std::uint64_t bytes, std::uint64_t unpacked);

}  // namespace kith::io

// Copies of input without random access: pipes, and files that gzip packed.
#pragma once

#include <optional>
#include <string>

#include "parallel/workers.hpp"

namespace kith::io {

/// A copy among the system's temporary files (TMPDIR, or /tmp). The destructor removes it.
class Spool {
 public:
  /// None if the file can be read as it is. A pipe is read to its end; "-" is standard input.
  /// Packed bytes are unpacked, to at most 256 MiB and 256 times its size. Errors: io, and
  /// cancelled, also if a signal comes while a pipe is waited for.
  static std::optional<Spool> of(const std::string& path, const Workers& workers);

  ~Spool();
  Spool(Spool&& other) noexcept;
  Spool& operator=(Spool&&) = delete;

  /// The path that opens it.
  const std::string& path() const { return path_; }
  /// Has the ending of the original's name, without .gz; that of a text file if there is none.
  const std::string& name() const { return name_; }

 private:
  explicit Spool(const std::string& original);
  int file_ = -1;
  std::string name_;
  std::string path_;
  std::string named_;  ///< the name of the file, if it has one
};

}  // namespace kith::io

// Copies of what cannot be read at any place: pipes, and files that gzip packed.
#pragma once

#include <optional>
#include <string>

#include "parallel/workers.hpp"

namespace kith::io {

/// A copy among the system's temporary files (TMPDIR, or /tmp). It goes when this goes.
class Spool {
 public:
  /// None if the file can be read as it is. A pipe is read to its end; "-" is standard input. What
  /// is packed is unpacked, to at most 256 MiB and 256 times its size. Errors: io, and cancelled,
  /// also if a signal comes while a pipe is waited for.
  static std::optional<Spool> of(const std::string& path, const Workers& workers);

  ~Spool();
  Spool(Spool&& other) noexcept;
  Spool& operator=(Spool&&) = delete;

  /// What opens it.
  const std::string& path() const { return path_; }
  /// Ends as the name of the original does, without .gz; as text's where that says nothing.
  const std::string& name() const { return name_; }

 private:
  explicit Spool(const std::string& original);
  int file_ = -1;
  std::string name_;
  std::string path_;
  std::string named_;  ///< the name of the file, if it has one
};

}  // namespace kith::io

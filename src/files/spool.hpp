// Copies of what cannot be read at any place: pipes, and files that gzip packed.
#pragma once

#include <optional>
#include <string>

namespace kith::io {

/// A copy in a separate folder of the system's temporary files (TMPDIR, or /tmp). It goes when
/// this goes.
class Spool {
 public:
  /// None if the file can be read as it is. A pipe is read to its end; "-" is standard input. What
  /// is packed is unpacked. Errors: io, and cancelled if a signal comes while a pipe is waited for.
  static std::optional<Spool> of(const std::string& path);

  ~Spool();
  Spool(Spool&& other) noexcept;
  Spool& operator=(Spool&&) = delete;

  /// Ends as the original does, without .gz; text where that says nothing.
  const std::string& path() const { return path_; }

 private:
  Spool(std::string folder, std::string path);
  std::string folder_;
  std::string path_;
};

}  // namespace kith::io

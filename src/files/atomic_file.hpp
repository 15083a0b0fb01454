// A file that appears under its name only when it is complete.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace kith::io {

struct TemporaryPlace;  ///< where the name of a temporary file is kept for handlers of signals

/// Written under a temporary name in the folder of its target, synced and renamed by `commit`; a
/// file that is not committed is removed. A file that replaces another gets its mode, and its owner
/// and group where the system allows it; until then only its owner reads it. A target that is not a
/// regular file (a pipe, /dev/null) is written directly, and so is standard output, named "-". All
/// calls throw Error (io) that names the path and the system's reason.
class AtomicFile {
 public:
  explicit AtomicFile(std::string path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(const void* data, std::size_t bytes);
  /// Writes at a given place: the place of the next `write` does not move.
  void write_at(std::uint64_t offset, const void* data, std::size_t bytes);
  /// Flushes the bytes that were written so far to disk, which keeps the last sync of a large file
  /// short.
  void sync();
  void commit();
  /// Removes the file that has the name now, if there is one.
  void remove_old() const;

  /// The name of the temporary file, for libraries that write by themselves and need a name. Empty
  /// for a target that is written directly.
  const std::string& temporary() const { return temporary_; }
  /// For libraries that write by themselves: open for reading and writing, unless the target is
  /// written directly.
  int descriptor() const { return file_; }

 private:
  /// Who may do what with a file.
  struct Rights {
    unsigned mode;
    unsigned owner;
    unsigned group;
  };
  [[noreturn]] void fail_with(const char* what) const;
  void open_standard_output();
  void take_over_rights();

  std::string path_;       ///< as the caller gave it, for messages
  std::string target_;     ///< with symbolic links followed
  std::string temporary_;  ///< empty: written directly, or committed
  TemporaryPlace* place_ = nullptr;
  std::optional<Rights> replaced_;
  int file_ = -1;
};

}  // namespace kith::io

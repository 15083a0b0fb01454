#include "files/atomic_file.hpp"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include <kith/temporary_files.hpp>

#include "base/fail.hpp"
#include "base/write_at.hpp"
#include "files/system_error.hpp"

namespace kith::io {
namespace {

/// Where a path leads in the end; a path that does not exist yet leads to itself.
std::string followed(const std::string& path) {
  std::error_code error;
  const auto real = std::filesystem::canonical(path, error);
  return error ? path : real.string();
}

bool is_special(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

/// A name that no other file of this or another process has.
std::string temporary_name(const std::string& target) {
  static std::atomic<unsigned> count{0};
  return formatted("{}.{}-{}.part", target, getpid(),
                   count.fetch_add(1, std::memory_order_relaxed));
}

/// Names of all temporary files, where a handler of signals finds them: no locks, no memory.
constinit std::atomic<const char*> temporary_files[64] = {};

void remember(const char* name) {
  for (auto& place : temporary_files) {
    const char* free = nullptr;
    if (place.compare_exchange_strong(free, name)) return;
  }
}

void forget(const char* name) {
  for (auto& place : temporary_files) {
    const char* known = name;
    if (place.compare_exchange_strong(known, nullptr)) return;
  }
}

/// The new name itself is on disk only when the folder is.
void sync_folder_of(const std::string& path) {
  const auto folder = std::filesystem::path(path).parent_path();
  const int handle =
      open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (handle < 0) return;  // some file systems forbid it; the file itself is safe
  fsync(handle);
  close(handle);
}

}  // namespace

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)), target_(followed(path_)) {
  std::error_code error;
  if (std::filesystem::is_directory(target_, error)) {
    errno = EISDIR;
    fail_with("opened");
  }
  if (!is_special(target_)) temporary_ = temporary_name(target_);
  const bool is_direct = temporary_.empty();
  file_ = open((is_direct ? target_ : temporary_).c_str(),
               O_WRONLY | O_CLOEXEC | (is_direct ? 0 : O_CREAT | O_EXCL), 0666);
  if (file_ >= 0) {
    if (!is_direct) remember(temporary_.c_str());
    return;
  }
  temporary_.clear();
  fail_with("opened");
}

AtomicFile::~AtomicFile() {
  forget(temporary_.c_str());
  if (file_ < 0) return;
  close(file_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void AtomicFile::write(const void* data, std::size_t bytes) {
  const char* next = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t written = ::write(file_, next, bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_with("written");
    next += written;
    bytes -= static_cast<std::size_t>(written);
  }
}

void AtomicFile::write_at(std::uint64_t offset, const void* data, std::size_t bytes) {
  if (!kith::write_at(file_, data, bytes, offset)) fail_with("written");
}

void AtomicFile::sync() {
  if (!temporary_.empty() && fdatasync(file_) != 0) fail_with("synced");
}

void AtomicFile::remove_old() const {
  if (!temporary_.empty() && unlink(target_.c_str()) != 0 && errno != ENOENT) fail_with("replaced");
}

void AtomicFile::commit() {
  if (!temporary_.empty() && fsync(file_) != 0) fail_with("synced");
  if (close(std::exchange(file_, -1)) != 0) {
    if (!temporary_.empty()) unlink(temporary_.c_str());
    fail_with("closed");
  }
  if (temporary_.empty()) return;
  if (rename(temporary_.c_str(), target_.c_str()) != 0) {
    const int reason = errno;
    unlink(temporary_.c_str());
    errno = reason;
    fail_with("renamed");
  }
  forget(temporary_.c_str());
  sync_folder_of(target_);
}

void AtomicFile::fail_with(const char* what) const { io::fail_with(path_, what); }

}  // namespace kith::io

namespace kith {

void remove_temporary_files() noexcept {
  for (auto& place : io::temporary_files)
    if (const char* name = place.load()) unlink(name);
}

}  // namespace kith

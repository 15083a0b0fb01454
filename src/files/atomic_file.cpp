#include "files/atomic_file.hpp"

#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <sched.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include <kith/detail/temporary_files.hpp>

#include "base/fail.hpp"
#include "base/write_at.hpp"
#include "files/system_error.hpp"
#include "parallel/public_call.hpp"

namespace kith::io {
namespace {

/// The file that a path leads to; a path that does not exist yet leads to itself.
std::string followed(const std::string& path) {
  std::error_code error;
  const auto real = std::filesystem::canonical(path, error);
  return error ? path : real.string();
}

/// A name that no other file of this process has, and few of others: those of a process that had
/// the same number before, or has it on another machine.
std::string temporary_name(const std::string& target) {
  static std::atomic<unsigned> count{0};
  return formatted("{}.{}-{}.part", target, getpid(),
                   count.fetch_add(1, std::memory_order_relaxed));
}

/// Names of all temporary files, where a handler of signals finds them: no locks, no memory. Places
/// are used again and never freed, so that a handler may walk the list at any time.
constinit std::atomic<TemporaryPlace*> places{nullptr};

}  // namespace

struct TemporaryPlace {
  /// The name belongs to the writer, except while a handler uses it.
  enum class State { free, reserved, named, in_use };

  std::string name;
  TemporaryPlace* next = nullptr;
  std::atomic<State> state{State::reserved};

  bool change(State from, State to) { return state.compare_exchange_strong(from, to); }
};

namespace {

using PlaceState = TemporaryPlace::State;

TemporaryPlace* reserved_place() {
  for (TemporaryPlace* place = places.load(); place != nullptr; place = place->next)
    if (place->change(PlaceState::free, PlaceState::reserved)) return place;
  auto* place = new TemporaryPlace;
  place->next = places.load();
  while (!places.compare_exchange_weak(place->next, place)) {
  }
  return place;
}

TemporaryPlace* remember(const std::string& name) {
  std::string copy = name;  // operations that may fail come first
  TemporaryPlace* place = reserved_place();
  place->name.swap(copy);
  place->state.store(PlaceState::named);
  return place;
}

/// Called when there is no longer such a file: a signal may come at any time.
void forget(TemporaryPlace* place) {
  while (!place->change(PlaceState::named, PlaceState::free)) sched_yield();
}

/// A new file under a unique temporary name beside its target, with that name. If it will replace a
/// file, only its owner may read it until it has the mode of that file.
int open_temporary(const std::string& target, bool replaces, std::string& name,
                   TemporaryPlace*& place) {
  constexpr int kTries = 1000;
  for (int i = 0; i < kTries; ++i) {
    name = temporary_name(target);
    place = remember(name);
    const int file =
        open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, replaces ? 0600 : 0666);
    if (file >= 0) return file;
    const int reason = errno;
    forget(place);
    errno = reason;
    if (reason != EEXIST) break;
  }
  name.clear();
  return -1;
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
  if (path_ == "-") {
    open_standard_output();
    return;
  }
  std::error_code error;
  if (std::filesystem::is_directory(target_, error)) {
    errno = EISDIR;
    fail_with("opened");
  }
  struct stat status {};
  if (stat(target_.c_str(), &status) == 0) {
    if (!S_ISREG(status.st_mode)) {
      file_ = open(target_.c_str(), O_WRONLY | O_CLOEXEC);
      if (file_ < 0) fail_with("opened");
      return;
    }
    replaced_ = Rights{status.st_mode & 07777, status.st_uid, status.st_gid};
  }
  file_ = open_temporary(target_, replaced_.has_value(), temporary_, place_);
  if (file_ < 0) fail_with("opened");
}

// A copy of the descriptor, so that closing reports what the system still has to say.
void AtomicFile::open_standard_output() {
  path_ = "standard output";
  file_ = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
  if (file_ < 0) fail_with("opened");
}

AtomicFile::~AtomicFile() {
  if (file_ >= 0) close(file_);
  if (temporary_.empty()) return;
  unlink(temporary_.c_str());
  forget(place_);
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

// The file gets the mode of the one that it replaces, and its owner and group where the system
// allows that. Bits that lend rights of the owner or group go with them.
void AtomicFile::take_over_rights() {
  if (!replaced_) return;
  unsigned mode = replaced_->mode;
  if (fchown(file_, replaced_->owner, replaced_->group) != 0) {
    mode &= ~static_cast<unsigned>(S_ISUID);
    if (fchown(file_, static_cast<uid_t>(-1), replaced_->group) != 0) {
      mode &= ~static_cast<unsigned>(S_ISGID);
      // Another group does not get the rights of the old one.
      struct stat own {};
      if (fstat(file_, &own) != 0 || own.st_gid != replaced_->group)
        mode &= ~(S_IRWXG & ~(mode << 3));
    }
  }
  [[maybe_unused]] const int done = fchmod(file_, mode);  // where modes exist
}

void AtomicFile::commit() {
  if (!temporary_.empty()) take_over_rights();
  if (!temporary_.empty() && fsync(file_) != 0) fail_with("synced");
  if (close(std::exchange(file_, -1)) != 0) fail_with("closed");
  if (temporary_.empty()) return;
  if (rename(temporary_.c_str(), target_.c_str()) != 0) fail_with("renamed");
  forget(place_);
  temporary_.clear();
  sync_folder_of(target_);
}

void AtomicFile::fail_with(const char* what) const { io::fail_with(path_, what); }

}  // namespace kith::io

namespace kith {

void remove_temporary_files() noexcept {
  using io::PlaceState;
  for (auto* place = io::places.load(); place != nullptr; place = place->next)
    if (place->change(PlaceState::named, PlaceState::in_use)) {
      unlink(place->name.c_str());
      place->state.store(PlaceState::named);
    }
}

void write_file(const std::string& path, std::string_view bytes) {
  public_call("write_file", [&] {
    io::AtomicFile file(path);
    file.write(bytes.data(), bytes.size());
    file.commit();
  });
}

}  // namespace kith

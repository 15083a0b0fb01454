#include "slabs/scratch.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <exception>
#include <fcntl.h>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <utility>

#include "base/format.hpp"
#include "base/write_at.hpp"
#include "files/system_error.hpp"

namespace kith::slabs {
namespace {

std::string folder_of(std::string folder) {
  if (!folder.empty()) return folder;
  const char* where = std::getenv("TMPDIR");
  return where && *where ? where : "/tmp";
}

/// The file has no name, or loses it at once: none is left behind, even by a process that is
/// killed.
int open_nameless(const std::string& folder) {
  const int file = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) return file;
  std::string name = folder + "/kith-XXXXXX";
  const int named = mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) unlink(name.c_str());
  return named;
}

/// FNV-1a.
std::uint64_t hash_of(std::string_view text, std::uint64_t hash = 0xcbf29ce484222325) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

int open_file(const std::string& name) {
  const int file = open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) io::fail_with(name, "opened");
  return file;
}

/// Before a pass in the list: how long its name and its state are, and a checksum of both.
struct PassHeader {
  std::uint64_t name, state, end, hash;
};

std::uint64_t hash_of_pass(const std::string& name, const std::vector<char>& state,
                           std::uint64_t end) {
  const std::uint64_t hash = hash_of(name, hash_of({state.data(), state.size()}));
  return hash_of({reinterpret_cast<const char*>(&end), sizeof end}, hash);
}

}  // namespace

Scratch::Scratch(std::string folder, std::uint64_t bytes, const std::string& task)
    : folder_(folder_of(std::move(folder))) {
  struct statvfs room {};
  if (statvfs(folder_.c_str(), &room) != 0) io::fail_with(folder_, "used for scratch files");
  if (task.empty()) {
    file_ = open_nameless(folder_);
    if (file_ < 0) io::fail_with(folder_, "used for scratch files");
  } else {
    open_named(task);
  }
  struct stat has {};
  fstat(file_, &has);
  const std::uint64_t there = static_cast<std::uint64_t>(has.st_blocks) * 512;
  const std::uint64_t free = std::uint64_t{room.f_bavail} * room.f_frsize;
  if (bytes <= free + there) return;
  // The destructor is not called: nothing may stay.
  if (has_name() && passes_.size() < 2) remove_files();
  close(file_);
  if (list_ >= 0) close(list_);
  fail(ErrorCode::io,
       "{}: {} bytes are free, and the scratch file needs about {}; use another folder", folder_,
       free, bytes - std::min(bytes, there));
}

Scratch::~Scratch() {
  if (has_name() && std::uncaught_exceptions() == 0) remove_files();
  if (file_ >= 0) close(file_);
  if (list_ >= 0) close(list_);
}

/// The list first: without the file that it describes it must not stay.
void Scratch::remove_files() {
  unlink((name_ + ".passes").c_str());
  unlink(name_.c_str());
}

void Scratch::open_named(const std::string& task) {
  name_ = formatted("{}/kith-{:016x}.scratch", folder_, hash_of(task));
  file_ = open_file(name_);
  if (flock(file_, LOCK_EX | LOCK_NB) != 0) {
    close(file_);
    fail(ErrorCode::io, "{}: another process does the same work; wait for it", name_);
  }
  list_ = open_file(name_ + ".passes");
  read_passes(task);
}

/// A pass at the end that is not complete is forgotten.
void Scratch::read_passes(const std::string& task) {
  std::string name;
  std::vector<char> state;
  PassHeader header{};
  const auto read = [&](void* to, std::size_t bytes) {
    const ssize_t count = pread(list_, to, bytes, static_cast<off_t>(listed_));
    listed_ += bytes;
    return count == static_cast<ssize_t>(bytes);
  };
  struct stat has {};
  fstat(list_, &has);
  const auto size = static_cast<std::uint64_t>(has.st_size);
  for (std::uint64_t begin = 0;; begin = listed_) {
    listed_ = begin;
    bool is_whole = read(&header, sizeof header) && header.name <= size && header.state <= size;
    if (is_whole) {
      name.resize(header.name);
      state.resize(header.state);
      is_whole = read(name.data(), name.size()) && read(state.data(), state.size()) &&
                 header.hash == hash_of_pass(name, state, header.end);
    }
    if (!is_whole) {
      listed_ = begin;
      break;
    }
    passes_[name] = {header.end, listed_, state};
  }
  // The first one is the task of the list, and there are no passes without the points.
  const auto first = passes_.find(task);
  if (first != passes_.end() && fstat(file_, &has) == 0 && has.st_size > 0) {
    listed_ = first->second.listed;
    return;
  }
  passes_.clear();
  listed_ = 0;
  if (ftruncate(list_, 0) != 0 || ftruncate(file_, 0) != 0) io::fail_with(name_, "written");
  finish(task, {});
}

const std::vector<char>* Scratch::state_after(const std::string& pass) {
  const auto found = passes_.find(pass);
  if (found == passes_.end()) return nullptr;
  end_ = std::max(end_, found->second.end);
  listed_ = std::max(listed_, found->second.listed);
  return &found->second.state;
}

void Scratch::begin() {
  const auto is_later = [&](const auto& pass) { return pass.second.listed > listed_; };
  if (std::erase_if(passes_, is_later) == 0) return;
  if (ftruncate(list_, static_cast<off_t>(listed_)) != 0 || fdatasync(list_) != 0)
    io::fail_with(name_ + ".passes", "written");
}

void Scratch::finish(const std::string& pass, const std::vector<char>& state) {
  if (!has_name()) return;
  const PassHeader header{pass.size(), state.size(), end_, hash_of_pass(pass, state, end_)};
  if (fdatasync(file_) != 0) io::fail_with(name_, "written");
  const auto add = [&](const void* data, std::size_t bytes) {
    if (!write_at(list_, data, bytes, listed_)) io::fail_with(name_ + ".passes", "written");
    listed_ += bytes;
  };
  add(&header, sizeof header);
  add(pass.data(), pass.size());
  add(state.data(), state.size());
  if (fdatasync(list_) != 0) io::fail_with(name_ + ".passes", "written");
}

std::uint64_t Scratch::reserve(std::uint64_t bytes) {
  constexpr std::uint64_t kAligned = 4096;
  return std::exchange(end_, end_ + (bytes + kAligned - 1) / kAligned * kAligned);
}

void Scratch::write_bytes(std::uint64_t offset, const void* data, std::size_t bytes) {
  written_ += bytes;
  if (!write_at(file_, data, bytes, offset)) io::fail_with(folder_, "filled with a scratch file");
}

void Scratch::read_bytes(std::uint64_t offset, void* data, std::size_t bytes) const {
  read_ += bytes;
  auto* next = static_cast<char*>(data);
  while (bytes > 0) {
    const ssize_t count = pread(file_, next, bytes, static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) io::fail_with(folder_, "used for a scratch file");
    if (count == 0) fail(ErrorCode::io, "{}: the scratch file is shorter than it was", folder_);
    next += count;
    offset += static_cast<std::uint64_t>(count);
    bytes -= static_cast<std::size_t>(count);
  }
}

}  // namespace kith::slabs

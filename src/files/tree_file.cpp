#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include <kith/tree_file.hpp>

#include "base/array.hpp"
#include "base/fail.hpp"
#include "files/atomic_file.hpp"
#include "parallel/public_call.hpp"
#include "tree/saved.hpp"

namespace kith {
namespace {

[[noreturn]] void fail_to(const char* what, const std::string& path) {
  const std::string reason = std::generic_category().message(errno);
  fail(ErrorCode::io, "{}: cannot be {}: {}", path, what, reason);
}

/// An open file, closed at the end.
struct OpenFile {
  int handle;
  explicit OpenFile(const std::string& path)
      : handle(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (handle < 0) fail_to("opened", path);
  }
  ~OpenFile() { close(handle); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
};

/// The bytes of a file in memory, as long as they have an owner.
SavedBytes map(const std::string& path) {
  const OpenFile file(path);
  struct stat status {};
  if (fstat(file.handle, &status) != 0) fail_to("read", path);
  if (!S_ISREG(status.st_mode))
    fail(ErrorCode::io, "{}: not a regular file; a tree is loaded from one that can be mapped",
         path);
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return {path, {}, nullptr};
  void* data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.handle, 0);
  if (data == MAP_FAILED) fail_to("mapped", path);
  const std::shared_ptr<const void> owner(
      data, [size](const void* at) { munmap(const_cast<void*>(at), size); });
  return {path, {static_cast<const std::byte*>(data), size}, owner};
}

Tree adopt(const SavedBytes& saved, const LoadOptions& options, const Execution& execution) {
  return public_call("load", execution, [&](Workers& workers) {
    try {
      return Tree(adopt_saved(saved, options.verify, workers));
    } catch (const std::bad_alloc&) {
      fail(ErrorCode::out_of_memory, "{}: no memory to verify it; load it with verify = false",
           saved.name);
    }
  });
}

}  // namespace

void save(const Tree& tree, const std::string& path, const Execution& execution) {
  public_call("save", execution, [&](Workers& workers) {
    io::AtomicFile file(path);
    write_saved(tree.impl(), workers, [&](const void* data, std::size_t bytes) {
      file.write(data, bytes);
      if (bytes >= (std::size_t{1} << 20)) file.sync();
    });
    workers.check_cancelled();
    file.commit();
  });
}

void save(const Tree& tree, std::span<std::byte> bytes, const Execution& execution) {
  public_call("save", execution, [&](Workers& workers) {
    if (bytes.size() != saved_size(tree))
      refuse("save: room for {} bytes, but the tree takes {}; give saved_size bytes", bytes.size(),
             saved_size(tree));
    std::byte* to = bytes.data();
    write_saved(tree.impl(), workers, [&](const void* data, std::size_t count) {
      std::memcpy(to, data, count);
      to += count;
    });
  });
}

std::size_t saved_size(const Tree& tree) { return saved_bytes(tree.impl()); }

Tree load(const std::string& path, const LoadOptions& options, const Execution& execution) {
  return public_call("load", execution, [&] { return adopt(map(path), options, execution); });
}

Tree load(std::span<const std::byte> bytes, const LoadOptions& options,
          const Execution& execution) {
  return public_call("load", execution, [&] {
    const auto copy = std::make_shared<Memory>(bytes.size(), pool_of(execution));
    if (!bytes.empty()) std::memcpy(copy->data(), bytes.data(), bytes.size());
    return adopt({"tree", {static_cast<const std::byte*>(copy->data()), bytes.size()}, copy},
                 options, execution);
  });
}

}  // namespace kith

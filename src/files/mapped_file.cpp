#include "files/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.hpp"
#include "files/system_error.hpp"

namespace kith::io {
namespace {

/// An open file, closed at the end.
struct OpenFile {
  int handle;
  explicit OpenFile(const std::string& path)
      : handle(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (handle < 0) fail_with(path, "opened");
  }
  ~OpenFile() { close(handle); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
};

}  // namespace

MappedBytes map_file(const std::string& path) {
  const OpenFile file(path);
  struct stat status {};
  if (fstat(file.handle, &status) != 0) fail_with(path, "read");
  if (!S_ISREG(status.st_mode))
    fail(ErrorCode::io, "{}: not a regular file; give the name of one that can be mapped", path);
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return {};
  void* data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.handle, 0);
  if (data == MAP_FAILED) fail_with(path, "mapped");
  const std::shared_ptr<const void> owner(
      data, [size](const void* at) { munmap(const_cast<void*>(at), size); });
  return {{static_cast<const std::byte*>(data), size}, owner};
}

}  // namespace kith::io

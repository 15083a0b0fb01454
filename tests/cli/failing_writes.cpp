// Loaded before the system's library: from the n-th call on that writes to, lengthens or saves a
// regular file, the disk is full. n is in KITH_FAILING_WRITE, or given to kith_fail_write;
// KITH_FAILING_WRITES = 1 fails only that one.
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

long number_in(const char* name, long otherwise) {
  const char* text = std::getenv(name);
  return text ? std::atol(text) : otherwise;
}

/// The first call that fails, or 0; the calls so far.
std::atomic<long> first{number_in("KITH_FAILING_WRITE", 0)}, calls{0};

bool fails(int file) {
  static const long count = number_in("KITH_FAILING_WRITES", 1L << 40);
  struct stat status {};
  if (first == 0 || fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) return false;
  const long call = ++calls;
  if (call < first || call >= first + count) return false;
  errno = ENOSPC;
  return true;
}

template <class F>
F* next(const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

#define KITH_EXPORT extern "C" __attribute__((visibility("default")))

/// Counts from here on.
KITH_EXPORT void kith_fail_write(long n) {
  first = n;
  calls = 0;
}

KITH_EXPORT ssize_t write(int file, const void* data, size_t bytes) {
  return fails(file) ? -1 : next<decltype(write)>("write")(file, data, bytes);
}
KITH_EXPORT ssize_t pwrite(int file, const void* data, size_t bytes, off_t at) {
  return fails(file) ? -1 : next<decltype(pwrite)>("pwrite")(file, data, bytes, at);
}
KITH_EXPORT ssize_t pwrite64(int file, const void* data, size_t bytes, off_t at) {
  return fails(file) ? -1 : next<decltype(pwrite)>("pwrite64")(file, data, bytes, at);
}
KITH_EXPORT int ftruncate(int file, off_t bytes) noexcept {
  return fails(file) ? -1 : next<decltype(ftruncate)>("ftruncate")(file, bytes);
}
KITH_EXPORT int ftruncate64(int file, off_t bytes) noexcept {
  return fails(file) ? -1 : next<decltype(ftruncate)>("ftruncate64")(file, bytes);
}
KITH_EXPORT int fsync(int file) { return fails(file) ? -1 : next<decltype(fsync)>("fsync")(file); }
KITH_EXPORT int fdatasync(int file) {
  return fails(file) ? -1 : next<decltype(fdatasync)>("fdatasync")(file);
}

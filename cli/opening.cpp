#include "opening.hpp"

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <kith/error.hpp>

#include "faults.hpp"
#include "interrupt.hpp"
#include "output.hpp"

namespace kith::cli {
namespace {

constexpr std::uint64_t kMemory = std::uint64_t{1} << 30;
constexpr std::uint64_t kMemoryPerByte = 16;
constexpr std::uint64_t kMemoryPerFile = std::uint64_t{1} << 20;
constexpr double kSeconds = 10;
constexpr double kSecondsPerFile = 0.1;
constexpr double kSecondsPerByte = 1e-7;

/// Also one of several files, of which the path is a folder or the beginning, and one with the name
/// of a dataset behind it. Files of other formats are read by kith itself, however long that takes.
bool may_be_hdf5(const std::string& path) {
  char bytes[8] = {};
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return path != "-";
  if (!std::filesystem::is_regular_file(path, error))
    return std::filesystem::is_directory(path, error);
  std::ifstream file(path, std::ios::binary);
  return file.read(bytes, 8) && std::memcmp(bytes, "\x89HDF\r\n\x1a\n", 8) == 0;
}

/// All files of its folder: some of them may belong to it.
struct Extent {
  std::uint64_t files = 0, bytes = 0;

  explicit Extent(const std::string& path) {
    std::error_code error;
    const bool is_folder = std::filesystem::is_directory(path, error);
    const auto folder =
        is_folder ? std::filesystem::path(path) : std::filesystem::absolute(path).parent_path();
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
      const auto size = entry.file_size(error);
      if (error) continue;
      ++files;
      bytes += size;
    }
  }
};

std::uint64_t memory_now() {
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGE_SIZE));
}

void on_end_of_time(int) {
  end_now(
      "kith: reading the structure of an HDF5 file takes too long for its size; the file is "
      "damaged\n");
}

/// Limits of this process, from here to the end of the scope.
class Limits {
 public:
  explicit Limits(const std::string& path) {
    if (!may_be_hdf5(path) || getrlimit(RLIMIT_AS, &before_) != 0) return;
    const Extent extent(path);
    const std::uint64_t most =
        memory_now() + kMemory + kMemoryPerByte * extent.bytes + kMemoryPerFile * extent.files;
    rlimit limit = before_;
    limit.rlim_cur = std::min<rlim_t>(before_.rlim_cur, most);
    setrlimit(RLIMIT_AS, &limit);
    signal(SIGPROF, &on_end_of_time);
    set_timer(kSeconds + kSecondsPerFile * static_cast<double>(extent.files) +
              kSecondsPerByte * static_cast<double>(extent.bytes));
    is_set_ = true;
  }
  ~Limits() {
    if (!is_set_) return;
    set_timer(0);
    setrlimit(RLIMIT_AS, &before_);
  }
  Limits(const Limits&) = delete;
  Limits& operator=(const Limits&) = delete;

 private:
  /// Of the processor: how busy the machine or the disk is does not count.
  static void set_timer(double seconds) {
    itimerval timer{};
    timer.it_value.tv_sec = static_cast<time_t>(seconds);
    setitimer(ITIMER_PROF, &timer, nullptr);
  }

  rlimit before_{};
  bool is_set_ = false;
};

}  // namespace

Snapshot open_snapshot(const std::string& path, const SnapshotOptions& options) {
  const Limits limits(path);
  return Snapshot(path, options, {.cancel = &interrupt_token()});
}

ResultFile open_result(const std::string& path) {
  const Limits limits(path);
  return ResultFile(path);
}

std::optional<HaloCatalogueInfo> open_halo_catalogue(const std::string& path) {
  if (!ends_with(path, ".hdf5") && !ends_with(path, ".h5")) return std::nullopt;
  const Limits limits(path);
  try {
    return halo_catalogue_info(path);
  } catch (const Error&) {
    return std::nullopt;  // opening it as a snapshot reports why
  }
}

bool is_result(const std::string& path) {
  if (!ends_with(path, ".hdf5") && !ends_with(path, ".h5") && !ends_with(path, ".npz"))
    return false;
  try {
    open_result(path);
    return true;
  } catch (const Error& error) {
    // A damaged result is a result: opening it again reports why. Anything else is a snapshot.
    return !ends_with(error.what(), "it is not a result of kith") &&
           !ends_with(error.what(), "only these can be read");
  }
}

}  // namespace kith::cli

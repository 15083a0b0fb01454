// A folder for the files of a test, removed at its end.
#pragma once

#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

namespace kith::test {

struct Folder {
  std::string path =
      (std::filesystem::path(root()) / ("kith_calls_" + std::to_string(getpid()))).string();
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() { std::filesystem::remove_all(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

 private:
  /// In memory, where that is possible: thousands of files are synced.
  static std::string root() {
    constexpr const char* kMemory = "/dev/shm";
    return access(kMemory, W_OK) == 0 ? kMemory : ::testing::TempDir();
  }
};

}  // namespace kith::test

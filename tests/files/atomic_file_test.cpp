// Files that are complete or do not exist.
#include "files/atomic_file.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "support/expect_error.hpp"
#include "support/folder.hpp"

namespace kith::io {
namespace {

using test::expect_error;
using test::Folder;
using Names = std::vector<std::string>;

TEST(AtomicFile, AppearsWithItsCommit) {
  const Folder folder;
  AtomicFile file(folder / "a.txt");
  file.write("hello ", 6);
  file.sync();
  file.write("world", 5);
  EXPECT_FALSE(std::filesystem::exists(folder / "a.txt"));
  file.commit();
  EXPECT_EQ(folder.names(), Names{"a.txt"});
  EXPECT_EQ(folder.read("a.txt"), "hello world");
}

TEST(AtomicFile, LeavesNothingWithoutACommit) {
  const Folder folder;
  {
    AtomicFile file(folder / "a.txt");
    file.write("hello", 5);
    EXPECT_EQ(folder.names().size(), 1U);  // the temporary one, in the same folder
  }
  EXPECT_EQ(folder.names(), Names{});
}

TEST(AtomicFile, KeepsTheOldFileUntilThen) {
  const Folder folder;
  std::ofstream(folder / "a.txt") << "old";
  {
    AtomicFile file(folder / "a.txt");
    file.write("new", 3);
  }
  EXPECT_EQ(folder.read("a.txt"), "old");
  AtomicFile file(folder / "a.txt");
  file.write("new", 3);
  file.commit();
  EXPECT_EQ(folder.read("a.txt"), "new");
}

TEST(AtomicFile, FollowsLinksAndKeepsThem) {
  const Folder folder;
  std::ofstream(folder / "real.txt") << "old";
  std::filesystem::create_symlink("real.txt", folder / "link.txt");
  AtomicFile file(folder / "link.txt");
  file.write("new", 3);
  file.commit();
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link.txt"));
  EXPECT_EQ(folder.read("real.txt"), "new");
}

TEST(AtomicFile, HasThePermissionsOfAnOrdinaryFile) {
  const Folder folder;
  const mode_t mask = umask(022);
  AtomicFile file(folder / "a.txt");
  file.commit();
  umask(mask);
  struct stat status {};
  ASSERT_EQ(stat((folder / "a.txt").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0644U);
}

TEST(AtomicFile, DoesNotReplaceADevice) {
  AtomicFile file("/dev/null");
  file.write("hello", 5);
  file.commit();
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(AtomicFile, SaysWhatTheSystemSays) {
  const Folder folder;
  expect_error(ErrorCode::io, "x/a.txt: cannot be opened: No such file",
               [&] { AtomicFile(folder / "x/a.txt"); });
  expect_error(ErrorCode::io, "cannot be opened: Is a directory", [&] { AtomicFile(folder / ""); });
  expect_error(ErrorCode::io, "/dev/full: cannot be written: No space left", [] {
    AtomicFile file("/dev/full");
    file.write("hello", 5);
  });
}

}  // namespace
}  // namespace kith::io

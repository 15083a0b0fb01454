// Files that are complete or do not exist.
#include "files/atomic_file.hpp"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include <kith/detail/temporary_files.hpp>
#include <kith/error.hpp>

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

mode_t mode_of(const std::string& path) {
  struct stat status {};
  EXPECT_EQ(stat(path.c_str(), &status), 0) << path;
  return status.st_mode & 07777;
}

TEST(AtomicFile, HasThePermissionsOfTheFileThatItReplaces) {
  const Folder folder;
  const mode_t mask = umask(022);
  for (const mode_t mode : {0600U, 0640U, 0444U, 0666U, 0700U}) {
    std::ofstream(folder / "a.txt") << "old";
    ASSERT_EQ(chmod((folder / "a.txt").c_str(), mode), 0);
    AtomicFile file(folder / "a.txt");
    EXPECT_EQ(mode_of(file.temporary()), 0600U);
    file.write("new", 3);
    file.commit();
    EXPECT_EQ(mode_of(folder / "a.txt"), mode);
    EXPECT_EQ(folder.read("a.txt"), "new");
    std::filesystem::remove(folder / "a.txt");
  }
  umask(mask);
}

TEST(AtomicFile, HasTheOwnerOfTheFileThatItReplaces) {
  if (geteuid() != 0) GTEST_SKIP() << "needs the rights of root";
  const Folder folder;
  std::ofstream(folder / "a.txt") << "old";
  ASSERT_EQ(chown((folder / "a.txt").c_str(), 1234, 2345), 0);
  AtomicFile file(folder / "a.txt");
  file.commit();
  struct stat status {};
  ASSERT_EQ(stat((folder / "a.txt").c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, 1234U);
  EXPECT_EQ(status.st_gid, 2345U);
}

/// As a container leaves them whose processes have the same numbers each time.
TEST(AtomicFile, PassesOverFilesThatOthersLeft) {
  const Folder folder;
  std::string name = AtomicFile(folder / "a.txt").temporary();
  const std::size_t begin = name.rfind('-') + 1, end = name.rfind('.');
  const int count = std::stoi(name.substr(begin, end - begin));
  for (int i = 1; i <= 3; ++i)
    std::ofstream(name.substr(0, begin) + std::to_string(count + i) + ".part") << "theirs";
  AtomicFile file(folder / "a.txt");
  file.write("ours", 4);
  file.commit();
  EXPECT_EQ(folder.read("a.txt"), "ours");
  EXPECT_EQ(folder.names().size(), 4U);
}

/// No other user can make kith write through a link in a folder that all users share.
TEST(AtomicFile, DoesNotWriteThroughALinkInThePlaceOfItsTemporaryFile) {
  const Folder folder;
  std::string name = AtomicFile(folder / "a.txt").temporary();
  const std::size_t begin = name.rfind('-') + 1, end = name.rfind('.');
  const int count = std::stoi(name.substr(begin, end - begin));
  std::ofstream(folder / "other.txt") << "theirs";
  std::filesystem::create_symlink("other.txt",
                                  name.substr(0, begin) + std::to_string(count + 1) + ".part");
  write_file(folder / "a.txt", "ours");
  EXPECT_EQ(folder.read("other.txt"), "theirs");
  EXPECT_EQ(folder.read("a.txt"), "ours");
}

TEST(AtomicFile, AllAreRemovedAtOnceHoweverManyThereAre) {
  const Folder folder;
  std::vector<std::unique_ptr<AtomicFile>> files;
  for (int i = 0; i < 600; ++i)
    files.push_back(std::make_unique<AtomicFile>(folder / std::to_string(i)));
  EXPECT_EQ(folder.names().size(), 600U);
  files.erase(files.begin(), files.begin() + 100);
  for (int i = 0; i < 50; ++i)  // into the places of those
    files.push_back(std::make_unique<AtomicFile>(folder / std::to_string(i)));
  remove_temporary_files();
  EXPECT_EQ(folder.names(), Names{});
}

/// Names are freed by their owners while a handler of signals reads the list.
TEST(AtomicFile, FilesComeAndGoWhileAllAreRemoved) {
  const Folder folder;
  std::atomic<bool> is_done{false};
  std::thread remover([&] {
    while (!is_done) remove_temporary_files();
  });
  std::vector<std::thread> writers;
  for (int thread = 0; thread < 3; ++thread)
    writers.emplace_back([&, thread] {
      for (int i = 0; i < 300; ++i) {
        try {
          write_file(folder / std::to_string(thread), "text");
        } catch (const Error& error) {
          EXPECT_EQ(error.code(), ErrorCode::io) << error.what();
        }
      }
    });
  for (std::thread& writer : writers) writer.join();
  is_done = true;
  remover.join();
  for (const std::string& name : folder.names()) EXPECT_EQ(name.find(".part"), std::string::npos);
}

TEST(AtomicFile, TwoWritersOfOneFileLeaveOneOfBoth) {
  const Folder folder;
  const std::string texts[] = {std::string(300000, 'a'), std::string(200000, 'b')};
  std::vector<std::thread> writers;
  for (const std::string& text : texts)
    writers.emplace_back([&] {
      for (int i = 0; i < 30; ++i) {
        write_file(folder / "a.txt", text);
        const std::string found = folder.read("a.txt");
        EXPECT_TRUE(found == texts[0] || found == texts[1]);
      }
    });
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(folder.names(), Names{"a.txt"});
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

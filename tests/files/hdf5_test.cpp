// The layer over HDF5: data come back as they were written, and errors are one sentence.
#include "files/hdf5.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <numeric>
#include <thread>

#include "support/expect_error.hpp"
#include "support/folder.hpp"

namespace kith::io::hdf5 {
namespace {

using test::expect_error;
using test::Folder;

void write_example(const std::string& path, const DatasetOptions& options) {
  std::vector<float> x(3000);
  std::iota(x.begin(), x.end(), 0.0F);
  OutputFile file(path);
  Group header = file.create_group("Header");
  header.set("BoxSize", 2.5);
  header.set("NumPart_ThisFile", std::vector<std::uint64_t>{0, 1000});
  header.set("Flag", std::int32_t{-1});
  header.set("Code", "kith");
  file.create_group("PartType1").write_dataset("Coordinates", {1000, 3}, x.data(), options);
  file.commit();
}

TEST(Hdf5, WhatIsWrittenIsRead) {
  const Folder folder;
  for (const DatasetOptions& options :
       {DatasetOptions{}, DatasetOptions{.compression = 6}, DatasetOptions{.is_checked = true},
        DatasetOptions{.compression = 1, .is_checked = true, .chunk_rows = 64}}) {
    write_example(folder / "a.hdf5", options);
    EXPECT_EQ(folder.names(), std::vector<std::string>{"a.hdf5"});
    EXPECT_TRUE(is_hdf5(folder / "a.hdf5"));
    const InputFile file(folder / "a.hdf5");
    const Group header = file.group("Header");
    EXPECT_EQ(header.number("BoxSize"), 2.5);
    EXPECT_EQ(header.counts("NumPart_ThisFile"), (std::vector<std::uint64_t>{0, 1000}));
    EXPECT_EQ(header.text("Code"), "kith");
    EXPECT_EQ(header.number("Absent"), std::nullopt);
    EXPECT_EQ(file.names(), (std::vector<std::string>{"Header", "PartType1"}));
    EXPECT_FALSE(file.contains("PartType0/Coordinates"));
    ASSERT_TRUE(file.contains("PartType1/Coordinates"));
    const Dataset x = file.dataset("PartType1/Coordinates");
    EXPECT_EQ(x.shape(), (Shape{1000, 3}));
    EXPECT_EQ(x.stored(), (Stored{Number::f32, false}));
    x.check_storage(std::filesystem::file_size(folder / "a.hdf5"));
    std::vector<float> rows(6);
    x.read_stored(500, 2, rows.data());
    EXPECT_EQ(rows, (std::vector<float>{1500, 1501, 1502, 1503, 1504, 1505}));
    std::vector<double> last(3);
    x.read(999, 1, last.data());
    EXPECT_EQ(last, (std::vector<double>{2997, 2998, 2999}));
  }
}

TEST(Hdf5, TheSameDataGiveTheSameBytes) {
  const Folder folder;
  write_example(folder / "a.hdf5", {.compression = 4});
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // a time stamp would differ
  write_example(folder / "b.hdf5", {.compression = 4});
  EXPECT_EQ(folder.read("a.hdf5"), folder.read("b.hdf5"));
}

TEST(Hdf5, WithoutACommitNothingIsLeft) {
  const Folder folder;
  {
    OutputFile file(folder / "a.hdf5");
    file.create_group("Header").set("BoxSize", 1.0);
    EXPECT_FALSE(std::filesystem::exists(folder / "a.hdf5"));
  }
  EXPECT_TRUE(folder.names().empty());
}

TEST(Hdf5, ManyThreadsMayReadAtOnce) {
  const Folder folder;
  write_example(folder / "a.hdf5", {.compression = 1, .chunk_rows = 32});
  std::vector<double> sums(4);
  std::vector<std::thread> threads;
  for (double& sum : sums)
    threads.emplace_back([&] {
      const InputFile file(folder / "a.hdf5");
      const Dataset x = file.dataset("PartType1/Coordinates");
      std::vector<double> row(3);
      for (std::uint64_t i = 0; i < 1000; ++i) {
        x.read(i, 1, row.data());
        sum += row[0] + row[1] + row[2];
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (const double sum : sums) EXPECT_EQ(sum, 2999.0 * 3000 / 2);
}

TEST(Hdf5, ErrorsAreOneSentence) {
  const Folder folder;
  expect_error(ErrorCode::io,
               "no.hdf5: cannot be opened: ", [&] { InputFile(folder / "no.hdf5"); });
  std::ofstream(folder / "bad.hdf5") << "\x89HDF\r\n\x1a\n and nothing";
  expect_error(ErrorCode::io,
               "bad.hdf5: cannot be opened: ", [&] { InputFile(folder / "bad.hdf5"); });
  write_example(folder / "a.hdf5", {});
  const InputFile file(folder / "a.hdf5");
  expect_error(ErrorCode::io, "a.hdf5: /PartType1/Velocities: cannot be opened as a dataset",
               [&] { file.group("PartType1").dataset("Velocities"); });
  expect_error(ErrorCode::io, "a.hdf5: /Header: the attribute Code does not contain numbers",
               [&] { file.group("Header").numbers("Code"); });
  expect_error(ErrorCode::io, "the attribute Flag holds the count -1",
               [&] { file.group("Header").counts("Flag"); });
  expect_error(ErrorCode::io, "claims 12000 bytes in a file that has 5000",
               [&] { file.dataset("PartType1/Coordinates").check_storage(5000); });
  expect_error(ErrorCode::io, "/dev/null: is not a regular file", [] { OutputFile("/dev/null"); });
}

}  // namespace
}  // namespace kith::io::hdf5

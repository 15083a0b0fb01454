#include "merger_files/halo_columns.hpp"

#include "base/fail.hpp"

namespace kith::io {
namespace {

/// Checks the shape of a dataset and what it claims of the file.
hdf5::Dataset checked(const hdf5::InputFile& file, const std::string& path, std::uint64_t rows,
                      std::uint64_t width) {
  hdf5::Dataset dataset = file.dataset(path);
  if (dataset.is_virtual())
    fail(ErrorCode::io, "{}: is a view of other files; give those files", dataset.where());
  if (dataset.rows() != rows || dataset.row_size() != width || dataset.shape().size() > 2)
    fail(ErrorCode::io, "{}: has {} rows of {} numbers; {} rows of {} are expected",
         dataset.where(), dataset.rows(), dataset.row_size(), rows, width);
  dataset.check_storage(file.bytes());
  return dataset;
}

std::vector<std::uint64_t> stored_rows(const hdf5::Dataset& dataset, std::uint64_t begin,
                                       std::uint64_t rows, std::uint64_t width) {
  const auto stored = dataset.stored();
  if (!stored || !is_integer(stored->number))
    fail(ErrorCode::io, "{}: whole numbers are expected", dataset.where());
  std::vector<char> bytes(rows * width * stored->bytes());
  dataset.read_stored(begin, rows, bytes.data());
  std::vector<std::uint64_t> values(rows * width);
  convert(*stored, bytes.data(), stored->bytes(), values.data(), 1, values.size());
  return values;
}

}  // namespace

std::vector<double> read_numbers(const hdf5::InputFile& file, const std::string& path,
                                 std::uint64_t rows, std::uint64_t width) {
  if (!file.contains(path)) return {};
  const hdf5::Dataset dataset = checked(file, path, rows, width);
  std::vector<double> values(rows * width);
  dataset.read(0, rows, values.data());
  return values;
}

std::vector<std::uint64_t> read_whole(const hdf5::InputFile& file, const std::string& path,
                                      std::uint64_t rows, std::uint64_t width) {
  if (!file.contains(path)) return {};
  return stored_rows(checked(file, path, rows, width), 0, rows, width);
}

std::vector<std::uint64_t> read_whole_rows(const hdf5::InputFile& file, const std::string& path,
                                           std::uint64_t begin, std::uint64_t count) {
  const hdf5::Dataset dataset = checked(file, path, row_count(file, path), 1);
  if (begin > dataset.rows() || count > dataset.rows() - begin)
    fail(ErrorCode::io, "{}: has {} rows; {} from {} on are expected", dataset.where(),
         dataset.rows(), count, begin);
  return stored_rows(dataset, begin, count, 1);
}

std::vector<std::int64_t> read_signed(const hdf5::InputFile& file, const std::string& path,
                                      std::uint64_t rows, std::uint64_t width) {
  const std::vector<std::uint64_t> values = read_whole(file, path, rows, width);
  return {values.begin(), values.end()};
}

std::uint64_t row_count(const hdf5::InputFile& file, const std::string& path) {
  if (!file.contains(path))
    fail(ErrorCode::io, "{}: has no {}; is it a file of another kind?", file.where(), path);
  return file.dataset(path).rows();
}

}  // namespace kith::io

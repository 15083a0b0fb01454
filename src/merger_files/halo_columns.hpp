// Columns of halo catalogues in HDF5 files, read with checks of their sizes.
#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "files/hdf5.hpp"

namespace kith::io {

/// rows x width numbers of a dataset; nothing if it is not there. Errors (io) for other shapes.
std::vector<double> read_numbers(const hdf5::InputFile& file, const std::string& path,
                                 std::uint64_t rows, std::uint64_t width = 1);
/// The same for whole numbers, which may exceed 2^53; negative ones as their two's complement.
std::vector<std::uint64_t> read_whole(const hdf5::InputFile& file, const std::string& path,
                                      std::uint64_t rows, std::uint64_t width = 1);
/// Rows [begin, begin + count) of such numbers; errors if they are not there.
std::vector<std::uint64_t> read_whole_rows(const hdf5::InputFile& file, const std::string& path,
                                           std::uint64_t begin, std::uint64_t count);
std::vector<std::int64_t> read_signed(const hdf5::InputFile& file, const std::string& path,
                                      std::uint64_t rows, std::uint64_t width = 1);

/// Rows of a dataset that must be there.
std::uint64_t row_count(const hdf5::InputFile& file, const std::string& path);

template <class T>
void append(std::vector<T>& to, std::vector<T>&& rows) {
  if (to.empty())
    to = std::move(rows);
  else
    to.insert(to.end(), rows.begin(), rows.end());
}

/// Adds the rows of a dataset to a column of its kind: numbers, IDs or links.
template <class T>
void append_dataset(std::vector<T>& to, const hdf5::InputFile& file, const std::string& path,
                    std::uint64_t rows, std::uint64_t width) {
  if constexpr (std::is_same_v<T, double>)
    append(to, read_numbers(file, path, rows, width));
  else if constexpr (std::is_same_v<T, std::uint64_t>)
    append(to, read_whole(file, path, rows, width));
  else
    append(to, read_signed(file, path, rows, width));
}

}  // namespace kith::io

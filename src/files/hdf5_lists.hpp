// Datasets of lists in HDF5 files. The library is not asked for them: for a list whose length in
// the file is wrong, its versions up to 1.10 write past the end of their memory. A row is a length
// and the place of an object in one of the file's collections ("global heap" in the HDF5 file
// format specification, III.E), which holds the numbers.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "files/hdf5.hpp"
#include "files/input_bytes.hpp"

namespace kith::io::hdf5 {

class Lists {
 public:
  /// `dataset`: of the kind `lists`, of the file at `path`. Errors: io.
  Lists(const std::string& path, const Dataset& dataset);

  std::size_t rows() const { return rows_.size(); }
  std::uint64_t size(std::size_t row) const { return rows_[row].size; }
  /// Adds the numbers [begin, begin + count) of a row.
  void read(std::size_t row, std::uint64_t begin, std::uint64_t count,
            std::vector<std::uint64_t>& to);

 private:
  struct Row {
    std::uint64_t size, collection;
    std::uint32_t object;
  };
  struct Place {
    std::uint64_t begin, bytes;
  };
  using Collection = std::map<std::uint32_t, Place>;
  const Collection& collection(std::uint64_t address);

  InputBytes file_;
  std::string where_;
  Stored stored_ = {};
  std::vector<Row> rows_;
  std::map<std::uint64_t, Collection> collections_;
};

}  // namespace kith::io::hdf5

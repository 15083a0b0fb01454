// Arrays of a result that is read, by kith's names.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include <kith/io/results.hpp>

#include "files/number.hpp"

namespace kith::io {

/// One array; `read` gives rows as they are stored.
struct SourceArray {
  Number number = Number::f64;
  std::uint64_t rows = 0;
  std::uint64_t width = 1;
  double factor = 1;  ///< from the stored value to kith's value
  std::function<void(std::uint64_t begin, std::uint64_t count, void* to)> read;
};

struct ResultSource {
  ResultAbout about;
  ResultStyle style = ResultStyle::automatic;
  std::map<std::string, SourceArray, std::less<>> arrays;
};

ResultSource open_hdf5_result(const std::string& path);
ResultSource open_npz_result(const std::string& path);

}  // namespace kith::io

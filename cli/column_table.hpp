// A table made of columns of numbers. Those of one column are written alike, so that they can be
// compared by eye.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kith::cli {

class ColumnTable {
 public:
  void add_counts(const std::string& name, const std::vector<std::int64_t>& counts);
  /// Four digits or more of each: with a common number of decimals if they are similar in size,
  /// else as 1.234e+05.
  void add(const std::string& name, const std::vector<double>& numbers);
  /// Coordinates along an axis of this length: five digits of the largest.
  void add_places(const std::string& name, const std::vector<double>& places, double side);

  /// Puts a question mark behind these values of the last column.
  void mark_last(const std::vector<bool>& is_marked);

  std::string text() const;

 private:
  std::vector<std::string> head_;
  std::vector<std::vector<std::string>> columns_;
};

}  // namespace kith::cli

// The output of a command: sentences and tables, or one JSON object.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace kith::cli {

/// Facts in the order in which they were added.
class Report {
 public:
  void add(const std::string& name, const std::string& text);
  void add(const std::string& name, const char* text) { add(name, std::string(text)); }
  void add(const std::string& name, double number);  ///< null if it is not finite
  void add(const std::string& name, const Report& facts);
  void add(const std::string& name, const std::vector<Report>& list);
  void add(const std::string& name, std::span<const double> numbers);
  void add(const std::string& name, const std::vector<int>& numbers);
  void add(const std::string& name, const std::vector<std::string>& texts);
  void add_count(const std::string& name, std::uint64_t number);
  void add_flag(const std::string& name, bool value);

  std::string json() const;  ///< {"name": value, ...}

 private:
  std::vector<std::pair<std::string, std::string>> facts_;  ///< values are JSON already
};

/// The text as a JSON string, with its quotes.
std::string quoted(const std::string& text);

/// 1234567 as 1,234,567.
std::string grouped(std::uint64_t number);

/// "one of 3 things", "two of them": a count and its noun.
std::string counted(std::uint64_t number, const std::string& one, const std::string& many);

/// 1.5 GB; powers of 1000.
std::string bytes_name(double bytes);

/// "0.31 s", "2 min 5 s".
std::string seconds_name(double seconds);

/// The text as people see it: what a terminal would take for a command becomes '?'.
std::string printable(const std::string& text);

/// Rows of words under a head, in columns as wide as needed; aligned on the right, except a
/// first column of words and the columns from align_left_from on.
class Table {
 public:
  explicit Table(std::vector<std::string> head) : rows_{std::move(head)} {}
  /// For columns of words at the end.
  void align_left_from(std::size_t column) { first_left_ = column; }
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::string text(const std::string& indent = "  ") const;

 private:
  std::vector<std::vector<std::string>> rows_;
  std::size_t first_left_ = static_cast<std::size_t>(-1);
};

bool ends_with(const std::string& text, const std::string& ending);

/// Throws Error (io) if a file could not be written at this place: better now than after the work.
void check_folder_of(const std::string& path);

/// Throws if the two are the same file: inputs are never touched.
void check_not_input(const std::string& output, const std::string& input);

}  // namespace kith::cli

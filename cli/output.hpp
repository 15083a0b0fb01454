// What a command tells when it is done: sentences, or one JSON object.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace kith::cli {

/// Facts in the order in which they were added.
class Report {
 public:
  void add(const std::string& name, const std::string& text);
  void add(const std::string& name, double number);
  void add_count(const std::string& name, std::uint64_t number);

  std::string json() const;  ///< {"name": value, ...}

 private:
  std::vector<std::pair<std::string, std::string>> facts_;  ///< values are JSON already
};

/// The text as a JSON string, with its quotes.
std::string quoted(const std::string& text);

/// Throws Error (io) if the folder of a file to be written does not exist: better now than after
/// the work.
void check_folder_of(const std::string& path);

}  // namespace kith::cli

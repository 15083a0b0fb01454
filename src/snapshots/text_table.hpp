// Columns of numbers in text: lines, words, and which column holds what.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "files/input_bytes.hpp"
#include "snapshots/reader.hpp"

namespace kith::io {

/// Lines of a part of a file, without their ends.
class Lines {
 public:
  Lines(const InputBytes& file, std::uint64_t begin);
  /// False at the end. The line is valid until the next call. Errors (io): a line of more than 1
  /// MiB, which text with numbers does not have.
  bool next(std::string_view& line);

 private:
  bool refill();

  const InputBytes& file_;
  std::unique_ptr<ByteStream> bytes_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool is_ended_ = false;
};

/// The words of a line, between spaces, tabs, commas and semicolons; two commas in a row hold an
/// empty word.
void split(std::string_view line, std::vector<std::string_view>& words);

bool is_comment(std::string_view line);  ///< or empty
bool parse_number(std::string_view word, double& value);
bool parse_number(std::string_view word, float& value);
bool parse_number(std::string_view word, std::uint64_t& value);

/// Which columns (from 0) hold a field. Columns without a name have an empty one.
using FieldColumns = std::map<Field, std::vector<std::size_t>>;
FieldColumns choose_columns(const std::vector<std::string>& names, const SnapshotOptions& options,
                            const std::string& where);

/// Says in the info what the columns hold.
void set_columns(SnapshotInfo& info, const FieldColumns& columns, std::uint64_t rows);

/// Reads `rows` lines that are no comments.
void read_lines(Lines& lines, std::uint64_t rows, const std::vector<std::size_t>& columns,
                const Target& to, const Workers& workers, const std::string& where);

}  // namespace kith::io

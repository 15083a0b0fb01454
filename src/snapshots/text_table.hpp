// Columns of numbers in text: lines, words, and the fields of columns.
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
  /// From byte `begin` on; `lines_before` lines precede it.
  explicit Lines(const InputBytes& file, std::uint64_t begin = 0, std::uint64_t lines_before = 0);
  /// False at the end. The line is valid until the next call. Errors (io): bytes that are not text,
  /// and a line of more than 1 MiB, which text with numbers does not have.
  bool next(std::string_view& line);

  std::uint64_t number() const { return number_; }  ///< of the last line, from 1
  std::uint64_t offset() const { return offset_; }  ///< of the next line in the file

 private:
  bool refill();
  void check_text(std::size_t begin) const;

  const InputBytes& file_;
  std::unique_ptr<ByteStream> bytes_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t number_;
  std::uint64_t offset_;
  bool is_ended_ = false;
};

/// The separator of two words. A file has one kind: were both commas and spaces to separate,
/// "0,5 1,5" with decimal commas would be four numbers.
enum class Separator { space, comma, semicolon };
Separator separator_of(std::string_view line);

/// The words of a line. Spaces and tabs beside a comma or a semicolon do not count; two commas in a
/// row hold an empty word.
void split(std::string_view line, Separator separator, std::vector<std::string_view>& words);

bool is_comment(std::string_view line);  ///< or empty
bool parse_number(std::string_view word, double& value);
bool parse_number(std::string_view word, float& value);
bool parse_number(std::string_view word, std::uint64_t& value);

/// Which columns (from 0) hold a field. Columns without a name have an empty one.
using FieldColumns = std::map<Field, std::vector<std::size_t>>;
FieldColumns choose_columns(const std::vector<std::string>& names, const SnapshotOptions& options,
                            const std::string& where);

/// The columns of right ascension, declination and redshift; empty unless all three are named and
/// there is no x.
std::vector<std::size_t> sky_columns(const std::vector<std::string>& names);

/// The facts in the comments of Rockstar's catalogues.
struct RockstarHeader {
  bool is_found = false;
  double scale_factor = 1, omega_m = 0, omega_lambda = 0, h = 0, side = 0;
  void parse(std::string_view line);
  void apply(SnapshotInfo& info) const;
};

/// Describes the columns in the info.
void set_columns(SnapshotInfo& info, const FieldColumns& columns, std::uint64_t rows);

/// Throws Error (io) that names line and column unless there is a number.
void check_number(const std::vector<std::string_view>& words, std::size_t column,
                  std::uint64_t line, const std::string& where);

/// Reads `rows` lines that are not comments.
void read_lines(Lines& lines, std::uint64_t rows, Separator separator,
                const std::vector<std::size_t>& columns, const Target& to, const Workers& workers,
                const std::string& where);

}  // namespace kith::io

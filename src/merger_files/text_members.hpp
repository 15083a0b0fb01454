// Text tables of other finders: lines of a part of a file, and columns by name.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "files/input_bytes.hpp"
#include "merger_files/members_reader.hpp"
#include "snapshots/text_table.hpp"

namespace kith::io {

/// The lines of a file that begin in a part of its bytes from `first` on.
class PartOfLines {
 public:
  PartOfLines(const InputBytes& file, std::uint64_t first, const HaloMembersOptions& options);
  bool next(std::string_view& line);

 private:
  std::uint64_t end_;
  Lines lines_;
};

/// The words of a line by the names of their columns.
class NamedColumns {
 public:
  /// `names`: "#ID(1) hostHalo(2) ..." or "#id num_p ...", behind the #.
  NamedColumns(std::string_view names, std::string where);

  bool has(const std::string& name) const { return column_.contains(name); }
  /// The first of several names that is there; an error if none is.
  std::string one_of(std::initializer_list<const char*> names) const;

  /// Takes a line; an error if it has too few words.
  void take(std::string_view line);
  /// Errors name the column. Whole numbers may be negative, and have all of their 64 bits.
  double number(const std::string& name) const;
  std::int64_t whole(const std::string& name) const;

 private:
  [[noreturn]] void fail_word(const std::string& name) const;

  std::string where_;
  std::map<std::string, std::size_t> column_;
  std::vector<std::string_view> words_;
};

/// A whole number of 64 bits, with or without a sign.
bool parse_whole(std::string_view word, std::int64_t& value);

/// "a.0.c", "a.1.c", ... with this ending ".c": all that exist, if `path` is one of them.
std::vector<std::string> numbered_files(const std::string& path, const std::string& ending);

}  // namespace kith::io

#include "merger_files/text_members.hpp"

#include <filesystem>

#include "base/fail.hpp"
#include "files/utf8.hpp"

namespace kith::io {
namespace {

/// The end of the bytes of a part.
std::uint64_t end_of_part(std::uint64_t first, std::uint64_t bytes,
                          const HaloMembersOptions& options) {
  const PartOfRows part(bytes, options);
  return first + part.begin + part.count;
}

std::uint64_t begin_of_part(std::uint64_t first, std::uint64_t bytes,
                            const HaloMembersOptions& options) {
  return first + PartOfRows(bytes, options).begin;
}

}  // namespace

PartOfLines::PartOfLines(const InputBytes& file, std::uint64_t first,
                         const HaloMembersOptions& options)
    : end_(end_of_part(first, file.size() - first, options)),
      lines_(file,
             std::max<std::uint64_t>(begin_of_part(first, file.size() - first, options), 1) - 1) {
  const std::uint64_t begin = begin_of_part(first, file.size() - first, options);
  // The line before, of which this is the end: a line that begins at `begin` stays.
  if (std::string_view before; begin > 0) lines_.next(before);
}

bool PartOfLines::next(std::string_view& line) {
  while (lines_.offset() < end_ && lines_.next(line))
    if (!is_comment(line)) return true;
  return false;
}

NamedColumns::NamedColumns(std::string_view names, std::string where) : where_(std::move(where)) {
  std::vector<std::string_view> words;
  split(names, Separator::space, words);
  for (std::size_t k = 0; k < words.size(); ++k)
    column_.try_emplace(std::string(words[k].substr(0, words[k].find('('))), k);
}

std::string NamedColumns::one_of(std::initializer_list<const char*> names) const {
  for (const char* name : names)
    if (has(name)) return name;
  fail(ErrorCode::io, "{}: has no column {}", where_, *names.begin());
}

void NamedColumns::take(std::string_view line) {
  split(line, Separator::space, words_);
  if (words_.size() < column_.size())
    fail(ErrorCode::io, "{}: a line of {} numbers for {} columns", where_, words_.size(),
         column_.size());
}

void NamedColumns::fail_word(const std::string& name) const {
  fail(ErrorCode::io, "{}: {} is not a number of column {}", where_,
       as_utf8(std::string(words_[column_.at(name)].substr(0, 40))), name);
}

double NamedColumns::number(const std::string& name) const {
  double value = 0;
  if (!parse_number(words_[column_.at(name)], value)) fail_word(name);
  return value;
}

std::int64_t NamedColumns::whole(const std::string& name) const {
  std::int64_t value = 0;
  if (!parse_whole(words_[column_.at(name)], value)) fail_word(name);
  return value;
}

bool parse_whole(std::string_view word, std::int64_t& value) {
  const bool is_negative = word.starts_with('-');
  std::uint64_t bits = 0;
  if (!parse_number(word.substr(is_negative ? 1 : 0), bits)) return false;
  value = static_cast<std::int64_t>(is_negative ? 0 - bits : bits);
  return true;
}

std::vector<std::string> numbered_files(const std::string& path, const std::string& ending) {
  if (!path.ends_with(ending)) return {path};
  const std::string before = path.substr(0, path.size() - ending.size());
  const std::size_t last = before.find_last_not_of("0123456789");
  const std::size_t digits = before.size() - (last == std::string::npos ? 0 : last + 1);
  if (digits == 0 || digits == before.size() || before[last] != '.') return {path};
  const std::string stem = before.substr(0, last + 1);
  std::vector<std::string> files;
  for (std::uint64_t k = 0;; ++k) {
    std::string number = std::to_string(k);
    // "0007" has leading zeros in all names, "7" in none.
    if (digits > 1 && before[last + 1] == '0' && number.size() < digits)
      number.insert(0, digits - number.size(), '0');
    std::string name = stem;
    name.append(number).append(ending);
    std::error_code error;
    if (!std::filesystem::is_regular_file(name, error)) break;
    files.push_back(std::move(name));
  }
  return files.empty() ? std::vector<std::string>{path} : files;
}

}  // namespace kith::io

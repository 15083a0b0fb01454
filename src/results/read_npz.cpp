#include <algorithm>

#include "base/fail.hpp"
#include "files/input_bytes.hpp"
#include "files/npy.hpp"
#include "files/zip.hpp"
#include "results/about.hpp"
#include "results/source.hpp"

namespace kith::io {
namespace {

constexpr std::uint64_t kMostFacts = 1 << 20;  // bytes

std::uint64_t row_size(const NpyHeader& header) {
  return header.shape.size() == 2 ? header.shape[1] : 1;
}

SourceArray array_of(const std::shared_ptr<InputBytes>& file, const ZipMember& member) {
  const std::string where = file->path() + ": " + member.name;
  if (member.is_deflated)
    fail(ErrorCode::io, "{}: is compressed; kith writes and reads results that are not", where);
  const NpyHeader header = parse_npy(file->text(member.begin, kNpyHeaderBytes), where);
  const std::uint64_t rows = header.shape.empty() ? 1 : header.shape[0];
  const std::uint64_t width = row_size(header);
  if (width > file->size())
    fail(ErrorCode::io, "{}: has {} numbers in a row; the file is damaged", where, width);
  const std::uint64_t row = width * header.stored.bytes();
  const bool is_plain = header.shape.size() <= 2 && !header.is_fortran_order &&
                        !header.stored.is_big_endian && header.stored.number != Number::f16;
  if (!is_plain || header.bytes > member.bytes ||
      (row > 0 && rows != (member.bytes - header.bytes) / row))
    fail(ErrorCode::io, "{}: is not in the form that kith writes", where);
  const std::uint64_t begin = member.begin + header.bytes;
  return {.number = header.stored.number,
          .rows = rows,
          .width = width,
          .read = [file, begin, row](std::uint64_t first, std::uint64_t count, void* to) {
            file->read(begin + first * row, to, count * row);
          }};
}

}  // namespace

ResultSource open_npz_result(const std::string& path) {
  const auto file = std::make_shared<InputBytes>(path);
  const std::vector<ZipMember> members = zip_directory(*file);
  if (std::none_of(members.begin(), members.end(),
                   [](const ZipMember& member) { return member.name == "about.npy"; }))
    fail(ErrorCode::io, "{}: has no array named 'about'; it is not a result of kith", path);
  ResultSource source;
  for (const ZipMember& member : members)
    if (member.name.ends_with(".npy"))
      source.arrays.emplace(member.name.substr(0, member.name.size() - 4), array_of(file, member));
  const auto about = source.arrays.find("about");
  if (about->second.number != Number::u8 || about->second.width != 1 ||
      about->second.rows > kMostFacts)
    fail(ErrorCode::io, "{}: the array 'about' holds no text; it is not a result of kith", path);
  std::string facts(about->second.rows, ' ');
  about->second.read(0, about->second.rows, facts.data());
  source.arrays.erase(about);
  source.about = about_of(FactLines(facts), path);
  source.style = ResultStyle::npz;
  return source;
}

}  // namespace kith::io

#include "files/hdf5_lists.hpp"

#include <algorithm>
#include <cstring>

#include "base/fail.hpp"

namespace kith::io::hdf5 {
namespace {

constexpr std::size_t kRowBytes = 16;     // length, address, object
constexpr std::size_t kHeaderBytes = 16;  // of a collection, and of an object in it

/// A little-endian number, as in all headers of the format.
template <class T>
T number_at(const char* bytes) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i)
    value = static_cast<T>(value | T{static_cast<unsigned char>(bytes[i])} << 8 * i);
  return value;
}

}  // namespace

Lists::Lists(const std::string& path, const Dataset& dataset)
    : file_(path), where_(dataset.where()) {
  if (!dataset.stored() || !is_integer(dataset.stored()->number))
    fail(ErrorCode::io, "{}: lists of whole numbers are expected", where_);
  stored_ = *dataset.stored();
  const std::uint64_t rows = dataset.rows();
  if (rows == 0) return;
  if (dataset.offset() == 0)
    fail(ErrorCode::io, "{}: is stored in chunks; lists are expected in one piece", where_);
  if (rows > file_.size() / kRowBytes)
    fail(ErrorCode::io, "{}: claims {} rows in a file of {} bytes", where_, rows, file_.size());
  std::vector<char> bytes(rows * kRowBytes);
  file_.read(dataset.offset(), bytes.data(), bytes.size());
  std::uint64_t numbers = 0;
  for (const char* at = bytes.data(); at < bytes.data() + bytes.size(); at += kRowBytes) {
    rows_.push_back({number_at<std::uint32_t>(at), number_at<std::uint64_t>(at + 4),
                     number_at<std::uint32_t>(at + 12)});
    numbers += rows_.back().size;
    // Rows may share an object, but not so that a small file becomes a large answer.
    if (numbers > file_.size() / stored_.bytes())
      fail(ErrorCode::io, "{}: claims more than {} numbers in a file of {} bytes", where_,
           numbers - 1, file_.size());
  }
}

/// The objects of a collection, by number.
const Lists::Collection& Lists::collection(std::uint64_t address) {
  if (const auto known = collections_.find(address); known != collections_.end())
    return known->second;
  char header[kHeaderBytes];
  file_.read(address, header, sizeof header);
  const auto size = number_at<std::uint64_t>(header + 8);
  if (std::memcmp(header, "GCOL\x01", 5) != 0 || size > file_.size() - address)
    fail(ErrorCode::io, "{}: its lists are not where it says; the file is damaged", where_);
  Collection objects;
  std::uint64_t at = kHeaderBytes;
  while (size >= kHeaderBytes && at <= size - kHeaderBytes) {
    file_.read(address + at, header, sizeof header);
    const auto number = number_at<std::uint16_t>(header);
    const auto bytes = number_at<std::uint64_t>(header + 8);
    at += kHeaderBytes;
    if (number == 0) break;  // the free space at the end
    if (bytes > size - at) fail(ErrorCode::io, "{}: a list is cut off", where_);
    objects.emplace(number, Place{address + at, bytes});
    at += (bytes + 7) / 8 * 8;
  }
  return collections_.emplace(address, std::move(objects)).first->second;
}

void Lists::read(std::size_t row, std::uint64_t begin, std::uint64_t count,
                 std::vector<std::uint64_t>& to) {
  const Row& from = rows_[row];
  if (begin > from.size || count > from.size - begin)
    fail(ErrorCode::internal, "{}: {} numbers from {} on of a list of {}", where_, count, begin,
         from.size);
  if (count == 0) return;
  const Collection& objects = collection(from.collection);
  const auto object = objects.find(from.object);
  if (object == objects.end() || from.size > object->second.bytes / stored_.bytes())
    fail(ErrorCode::io, "{}: the list of row {} has fewer than {} numbers; the file is damaged",
         where_, row, from.size);
  std::vector<char> bytes(count * stored_.bytes());
  file_.read(object->second.begin + begin * stored_.bytes(), bytes.data(), bytes.size());
  to.resize(to.size() + count);
  convert(stored_, bytes.data(), stored_.bytes(), to.data() + to.size() - count, 1, count);
}

}  // namespace kith::io::hdf5

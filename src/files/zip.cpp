// The names of fields and the numbers are those of PKWARE's APPNOTE.TXT, 6.3.
#include "files/zip.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>
#include <zlib.h>

#include "base/fail.hpp"

namespace kith::io {
namespace {

constexpr std::uint32_t kLocal = 0x04034b50, kCentral = 0x02014b50, kEnd = 0x06054b50;
constexpr std::uint32_t kEnd64 = 0x06064b50, kLocator64 = 0x07064b50;
constexpr std::size_t kLocalBytes = 30, kCentralBytes = 46, kEndBytes = 22;
constexpr std::size_t kEnd64Bytes = 56, kLocator64Bytes = 20;
constexpr std::uint32_t kElsewhere = 0xffffffff;  // the true value is in the 64-bit field
constexpr std::uint16_t kWide = 1;                // the extra field that holds them
constexpr std::uint64_t kMostDirectoryBytes = std::uint64_t{1} << 20;
constexpr std::uint64_t kDensest = 1100;  // deflate packs 1032 : 1 at best

template <class T>
T number_at(std::string_view bytes, std::size_t at) {
  T value{};
  if (at + sizeof value <= bytes.size()) std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

[[noreturn]] void damaged(const InputBytes& file, const char* what) {
  fail(ErrorCode::io, "{}: {}; the archive is damaged or truncated", file.path(), what);
}

struct Directory {
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
};

/// The record at the end, which a comment of up to 64 KiB may follow.
Directory find_directory(const InputBytes& file) {
  const std::uint64_t most = std::min<std::uint64_t>(file.size(), kEndBytes + 0xffff);
  const std::uint64_t tail_begin = file.size() - most;
  const std::string tail = file.text(tail_begin, static_cast<std::size_t>(most));
  const std::size_t at = tail.rfind(std::string("PK\x05\x06", 4));
  if (at == std::string::npos || tail.size() - at < kEndBytes)
    fail(ErrorCode::io,
         "{}: is cut off after {} bytes: the directory at the end of the archive is missing; copy "
         "it again",
         file.path(), file.size());
  Directory directory{number_at<std::uint32_t>(tail, at + 16),
                      number_at<std::uint32_t>(tail, at + 12)};
  const std::uint64_t end = tail_begin + at;
  if (directory.begin != kElsewhere && directory.bytes != kElsewhere) return directory;
  if (end < kLocator64Bytes) damaged(file, "no 64-bit directory");
  const std::string locator = file.text(end - kLocator64Bytes, kLocator64Bytes);
  if (number_at<std::uint32_t>(locator, 0) != kLocator64) damaged(file, "no 64-bit directory");
  const std::string record = file.text(number_at<std::uint64_t>(locator, 8), kEnd64Bytes);
  if (number_at<std::uint32_t>(record, 0) != kEnd64) damaged(file, "no 64-bit directory");
  return {number_at<std::uint64_t>(record, 48), number_at<std::uint64_t>(record, 40)};
}

/// Values of 64 bits in the order of the narrow fields that refer to them.
class WideFields {
 public:
  WideFields(std::string_view extra, const InputBytes& file) : file_(file) {
    while (extra.size() >= 4) {
      const auto id = number_at<std::uint16_t>(extra, 0);
      const std::size_t size = number_at<std::uint16_t>(extra, 2);
      if (id == kWide) left_ = extra.substr(4, size);
      extra.remove_prefix(std::min(extra.size(), 4 + size));
    }
  }
  std::uint64_t value(std::uint32_t narrow) {
    if (narrow != kElsewhere) return narrow;
    if (left_.size() < 8) damaged(file_, "a 64-bit size is missing");
    const auto wide = number_at<std::uint64_t>(left_, 0);
    left_.remove_prefix(8);
    return wide;
  }

 private:
  const InputBytes& file_;
  std::string_view left_;
};

/// Checks the member's own header and finds where its bytes begin.
void locate(const InputBytes& file, std::uint64_t header, ZipMember& member) {
  const std::string local = file.text(header, kLocalBytes);
  if (local.size() < kLocalBytes || number_at<std::uint32_t>(local, 0) != kLocal)
    damaged(file, "a member is not where the directory says");
  member.begin = header + kLocalBytes + number_at<std::uint16_t>(local, 26) +
                 number_at<std::uint16_t>(local, 28);
  if (member.begin > file.size() || member.packed_bytes > file.size() - member.begin)
    damaged(file, "a member goes beyond the end");
  const bool is_possible = member.is_deflated ? member.bytes <= kDensest * (member.packed_bytes + 1)
                                              : member.bytes == member.packed_bytes;
  if (!is_possible) damaged(file, "a member claims a size that it cannot have");
}

ZipMember member_at(const InputBytes& file, std::string_view entry, std::string_view extra) {
  const auto flags = number_at<std::uint16_t>(entry, 8);
  const auto method = number_at<std::uint16_t>(entry, 10);
  if ((flags & 1) != 0 || (method != 0 && method != 8))
    fail(ErrorCode::io,
         "{}: a member is encrypted or packed by method {}; stored and deflated ones "
         "are read",
         file.path(), method);
  WideFields wide(extra, file);
  ZipMember member;
  member.is_deflated = method == 8;
  member.crc = number_at<std::uint32_t>(entry, 16);
  member.bytes = wide.value(number_at<std::uint32_t>(entry, 24));
  member.packed_bytes = wide.value(number_at<std::uint32_t>(entry, 20));
  locate(file, wide.value(number_at<std::uint32_t>(entry, 42)), member);
  return member;
}

/// Adds up the bytes that are read through it.
class CheckedStream : public ByteStream {
 public:
  CheckedStream(std::unique_ptr<ByteStream> bytes, const ZipMember& member, const InputBytes& file)
      : bytes_(std::move(bytes)), left_(member.bytes), wanted_(*member.crc), file_(file) {}

  std::size_t some(char* to, std::size_t most) override {
    const std::size_t count = bytes_->some(to, most);
    crc_ = crc32_z(crc_, reinterpret_cast<const Bytef*>(to), count);
    left_ -= count;
    if (left_ == 0 && count > 0 && crc_ != wanted_) damaged(file_, "a check sum is wrong");
    return count;
  }

 private:
  std::unique_ptr<ByteStream> bytes_;
  std::uint64_t left_;
  unsigned long crc_ = 0;
  std::uint32_t wanted_;
  const InputBytes& file_;
};

/// A record of numbers, little-endian.
class Record {
 public:
  template <class T>
  Record& add(T value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  Record& add_text(const std::string& text) {
    bytes_ += text;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

std::uint32_t narrow(std::uint64_t value) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(value, kElsewhere));
}

constexpr std::uint16_t kVersion = 45;     // the first that knows 64-bit sizes
constexpr std::uint16_t kFirstDay = 0x21;  // 1980-01-01: files carry no time

}  // namespace

std::vector<ZipMember> zip_directory(const InputBytes& file) {
  const Directory place = find_directory(file);
  if (place.begin > file.size() || place.bytes > file.size() - place.begin)
    damaged(file, "the directory goes beyond the end");
  if (place.bytes > kMostDirectoryBytes)
    fail(ErrorCode::io,
         "{}: the archive has a directory of {} bytes; one of arrays has few members", file.path(),
         place.bytes);
  const std::string directory = file.text(place.begin, static_cast<std::size_t>(place.bytes));
  std::vector<ZipMember> members;
  std::string_view left = directory;
  while (left.size() >= kCentralBytes && number_at<std::uint32_t>(left, 0) == kCentral) {
    const std::size_t name = number_at<std::uint16_t>(left, 28);
    const std::size_t extra = number_at<std::uint16_t>(left, 30);
    const std::size_t comment = number_at<std::uint16_t>(left, 32);
    if (kCentralBytes + name + extra + comment > left.size())
      damaged(file, "the directory is cut off");
    ZipMember member =
        member_at(file, left.substr(0, kCentralBytes), left.substr(kCentralBytes + name, extra));
    member.name = left.substr(kCentralBytes, name);
    members.push_back(std::move(member));
    left.remove_prefix(kCentralBytes + name + extra + comment);
  }
  return members;
}

std::unique_ptr<ByteStream> member_bytes(const InputBytes& file, const ZipMember& member) {
  auto bytes = member.is_deflated ? inflated(file, member.begin, member.packed_bytes, member.bytes)
                                  : stream(file, member.begin, member.bytes);
  if (!member.crc) return bytes;
  return std::make_unique<CheckedStream>(std::move(bytes), member, file);
}

void ZipWriter::begin(const std::string& name, std::uint64_t bytes, std::uint32_t crc) {
  entries_.push_back({name, bytes, offset_, crc});
  const bool is_wide = bytes >= kElsewhere;
  Record record;
  record.add(kLocal).add(kVersion).add<std::uint16_t>(0).add<std::uint16_t>(0);
  record.add<std::uint16_t>(0).add(kFirstDay).add(crc).add(narrow(bytes)).add(narrow(bytes));
  record.add(static_cast<std::uint16_t>(name.size())).add<std::uint16_t>(is_wide ? 20 : 0);
  record.add_text(name);
  if (is_wide) record.add(kWide).add<std::uint16_t>(16).add(bytes).add(bytes);
  file_.write(record.bytes().data(), record.bytes().size());
  offset_ += record.bytes().size() + bytes;
}

void ZipWriter::end() {
  Record record;
  for (const Entry& entry : entries_) {
    Record wide;
    if (entry.bytes >= kElsewhere) wide.add(entry.bytes).add(entry.bytes);
    if (entry.offset >= kElsewhere) wide.add(entry.offset);
    const auto wide_bytes = static_cast<std::uint16_t>(wide.bytes().size());
    record.add(kCentral).add(kVersion).add(kVersion).add<std::uint16_t>(0).add<std::uint16_t>(0);
    record.add<std::uint16_t>(0).add(kFirstDay).add(entry.crc);
    record.add(narrow(entry.bytes)).add(narrow(entry.bytes));
    record.add(static_cast<std::uint16_t>(entry.name.size()));
    record.add<std::uint16_t>(wide_bytes > 0 ? static_cast<std::uint16_t>(wide_bytes + 4) : 0);
    record.add<std::uint16_t>(0).add<std::uint16_t>(0).add<std::uint16_t>(0).add<std::uint32_t>(0);
    record.add(narrow(entry.offset)).add_text(entry.name);
    if (wide_bytes > 0) record.add(kWide).add(wide_bytes).add_text(wide.bytes());
  }
  const std::uint64_t bytes = record.bytes().size();
  const std::uint64_t count = entries_.size();
  const std::uint64_t end = offset_ + bytes;
  if (offset_ >= kElsewhere) {
    record.add(kEnd64).add<std::uint64_t>(kEnd64Bytes - 12).add(kVersion).add(kVersion);
    record.add<std::uint32_t>(0).add<std::uint32_t>(0).add(count).add(count).add(bytes).add(
        offset_);
    record.add(kLocator64).add<std::uint32_t>(0).add(end).add<std::uint32_t>(1);
  }
  record.add(kEnd).add<std::uint16_t>(0).add<std::uint16_t>(0);
  record.add(static_cast<std::uint16_t>(count)).add(static_cast<std::uint16_t>(count));
  record.add(static_cast<std::uint32_t>(bytes)).add(narrow(offset_)).add<std::uint16_t>(0);
  file_.write(record.bytes().data(), record.bytes().size());
}

}  // namespace kith::io

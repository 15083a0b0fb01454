// Datasets of records in the HDF5 layer; see hdf5.hpp. Records are read as they are stored, without
// a conversion by the library, which trusts the offsets in their type.
#include <limits>

#include "files/hdf5_internal.hpp"

namespace kith::io::hdf5 {
namespace {

/// A number, or a row of numbers; none: something else.
std::optional<Member> member_of(hid_t type, std::size_t offset, const std::string& where) {
  if (H5Tget_class(type) != H5T_ARRAY) {
    const auto stored = is_sound_number(type) ? stored_as(type) : std::nullopt;
    return stored ? std::optional<Member>({offset, *stored, 1}) : std::nullopt;
  }
  hsize_t width = 0;
  if (H5Tget_array_ndims(type) != 1 || H5Tget_array_dims2(type, &width) != 1) return std::nullopt;
  const Handle base = checked(H5Tget_super(type), where, "opened");
  const auto stored = is_sound_number(base.get()) ? stored_as(base.get()) : std::nullopt;
  if (!stored || width > H5Tget_size(type) / stored->bytes()) return std::nullopt;
  return Member{offset, *stored, width};
}

}  // namespace

void Dataset::learn_members(std::int64_t type) {
  constexpr int kMost = 1024;
  const int count = H5Tget_class(type) == H5T_COMPOUND ? H5Tget_nmembers(type) : 0;
  if (count < 1 || count > kMost) fail(ErrorCode::io, "{}: does not contain records", where_);
  // The library would follow their addresses.
  for (const H5T_class_t kind : {H5T_VLEN, H5T_REFERENCE, H5T_STRING})
    if (H5Tdetect_class(type, kind) != 0)
      fail(ErrorCode::io, "{}: its records hold texts, lists or references", where_);
  for (int i = 0; i < count; ++i) {
    const auto index = static_cast<unsigned>(i);
    const Handle each = checked(H5Tget_member_type(type, index), where_, "opened");
    const std::size_t offset = H5Tget_member_offset(type, index), size = H5Tget_size(each.get());
    if (offset > type_bytes_ || size > type_bytes_ - offset)
      fail(ErrorCode::io, "{}: a member of its records lies outside of them; the file is damaged",
           where_);
    const auto member = member_of(each.get(), offset, where_);
    char* name = H5Tget_member_name(type, index);
    if (!name) fail(ErrorCode::io, "{}: a member of its records has no name", where_);
    const std::string key(name);
    H5free_memory(name);
    if (member) members_.emplace(key, *member);
  }
}

template <class T>
std::vector<T> Dataset::member(const std::string& name, std::size_t width) const {
  const auto found = members_.find(name);
  if (found == members_.end() || found->second.width != width)
    fail(ErrorCode::io, "{}: its records have no member {} of {} number{}", where_, name, width,
         width == 1 ? "" : "s");
  constexpr std::uint64_t kRowsAtOnce = 4096;
  const auto& [offset, stored, count] = found->second;
  std::vector<char> bytes(std::min(kRowsAtOnce, rows()) * type_bytes_);
  std::vector<T> values(rows() * width);
  for (std::uint64_t row = 0; row < rows(); row += kRowsAtOnce) {
    const std::uint64_t some = std::min(kRowsAtOnce, rows() - row);
    read_stored(row, some, bytes.data());
    for (std::size_t k = 0; k < count; ++k)
      convert(stored, bytes.data() + offset + k * stored.bytes(), type_bytes_,
              values.data() + row * width + k, width, some);
  }
  return values;
}

std::vector<double> Dataset::member_numbers(const std::string& name, std::size_t width) const {
  return member<double>(name, width);
}

std::vector<std::uint64_t> Dataset::member_whole(const std::string& name) const {
  const auto found = members_.find(name);
  if (found != members_.end() && !io::is_integer(found->second.stored.number))
    fail(ErrorCode::io, "{}: member {} is expected to be a whole number", where_, name);
  return member<std::uint64_t>(name, 1);
}

}  // namespace kith::io::hdf5

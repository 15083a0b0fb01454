#include "snapshots/table.hpp"

#include <algorithm>

#include "base/fail.hpp"

namespace kith::io {
namespace {

/// Whether rows can go to the caller's memory as they are.
template <class T>
bool is_direct(const RowLayout& layout, std::size_t to_stride) {
  if (layout.bytes != layout.columns.size() * sizeof(T) || to_stride != layout.columns.size())
    return false;
  for (std::size_t i = 0; i < layout.columns.size(); ++i)
    if (layout.columns[i].stored != Stored{number_of<T>(), false} ||
        layout.columns[i].offset != i * sizeof(T))
      return false;
  return true;
}

template <class T>
void read_into(ByteStream& bytes, const RowLayout& layout, std::uint64_t rows, T* to,
               std::size_t to_stride, const Workers& workers, const std::string& where) {
  const bool direct = is_direct<T>(layout, to_stride);
  const std::uint64_t step =
      std::max<std::uint64_t>(1, kBytesBetweenLooks / std::max<std::size_t>(1, layout.bytes));
  std::vector<char> buffer(direct ? 0
                                  : static_cast<std::size_t>(std::min(rows, step)) * layout.bytes);
  for (std::uint64_t begin = 0; begin < rows; begin += step) {
    workers.check_cancelled();
    const auto count = static_cast<std::size_t>(std::min(step, rows - begin));
    T* next = to + begin * to_stride;
    char* place = direct ? reinterpret_cast<char*>(next) : buffer.data();
    bytes.read(place, count * layout.bytes, where);
    for (std::size_t i = 0; !direct && i < layout.columns.size(); ++i)
      convert(layout.columns[i].stored, buffer.data() + layout.columns[i].offset, layout.bytes,
              next + i, to_stride, count);
    if (to_stride == layout.columns.size()) workers.advance(count);
  }
}

}  // namespace

RowLayout packed_rows(Stored stored, std::size_t count) {
  RowLayout layout{count * stored.bytes(), {}};
  for (std::size_t i = 0; i < count; ++i) layout.columns.push_back({stored, i * stored.bytes()});
  return layout;
}

void read_rows(ByteStream& bytes, const RowLayout& layout, std::uint64_t rows, const Target& to,
               std::size_t to_stride, const Workers& workers, const std::string& where) {
  if (to_stride == 0) to_stride = layout.columns.size();
  std::visit(
      [&](auto* numbers) { read_into(bytes, layout, rows, numbers, to_stride, workers, where); },
      to);
}

std::uint64_t checked_bytes(std::uint64_t count, std::uint64_t size, std::uint64_t begin,
                            std::uint64_t bytes, const std::string& where) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 60;  // of any file
  if (size != 0 && count > kMost / size)
    fail(ErrorCode::io, "{}: claims {} items of {} bytes; the file is damaged", where, count, size);
  if (count * size > bytes - begin) fail_cut_off(where, bytes, begin + count * size);
  return count * size;
}

void fill(const Target& to, std::uint64_t count, double value, const Workers& workers) {
  std::visit(
      [&](auto* numbers) {
        std::fill_n(numbers, count, static_cast<std::remove_pointer_t<decltype(numbers)>>(value));
      },
      to);
  workers.advance(count);
}

}  // namespace kith::io

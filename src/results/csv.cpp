// Results as text: facts in lines that begin with #, the names of the columns, a row per line.
#include <algorithm>
#include <fmt/format.h>

#include "base/fail.hpp"
#include "files/atomic_file.hpp"
#include "files/utf8.hpp"
#include "results/writer.hpp"

namespace kith::io {
namespace {

void add_number(fmt::memory_buffer& text, const ResultArray& array, std::size_t i) {
  const auto out = std::back_inserter(text);
  switch (array.type) {
    case NumberType::uint8:
      fmt::format_to(out, "{}", static_cast<int>(static_cast<const std::uint8_t*>(array.data)[i]));
      return;
    case NumberType::int32:
      fmt::format_to(out, "{}", static_cast<const std::int32_t*>(array.data)[i]);
      return;
    case NumberType::int64:
      fmt::format_to(out, "{}", static_cast<const std::int64_t*>(array.data)[i]);
      return;
    case NumberType::uint32:
      fmt::format_to(out, "{}", static_cast<const std::uint32_t*>(array.data)[i]);
      return;
    case NumberType::uint64:
      fmt::format_to(out, "{}", static_cast<const std::uint64_t*>(array.data)[i]);
      return;
    case NumberType::float32:
      fmt::format_to(out, "{}", static_cast<const float*>(array.data)[i]);
      return;
    case NumberType::float64:
      fmt::format_to(out, "{}", static_cast<const double*>(array.data)[i]);
      return;
  }
}

/// x, y, z for arrays with as many components as space; numbers for all others.
std::string column_name(const ResultArray& array, std::size_t component, int dimension) {
  if (array.width == 1 && !array.is_table) return array.name;
  const bool is_vector = array.width == static_cast<std::size_t>(dimension) && dimension <= 3 &&
                         (array.unit != UnitPowers{}) && array.name != "distance" &&
                         array.name != "shape";
  if (is_vector) return array.name + "_" + "xyz"[component];
  return fmt::format("{}_{}", array.name, component);
}

std::string head_of(const ResultAbout& about, std::span<const ResultRows> arrays) {
  std::string head;
  for (const Fact& fact : facts_of(about)) head += "# " + as_utf8(lines_of({&fact, 1}));
  std::string names;
  for (const ResultArray& array : arrays) {
    if (const std::string unit = unit_name(about.units, array.unit); !unit.empty())
      head += fmt::format("# unit of {}: {}\n", array.name, unit);
    for (std::size_t c = 0; c < array.width; ++c)
      names +=
          fmt::format("{}{}", names.empty() ? "" : ",", column_name(array, c, about.dimension));
  }
  return head + names + "\n";
}

void add_row(fmt::memory_buffer& text, std::span<const ResultArray> arrays, std::size_t row) {
  bool is_first = true;
  for (const ResultArray& array : arrays)
    for (std::size_t c = 0; c < array.width; ++c) {
      if (!is_first) text.push_back(',');
      is_first = false;
      add_number(text, array, row * array.width + c);
    }
  text.push_back('\n');
}

/// Some rows of all arrays.
std::vector<ResultArray> piece_of(std::span<const ResultRows> arrays, std::size_t begin,
                                  std::size_t count) {
  std::vector<ResultArray> piece(arrays.begin(), arrays.end());
  for (std::size_t i = 0; i < piece.size(); ++i) piece[i].data = arrays[i].read(begin, count);
  return piece;
}

}  // namespace

void write_csv(const std::string& path, const ResultAbout& about,
               std::span<const ResultRows> arrays, const Workers& workers) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  constexpr std::size_t kRows = 1024;
  for (const ResultArray& array : arrays)
    if (array.rows != arrays.front().rows)
      refuse("{}: {} has {} rows and {} has {}; a .csv file has as many of each: use .hdf5 or .npz",
             path, array.name, array.rows, arrays.front().name, arrays.front().rows);
  AtomicFile file(path);
  const std::string head = head_of(about, arrays);
  file.write(head.data(), head.size());
  fmt::memory_buffer text;
  const std::size_t rows = arrays.empty() ? 0 : arrays.front().rows;
  for (std::size_t begin = 0; begin < rows; begin += kRows) {
    const std::size_t count = std::min(kRows, rows - begin);
    const std::vector<ResultArray> piece = piece_of(arrays, begin, count);
    for (std::size_t row = 0; row < count; ++row) add_row(text, piece, row);
    if (text.size() < kPiece) continue;
    workers.check_cancelled();
    file.write(text.data(), text.size());
    file.sync();
    text.clear();
  }
  file.write(text.data(), text.size());
  workers.check_cancelled();
  file.commit();
}

}  // namespace kith::io

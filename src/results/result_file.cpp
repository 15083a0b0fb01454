// ResultFile: arrays by kith's names, and the tables made of them.
#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

#include "base/fail.hpp"
#include "files/hdf5.hpp"
#include "files/input_bytes.hpp"
#include "parallel/public_call.hpp"
#include "results/columns.hpp"
#include "results/source.hpp"

namespace kith {
namespace {

using io::Number;
using io::SourceArray;

constexpr std::size_t kMostTypes = 256;

io::ResultSource open_any(const std::string& path) {
  if (io::hdf5::is_hdf5(path)) return io::open_hdf5_result(path);
  if (const io::InputBytes file(path); file.text(0, 2) == "PK") return io::open_npz_result(path);
  fail(ErrorCode::io, "{}: neither HDF5 nor .npz; only these can be read", path);
}

/// Rows without numbers take no bytes, so that nothing proves their number.
void check_widths(const io::ResultSource& source, const std::string& path) {
  for (const auto& [name, array] : source.arrays)
    if (array.width == 0 && array.rows > 0)
      fail(ErrorCode::io, "{}: {} rows of {} without numbers; the file is damaged", path,
           array.rows, name);
}

/// All columns of a table have one row for each group, or for each subhalo.
void check_tables(const io::ResultSource& source, const std::string& path) {
  if (source.about.kind != ResultKind::fof && source.about.kind != ResultKind::subhalos) return;
  std::optional<std::uint64_t> rows[2];
  for (const io::ColumnRule& rule : io::column_rules()) {
    const auto found = source.arrays.find(rule.name);
    if (found == source.arrays.end()) continue;
    auto& known = rows[rule.name.starts_with("subhalo_") ? 1 : 0];
    if (!known) known = found->second.rows;
    if (*known != found->second.rows)
      fail(ErrorCode::io, "{}: {} rows of {} for {} groups; the file is damaged", path,
           found->second.rows, rule.name, *known);
  }
}

io::ResultSource open(const std::string& path) {
  io::ResultSource source = open_any(path);
  check_widths(source, path);
  check_tables(source, path);
  return source;
}

template <class From, class To>
void copy(const std::vector<char>& from, std::vector<To>& to) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    From value;
    std::memcpy(&value, &from[i * sizeof value], sizeof value);
    if constexpr (std::is_same_v<To, double>) {
      to[i] = static_cast<double>(value);  // NOLINT(bugprone-signed-char-misuse): a number
    } else {
      const auto whole = io::whole_number<To>(value);
      if (!whole) fail(ErrorCode::io, "a result with the number {} where counts are", value);
      to[i] = *whole;
    }
  }
}

template <class To>
std::vector<To> read(const SourceArray& array, std::uint64_t begin, std::uint64_t count) {
  if (begin > array.rows || count > array.rows - begin)
    refuse("a result of {} rows was asked for rows {} to {}", array.rows, begin, begin + count);
  std::vector<To> to(count * array.width);
  std::vector<char> from(to.size() * io::bytes_of(array.number));
  if (!to.empty()) array.read(begin, count, from.data());
  switch (array.number) {
    case Number::i8: copy<std::int8_t>(from, to); break;
    case Number::u8: copy<std::uint8_t>(from, to); break;
    case Number::i16: copy<std::int16_t>(from, to); break;
    case Number::u16: copy<std::uint16_t>(from, to); break;
    case Number::i32: copy<std::int32_t>(from, to); break;
    case Number::u32: copy<std::uint32_t>(from, to); break;
    case Number::i64: copy<std::int64_t>(from, to); break;
    case Number::u64: copy<std::uint64_t>(from, to); break;
    case Number::f32: copy<float>(from, to); break;
    case Number::f64: copy<double>(from, to); break;
    case Number::f16: fail(ErrorCode::io, "a result holds no half-precision numbers");
  }
  if constexpr (std::is_same_v<To, double>)
    if (array.factor != 1)
      for (double& value : to) value *= array.factor;
  return to;
}

}  // namespace

class ResultFile::Impl {
 public:
  explicit Impl(const std::string& file) : path(file), source(open(file)) {}

  const SourceArray& array(std::string_view name) const {
    const auto found = source.arrays.find(name);
    if (found == source.arrays.end()) refuse("{}: has no array named {}", path, name);
    return found->second;
  }

  std::string path;
  io::ResultSource source;
};

ResultFile::ResultFile(const std::string& path)
    : impl_(public_call("result", [&] { return std::make_shared<Impl>(path); })) {}

const ResultAbout& ResultFile::about() const { return impl_->source.about; }
ResultStyle ResultFile::style() const { return impl_->source.style; }

std::vector<std::string> ResultFile::names() const {
  return public_call("result", [&] {
    std::vector<std::string> names;
    for (const auto& [name, array] : impl_->source.arrays) names.push_back(name);
    return names;
  });
}

bool ResultFile::has(std::string_view name) const {
  return impl_->source.arrays.find(name) != impl_->source.arrays.end();
}
std::size_t ResultFile::rows(std::string_view name) const { return impl_->array(name).rows; }
std::size_t ResultFile::width(std::string_view name) const { return impl_->array(name).width; }

std::vector<double> ResultFile::numbers(std::string_view name, std::size_t begin,
                                        std::size_t count) const {
  return public_call("result", [&] { return read<double>(impl_->array(name), begin, count); });
}
std::vector<double> ResultFile::numbers(std::string_view name) const {
  return numbers(name, 0, rows(name));
}
std::vector<std::int64_t> ResultFile::integers(std::string_view name, std::size_t begin,
                                               std::size_t count) const {
  return public_call("result", [&] {
    const SourceArray& array = impl_->array(name);
    if (!io::is_integer(array.number)) refuse("{}: {} holds no whole numbers", impl_->path, name);
    return read<std::int64_t>(array, begin, count);
  });
}
std::vector<std::int64_t> ResultFile::integers(std::string_view name) const {
  return integers(name, 0, rows(name));
}

namespace {

void read_column(const ResultFile& file, const std::string& name, std::vector<double>& field) {
  field = file.numbers(name);
}
template <class T>
void read_column(const ResultFile& file, const std::string& name, std::vector<T>& field) {
  const std::vector<std::int64_t> values = file.integers(name);
  field.reserve(values.size());
  for (const std::int64_t value : values) {
    const auto whole = io::whole_number<T>(value);
    if (!whole) fail(ErrorCode::io, "{} = {} in a result; the file is damaged", name, value);
    field.push_back(*whole);
  }
}

/// Numbers in a row of the file, where the table fixes them; without rows it has no such number.
void check_width(const CatalogueColumn& column, const Catalogue& table, std::uint64_t width,
                 const std::string& path) {
  const std::size_t right =
      column.shape == ColumnShape::contaminant ? 1 : column_width(column, table);
  if (right > 0 && width != right)
    fail(ErrorCode::io, "{}: {} has {} numbers in a row; {} were expected; the file is damaged",
         path, column.name, width, right);
}

/// The fields that the file has, each with a row for every group.
Catalogue read_table(const ResultFile& file, const std::string& prefix, const std::string& path) {
  Catalogue table;
  table.dimension = file.about().dimension;
  if (!file.has(prefix + "size")) return table;
  for (const char* name : {"type_size", "type_mass"})
    if (file.has(prefix + name)) {
      const std::size_t types = file.width(prefix + name);
      if (types > kMostTypes)
        fail(ErrorCode::io, "{}: {} types in {}{}; the file is damaged", path, types, prefix, name);
      table.types = static_cast<int>(types);
    }
  for_each_column(table, [&](const CatalogueColumn& column, auto& field) {
    const std::string name = prefix + column.name;
    if (!file.has(name)) return;
    if (file.rows(name) > 0) check_width(column, table, file.width(name), path);
    read_column(file, name, field);
  });
  return table;
}

}  // namespace

Catalogue ResultFile::catalogue() const {
  return public_call("result", [&] { return read_table(*this, "", impl_->path); });
}
Catalogue ResultFile::subhalo_catalogue() const {
  return public_call("result", [&] { return read_table(*this, "subhalo_", impl_->path); });
}

}  // namespace kith

// Results in HDF5 under kith's own names, and what all HDF5 results share.
#include <algorithm>
#include <cmath>

#include "base/fail.hpp"
#include "results/writer.hpp"

namespace kith::io {
namespace {

constexpr std::size_t kPiece = std::size_t{4} << 20;   // bytes between two looks at the token
constexpr std::size_t kPacked = std::size_t{1} << 19;  // of what is compressed: a chunk takes long

}  // namespace

Number number_of(NumberType type) {
  switch (type) {
    case NumberType::uint8: return Number::u8;
    case NumberType::int32: return Number::i32;
    case NumberType::int64: return Number::i64;
    case NumberType::uint32: return Number::u32;
    case NumberType::uint64: return Number::u64;
    case NumberType::float32: return Number::f32;
    case NumberType::float64: return Number::f64;
  }
  fail(ErrorCode::internal, "a type of numbers without a name");
}

std::size_t row_bytes(const ResultArray& array) {
  return array.width * bytes_of(number_of(array.type));
}

std::vector<ResultRows> rows_of(std::span<const ResultArray> arrays) {
  std::vector<ResultRows> rows;
  for (const ResultArray& array : arrays) rows.push_back({array});
  return rows;
}

void in_pieces(const ResultRows& array, const Workers& workers,
               FunctionRef<void(std::size_t, std::size_t, const char*)> write, bool is_packed) {
  const std::size_t row = row_bytes(array);
  const std::size_t piece = is_packed ? kPacked : kPiece;
  const std::size_t rows = std::max<std::size_t>(1, piece / std::max<std::size_t>(1, row));
  const auto* data = static_cast<const char*>(array.data);
  for (std::size_t begin = 0; begin < array.rows; begin += rows) {
    workers.check_cancelled();
    const std::size_t count = std::min(rows, array.rows - begin);
    write(begin, count,
          array.read ? static_cast<const char*>(array.read(begin, count)) : data + begin * row);
    workers.advance(count * row);
  }
}

hdf5::Group Hdf5Writer::group(const std::string& path) {
  return file_.contains(path) ? file_.group(path) : file_.create_group(path);
}

void Hdf5Writer::attributes(hdf5::Group group, const std::vector<Fact>& facts) const {
  for (const Fact& fact : facts)
    std::visit(
        [&](const auto& value) {
          if constexpr (requires { value.empty(); })
            if (value.empty()) return;  // HDF5 has no room for an attribute without a value
          group.set(fact.name, value);
        },
        fact.value);
}

hdf5::Dataset Hdf5Writer::write(const std::string& path, const ResultRows& array) {
  if (const std::size_t slash = path.find('/'); slash != std::string::npos)
    group(path.substr(0, slash));
  hdf5::Shape shape{array.rows};
  if (array.is_table) shape.push_back(array.width);
  const bool is_packed = compression_ > 0 && array.rows > 0;
  hdf5::Dataset dataset = file_.create_dataset(path, number_of(array.type), shape,
                                               {.compression = is_packed ? compression_ : 0});
  if (is_packed)
    write_packed(dataset, array);
  else
    write_in_place(dataset.offset(), array);
  return dataset;
}

/// Beside the library: it must not flush in the middle, or the bytes of its own structures would
/// depend on how many rows were written by then, and by whom.
void Hdf5Writer::write_in_place(std::uint64_t offset, const ResultRows& array) {
  const std::size_t row = row_bytes(array);
  if (array.rows * row == 0) return;
  if (array.store) {
    array.store(file_.temporary(), offset, 0, array.rows);
    workers_.advance(array.rows * row);
    return;
  }
  Unsynced unsynced;
  in_pieces(array, workers_, [&](std::size_t begin, std::size_t rows, const char* data) {
    file_.write_at(offset + begin * row, data, rows * row);
    if (unsynced.is_too_much(rows * row)) file_.sync_written();
  });
}

void Hdf5Writer::write_packed(hdf5::Dataset& dataset, const ResultRows& array) {
  Unsynced unsynced;
  const auto write = [&](std::size_t begin, std::size_t rows, const char* data) {
    dataset.write(begin, rows, number_of(array.type), data);
    if (unsynced.is_too_much(rows * row_bytes(array))) file_.sync();
  };
  in_pieces(array, workers_, write, true);
}

void describe_gadget(hdf5::Dataset& dataset, const ResultArray& array, const ResultAbout& about) {
  if (!array.description.empty()) dataset.set("description", array.description);
  const std::string unit = unit_name(about.units, array.unit);
  if (!unit.empty()) dataset.set("unit", unit);
  const Units& units = about.units;
  const UnitPowers& powers = array.unit;
  if (powers == UnitPowers{}) return;
  // Physical value in cgs = value * a^a_scaling * h^h_scaling * to_cgs; 0 where nobody knows.
  const bool is_known = unit.empty() == false;
  dataset.set("a_scaling", units.is_comoving ? static_cast<double>(powers.length) : 0.0);
  dataset.set("h_scaling",
              units.is_per_h ? -static_cast<double>(powers.length + powers.mass) : 0.0);
  dataset.set("length_scaling", static_cast<double>(powers.length));
  dataset.set("mass_scaling", static_cast<double>(powers.mass));
  dataset.set("velocity_scaling", static_cast<double>(powers.velocity));
  dataset.set("to_cgs", is_known ? std::pow(units.length, powers.length) *
                                       std::pow(units.mass, powers.mass) *
                                       std::pow(units.velocity, powers.velocity)
                                 : 0.0);
}

void write_hdf5(const std::string& path, const ResultAbout& about,
                std::span<const ResultRows> arrays, int compression, const Workers& workers) {
  Hdf5Writer writer(path, compression, workers);
  writer.attributes(writer.group("Kith"), facts_of(about));
  for (const ResultRows& array : arrays) {
    hdf5::Dataset dataset = writer.write(array.name, array);
    describe_gadget(dataset, array, about);
  }
  writer.commit();
}

}  // namespace kith::io

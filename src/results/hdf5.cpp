// Results in HDF5 under kith's own names, and what all HDF5 results share.
#include <algorithm>
#include <cmath>

#include "base/fail.hpp"
#include "results/writer.hpp"

namespace kith::io {
namespace {

constexpr std::size_t kPiece = std::size_t{2} << 20;   // bytes between two checks of the token
constexpr std::size_t kPacked = std::size_t{1} << 19;  // of compressed data: a chunk takes long

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

std::vector<ResultRows> rows_of(std::span<const ResultArray> arrays) {
  std::vector<ResultRows> rows;
  for (const ResultArray& array : arrays) rows.push_back({array});
  return rows;
}

ResultRows sliced(const ResultRows& array, std::size_t begin, std::size_t count) {
  ResultRows slice = array;
  slice.rows = count;
  slice.first += begin;
  if (array.data) slice.data = static_cast<const char*>(array.data) + begin * row_bytes(array);
  return slice;
}

void in_pieces(const ResultRows& array, const Workers& workers,
               FunctionRef<void(std::size_t, std::size_t, const char*)> write, bool is_packed) {
  const std::size_t row = row_bytes(array);
  const std::size_t piece = is_packed ? kPacked : kPiece;
  const std::size_t rows = std::max<std::size_t>(1, piece / std::max<std::size_t>(1, row));
  for (std::size_t begin = 0; begin < array.rows; begin += rows) {
    workers.check_cancelled();
    const std::size_t count = std::min(rows, array.rows - begin);
    write(begin, count, static_cast<const char*>(array.read(begin, count)));
    workers.advance(count * row);
  }
}

void describe_gadget(hdf5::Dataset& dataset, const ResultArray& array, const ResultAbout& about) {
  if (!array.description.empty()) dataset.set("description", array.description);
  const std::string unit = unit_name(about.units, array.unit);
  if (!unit.empty()) dataset.set("unit", unit);
  const Units& units = about.units;
  const UnitPowers& powers = array.unit;
  if (powers == UnitPowers{}) return;
  // Physical value in cgs = value * a^a_scaling * h^h_scaling * to_cgs; 0 if unknown.
  const bool is_known = !unit.empty();
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
                std::span<const ResultRows> arrays, const ResultWriteOptions& options,
                const Workers& workers) {
  in_files(path, options, workers, [&](Hdf5Writer& writer) {
    writer.about(about);
    for (const ResultRows& array : arrays) {
      hdf5::Dataset dataset = writer.write(array.name, array);
      describe_gadget(dataset, array, about);
    }
  });
}

}  // namespace kith::io

// Readers of NumPy arrays, of archives of them, and of bare numbers.
#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "base/fail.hpp"
#include "files/npy.hpp"
#include "files/zip.hpp"
#include "snapshots/table.hpp"

namespace kith::io {
namespace {

/// An array in a separate file or in an archive.
struct FileArray {
  std::string where;
  NpyHeader header;
  ZipMember place;  ///< with the header

  std::uint64_t rows() const { return header.shape.empty() ? 1 : header.shape[0]; }
  std::uint64_t columns() const { return header.shape.size() == 2 ? header.shape[1] : 1; }
  std::uint64_t number_bytes() const { return place.bytes - header.bytes; }
};

/// A whole file that is not an archive.
ZipMember all_of(const InputBytes& file) {
  ZipMember place;
  place.bytes = place.packed_bytes = file.size();
  return place;
}

/// Whether the file has the numbers that the header describes.
void check_array(const FileArray& array) {
  const auto& shape = array.header.shape;
  if (shape.size() > 2)
    fail(ErrorCode::io, "{}: is an array of {} dimensions; give rows and columns", array.where,
         shape.size());
  if (shape.size() == 2) check_dimension(shape[1], array.where);
  const std::uint64_t bytes =
      checked_bytes(array.rows(), array.columns() * array.header.stored.bytes(), array.header.bytes,
                    array.place.bytes, array.where);
  if (bytes != array.number_bytes())
    fail(ErrorCode::io, "{}: has {} bytes of numbers, the header describes {}; it is damaged",
         array.where, array.number_bytes(), bytes);
}

/// The bytes of a member from here on. Of a packed one, those before are unpacked and forgotten;
/// the checksum is verified when a member is read to its end.
std::unique_ptr<ByteStream> bytes_from(const FileArray& array, const InputBytes& file,
                                       std::uint64_t begin) {
  const ZipMember& place = array.place;
  const bool is_near = begin <= array.header.bytes;
  if (!place.is_deflated && !is_near) return stream(file, place.begin + begin, place.bytes - begin);
  auto bytes = member_bytes(file, place);
  constexpr std::uint64_t kSkipped = 1 << 16;
  std::vector<char> skipped(static_cast<std::size_t>(std::min(kSkipped, begin)));
  for (std::uint64_t left = begin; left > 0; left -= std::min(kSkipped, left))
    bytes->read(skipped.data(), static_cast<std::size_t>(std::min(kSkipped, left)), array.where);
  return bytes;
}

void read_array(const FileArray& array, const InputBytes& file, const RowRange& rows,
                const Target& to, const Workers& workers) {
  const auto columns = static_cast<std::size_t>(array.columns());
  const Stored stored = array.header.stored;
  const std::uint64_t number = stored.bytes();
  if (!array.header.is_fortran_order || columns == 1) {
    const auto bytes = bytes_from(array, file, array.header.bytes + rows.begin * columns * number);
    return read_rows(*bytes, packed_rows(stored, columns), rows.count, to, 0, workers, array.where);
  }
  const bool is_whole = rows.count == array.rows();
  auto bytes = bytes_from(array, file, array.header.bytes);
  for (std::size_t column = 0; column < columns; ++column) {
    if (!is_whole)
      bytes = bytes_from(array, file,
                         array.header.bytes + (column * array.rows() + rows.begin) * number);
    read_rows(*bytes, packed_rows(stored, 1), rows.count, advanced(to, column), columns, workers,
              array.where);
  }
  workers.advance(rows.count);
}

Scalar scalar_of(Stored stored) {
  return stored.number == Number::f32 || stored.number == Number::f16 ? Scalar::float32
                                                                      : Scalar::float64;
}

/// Arrays by the names of the fields that they hold.
class ArrayReader : public SnapshotReader {
 public:
  ArrayReader(const std::string& path, FileFormat format) : file_(path) {
    info.format = format;
    info.files = {path};
  }

  void read(Field field, const SnapshotType&, const RowRange& rows, const Target& to,
            const Workers& workers) const override {
    read_array(arrays_.at(field), file_, rows, to, workers);
  }

  const InputBytes& file() const { return file_; }

  void set_position(FileArray array) {
    info.dimension = static_cast<int>(array.columns());
    info.position_scalar = scalar_of(array.header.stored);
    info.type = {only_type(array.rows())};
    arrays_.emplace(Field::position, std::move(array));
  }

  /// The array of a field other than the position; it must have as many rows.
  void set(Field field, FileArray array) {
    SnapshotType& type = info.type.front();
    const auto columns = static_cast<std::uint64_t>(field == Field::velocity ? info.dimension : 1);
    if (array.rows() != type.count || array.columns() != columns)
      fail(ErrorCode::io, "{}: has {} rows of {}; {} of {} go with the positions", array.where,
           array.rows(), array.columns(), type.count, columns);
    if (field == Field::id && !is_integer(array.header.stored.number))
      fail(ErrorCode::io, "{}: holds {}; ids are whole numbers", array.where,
           name_of(array.header.stored.number));
    (field == Field::velocity ? type.has_velocity
     : field == Field::mass   ? type.has_mass
     : field == Field::value  ? type.has_value
                              : type.has_id) = true;
    arrays_.emplace(field, std::move(array));
  }

  void set_mass(double mass) {
    info.type.front().mass = mass;
    info.type.front().has_mass = mass > 0;
  }

 private:
  InputBytes file_;
  std::map<Field, FileArray> arrays_;
};

FileArray array_in(const InputBytes& file, const ZipMember& member) {
  FileArray array;
  array.where = formatted("{}: {}", file.path(), member.name);
  array.place = member;
  const auto bytes = member_bytes(file, array.place);
  std::string beginning(
      static_cast<std::size_t>(std::min<std::uint64_t>(member.bytes, kNpyHeaderBytes)), '\0');
  bytes->read(beginning.data(), beginning.size(), array.where);
  array.header = parse_npy(beginning, array.where);
  check_array(array);
  return array;
}

std::vector<double> numbers_of(const FileArray& array, const InputBytes& file) {
  if (array.rows() * array.columns() > kMaxDimension)
    fail(ErrorCode::io, "{}: has {} numbers; at most {} are allowed", array.where,
         array.rows() * array.columns(), kMaxDimension);
  std::vector<double> values(static_cast<std::size_t>(array.rows() * array.columns()));
  const Execution execution{.threads = 1};
  read_array(array, file, {0, array.rows()}, values.data(), Workers(execution));
  return values;
}

bool is_field(std::string_view name) {
  constexpr std::array kFields = {"position", "velocity", "mass", "id", "box"};
  return std::any_of(kFields.begin(), kFields.end(),
                     [&](const char* field) { return name == field; });
}

/// The members of an archive that kith knows, and the only one of an archive with one.
std::map<std::string, FileArray> known_arrays(const InputBytes& file, const std::string& values) {
  std::map<std::string, FileArray> arrays;
  const std::vector<ZipMember> members = zip_directory(file);
  for (const ZipMember& member : members) {
    const std::string_view name = member.name;
    const std::string stem(name.ends_with(".npy") ? name.substr(0, name.size() - 4) : name);
    if (is_field(stem) || (!values.empty() && stem == values))
      if (!arrays.emplace(stem, array_in(file, member)).second)
        fail(ErrorCode::io, "{}: has two arrays named {}", file.path(), stem);
  }
  if (arrays.empty() && members.size() == 1)
    arrays.emplace("position", array_in(file, members.front()));
  if (!arrays.contains("position"))
    fail(ErrorCode::io, "{}: has no array named position among its {} members", file.path(),
         members.size());
  return arrays;
}

void set_mass(ArrayReader& reader, FileArray array) {
  if (array.rows() * array.columns() != 1 || reader.info.type.front().count == 1)
    return reader.set(Field::mass, std::move(array));
  const double mass = numbers_of(array, reader.file()).front();
  if (!(mass > 0)) fail(ErrorCode::io, "{}: is {}; a mass is positive", array.where, mass);
  reader.set_mass(mass);
}

}  // namespace

ReaderPointer open_npy(const std::string& path) {
  auto reader = std::make_unique<ArrayReader>(path, FileFormat::npy);
  const InputBytes& file = reader->file();
  FileArray array;
  array.where = path;
  array.header = parse_npy(file.text(0, kNpyHeaderBytes), path);
  array.place = all_of(file);
  check_array(array);
  reader->set_position(std::move(array));
  return reader;
}

ReaderPointer open_npz(const std::string& path, const ReaderOptions& options) {
  auto reader = std::make_unique<ArrayReader>(path, FileFormat::npz);
  auto arrays = known_arrays(reader->file(), options.value_column);
  reader->set_position(std::move(arrays.at("position")));
  // Before the other arrays, which are moved away: it may be the mass as well.
  if (const auto found = arrays.find(options.value_column); found != arrays.end())
    reader->set(Field::value, found->second);
  if (const auto found = arrays.find("velocity"); found != arrays.end())
    reader->set(Field::velocity, std::move(found->second));
  if (const auto found = arrays.find("id"); found != arrays.end())
    reader->set(Field::id, std::move(found->second));
  if (const auto found = arrays.find("mass"); found != arrays.end())
    set_mass(*reader, std::move(found->second));
  if (const auto found = arrays.find("box"); found != arrays.end())
    reader->info.box = box_of(numbers_of(found->second, reader->file()), reader->info.dimension,
                              found->second.where);
  return reader;
}

ReaderPointer open_raw(const std::string& path, const ReaderOptions& options) {
  if (options.dimension < 1 || options.dimension > kMaxDimension)
    refuse("{}: dimension = {}; give 1 to {}", path, options.dimension, kMaxDimension);
  auto reader = std::make_unique<ArrayReader>(path, FileFormat::raw);
  const bool is_double = options.name.ends_with(".f64") ||
                         (!options.name.ends_with(".f32") && options.scalar == Scalar::float64);
  FileArray array;
  array.where = path;
  array.header.stored = {is_double ? Number::f64 : Number::f32, false};
  array.place = all_of(reader->file());
  const std::uint64_t row =
      array.header.stored.bytes() * static_cast<std::uint64_t>(options.dimension);
  if (array.place.bytes % row != 0)
    fail(ErrorCode::io,
         "{}: {} bytes are not a whole number of {}-dimensional points of {}; the file is "
         "cut off, or has another dimension or type",
         path, array.place.bytes, options.dimension, name_of(array.header.stored.number));
  array.header.shape = {array.place.bytes / row, static_cast<std::uint64_t>(options.dimension)};
  reader->set_position(std::move(array));
  return reader;
}

}  // namespace kith::io

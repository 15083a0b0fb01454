// The reader of Gadget's binary snapshots: formats 1 and 2, both byte orders, one file or several,
// with the header of Gadget-1 and 2 or the wider one of Gadget-4.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <string_view>

#include "base/fail.hpp"
#include "snapshots/gadget_binary.hpp"
#include "snapshots/table.hpp"

namespace kith::io {
namespace {

constexpr std::uint32_t kTagBytes = 8;  // of the records that name others in format 2

/// A record, without the lengths around it.
struct Block {
  std::string name;
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
};

/// The fields of the header that are used, of either kind.
struct Header {
  std::vector<std::uint64_t> count;  ///< by type, in this file
  std::vector<std::uint64_t> total;
  std::vector<double> mass;
  double time = 0, redshift = 0, box = 0, omega_m = 0, omega_lambda = 0, h = 0;
  std::uint64_t files = 1;

  std::uint64_t sum() const {
    std::uint64_t result = 0;
    for (const std::uint64_t n : count) result += n;
    return result;
  }
};

struct GadgetFile {
  std::string path;
  bool is_big_endian = false;
  Header header;
  std::map<std::string, Block> blocks;
};

/// Numbers at a place of a record, in the file's byte order.
class RecordBytes {
 public:
  RecordBytes(std::string bytes, bool is_big_endian)
      : bytes_(std::move(bytes)), is_big_endian_(is_big_endian) {}

  double number(Number kind, std::size_t at) const {
    double value = 0;
    convert({kind, is_big_endian_}, bytes_.data() + at, 0, &value, 1, 1);
    return value;
  }
  std::uint64_t count(Number kind, std::size_t at) const {
    std::uint64_t value = 0;
    convert({kind, is_big_endian_}, bytes_.data() + at, 0, &value, 1, 1);
    return value;
  }

 private:
  std::string bytes_;
  bool is_big_endian_;
};

std::uint32_t length_at(const InputBytes& file, std::uint64_t at, bool is_big_endian) {
  std::uint64_t value = 0;
  char bytes[4];
  file.read(at, bytes, 4);
  convert({Number::u32, is_big_endian}, bytes, 0, &value, 1, 1);
  return static_cast<std::uint32_t>(value);
}

/// The number of types of Gadget-4's own header, by its length; 0: it is none.
std::size_t wide_types(std::uint64_t bytes) {
  constexpr std::size_t kMostGadgetTypes = 16;
  const std::uint64_t types = bytes >= 48 && (bytes - 48) % 24 == 0 ? (bytes - 48) / 24 : 0;
  return types <= kMostGadgetTypes ? static_cast<std::size_t>(types) : 0;
}

bool is_header_length(std::uint64_t bytes) {
  return bytes == sizeof(GadgetHeader) || wide_types(bytes) > 0;
}

/// Whether a file begins with a header, or with the name of one, in this byte order.
bool begins_as_gadget(const InputBytes& file, bool is_big_endian) {
  if (file.size() < 64) return false;
  std::uint64_t begin = 0;
  if (length_at(file, 0, is_big_endian) == kTagBytes) {
    if (length_at(file, 12, is_big_endian) != kTagBytes || file.text(4, 4) != "HEAD") return false;
    begin = 16;
  }
  const std::uint32_t bytes = length_at(file, begin, is_big_endian);
  return is_header_length(bytes) && file.size() >= begin + 8 + bytes &&
         length_at(file, begin + 4 + bytes, is_big_endian) == bytes;
}

std::vector<Block> blocks_of(const InputBytes& file, bool is_big_endian) {
  constexpr std::size_t kMostGadgetBlocks = 1024;
  const bool is_named = length_at(file, 0, is_big_endian) == kTagBytes;
  std::vector<Block> blocks;
  std::string name;
  for (std::uint64_t at = 0; at < file.size();) {
    Block block{name, at + 4, length_at(file, at, is_big_endian)};
    if (file.size() - at < 8 || block.bytes > file.size() - at - 8)
      fail_cut_off(file.path(), file.size(), at + 8 + block.bytes, Whole::at_least);
    const std::uint32_t again = length_at(file, block.begin + block.bytes, is_big_endian);
    if (again != block.bytes)
      fail(ErrorCode::io,
           "{}: the record at byte {} has {} bytes by its beginning and {} by its end; "
           "the file is damaged, or has a record of more than 4 GB, which is not read",
           file.path(), at, block.bytes, again);
    at = block.begin + block.bytes + 4;
    name.clear();
    if (is_named && block.name.empty() && block.bytes == kTagBytes) {
      name = file.text(block.begin, 4);
      name.erase(name.find_last_not_of(' ') + 1);
      continue;
    }
    blocks.push_back(block);
    if (blocks.size() > kMostGadgetBlocks)
      fail(ErrorCode::io, "{}: has too many records", file.path());
  }
  return blocks;
}

Header narrow_header(const RecordBytes& bytes) {
  Header header;
  for (std::size_t type = 0; type < 6; ++type) {
    header.count.push_back(bytes.count(Number::u32, 4 * type));
    header.mass.push_back(bytes.number(Number::f64, 24 + 8 * type));
    header.total.push_back(bytes.count(Number::u32, offsetof(GadgetHeader, total) + 4 * type) |
                           bytes.count(Number::u32, offsetof(GadgetHeader, total_high) + 4 * type)
                               << 32);
  }
  header.time = bytes.number(Number::f64, offsetof(GadgetHeader, time));
  header.redshift = bytes.number(Number::f64, offsetof(GadgetHeader, redshift));
  header.files = bytes.count(Number::u32, offsetof(GadgetHeader, files));
  header.box = bytes.number(Number::f64, offsetof(GadgetHeader, box));
  header.omega_m = bytes.number(Number::f64, offsetof(GadgetHeader, omega_m));
  header.omega_lambda = bytes.number(Number::f64, offsetof(GadgetHeader, omega_lambda));
  header.h = bytes.number(Number::f64, offsetof(GadgetHeader, h));
  return header;
}

/// Gadget-4's own: counts and totals of 64 bits, masses; time, redshift, box, number of files.
Header wide_header(const RecordBytes& bytes, std::size_t types) {
  Header header;
  for (std::size_t type = 0; type < types; ++type) {
    header.count.push_back(bytes.count(Number::u64, 8 * type));
    header.total.push_back(bytes.count(Number::u64, 8 * (types + type)));
    header.mass.push_back(bytes.number(Number::f64, 8 * (2 * types + type)));
  }
  header.time = bytes.number(Number::f64, 24 * types);
  header.redshift = bytes.number(Number::f64, 24 * types + 8);
  header.box = bytes.number(Number::f64, 24 * types + 16);
  header.files = bytes.count(Number::u32, 24 * types + 24);
  return header;
}

void check_header(const Header& header, const InputBytes& file) {
  const std::string& where = file.path();
  std::uint64_t counted = 0;
  for (std::size_t type = 0; type < header.count.size(); ++type) {
    counted += checked_bytes(header.count[type], 1, counted, file.size(), where);
    if (!(header.mass[type] >= 0) || std::isinf(header.mass[type]))
      fail(ErrorCode::io, "{}: particles of mass {} in the header; the file is damaged", where,
           header.mass[type]);
  }
  if (header.files > kMostFiles)
    fail(ErrorCode::io, "{}: {} files in the header; at most {} are allowed", where, header.files,
         kMostFiles);
}

/// How many numbers of which size a block has for n particles; none if the sizes do not agree.
std::optional<std::size_t> number_size(const Block& block, std::uint64_t n, std::uint64_t columns) {
  for (const std::size_t size : {std::size_t{4}, std::size_t{8}})
    if (n > 0 && block.bytes == n * columns * size) return size;
  return std::nullopt;
}

/// Particles whose masses are not in the header.
std::uint64_t with_own_mass(const Header& header) {
  std::uint64_t n = 0;
  for (std::size_t type = 0; type < header.count.size(); ++type)
    if (header.mass[type] == 0) n += header.count[type];
  return n;
}

/// Format 1 has no names: a block is recognized by its place and its size.
void name_blocks(std::vector<Block>& blocks, const Header& header) {
  const std::uint64_t n = header.sum();
  std::size_t next = 1;
  const auto name_next = [&](const char* name, std::uint64_t count, std::uint64_t columns) {
    if (next < blocks.size() && number_size(blocks[next], count, columns))
      blocks[next++].name = name;
  };
  name_next("POS", n, 3);
  name_next("VEL", n, 3);
  name_next("ID", n, 1);
  name_next("MASS", with_own_mass(header), 1);
}

GadgetFile open_file(const std::string& path) {
  const InputBytes file(path);
  GadgetFile result;
  result.path = path;
  result.is_big_endian = begins_as_gadget(file, true);
  if (!result.is_big_endian && !begins_as_gadget(file, false))
    fail(ErrorCode::io, "{}: is not a Gadget file: the first bytes are wrong", path);
  std::vector<Block> blocks = blocks_of(file, result.is_big_endian);
  if (blocks.empty() || !is_header_length(blocks.front().bytes))
    fail(ErrorCode::io, "{}: has no header", path);
  const Block first = blocks.front();
  const RecordBytes bytes(file.text(first.begin, static_cast<std::size_t>(first.bytes)),
                          result.is_big_endian);
  result.header = first.bytes == sizeof(GadgetHeader) ? narrow_header(bytes)
                                                      : wide_header(bytes, wide_types(first.bytes));
  check_header(result.header, file);
  if (first.name.empty()) name_blocks(blocks, result.header);
  for (const Block& block : blocks)
    if (!block.name.empty()) result.blocks.emplace(block.name, block);
  return result;
}

const char* block_name(Field field) {
  switch (field) {
    case Field::position: return "POS";
    case Field::velocity: return "VEL";
    case Field::mass: return "MASS";
    case Field::id: return "ID";
    case Field::value: break;
  }
  return "";
}

/// The place of the particles of a type in a block, and their form.
struct Place {
  std::uint64_t begin = 0;
  Stored stored;
  std::size_t columns = 1;
};

std::optional<Place> place_of(const GadgetFile& file, Field field, std::size_t type) {
  const auto found = file.blocks.find(block_name(field));
  if (found == file.blocks.end()) return std::nullopt;
  const Header& header = file.header;
  const bool is_mass = field == Field::mass;
  const std::size_t columns = field == Field::position || field == Field::velocity ? 3 : 1;
  const auto size =
      number_size(found->second, is_mass ? with_own_mass(header) : header.sum(), columns);
  if (!size)
    fail(ErrorCode::io,
         "{}: the block {} has {} bytes, which {} particles cannot have; the file is "
         "damaged",
         file.path, found->first, found->second.bytes, header.sum());
  std::uint64_t before = 0;
  for (std::size_t other = 0; other < type; ++other)
    if (!is_mass || header.mass[other] == 0) before += header.count[other];
  const bool is_id = field == Field::id;
  const Number number =
      *size == 4 ? (is_id ? Number::u32 : Number::f32) : (is_id ? Number::u64 : Number::f64);
  return Place{
      found->second.begin + before * columns * *size, {number, file.is_big_endian}, columns};
}

class GadgetBinaryReader : public SnapshotReader {
 public:
  explicit GadgetBinaryReader(const std::string& path) {
    files_.push_back(open_file(path));
    const Header first = files_.front().header;
    if (first.files > 1 && first.count == first.total)
      info.warnings.push_back(
          formatted("the header of {} says that it is one of {} files, and that this one holds all "
                    "particles; it is read by itself",
                    path, first.files));
    else if (first.files > 1)
      open_others(path, first.files);
    info.format = FileFormat::gadget_binary;
    info.code = "Gadget";
    info.dimension = 3;
    info.types = static_cast<int>(first.count.size());
    for (const GadgetFile& file : files_) info.files.push_back(file.path);
    for (std::size_t type = 0; type < first.count.size(); ++type) add_type(type);
    info.box = box_of({first.box}, 3, path);
    info.time = first.time;
    set_background(first);
  }

  void read(Field field, const SnapshotType& type, const RowRange& rows, const Target& to,
            const Workers& workers) const override {
    const auto index = static_cast<std::size_t>(type.type);
    std::uint64_t done = 0, first = 0;  // rows that were read; row of the type where a file begins
    for (const GadgetFile& file : files_) {
      const RowRange part = part_of(rows, first, file.header.count[index]);
      first += file.header.count[index];
      if (part.count == 0) continue;
      const Place place = place_of(file, field, index).value();
      const InputBytes bytes(file.path);
      const RowLayout layout = packed_rows(place.stored, place.columns);
      read_rows(*stream(bytes, place.begin + part.begin * layout.bytes, part.count * layout.bytes),
                layout, part.count, advanced(to, done * place.columns), 0, workers, file.path);
      done += part.count;
    }
  }

 private:
  void open_others(const std::string& path, std::uint64_t count) {
    const NumberedName name = numbered_name(path, count);
    const Header first = files_.front().header;
    files_.clear();
    for (std::uint64_t number = 0; number < count; ++number) {
      files_.push_back(open_file(name.with(number)));
      const Header& header = files_.back().header;
      if (header.files != count || header.total != first.total || header.mass != first.mass ||
          header.time != first.time || header.box != first.box)
        fail(ErrorCode::io, "{}: belongs to another snapshot than {}", files_.back().path, path);
    }
  }

  /// Whether all files that have particles of the type have this field for them.
  bool has_everywhere(Field field, std::size_t type) const {
    return std::all_of(files_.begin(), files_.end(), [&](const GadgetFile& file) {
      return file.header.count[type] == 0 || place_of(file, field, type).has_value();
    });
  }

  void add_type(std::size_t type) {
    SnapshotType found;
    for (const GadgetFile& file : files_) found.count += file.header.count[type];
    const Header& header = files_.front().header;
    if (found.count != header.total[type])
      fail(ErrorCode::io,
           "{}: {} particles of type {} in the header, {} in the files; the snapshot is "
           "incomplete or damaged",
           files_.front().path, header.total[type], type, found.count);
    if (found.count == 0) return;
    constexpr const char* kNames[] = {"gas", "dark matter", "disk", "bulge", "stars", "boundary"};
    found.type = static_cast<int>(type);
    found.name = type < 6 ? kNames[type] : formatted("type {}", type);
    found.mass = header.mass[type];
    found.has_position = has_everywhere(Field::position, type);
    found.has_velocity = has_everywhere(Field::velocity, type);
    found.has_id = has_everywhere(Field::id, type);
    found.has_mass = found.mass > 0 || has_everywhere(Field::mass, type);
    for (const GadgetFile& file : files_) {
      const auto place = place_of(file, Field::position, type);
      if (place && place->stored.number == Number::f64) info.position_scalar = Scalar::float64;
    }
    info.type.push_back(found);
  }

  /// The file does not say whether it is cosmological: it is if its time is the scale factor.
  void set_background(const Header& header) {
    Background& background = info.background;
    background.omega_m = header.omega_m;
    background.omega_lambda = header.omega_lambda;
    background.h = header.h;
    const bool is_scale_factor =
        header.time > 0 && std::abs(header.time * (1 + header.redshift) - 1) < 1e-3;
    if (!is_scale_factor || (header.omega_m <= 0 && header.redshift <= 0)) return;
    background.is_known = header.omega_m > 0;
    background.scale_factor = header.time;
    background.redshift = header.redshift;
    info.units.is_comoving = true;
    info.units.is_per_h = true;
    info.velocity_factor = std::sqrt(header.time);
  }

  std::vector<GadgetFile> files_;
};

}  // namespace

bool is_gadget_binary(const InputBytes& file) {
  return begins_as_gadget(file, false) || begins_as_gadget(file, true);
}

ReaderPointer open_gadget_binary(const std::string& path) {
  return std::make_unique<GadgetBinaryReader>(path);
}

}  // namespace kith::io

// The reader of bigfile (FastPM, MP-Gadget, nbodykit): a folder with a folder for each array,
// "1/Position", which holds a text named header and files 000000, 000001, ... of bare numbers.
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>

#include "base/fail.hpp"
#include "snapshots/table.hpp"

namespace kith::io {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t kMostText = std::size_t{1} << 24;  // of a header or of attributes

std::string text_of(const std::string& path) {
  const InputBytes file(path);
  if (file.size() > kMostText) fail(ErrorCode::io, "{}: is too long for a header", path);
  return file.text(0, kMostText);
}

/// "<f8": byte order, kind and bytes.
std::optional<Stored> stored_of(std::string_view name) {
  if (name.size() < 3) return std::nullopt;
  const bool is_big = name.front() == '>';
  const std::string_view kind = name.substr(1);
  constexpr std::pair<std::string_view, Number> kKinds[] = {
      {"f4", Number::f32}, {"f8", Number::f64}, {"i4", Number::i32}, {"i8", Number::i64},
      {"u4", Number::u32}, {"u8", Number::u64}, {"i1", Number::i8},  {"u1", Number::u8},
      {"i2", Number::i16}, {"u2", Number::u16}, {"f2", Number::f16}};
  for (const auto& [known, number] : kKinds)
    if (kind == known) return Stored{number, is_big};
  return std::nullopt;
}

/// One array: how its numbers are stored, and the rows of each of its files.
struct BigfileBlock {
  std::string folder;
  Stored stored;
  std::uint64_t columns = 1;
  std::vector<std::uint64_t> rows;

  std::uint64_t count() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t n : rows) sum += n;
    return sum;
  }
  std::string file(std::size_t i) const { return formatted("{}/{:06X}", folder, i); }
};

[[noreturn]] void damaged(const std::string& path, std::string_view line) {
  fail(ErrorCode::io, "{}: \"{}\" is not understood; the file is damaged", path,
       line.substr(0, 60));
}

BigfileBlock block_in(const std::string& folder) {
  const std::string path = folder + "/header";
  BigfileBlock block{.folder = folder};
  std::uint64_t files = 0;
  bool has_type = false;
  std::istringstream lines(text_of(path));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string key, value;
    words >> key >> value;
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    const bool is_number = error == std::errc() && end == value.data() + value.size();
    if (key == "DTYPE:") {
      const auto stored = stored_of(value);
      if (!stored) damaged(path, line);
      block.stored = *stored;
      has_type = true;
    } else if (key == "NMEMB:" && is_number) {
      block.columns = number;
    } else if (key == "NFILE:" && is_number && number <= kMostFiles) {
      files = number;
    } else if (key.size() == 7 && key.back() == ':' && is_number) {
      block.rows.push_back(number);
    } else if (!key.empty()) {
      damaged(path, line);
    }
  }
  if (!has_type || block.rows.size() != files || block.columns < 1 || block.columns > 4096)
    fail(ErrorCode::io, "{}: states {} files and describes {}; it is damaged", path, files,
         block.rows.size());
  for (std::size_t i = 0; i < block.rows.size(); ++i) {
    const InputBytes bytes(block.file(i));
    checked_bytes(block.rows[i], block.columns * block.stored.bytes(), 0, bytes.size(),
                  bytes.path());
  }
  return block;
}

/// BigfileAttributes of numbers: "BoxSize <f8 1 0000000000007940 ...".
class BigfileAttributes {
 public:
  explicit BigfileAttributes(const std::string& path) {
    std::error_code error;
    if (!fs::exists(path, error)) return;
    std::istringstream lines(text_of(path));
    for (std::string line; std::getline(lines, line);) parse(line);
  }
  std::vector<double> numbers(const std::string& name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? std::vector<double>{} : found->second;
  }
  double number(std::initializer_list<const char*> names, double otherwise) const {
    for (const char* name : names)
      if (const auto found = values_.find(name); found != values_.end() && !found->second.empty())
        return found->second.front();
    return otherwise;
  }

 private:
  void parse(const std::string& line) {
    std::istringstream words(line);
    std::string name, type, digits;
    std::size_t count = 0;
    words >> name >> type >> count >> digits;
    const auto stored = stored_of(type);
    if (!stored || count > 4096 || digits.size() != 2 * count * stored->bytes()) return;
    std::string bytes;
    for (std::size_t i = 0; i < digits.size(); i += 2) {
      unsigned value = 0;
      const char* at = digits.data() + i;
      if (std::from_chars(at, at + 2, value, 16).ptr != at + 2) return;
      bytes.push_back(static_cast<char>(value));
    }
    std::vector<double> numbers(count);
    convert(*stored, bytes.data(), stored->bytes(), numbers.data(), 1, count);
    values_[name] = std::move(numbers);
  }

  std::map<std::string, std::vector<double>> values_;
};

const char* bigfile_block_name(Field field) {
  switch (field) {
    case Field::position: return "Position";
    case Field::velocity: return "Velocity";
    case Field::mass: return "Mass";
    case Field::id: return "ID";
    case Field::value: break;
  }
  return "";
}

bool has_block(const std::string& folder) {
  std::error_code error;
  return fs::is_regular_file(folder + "/header", error);
}

class BigfileReader : public SnapshotReader {
 public:
  explicit BigfileReader(const std::string& folder) : folder_(folder), header_(attributes(folder)) {
    info.format = FileFormat::bigfile;
    info.files = {folder};
    const std::vector<double> masses = header_.numbers("MassTable");
    constexpr const char* kNames[] = {"gas",    "dark matter", "neutrinos",
                                      "type 3", "stars",       "black holes"};
    info.types = 6;
    for (int type = 0; type < 6; ++type)
      if (has_block(formatted("{}/{}/Position", folder, type)))
        add_type(type, kNames[type], formatted("{}/{}", folder, type), masses);
    if (info.type.empty() && has_block(folder + "/Position")) {
      info.types = 1;
      add_type(0, "points", folder, masses);
    }
    if (info.type.empty()) fail(ErrorCode::io, "{}: the bigfile has no Position", folder);
    set_facts();
  }

  void read(Field field, const SnapshotType& type, const RowRange& rows, const Target& to,
            const Workers& workers) const override {
    const BigfileBlock& block = blocks_.at({type.type, field});
    const RowLayout layout = packed_rows(block.stored, static_cast<std::size_t>(block.columns));
    std::uint64_t first = 0, done = 0;
    for (std::size_t i = 0; i < block.rows.size(); ++i) {
      const RowRange part = part_of(rows, first, block.rows[i]);
      first += block.rows[i];
      if (part.count == 0) continue;
      const InputBytes bytes(block.file(i));
      read_rows(*stream(bytes, part.begin * layout.bytes, part.count * layout.bytes), layout,
                part.count, advanced(to, done * block.columns), 0, workers, bytes.path());
      done += part.count;
    }
  }

 private:
  static BigfileAttributes attributes(const std::string& folder) {
    const std::string header = folder + "/Header/attr-v2";
    std::error_code error;
    return BigfileAttributes(fs::exists(header, error) ? header : folder + "/header/attr-v2");
  }

  void add_type(int number, const char* name, const std::string& folder,
                const std::vector<double>& masses) {
    SnapshotType type;
    type.type = number;
    type.name = name;
    for (const Field field : {Field::position, Field::velocity, Field::mass, Field::id}) {
      const std::string place = formatted("{}/{}", folder, bigfile_block_name(field));
      if (!has_block(place)) continue;
      BigfileBlock block = block_in(place);
      if (field == Field::position) {
        check_dimension(block.columns, place);
        info.dimension = static_cast<int>(block.columns);
        type.count = block.count();
        if (block.stored.number != Number::f32) info.position_scalar = Scalar::float64;
      }
      const bool is_vector = field == Field::position || field == Field::velocity;
      const auto columns = static_cast<std::uint64_t>(is_vector ? info.dimension : 1);
      if (block.count() != type.count || block.columns != columns)
        fail(ErrorCode::io, "{}: has {} rows of {}; {} of {} go with the positions", place,
             block.count(), block.columns, type.count, columns);
      (field == Field::velocity ? type.has_velocity
       : field == Field::mass   ? type.has_mass
       : field == Field::id     ? type.has_id
                                : type.has_position) = true;
      blocks_.emplace(std::pair(number, field), std::move(block));
    }
    const auto index = static_cast<std::size_t>(number);
    const double mass = index < masses.size() ? masses[index] : 0;
    if (!type.has_mass && mass > 0 && std::isfinite(mass)) {
      type.mass = mass;
      type.has_mass = true;
    }
    if (type.count > 0) info.type.push_back(type);
  }

  void set_facts() {
    std::vector<double> sides = header_.numbers("BoxSize");
    if (sides.empty()) sides = {0};
    info.box = box_of(sides, info.dimension, folder_);
    Background& background = info.background;
    background.omega_m = header_.number({"Omega0", "OmegaM"}, 0);
    background.omega_lambda = header_.number({"OmegaLambda"}, 0);
    background.omega_b = header_.number({"OmegaBaryon"}, 0);
    background.h = header_.number({"HubbleParam"}, 0);
    const double a = header_.number({"Time", "ScalingFactor"}, 0);
    info.time = a;
    background.is_known = background.omega_m > 0 && a > 0 && std::isfinite(a);
    info.units.length = header_.number({"UnitLength_in_cm"}, 0);
    info.units.mass = header_.number({"UnitMass_in_g"}, 0);
    info.units.velocity = header_.number({"UnitVelocity_in_cm_per_s"}, 0);
    info.units.is_per_h = info.units.is_comoving = background.is_known;
    if (!background.is_known) return;
    background.scale_factor = a;
    background.redshift = 1 / a - 1;
    if (header_.number({"UsePeculiarVelocity"}, 1) == 0) info.velocity_factor = std::sqrt(a);
  }

  std::string folder_;
  BigfileAttributes header_;
  std::map<std::pair<int, Field>, BigfileBlock> blocks_;
};

}  // namespace

bool is_bigfile(const std::string& path) {
  if (has_block(path + "/Position")) return true;
  for (int type = 0; type < 6; ++type)
    if (has_block(formatted("{}/{}/Position", path, type))) return true;
  return false;
}

ReaderPointer open_bigfile(const std::string& path) {
  return std::make_unique<BigfileReader>(path);
}

}  // namespace kith::io

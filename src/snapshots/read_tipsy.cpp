// The reader of tipsy files (ChaNGa, Gasoline, PKDGRAV): a header, then gas, dark matter and stars,
// each particle a row of floats; native, or big-endian as XDR has it.
#include <array>
#include <cmath>
#include <optional>

#include "base/fail.hpp"
#include "snapshots/table.hpp"

namespace kith::io {
namespace {

/// One kind of particles: its number among Gadget's types, and the floats of a row. Masses,
/// positions and velocities are the first seven of each.
struct Kind {
  int type;
  const char* name;
  std::uint64_t floats;
};
constexpr std::array<Kind, 3> kKinds = {{{0, "gas", 12}, {1, "dark matter", 9}, {4, "stars", 11}}};

struct TipsyHeader {
  double time = 0;
  std::uint64_t dimension = 0;
  std::array<std::uint64_t, 3> count{};
  std::uint64_t rows = 0;   ///< bytes of all rows
  std::uint64_t bytes = 0;  ///< of the header itself: some writers pad it from 28 to 32; 0: the
                            ///< size of the file fits neither
  bool is_big_endian = false;
};

std::optional<TipsyHeader> header_in(const InputBytes& file, bool is_big_endian) {
  const std::string bytes = file.text(0, 28);
  if (bytes.size() < 28) return std::nullopt;
  const auto count = [&](std::size_t at) {
    std::uint64_t value = 0;
    convert({Number::u32, is_big_endian}, bytes.data() + at, 0, &value, 1, 1);
    return value;
  };
  TipsyHeader header;
  header.is_big_endian = is_big_endian;
  convert({Number::f64, is_big_endian}, bytes.data(), 0, &header.time, 1, 1);
  header.dimension = count(12);
  std::uint64_t sum = 0;
  for (std::size_t kind = 0; kind < kKinds.size(); ++kind) {
    header.count[kind] = count(16 + 4 * kind);
    sum += header.count[kind];
    header.rows += header.count[kind] * kKinds[kind].floats * 4;
  }
  if (sum != count(8) || sum == 0 || header.dimension != 3 || !std::isfinite(header.time))
    return std::nullopt;
  for (const std::uint64_t size : {28, 32})
    if (file.size() == size + header.rows) header.bytes = size;
  return header;
}

/// Sizes and counts of a file must agree: nothing else makes a tipsy file.
std::optional<TipsyHeader> find_header(const InputBytes& file) {
  for (const bool is_big_endian : {true, false})
    if (const auto header = header_in(file, is_big_endian); header && header->bytes > 0)
      return header;
  return std::nullopt;
}

class TipsyReader : public SnapshotReader {
 public:
  explicit TipsyReader(const std::string& path) : file_(path) {
    const auto header = find_header(file_);
    if (!header) fail(ErrorCode::io, "{}: is not a tipsy file", path);
    header_ = *header;
    info.format = FileFormat::tipsy;
    info.code = "tipsy";
    info.files = {path};
    info.dimension = 3;
    info.types = 6;
    info.time = header_.time;
    for (std::size_t kind = 0; kind < kKinds.size(); ++kind) {
      if (header_.count[kind] == 0) continue;
      SnapshotType type;
      type.type = kKinds[kind].type;
      type.name = kKinds[kind].name;
      type.count = header_.count[kind];
      type.has_velocity = type.has_mass = true;
      info.type.push_back(type);
    }
  }

  void read(Field field, const SnapshotType& type, const RowRange& rows, const Target& to,
            const Workers& workers) const override {
    std::uint64_t begin = header_.bytes;
    std::size_t kind = 0;
    for (; kKinds[kind].type != type.type; ++kind)
      begin += header_.count[kind] * kKinds[kind].floats * 4;
    const Stored stored{Number::f32, header_.is_big_endian};
    RowLayout layout{static_cast<std::size_t>(kKinds[kind].floats) * 4, {}};
    const std::size_t first = field == Field::mass ? 0 : field == Field::position ? 1 : 4;
    for (std::size_t i = 0; i < (field == Field::mass ? 1 : 3); ++i)
      layout.columns.push_back({stored, 4 * (first + i)});
    const auto bytes = stream(file_, begin + rows.begin * layout.bytes, rows.count * layout.bytes);
    read_rows(*bytes, layout, rows.count, to, 0, workers, file_.path());
  }

 private:
  InputBytes file_;
  TipsyHeader header_;
};

}  // namespace

bool is_tipsy(const InputBytes& file) { return find_header(file).has_value(); }

void check_not_cut_off_tipsy(const InputBytes& file) {
  for (const bool is_big_endian : {true, false})
    if (const auto header = header_in(file, is_big_endian);
        header && file.size() < 32 + header->rows)
      fail_cut_off(file.path(), file.size(), 28 + header->rows, Whole::at_least);
}

ReaderPointer open_tipsy(const std::string& path) { return std::make_unique<TipsyReader>(path); }

}  // namespace kith::io

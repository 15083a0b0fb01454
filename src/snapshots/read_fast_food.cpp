// The reader of Corrfunc's own catalogues (.ff, "fast food"): Fortran records of five integers,
// nine floats and one float, then one record for each of x, y, z and perhaps weights.
#include <array>

#include "base/fail.hpp"
#include "snapshots/table.hpp"

namespace kith::io {
namespace {

constexpr std::uint64_t kHeader = 84;  // bytes of the first three records with their marks
constexpr std::size_t kMostRecords = 16;

std::uint32_t mark_at(const InputBytes& file, std::uint64_t at) {
  std::uint32_t value = 0;
  file.read(at, &value, sizeof value);
  return value;
}

/// A record that holds one number of every point.
struct FastFoodColumn {
  std::uint64_t begin = 0;
  Stored stored{Number::f32, false};
};

class FastFoodReader : public SnapshotReader {
 public:
  explicit FastFoodReader(const std::string& path) : file_(path) {
    if (!is_fast_food(file_)) fail(ErrorCode::io, "{}: is not a catalogue of Corrfunc", path);
    info.format = FileFormat::fast_food;
    info.code = "Corrfunc";
    info.files = {path};
    info.dimension = 3;
    std::int32_t points = 0;
    file_.read(8, &points, sizeof points);
    if (points < 0) fail(ErrorCode::io, "{}: states {} points; it is damaged", path, points);
    const auto count = static_cast<std::uint64_t>(points);
    find_columns(count);
    float side = 0;
    file_.read(32, &side, sizeof side);
    if (side > 0) info.box = box_of({static_cast<double>(side)}, 3, path);
    SnapshotType type = only_type(count);
    type.has_mass = columns_.size() > 3;
    info.type = {type};
    if (columns_[0].stored.number == Number::f64) info.position_scalar = Scalar::float64;
  }

  void read(Field field, const SnapshotType&, const RowRange& rows, const Target& to,
            const Workers& workers) const override {
    if (field == Field::mass) return read_column(columns_[3], rows, to, 0, workers);
    for (std::size_t axis = 0; axis < 3; ++axis)
      read_column(columns_[axis], rows, advanced(to, axis), 3, workers);
    workers.advance(rows.count);
  }

 private:
  void find_columns(std::uint64_t count) {
    std::uint64_t at = kHeader;
    while (at < file_.size() && columns_.size() < kMostRecords) {
      const std::uint64_t bytes = mark_at(file_, at);
      const std::uint64_t size = count > 0 ? bytes / count : 4;
      if (bytes != count * size || (size != 4 && size != 8))
        fail(ErrorCode::io, "{}: a record of {} bytes for {} points; it is damaged", file_.path(),
             bytes, count);
      const std::uint64_t end = at + 8 + bytes;
      if (end > file_.size()) fail_cut_off(file_.path(), file_.size(), end, Whole::at_least);
      if (mark_at(file_, end - 4) != bytes)
        fail(ErrorCode::io, "{}: the marks of a record differ; it is damaged", file_.path());
      columns_.push_back({at + 4, {size == 4 ? Number::f32 : Number::f64, false}});
      at = end;
    }
    if (columns_.size() < 3)
      fail_cut_off(file_.path(), file_.size(), kHeader + 3 * (8 + 4 * count), Whole::at_least);
  }

  void read_column(const FastFoodColumn& column, const RowRange& rows, const Target& to,
                   std::size_t stride, const Workers& workers) const {
    const std::size_t bytes = column.stored.bytes();
    const auto part = stream(file_, column.begin + rows.begin * bytes, rows.count * bytes);
    read_rows(*part, packed_rows(column.stored, 1), rows.count, to, stride, workers, file_.path());
  }

  InputBytes file_;
  std::vector<FastFoodColumn> columns_;
};

}  // namespace

bool is_fast_food(const InputBytes& file) {
  constexpr std::array<std::pair<std::uint64_t, std::uint32_t>, 6> kMarks = {
      {{0, 20}, {24, 20}, {28, 36}, {68, 36}, {72, 4}, {80, 4}}};
  if (file.size() < kHeader) return false;
  for (const auto& [at, value] : kMarks)
    if (mark_at(file, at) != value) return false;
  return true;
}

ReaderPointer open_fast_food(const std::string& path) {
  return std::make_unique<FastFoodReader>(path);
}

}  // namespace kith::io

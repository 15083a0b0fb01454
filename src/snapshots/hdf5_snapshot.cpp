#include "snapshots/hdf5_snapshot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include "base/fail.hpp"
#include "snapshots/table.hpp"

namespace kith::io {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t kMostTypes = 32;

std::uint64_t bytes_of_file(const std::string& path) {
  std::error_code error;
  const std::uintmax_t bytes = fs::file_size(path, error);
  return error ? 0 : bytes;
}

/// A file that another one names must be in the same folder or below it.
std::string source_path(const std::string& path, const hdf5::Segment& segment,
                        const std::string& where) {
  if (segment.file == ".") return path;
  std::error_code error;
  const fs::path folder = fs::absolute(path, error).parent_path();
  const fs::path source = fs::weakly_canonical(folder / segment.file, error);
  const fs::path home = fs::weakly_canonical(folder, error);
  const auto [end, unused] = std::mismatch(home.begin(), home.end(), source.begin(), source.end());
  if (error || fs::path(segment.file).is_absolute() || end != home.end())
    fail(ErrorCode::io,
         "{}: is made of {}, which is not in the folder of the file; that is not read", where,
         segment.file.substr(0, 200));
  return (folder / segment.file).string();
}

/// Whether a dataset can be this field; `columns` 0: any number that a point may have.
void check_dataset(const hdf5::Dataset& dataset, Field field, int columns) {
  const auto& shape = dataset.shape();
  const bool is_vector = field == Field::position || field == Field::velocity;
  const bool has_rank = is_vector ? shape.size() == 2 : !shape.empty() && dataset.row_size() == 1;
  if (!has_rank)
    fail(ErrorCode::io, "{}: has rank {}; a list of {} was expected", dataset.where(), shape.size(),
         is_vector ? "points" : "numbers");
  if (is_vector) check_dimension(shape[1], dataset.where());
  if (columns > 0 && dataset.row_size() != static_cast<std::uint64_t>(columns))
    fail(ErrorCode::io, "{}: has {} columns where others have {}", dataset.where(),
         dataset.row_size(), columns);
  if (field == Field::id && !dataset.is_integer())
    fail(ErrorCode::io, "{}: does not contain whole numbers; ids must be whole numbers",
         dataset.where());
  if (dataset.is_integer() && !dataset.stored())
    fail(ErrorCode::io,
         "{}: holds integers that are not of 8, 16, 32 or 64 bits; these are not read",
         dataset.where());
}

/// The sources of a virtual dataset, each opened once and checked.
std::vector<Hdf5Piece> pieces_of(const hdf5::Dataset& dataset, const std::string& path,
                                 Field field) {
  std::vector<Hdf5Piece> pieces;
  std::uint64_t next = 0;
  for (const hdf5::Segment& segment : dataset.segments()) {
    if (segment.rows == 0) continue;
    if (segment.row != next)
      fail(ErrorCode::io, "{}: is virtual and has no data for row {}", dataset.where(),
           std::min(next, segment.row));
    const std::string source = source_path(path, segment, dataset.where());
    const hdf5::InputFile file(source);
    const hdf5::Dataset there = file.dataset(segment.dataset);
    if (there.is_virtual())
      fail(ErrorCode::io, "{}: is virtual and made of virtual datasets; that is not read",
           dataset.where());
    check_dataset(there, field, static_cast<int>(dataset.row_size()));
    there.check_storage(bytes_of_file(source));
    if (segment.source_row > there.rows() || segment.rows > there.rows() - segment.source_row)
      fail(ErrorCode::io, "{}: {} rows from row {} are wanted, there are {}", there.where(),
           segment.rows, segment.source_row, there.rows());
    pieces.push_back({source, segment.dataset, segment.source_row, segment.rows});
    next += segment.rows;
  }
  if (next != dataset.rows())
    fail(ErrorCode::io, "{}: is virtual and has data for {} of {} rows", dataset.where(), next,
         dataset.rows());
  return pieces;
}

/// x = integer * side / 2^bits.
double integer_factor(const hdf5::Dataset& dataset, const std::vector<double>& sides) {
  if (!dataset.is_integer() || !dataset.stored())
    fail(ErrorCode::io, "{}: holds no integers of 32 or 64 bits", dataset.where());
  const bool is_cube = !sides.empty() && std::all_of(sides.begin(), sides.end(), [&](double side) {
    return side == sides[0] && side > 0;
  });
  if (!is_cube)
    fail(ErrorCode::io, "{}: coordinates as integers need a cubic box in the header",
         dataset.where());
  return std::ldexp(sides[0], -8 * static_cast<int>(dataset.stored()->bytes()));
}

/// Rows of one dataset, in steps of whole chunks: a chunk is unpacked as a whole.
template <class T>
class PieceReader {
 public:
  PieceReader(const hdf5::Dataset& dataset, double factor) : dataset_(dataset), factor_(factor) {}

  void read(std::uint64_t begin, std::uint64_t rows, T* to, const Workers& workers) {
    const std::uint64_t columns = dataset_.row_size();
    const std::uint64_t chunk = std::max<std::uint64_t>(1, dataset_.chunk_rows());
    const std::uint64_t wanted = std::max<std::uint64_t>(1, kBytesBetweenLooks / (8 * columns));
    const std::uint64_t step = (wanted + chunk - 1) / chunk * chunk;
    for (std::uint64_t at = begin, end = begin + rows; at < end;) {
      workers.check_cancelled();
      const std::uint64_t count = std::min(step - at % chunk, end - at);
      read_step(at, count, to);
      workers.advance(count);
      at += count;
      to += count * columns;
    }
  }

 private:
  void read_step(std::uint64_t begin, std::uint64_t count, T* to) {
    const auto stored = dataset_.stored();
    if (factor_ == 1 && stored == Stored{number_of<T>(), false})
      return dataset_.read_stored(begin, count, to);
    const auto numbers = static_cast<std::size_t>(count * dataset_.row_size());
    buffer_.resize(numbers);  // doubles: no number is larger
    char* bytes = reinterpret_cast<char*>(buffer_.data());
    if (stored)
      dataset_.read_stored(begin, count, bytes);
    else
      dataset_.read(begin, count, buffer_.data());
    const Stored from = stored.value_or(Stored{Number::f64, false});
    if (factor_ == 1) return convert(from, bytes, from.bytes(), to, 1, numbers);
    for (std::size_t i = 0; i < numbers; ++i) {
      double value = 0;
      convert(from, bytes + i * from.bytes(), 0, &value, 1, 1);
      to[i] = static_cast<T>(value * factor_);
    }
  }

  const hdf5::Dataset& dataset_;
  double factor_;
  std::vector<double> buffer_;
};

}  // namespace

std::uint64_t Hdf5Field::rows() const {
  std::uint64_t result = 0;
  for (const Hdf5Piece& piece : pieces) result += piece.rows;
  return result;
}

void Hdf5Reader::read(Field field, const SnapshotType& type, const RowRange& rows, const Target& to,
                      const Workers& workers) const {
  const Hdf5Field& wanted = fields_.at({type.type, field});
  const bool is_vector = field == Field::position || field == Field::velocity;
  std::uint64_t done = 0, first = 0;
  for (const Hdf5Piece& piece : wanted.pieces) {
    const RowRange part = part_of(rows, first, piece.rows);
    first += piece.rows;
    if (part.count == 0) continue;  // files without any of the rows are not opened
    const hdf5::InputFile file(piece.file);
    const hdf5::Dataset dataset = file.dataset(piece.dataset);
    check_dataset(dataset, field, is_vector ? info.dimension : 1);  // it may have been replaced
    if (piece.row > dataset.rows() || piece.rows > dataset.rows() - piece.row)
      fail(ErrorCode::io, "{}: has {} rows now; it changed after it was opened", dataset.where(),
           dataset.rows());
    std::visit(
        [&]<class T>(T* numbers) {
          PieceReader<T>(dataset, wanted.factor)
              .read(piece.row + part.begin, part.count, numbers, workers);
        },
        advanced(to, done * dataset.row_size()));
    done += part.count;
  }
}

void Hdf5Reader::list_files(const std::string& path, std::uint64_t count) {
  if (count == 1) {
    info.files = {path};
    return;
  }
  const NumberedName name = numbered_name(path, count);
  for (std::uint64_t number = 0; number < count; ++number) info.files.push_back(name.with(number));
}

/// The names that a field has, the usual one first.
std::vector<std::string> Hdf5Reader::dataset_names(Field field) const {
  switch (field) {
    case Field::position: return {"Coordinates", "IntCoordinates"};
    case Field::velocity: return {"Velocities", "Velocity"};
    case Field::mass: return {"Masses", "Mass"};
    case Field::id: return {"ParticleIDs"};
    case Field::value: break;
  }
  if (value_name.empty()) return {};
  return {value_name};
}

void Hdf5Reader::add_particles(const hdf5::InputFile& file, const std::string& path, int type,
                               std::uint64_t count, const std::vector<double>& sides) {
  const std::string group = formatted("PartType{}", type);
  if (count == 0) return;
  if (!file.contains(group))
    fail(ErrorCode::io, "{}: has {} particles of type {} by its header, but no group {}", path,
         count, type, group);
  for (const Field field : {Field::position, Field::velocity, Field::mass, Field::id, Field::value})
    for (const std::string& name : dataset_names(field)) {
      const std::string place = group + "/" + name;
      if (!file.contains(place)) continue;
      const hdf5::Dataset dataset = file.dataset(place);
      check_dataset(dataset, field, field == Field::position ? info.dimension : 0);
      if (dataset.rows() != count)
        fail(ErrorCode::io, "{}: has {} rows for {} particles by the header; the file is damaged",
             dataset.where(), dataset.rows(), count);
      dataset.check_storage(bytes_of_file(path));
      Hdf5Field& found = fields_[{type, field}];
      if (field == Field::position) {
        info.dimension = static_cast<int>(dataset.row_size());
        if (name == "IntCoordinates") found.factor = integer_factor(dataset, sides);
        const auto stored = dataset.stored();
        if (!stored || (stored->number != Number::f32 && stored->number != Number::f16))
          info.position_scalar = Scalar::float64;
      }
      if (dataset.is_virtual())
        for (Hdf5Piece& piece : pieces_of(dataset, path, field))
          found.pieces.push_back(std::move(piece));
      else
        found.pieces.push_back({path, place, 0, count});
      break;
    }
}

void Hdf5Reader::add_dataset(const hdf5::InputFile& file, const std::string& path, Field field,
                             const std::string& place, const RowRange& rows) {
  const hdf5::Dataset dataset = file.dataset(place);
  const bool is_vector = field == Field::position || field == Field::velocity;
  check_dataset(dataset, field, is_vector && field != Field::position ? info.dimension : 0);
  if (dataset.rows() != rows.count)
    fail(ErrorCode::io, "{}: has {} rows; {} go with the positions", dataset.where(),
         dataset.rows(), rows.count);
  dataset.check_storage(bytes_of_file(path));
  if (field == Field::position) {
    info.dimension = static_cast<int>(dataset.row_size());
    const auto stored = dataset.stored();
    if (!stored || (stored->number != Number::f32 && stored->number != Number::f16))
      info.position_scalar = Scalar::float64;
  }
  Hdf5Field& found = fields_[{0, field}];
  if (dataset.is_virtual())
    found.pieces = pieces_of(dataset, path, field);
  else
    found.pieces = {{path, place, 0, rows.count}};
}

bool Hdf5Reader::has(int type, Field field, std::uint64_t count, const std::string& where) const {
  const auto found = fields_.find({type, field});
  if (found == fields_.end()) return false;
  if (found->second.rows() != count)
    fail(ErrorCode::io, "{}: {} of {} particles of type {} have {}; files of the snapshot differ",
         where, found->second.rows(), count, type, dataset_names(field).front());
  return true;
}

void Hdf5Reader::finish_types(const std::vector<std::uint64_t>& totals,
                              const std::vector<double>& masses, const std::string& where) {
  info.types = static_cast<int>(totals.size());
  for (std::size_t i = 0; i < totals.size(); ++i) {
    if (totals[i] == 0) continue;
    SnapshotType type;
    type.type = static_cast<int>(i);
    type.name = i < type_names.size() ? type_names[i] : formatted("type {}", i);
    type.count = totals[i];
    const double mass = i < masses.size() ? masses[i] : 0;
    if (!(mass >= 0) || std::isinf(mass))
      fail(ErrorCode::io, "{}: particles of mass {} in the header; the file is damaged", where,
           mass);
    type.has_position = has(type.type, Field::position, type.count, where);
    type.has_velocity = has(type.type, Field::velocity, type.count, where);
    type.has_id = has(type.type, Field::id, type.count, where);
    type.has_value = has(type.type, Field::value, type.count, where);
    const bool has_masses = has(type.type, Field::mass, type.count, where);
    type.mass = has_masses ? 0 : mass;
    type.has_mass = has_masses || mass > 0;
    info.type.push_back(std::move(type));
  }
  for (const SnapshotType& type : info.type) {
    const auto velocity = fields_.find({type.type, Field::velocity});
    if (!type.has_velocity || velocity == fields_.end()) continue;
    const Hdf5Piece& piece = velocity->second.pieces.front();
    const hdf5::InputFile file(piece.file);
    check_dataset(file.dataset(piece.dataset), Field::velocity, info.dimension);
  }
  if (info.dimension == 0) info.dimension = 3;  // no particles at all
}

Hdf5Counts counts_of(const hdf5::Group& header) {
  Hdf5Counts counts;
  const auto here = header.counts("NumPart_ThisFile");
  if (!here && header.has("Ngroups_Total"))
    fail(ErrorCode::io, "{}: of a catalogue of groups, which holds no particles; give its snapshot",
         header.where());
  if (!here) fail(ErrorCode::io, "{}: has no NumPart_ThisFile", header.where());
  counts.here = *here;
  if (here->size() > kMostTypes)
    fail(ErrorCode::io, "{}: {} types of particles; at most {} are allowed", header.where(),
         here->size(), kMostTypes);
  counts.total = header.counts("NumPart_Total").value_or(*here);
  const auto high = header.counts("NumPart_Total_HighWord");
  if (counts.total.size() != here->size() || (high && high->size() < here->size()))
    fail(ErrorCode::io, "{}: NumPart_ThisFile and NumPart_Total are of different lengths",
         header.where());
  for (std::size_t i = 0; high && i < counts.total.size(); ++i) {
    // Of totals that have 64 bits already, some writers repeat the upper half.
    if (counts.total[i] >> 32 == 0 && (*high)[i] < (std::uint64_t{1} << 30))
      counts.total[i] |= (*high)[i] << 32;
  }
  counts.files = header.counts("NumFilesPerSnapshot").value_or(std::vector<std::uint64_t>{1})[0];
  if (counts.files < 1 || counts.files > kMostFiles)
    fail(ErrorCode::io, "{}: {} files in the header; 1 to {} are allowed", header.where(),
         counts.files, kMostFiles);
  return counts;
}

std::vector<double> sides_of(const hdf5::Group& header) {
  return header.numbers("BoxSize").value_or(std::vector<double>{0});
}

}  // namespace kith::io

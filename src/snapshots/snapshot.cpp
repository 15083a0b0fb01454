// Snapshot: recognizing the format of a file, and the calls that are the same for all formats.
#include <algorithm>
#include <optional>
#include <string_view>

#include <kith/io/snapshot.hpp>

#include "base/fail.hpp"
#include "files/hdf5.hpp"
#include "files/npy.hpp"
#include "files/spool.hpp"
#include "parallel/public_call.hpp"
#include "snapshots/given.hpp"
#include "snapshots/reader.hpp"
#include "snapshots/table.hpp"

namespace kith {
namespace {

bool ends_with_any(std::string_view name, std::initializer_list<std::string_view> endings) {
  return std::any_of(endings.begin(), endings.end(),
                     [&](std::string_view ending) { return name.ends_with(ending); });
}

/// The format by the first bytes, or by all of them.
io::ReaderPointer open_by_content(const std::string& path, const io::ReaderOptions& options) {
  const io::InputBytes file(path);
  const std::string beginning = file.text(0, 16);
  const std::string_view start = beginning;
  if (io::hdf5::is_hdf5(path))
    return io::is_swift(path) ? io::open_swift_hdf5(path, options)
                              : io::open_gadget_hdf5(path, options);
  if (io::is_npy(start)) return io::open_npy(path);
  if (start.starts_with("PK\x03\x04") || start.starts_with("PK\x05\x06"))
    return io::open_npz(path, options);
  if (start.starts_with("ply\n") || start.starts_with("ply\r\n"))
    return io::open_ply(path, options);
  if (start.starts_with("SIMPLE  =")) return io::open_fits(path, options);
  if (ends_with_any(options.name, {".raw", ".f32", ".f64"})) return io::open_raw(path, options);
  if (io::is_gadget_binary(file)) return io::open_gadget_binary(path);
  if (io::is_tipsy(file)) return io::open_tipsy(path);
  if (io::is_fast_food(file)) return io::open_fast_food(path);
  io::check_not_cut_off_tipsy(file);
  if (file.size() == 0) fail(ErrorCode::io, "{}: is empty", path);
  return nullptr;
}

io::ReaderPointer open_reader(const std::string& path, io::ReaderOptions options) {
  if (const io::Hdf5Place place = io::hdf5_place(path); !place.file.empty())
    return io::open_plain_hdf5(place, options);
  if (io::is_bigfile(path)) return io::open_bigfile(path);
  const std::string first = io::first_file(path);
  if (options.name.empty()) options.name = first;
  if (auto reader = open_by_content(first, options)) return reader;
  if (ends_with_any(options.name,
                    {".csv", ".xyz", ".txt", ".dat", ".tsv", ".ecsv", ".list", ".ascii"}))
    return io::open_text(first, options);
  fail(ErrorCode::io,
       "{}: unknown format. kith reads HDF5 (Gadget, AREPO, SWIFT and others), Gadget-1 and 2, "
       "tipsy, "
       "bigfile, FITS, NumPy, PLY and Corrfunc's .ff by their content, text named .csv, .ecsv, "
       ".txt, "
       ".dat, .xyz, .list or .ascii, and raw numbers named .raw, .f32 or .f64",
       first);
}

/// Messages about a copy name the original.
[[noreturn]] void rethrow_named(const Error& error, const std::string& copy,
                                const std::string& path) {
  std::string what = error.what();
  for (std::size_t at = what.find(copy); at != std::string::npos; at = what.find(copy, at))
    what.replace(at, copy.size(), path), at += path.size();
  throw Error(error.code(), what);
}

io::ReaderPointer open_copy(const io::Spool& copy, const std::string& path,
                            io::ReaderOptions options) try {
  options.name = copy.name();
  io::ReaderPointer reader = open_reader(copy.path(), options);
  reader->info.files = {path};
  return reader;
} catch (const Error& error) {
  rethrow_named(error, copy.path(), path);
}

const char* name_of(Field field) {
  switch (field) {
    case Field::position: return "positions";
    case Field::velocity: return "velocities";
    case Field::mass: return "masses";
    case Field::id: return "ids";
    case Field::value: return "values";
  }
  return "";
}

bool has_field(const SnapshotType& type, Field field) {
  switch (field) {
    case Field::position: return type.has_position;
    case Field::velocity: return type.has_velocity;
    case Field::mass: return type.has_mass;
    case Field::id: return type.has_id;
    case Field::value: return type.has_value;
  }
  return false;
}

/// The columns of the sky are those of the positions.
SnapshotOptions with_columns(SnapshotOptions options) {
  if (options.sky_columns.empty()) return options;
  if (options.sky_columns.size() != 2 || !options.columns.empty())
    refuse(
        "sky: {} columns of the sky and {} of positions; give right ascension and declination "
        "alone",
        options.sky_columns.size(), options.columns.size());
  options.columns = options.sky_columns;
  return options;
}

}  // namespace

class Snapshot::Impl {
 public:
  Impl(const std::string& path, const SnapshotOptions& options, const Workers& workers)
      : path_(path),
        copy_(io::Spool::of(path, workers)),
        reader_(open({with_columns(options), "", &workers})) {
    if (!options.sky_columns.empty()) {
      reader_ = io::sky_unit_vectors(std::move(reader_));
    } else if (reader_->is_sky && options.cosmology) {
      reader_ = io::comoving_positions(std::move(reader_), *options.cosmology);
    } else if (reader_->is_sky) {
      reader_->info.warnings.emplace_back(
          "columns are right ascension, declination and redshift; give a cosmology (--cosmology "
          "omega_m=0.31) to make comoving positions in Mpc/h of them");
    }
    io::apply_given(reader_->info, options, path);
    expect_values(options.value_column);
  }

  const SnapshotInfo& info() const { return reader_->info; }

  /// The given types that have particles, in the given order.
  std::vector<const SnapshotType*> chosen(std::span<const int> types) const {
    std::vector<const SnapshotType*> result;
    if (types.empty())
      for (const SnapshotType& type : info().type) result.push_back(&type);
    for (std::size_t i = 0; i < types.size(); ++i) {
      if (types[i] < 0 || types[i] >= info().types)
        refuse("{}: no type {}; the format has types 0 to {}", path_, types[i], info().types - 1);
      if (std::find(types.begin(), types.begin() + static_cast<std::ptrdiff_t>(i), types[i]) !=
          types.begin() + static_cast<std::ptrdiff_t>(i))
        refuse("{}: type {} is named twice", path_, types[i]);
      for (const SnapshotType& type : info().type)
        if (type.type == types[i]) result.push_back(&type);
    }
    return result;
  }

  std::uint64_t size(std::span<const int> types) const {
    std::uint64_t result = 0;
    for (const SnapshotType* type : chosen(types)) result += type->count;
    return result;
  }

  bool has(Field field, std::span<const int> types) const {
    const auto found = chosen(types);
    return std::all_of(found.begin(), found.end(),
                       [&](const SnapshotType* type) { return has_field(*type, field); });
  }

  /// The range of rows that fill the memory, from this one on.
  void read(Field field, std::uint64_t begin, const io::Target& to, std::size_t numbers,
            std::span<const int> types, const Execution& execution) const {
    public_call("read", execution, [&](Workers& workers) {
      check(field, types);
      const auto columns = static_cast<std::uint64_t>(columns_of(field));
      const io::RowRange rows{begin, numbers / columns};
      if (numbers % columns != 0 || begin > size(types) || rows.count > size(types) - begin)
        refuse("{}: memory for {} numbers from row {} on; the {} of {} particles are {} each",
               path_, numbers, begin, name_of(field), size(types), columns);
      read_rows(field, rows, to, types, workers);
    });
  }

  void read_all(Field field, const io::Target& to, std::size_t numbers, std::span<const int> types,
                const Execution& execution) const {
    public_call("read", execution, [&](Workers& workers) {
      check(field, types);
      const std::uint64_t rows = size(types);
      const auto columns = static_cast<std::uint64_t>(columns_of(field));
      if (numbers / columns != rows || numbers % columns != 0)
        refuse("{}: memory for {} numbers; the {} of {} particles are {} each", path_, numbers,
               name_of(field), rows, columns);
      read_rows(field, {0, rows}, to, types, workers);
    });
  }

 private:
  /// A name that no type of particles has is a mistake; some types may lack it.
  void expect_values(const std::string& column) const {
    if (column.empty() || info().type.empty()) return;
    if (std::none_of(info().type.begin(), info().type.end(),
                     [](const SnapshotType& type) { return type.has_value; }))
      refuse(
          "{}: has no {} with a number for each particle; name a column of text, PLY or FITS, a "
          "dataset of HDF5, or an array of .npz",
          path_, column);
  }

  io::ReaderPointer open(const io::ReaderOptions& options) const {
    return copy_ ? open_copy(*copy_, path_, options) : open_reader(path_, options);
  }

  int columns_of(Field field) const {
    return field == Field::position || field == Field::velocity ? info().dimension : 1;
  }

  void read_rows(Field field, const io::RowRange& rows, const io::Target& to,
                 std::span<const int> types, Workers& workers) const try {
    const auto columns = static_cast<std::uint64_t>(columns_of(field));
    const Stage stage(workers, formatted("reading {}", name_of(field)), rows.count);
    std::uint64_t done = 0, first = 0;
    for (const SnapshotType* type : chosen(types)) {
      const io::RowRange part = io::part_of(rows, first, type->count);
      first += type->count;
      if (part.count == 0) continue;
      const io::Target next = io::advanced(to, done * columns);
      if (field == Field::mass && type->mass > 0)
        io::fill(next, part.count, type->mass, workers);
      else
        reader_->read(field, *type, part, next, workers);
      done += part.count;
    }
    workers.check_cancelled();
  } catch (const Error& error) {
    if (!copy_) throw;
    rethrow_named(error, copy_->path(), path_);
  }

  void check(Field field, std::span<const int> types) const {
    for (const SnapshotType* type : chosen(types))
      if (!has_field(*type, field))
        refuse("{}: particles of type {} ({}) have no {}", path_, type->type, type->name,
               name_of(field));
  }

  std::string path_;
  std::optional<io::Spool> copy_;
  io::ReaderPointer reader_;
};

const char* name(FileFormat format) {
  switch (format) {
    case FileFormat::gadget_hdf5: return "gadget_hdf5";
    case FileFormat::swift_hdf5: return "swift_hdf5";
    case FileFormat::gadget_binary: return "gadget_binary";
    case FileFormat::tipsy: return "tipsy";
    case FileFormat::bigfile: return "bigfile";
    case FileFormat::hdf5: return "hdf5";
    case FileFormat::fast_food: return "fast_food";
    case FileFormat::fits: return "fits";
    case FileFormat::npy: return "npy";
    case FileFormat::npz: return "npz";
    case FileFormat::ply: return "ply";
    case FileFormat::text: return "text";
    case FileFormat::raw: return "raw";
  }
  return "unknown";
}

Snapshot::Snapshot(const std::string& path, const SnapshotOptions& options,
                   const Execution& execution) {
  public_call("snapshot", execution, [&](Workers& workers) {
    impl_ = std::make_shared<const Impl>(path, options, workers);
  });
}

const SnapshotInfo& Snapshot::info() const { return impl_->info(); }

std::uint64_t Snapshot::size(std::span<const int> types) const {
  return public_call("snapshot", [&] { return impl_->size(types); });
}

bool Snapshot::has(Field field, std::span<const int> types) const {
  return public_call("snapshot", [&] { return impl_->has(field, types); });
}

namespace {

void refuse_ids(Field field) {
  if (field == Field::id) refuse("ids do not fit floating-point numbers; use read_id");
}

}  // namespace

void Snapshot::read(Field field, std::span<float> out, std::span<const int> types,
                    const Execution& execution) const {
  refuse_ids(field);
  impl_->read_all(field, out.data(), out.size(), types, execution);
}
void Snapshot::read(Field field, std::span<double> out, std::span<const int> types,
                    const Execution& execution) const {
  refuse_ids(field);
  impl_->read_all(field, out.data(), out.size(), types, execution);
}
void Snapshot::read_id(std::span<std::uint64_t> out, std::span<const int> types,
                       const Execution& execution) const {
  impl_->read_all(Field::id, out.data(), out.size(), types, execution);
}

void Snapshot::read(Field field, std::uint64_t begin, std::span<float> out,
                    std::span<const int> types, const Execution& execution) const {
  refuse_ids(field);
  impl_->read(field, begin, out.data(), out.size(), types, execution);
}
void Snapshot::read(Field field, std::uint64_t begin, std::span<double> out,
                    std::span<const int> types, const Execution& execution) const {
  refuse_ids(field);
  impl_->read(field, begin, out.data(), out.size(), types, execution);
}
void Snapshot::read_id(std::uint64_t begin, std::span<std::uint64_t> out,
                       std::span<const int> types, const Execution& execution) const {
  impl_->read(Field::id, begin, out.data(), out.size(), types, execution);
}

}  // namespace kith

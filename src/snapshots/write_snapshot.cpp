// write_snapshot: the format of a name, whether the content fits it, and the writers.
#include <array>
#include <cmath>
#include <new>
#include <string_view>

#include <kith/io/snapshot.hpp>

#include "base/fail.hpp"
#include "parallel/public_call.hpp"
#include "snapshots/writers.hpp"

namespace kith {
namespace {

constexpr const char* kEndings =
    ".hdf5, .h5, .gadget2, .npy, .npz, .ply, .csv, .xyz, .txt, .raw, .f32 or .f64";

const char* name_of(Scalar scalar) { return scalar == Scalar::float32 ? "float32" : "float64"; }

constexpr const char* kStandardOutput = "-";

FileFormat format_of(const std::string& path, bool is_swift) {
  constexpr std::array<std::pair<std::string_view, FileFormat>, 12> kFormats = {
      {{".hdf5", FileFormat::gadget_hdf5},
       {".h5", FileFormat::gadget_hdf5},
       {".gadget2", FileFormat::gadget_binary},
       {".npy", FileFormat::npy},
       {".npz", FileFormat::npz},
       {".ply", FileFormat::ply},
       {".csv", FileFormat::text},
       {".xyz", FileFormat::text},
       {".txt", FileFormat::text},
       {".raw", FileFormat::raw},
       {".f32", FileFormat::raw},
       {".f64", FileFormat::raw}}};
  for (const auto& [ending, format] : kFormats)
    if (std::string_view(path).ends_with(ending))
      return is_swift && format == FileFormat::gadget_hdf5 ? FileFormat::swift_hdf5 : format;
  if (path == kStandardOutput) return FileFormat::text;
  refuse("{}: unknown file format; the name must end in {}", path, kEndings);
}

void check_scalar(const std::string& path, Scalar scalar) {
  const std::string_view name = path;
  if (!name.ends_with(".f32") && !name.ends_with(".f64")) return;
  if (name.ends_with(".f32") != (scalar == Scalar::float32))
    refuse("{}: the points are {}; use .npy, .raw or .{}", path, name_of(scalar),
           scalar == Scalar::float32 ? "f32" : "f64");
}

void check_dimension(const std::string& path, FileFormat format, int dimension) {
  if (dimension < 1 || dimension > kMaxDimension)
    refuse("{}: points of dimension {}; give 1 to {}", path, dimension, kMaxDimension);
  if (format == FileFormat::gadget_binary && dimension != 3)
    refuse("{}: points of dimension {}; Gadget's files hold 3, use .npy or .hdf5", path, dimension);
}

/// Gadget's header has one number for the box.
void check_box(const std::string& path, FileFormat format, const SnapshotContent& content) {
  const Box& box = content.box;
  const int dimension = content.position.dimension;
  if (box.dimension() != 0 && box.dimension() != dimension)
    refuse("{}: a box of dimension {} for points of dimension {}", path, box.dimension(),
           dimension);
  if (format != FileFormat::gadget_hdf5 && format != FileFormat::gadget_binary) return;
  for (int axis = 1; axis < dimension; ++axis)
    if (box.side(axis) != box.side(0))
      refuse(
          "{}: a box with sides of {} and {}; Gadget's files hold only cubes, use SWIFT's layout "
          "or "
          ".npz",
          path, box.side(0), box.side(axis));
}

void check_content(const std::string& path, FileFormat format, const SnapshotContent& content) {
  const PointsView& position = content.position;
  const PointsView& velocity = content.velocity;
  check_scalar(path, position.scalar);
  check_dimension(path, format, position.dimension);
  if (velocity.data && (velocity.size != position.size || velocity.dimension != position.dimension))
    refuse("{}: velocities of {} points in {} dimensions for {} points in {}", path, velocity.size,
           velocity.dimension, position.size, position.dimension);
  const int types = format == FileFormat::swift_hdf5 ? 7 : 6;
  if (content.type < 0 || content.type >= types)
    refuse("{}: particles of type {}; give 0 to {}", path, content.type, types - 1);
  if (!(content.particle_mass >= 0) || std::isinf(content.particle_mass))
    refuse("{}: particles of mass {}; give 0 (none) or more", path, content.particle_mass);
  if (content.background.is_known && !(content.background.scale_factor > 0))
    refuse("{}: a scale factor of {}; give more than 0", path, content.background.scale_factor);
  if (content.units.is_per_h && !(content.background.h > 0))
    refuse("{}: units per h without a value of h; give background.h", path);
  check_box(path, format, content);
  const bool has_rows = format == FileFormat::gadget_binary || format == FileFormat::ply ||
                        format == FileFormat::text;
  if (has_rows && (content.make_position || content.first_id > 0))
    refuse("{}: positions and ids that are made while they are written; use .hdf5 or .npy", path);
  if (content.make_position && (position.data || position.scalar != Scalar::float32))
    refuse("{}: make_position makes positions of float32, instead of position.data", path);
}

/// The length of the stage: rows, times the passes over them.
std::uint64_t work(FileFormat format, const SnapshotContent& content) {
  const std::uint64_t n = content.position.size;
  const std::uint64_t arrays = 1 + (content.velocity.data ? 1 : 0) + (io::has_ids(content) ? 1 : 0);
  switch (format) {
    case FileFormat::swift_hdf5: return n * (arrays + (content.particle_mass > 0 ? 1 : 0));
    case FileFormat::gadget_hdf5:
    case FileFormat::gadget_binary: return n * arrays;
    case FileFormat::npz: return 2 * n * arrays;
    default: return n;
  }
}

void write_plain(const std::string& path, FileFormat format, const SnapshotContent& content,
                 const Workers& workers) {
  io::AtomicFile file(path);
  switch (format) {
    case FileFormat::gadget_binary: io::write_gadget_binary(file, path, content, workers); break;
    case FileFormat::npy: io::write_npy(file, content, workers); break;
    case FileFormat::npz: io::write_npz(file, content, workers); break;
    case FileFormat::ply: io::write_ply(file, content, workers); break;
    case FileFormat::text:
      io::write_text(file, content, path.ends_with(".csv") || path == kStandardOutput ? ',' : ' ',
                     workers);
      break;
    default: io::write_raw(file, content, workers);
  }
  workers.check_cancelled();
  file.commit();
}

}  // namespace

void check_snapshot_path(const std::string& path, Scalar scalar, int dimension) {
  public_call("check_snapshot_path", [&] {
    const FileFormat format = format_of(path, false);
    check_scalar(path, scalar);
    check_dimension(path, format, dimension);
  });
}

void write_snapshot(const std::string& path, const SnapshotContent& content,
                    const SnapshotWriteOptions& options, const Execution& execution) {
  public_call("write_snapshot", execution, [&](Workers& workers) {
    const FileFormat format = format_of(path, options.is_swift);
    check_content(path, format, content);
    if (options.compression < 0 || options.compression > 9)
      refuse("{}: compression = {}; give 0 (none) to 9", path, options.compression);
    const Stage stage(workers, "writing", work(format, content));
    if (format == FileFormat::gadget_hdf5)
      return io::write_gadget_hdf5(path, content, options, workers);
    if (format == FileFormat::swift_hdf5)
      return io::write_swift_hdf5(path, content, options, workers);
    write_plain(path, format, content, workers);
  });
}

}  // namespace kith

// Snapshots: particles in files, whichever code wrote them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <kith/box.hpp>
#include <kith/execution.hpp>
#include <kith/export.hpp>
#include <kith/points.hpp>

namespace kith {

/// What a file is; recognised by its content, and by the ending of its name only where the content
/// says nothing (text and bare numbers).
enum class FileFormat {
  gadget_hdf5,    ///< Gadget-4, AREPO, IllustrisTNG: one file or several
  swift_hdf5,     ///< SWIFT: one file, several, or a virtual file over several
  gadget_binary,  ///< Gadget-1 and Gadget-2, both formats, both byte orders
  tipsy,          ///< ChaNGa, Gasoline, PKDGRAV: native or XDR (big-endian)
  bigfile,        ///< FastPM, MP-Gadget: a folder of folders
  hdf5,           ///< datasets of any HDF5 file, named in the path: "file.h5:/points"
  fits,           ///< the first binary table of a FITS file
  npy,            ///< a NumPy array of positions, one row per point
  npz,            ///< NumPy arrays named position, velocity, mass, id
  ply,            ///< Stanford polygon file: vertices
  text,           ///< columns of numbers: .xyz, .csv, .txt
  raw,            ///< bare numbers: .raw, .f32, .f64
};
KITH_API const char* name(FileFormat format);

/// What a unit of the file's numbers is in cgs; 0 = the file does not say.
struct Units {
  double length = 0;         ///< cm
  double mass = 0;           ///< g
  double velocity = 0;       ///< cm/s
  bool is_per_h = false;     ///< lengths and masses still carry a factor 1/h
  bool is_comoving = false;  ///< lengths are comoving
};

/// The background universe as the file states it.
struct Background {
  bool is_known = false;  ///< the file says that it is cosmological, and how
  double omega_m = 0;
  double omega_lambda = 0;
  double omega_b = 0;
  double h = 0;  ///< Hubble constant today in 100 km/s/Mpc
  double scale_factor = 1;
  double redshift = 0;
};

/// Particles of one type.
struct SnapshotType {
  int type = 0;  ///< as in the file: 0 gas, 1 dark matter, ...; 0 in files without types
  std::string name;
  std::uint64_t count = 0;
  double mass = 0;           ///< the same for all; 0 = one per particle, or none
  bool has_position = true;  ///< tracers of some codes have none
  bool has_velocity = false;
  bool has_mass = false;  ///< of the table or one per particle
  bool has_id = false;
};

struct SnapshotInfo {
  FileFormat format = FileFormat::raw;
  std::string code;                ///< what wrote it, where that is known ("SWIFT", "Gadget-4")
  std::vector<std::string> files;  ///< all files that belong to it
  int dimension = 0;
  int types = 1;                   ///< numbers of types that the format knows
  std::vector<SnapshotType> type;  ///< those that have particles
  Box box;                         ///< periodic where the file gives a side
  double time = 0;
  Units units;
  Background background;
  double velocity_factor = 1;                ///< peculiar velocity = factor * what is stored
  Scalar position_scalar = Scalar::float32;  ///< as stored; float64 for integers
  std::vector<std::string> warnings;         ///< what is odd about the file, a sentence each
};

/// The numbers that particles have.
enum class Field { position, velocity, mass, id };

/// For files that do not say it themselves.
struct SnapshotOptions {
  int dimension = 3;                      ///< of bare numbers
  Scalar scalar = Scalar::float32;        ///< of bare numbers named .raw
  std::vector<std::string> columns = {};  ///< text and PLY: names or numbers (from 1) of the
                                          ///< position's columns; default x y z, or the first three
  std::vector<std::string> velocity_columns = {};  ///< default vx vy vz where they exist
  std::string mass_column = {};                    ///< default mass where it exists

  // These overrule what the file says.
  std::optional<Units> units = {};           ///< is_comoving counts only in a known background
  std::optional<Background> cosmology = {};  ///< Omegas and h alone
  std::optional<double> redshift = {};
  double mass = 0;  ///< of every particle that has none in the file; 0 = none
};

/// Units of length, mass and velocity in words: "kpc/h,1e10 Msun/h,km/s". Each is a number, a name
/// (Mpc, kpc, pc, AU, km, m, cm; Msun, kg, g; km/s, m/s, cm/s), or both; a number alone is in cgs.
/// Lengths are comoving, unless p stands in front: "pkpc". Errors: invalid_argument.
KITH_API Units parse_units(const std::string& text);

/// "omega_m=0.31,omega_lambda=0.69,omega_b=0.049,h=0.68"; omega_lambda is 1 - omega_m if it is not
/// given. Errors: invalid_argument.
KITH_API Background parse_cosmology(const std::string& text);

/// A snapshot that was opened and whose headers were checked; particles are read when asked for.
/// Copies share the open files.
///
/// Threads: calls may come from any thread; those that read HDF5 wait for each other.
class KITH_API Snapshot {
 public:
  /// Errors: io, in one sentence, for files that are missing, damaged, truncated, inconsistent, or
  /// that point outside their folder. A pipe is read to its end, and what gzip packed is unpacked,
  /// to a file in the system's folder for temporary files that lives as long as the snapshot.
  explicit Snapshot(const std::string& path, const SnapshotOptions& options = {});

  const SnapshotInfo& info() const;

  /// Particles of these types; of all, if none are named. Errors: invalid_argument for a type that
  /// the file does not know.
  std::uint64_t size(std::span<const int> types = {}) const;

  bool has(Field field, std::span<const int> types = {}) const;  ///< for every particle of them

  /// Reads a field of these types (of all, if none are named), type after type, in the order of the
  /// files, straight into the caller's memory: size(types) rows of info().dimension numbers for
  /// positions and velocities, of one number for masses and ids. Numbers are converted to the type
  /// of the memory. Masses come from the header's table where they stand there. Errors: io,
  /// invalid_argument (a field that these particles do not have; memory of another size; ids in
  /// files without them), cancelled.
  void read(Field field, std::span<float> out, std::span<const int> types = {},
            const Execution& execution = {}) const;
  void read(Field field, std::span<double> out, std::span<const int> types = {},
            const Execution& execution = {}) const;
  void read_id(std::span<std::uint64_t> out, std::span<const int> types = {},
               const Execution& execution = {}) const;

  /// A part of the same rows: those from `begin` on, as many as fill the memory, so that each of
  /// several processes can read its own. Files that hold none of them are not opened, and no memory
  /// is needed beyond the caller's and some megabytes. Where rows have no fixed place (text, packed
  /// .npz) what comes before is passed over. Errors: as above; invalid_argument for rows beyond the
  /// last.
  void read(Field field, std::uint64_t begin, std::span<float> out, std::span<const int> types = {},
            const Execution& execution = {}) const;
  void read(Field field, std::uint64_t begin, std::span<double> out,
            std::span<const int> types = {}, const Execution& execution = {}) const;
  void read_id(std::uint64_t begin, std::span<std::uint64_t> out, std::span<const int> types = {},
               const Execution& execution = {}) const;

  class Impl;

 private:
  std::shared_ptr<const Impl> impl_;
};

/// What goes into a snapshot that kith writes; every array but the positions may be missing.
struct SnapshotContent {
  PointsView position;
  PointsView velocity = {};  ///< peculiar
  const std::uint64_t* id = nullptr;
  double particle_mass = 0;  ///< the same for all; 0 = none
  int type = 1;
  Box box = {};
  Units units = {};
  Background background = {};
};

struct SnapshotWriteOptions {
  int compression = 0;    ///< HDF5: gzip level 0 ... 9
  bool is_swift = false;  ///< HDF5 in SWIFT's layout instead of Gadget-4's
};

/// Writes a snapshot in the format that the file's ending names: .hdf5 / .h5, .npy, .npz, .ply,
/// .csv / .xyz / .txt, .raw / .f32 / .f64, .gadget2. Formats that have no room for velocities, ids,
/// units or the box leave them out. The file appears under its name only when it is complete and on
/// disk. Errors: invalid_argument, io, cancelled.
KITH_API void write_snapshot(const std::string& path, const SnapshotContent& content,
                             const SnapshotWriteOptions& options = {},
                             const Execution& execution = {});

/// Throws what write_snapshot would throw for a file of this name and points of this kind: to know
/// before a long computation.
KITH_API void check_snapshot_path(const std::string& path, Scalar scalar, int dimension);

}  // namespace kith

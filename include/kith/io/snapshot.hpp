// Snapshots: particles in files of many simulation codes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
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

/// The format of a file. It is recognized by the content, or by the ending of the name if the
/// content does not show it (text and raw numbers).
enum class FileFormat {
  gadget_hdf5,    ///< Gadget-4, AREPO, IllustrisTNG: one file or several
  swift_hdf5,     ///< SWIFT: one file, several, or a virtual file over several
  gadget_binary,  ///< Gadget-1 and Gadget-2, both formats, both byte orders
  tipsy,          ///< ChaNGa, Gasoline, PKDGRAV: native or XDR (big-endian)
  bigfile,        ///< FastPM, MP-Gadget: a folder of folders
  hdf5,           ///< datasets of any HDF5 file, named in the path: "file.h5:/points"
  fast_food,      ///< Corrfunc's own catalogues (.ff): x, y, z and perhaps weights
  fits,           ///< the first binary table of a FITS file
  npy,            ///< a NumPy array of positions, one row per point
  npz,            ///< NumPy arrays named position, velocity, mass, id
  ply,            ///< Stanford polygon file: vertices
  text,           ///< columns of numbers: .xyz, .csv, .txt
  raw,            ///< raw numbers: .raw, .f32, .f64
};
KITH_API const char* name(FileFormat format);

/// The units of the numbers in the file, in cgs; 0 = unknown.
struct Units {
  double length = 0;         ///< cm
  double mass = 0;           ///< g
  double velocity = 0;       ///< cm/s
  bool is_per_h = false;     ///< lengths and masses contain a factor 1/h
  bool is_comoving = false;  ///< lengths are comoving
};

/// The cosmology that the file states.
struct Background {
  bool is_known = false;  ///< whether the file states a cosmology
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
  double mass = 0;           ///< if the same for all; 0 = one per particle, or none
  bool has_position = true;  ///< false for tracers of some codes
  bool has_velocity = false;
  bool has_mass = false;  ///< in the header's table or one per particle
  bool has_id = false;
  bool has_value = false;  ///< in the column or dataset of SnapshotOptions::value_column
};

struct SnapshotInfo {
  FileFormat format = FileFormat::raw;
  std::string code;                ///< the code that wrote it, if known ("SWIFT", "Gadget-4")
  std::vector<std::string> files;  ///< all files of the snapshot
  int dimension = 0;
  int types = 1;                   ///< the number of types in the format
  std::vector<SnapshotType> type;  ///< the types that have particles
  Box box;                         ///< periodic on axes for which the file has a side
  double time = 0;
  Units units;
  Background background;
  double velocity_factor = 1;                ///< peculiar velocity = factor * stored velocity
  Scalar position_scalar = Scalar::float32;  ///< as stored; float64 for integers
  std::vector<std::string> warnings;         ///< peculiarities of the file, one sentence each
};

/// The fields of particles. `value` is a number of each that the user names.
enum class Field { position, velocity, mass, id, value };

/// Information that some files lack.
struct SnapshotOptions {
  int dimension = 3;                ///< of raw numbers
  Scalar scalar = Scalar::float32;  ///< of raw numbers in .raw files
  /// Text, PLY and FITS: names or numbers (from 1) of the columns of positions; default: x y z, or
  /// ra dec z (or redshift), or the first three. If `cosmology` is given, ra and dec in degrees and
  /// a redshift become comoving positions in Mpc/h around the observer.
  std::vector<std::string> columns = {};
  /// Text, PLY and FITS: right ascension and declination in degrees, instead of `columns`; other
  /// formats: any two names, and two coordinates. Positions are then unit vectors in float64.
  std::vector<std::string> sky_columns = {};
  std::vector<std::string> velocity_columns = {};  ///< default vx vy vz where they exist
  std::string mass_column = {};                    ///< default mass where it exists
  /// Field::value: a column of text, PLY and FITS by name or number, a dataset of HDF5 beside the
  /// positions, an array of .npz; empty: there is none.
  std::string value_column = {};

  // These override the file.
  std::optional<Units> units = {};           ///< is_comoving needs a known cosmology
  std::optional<Background> cosmology = {};  ///< only the Omegas and h
  std::optional<double> redshift = {};
  double mass = 0;  ///< of every particle that has none in the file; 0 = none
};

/// Units of length, mass and velocity in words: "kpc/h,1e10 Msun/h,km/s". Each is a number, a name
/// (Mpc, kpc, pc, AU, km, m, cm; Msun, kg, g; km/s, m/s, cm/s), or both; a number alone is in cgs.
/// Lengths are comoving unless the unit has the prefix p: "pkpc". Errors: invalid_argument.
KITH_API Units parse_units(const std::string& text);

/// "omega_m=0.31,omega_lambda=0.69,omega_b=0.049,h=0.68"; omega_lambda defaults to
/// 1 - omega_m. Errors: invalid_argument.
KITH_API Background parse_cosmology(const std::string& text);

/// An open snapshot. The constructor checks the headers; particles are read on request. Copies
/// share the open files.
///
/// Threads: calls may run from any thread; reads of HDF5 wait for each other.
class KITH_API Snapshot {
 public:
  /// Errors: io, in one sentence, for files that are missing, damaged, truncated, inconsistent, or
  /// that refer to files outside their folder; cancelled. Pipes and gzip-compressed files are
  /// copied to a temporary file, which exists as long as the snapshot.
  explicit Snapshot(const std::string& path, const SnapshotOptions& options = {},
                    const Execution& execution = {});

  const SnapshotInfo& info() const;

  /// The number of particles of these types; of all types if empty. Errors: invalid_argument for an
  /// unknown type.
  std::uint64_t size(std::span<const int> types = {}) const;

  bool has(Field field, std::span<const int> types = {}) const;  ///< all these particles have it

  /// Reads a field of these types (of all types if empty), type after type, in the order of the
  /// files, directly into the caller's memory: size(types) rows of info().dimension numbers for
  /// positions and velocities, of one number for the others. Numbers are converted to the type
  /// of the memory. Masses come from the table of the header if they are there. Errors: io,
  /// invalid_argument (a field that these particles do not have; memory of another size; ids in
  /// files without them), cancelled.
  void read(Field field, std::span<float> out, std::span<const int> types = {},
            const Execution& execution = {}) const;
  void read(Field field, std::span<double> out, std::span<const int> types = {},
            const Execution& execution = {}) const;
  void read_id(std::span<std::uint64_t> out, std::span<const int> types = {},
               const Execution& execution = {}) const;

  /// Reads a part of the same rows: those from `begin` on, as many as fill the memory, so that each
  /// of several processes can read a part. Files that contain none of them are not opened, and only
  /// some megabytes of extra memory are needed. In formats without fixed row positions (text,
  /// compressed .npz) the rows before are skipped. Errors: as above; invalid_argument for rows
  /// beyond the last.
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

/// The content of a snapshot to write; only the positions are required.
struct SnapshotContent {
  PointsView position;
  PointsView velocity = {};  ///< peculiar
  const std::uint64_t* id = nullptr;
  /// Instead of position.data, for .hdf5, .npy, .npz and raw numbers: positions of float32 that are
  /// made while they are written, some points at a time, from number `begin` on; perhaps twice.
  std::function<void(std::uint64_t begin, std::span<float> rows)> make_position = {};
  std::uint64_t first_id = 0;  ///< instead of `id`: ids count from here; 0 = none
  double particle_mass = 0;    ///< the same for all; 0 = none
  int type = 1;
  Box box = {};
  Units units = {};
  Background background = {};
};

struct SnapshotWriteOptions {
  int compression = 0;    ///< HDF5: gzip level 0 ... 9
  bool is_swift = false;  ///< HDF5 in SWIFT's layout instead of Gadget-4's
};

/// Writes a snapshot in the format that the ending selects: .hdf5 / .h5, .npy, .npz, .ply,
/// .csv / .xyz / .txt, .raw / .f32 / .f64, .gadget2; "-" is standard output, as .csv. Formats that
/// cannot hold velocities, ids, units or the box omit them. The file appears under its name only
/// when it is complete and on disk. Errors: invalid_argument, io, cancelled.
KITH_API void write_snapshot(const std::string& path, const SnapshotContent& content,
                             const SnapshotWriteOptions& options = {},
                             const Execution& execution = {});

/// Throws the error that write_snapshot would throw for this name and kind of points. Call it
/// before a long computation.
KITH_API void check_snapshot_path(const std::string& path, Scalar scalar, int dimension);

}  // namespace kith

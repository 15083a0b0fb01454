// The implementation of Snapshot: one reader for each format.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>

#include <kith/io/snapshot.hpp>

#include "files/input_bytes.hpp"
#include "parallel/workers.hpp"

namespace kith::io {

/// Bytes that are read between two checks of the cancel token.
constexpr std::size_t kBytesBetweenLooks = std::size_t{4} << 20;

/// Files of one snapshot: a number in a header above this one is damaged.
constexpr std::uint64_t kMostFiles = 65536;

/// The target of numbers: the caller's memory, of the caller's type.
using Target = std::variant<float*, double*, std::uint64_t*>;

inline Target advanced(const Target& target, std::uint64_t numbers) {
  // An array without rows has no memory, and nothing may be added to a null pointer.
  return std::visit([&](auto* to) -> Target { return to == nullptr ? to : to + numbers; }, target);
}

/// Rows [begin, begin + count) of the particles of a type.
struct RowRange {
  std::uint64_t begin = 0;
  std::uint64_t count = 0;
};

/// The part of the range in a piece that holds rows [first, first + count), counted from its
/// beginning.
inline RowRange part_of(const RowRange& rows, std::uint64_t first, std::uint64_t count) {
  const std::uint64_t begin = std::max(rows.begin, first);
  const std::uint64_t end = std::min(rows.begin + rows.count, first + count);
  return begin < end ? RowRange{begin - first, end - begin} : RowRange{};
}

class SnapshotReader {
 public:
  virtual ~SnapshotReader() = default;

  /// Rows of a field that all particles of this type have, in the order of the files; not for a
  /// mass that is the same for all (type.mass > 0). The range lies inside type.count. Memory beyond
  /// the target does not grow with the range. Advances the stage by one for every particle and
  /// checks the cancel token in between.
  virtual void read(Field field, const SnapshotType& type, const RowRange& rows, const Target& to,
                    const Workers& workers) const = 0;

  SnapshotInfo info;
  bool is_sky = false;  ///< positions are right ascension, declination and redshift
};

using ReaderPointer = std::unique_ptr<SnapshotReader>;

/// A file for a reader.
struct ReaderOptions : SnapshotOptions {
  std::string name = {};             ///< whose ending counts: a copy has no such name itself
  const Workers* workers = nullptr;  ///< for opening; may be empty
  void check_cancelled() const {
    if (workers) workers->check_cancelled();
  }
};

// Each opens a file of its format and checks as much as possible without reading particles. Errors:
// io; invalid_argument for options that the file cannot satisfy.
ReaderPointer open_gadget_hdf5(const std::string& path, const ReaderOptions& options);
ReaderPointer open_swift_hdf5(const std::string& path, const ReaderOptions& options);
ReaderPointer open_gadget_binary(const std::string& path);
ReaderPointer open_tipsy(const std::string& path);
ReaderPointer open_fast_food(const std::string& path);
ReaderPointer open_bigfile(const std::string& path);
ReaderPointer open_fits(const std::string& path, const ReaderOptions& options);
ReaderPointer open_npy(const std::string& path);
ReaderPointer open_npz(const std::string& path, const ReaderOptions& options);
ReaderPointer open_ply(const std::string& path, const ReaderOptions& options);
ReaderPointer open_text(const std::string& path, const ReaderOptions& options);
ReaderPointer open_raw(const std::string& path, const ReaderOptions& options);

/// Positions in Mpc/h around the observer instead of the angles and redshifts of a catalogue of
/// galaxies, in a flat universe.
ReaderPointer comoving_positions(ReaderPointer sky, const Background& universe);

/// Unit vectors instead of right ascension and declination in degrees.
ReaderPointer sky_unit_vectors(ReaderPointer sky);

bool is_swift(const std::string& path);  ///< of an HDF5 file
bool is_gadget_binary(const InputBytes& file);
bool is_tipsy(const InputBytes& file);
/// Throws Error (io) for the beginning of a tipsy file.
void check_not_cut_off_tipsy(const InputBytes& file);
bool is_fast_food(const InputBytes& file);
bool is_bigfile(const std::string& path);

/// "file.h5:/group/points": the part behind the colon, without the first slash. No file if the path
/// is none of these.
struct Hdf5Place {
  std::string file = {};
  std::string place = {};
};
Hdf5Place hdf5_place(const std::string& path);
ReaderPointer open_plain_hdf5(const Hdf5Place& place, const ReaderOptions& options);

/// The other files of a snapshot in several: "snap.3.hdf5" is number 3 of "snap" ".hdf5".
struct NumberedName {
  std::string base;
  std::string ending;
  std::string with(std::uint64_t number) const;
};

/// Throws Error (io) if the name has no number, or if the number is not below `files`.
NumberedName numbered_name(const std::string& path, std::uint64_t files);

/// The file to open first: `path` itself, the first file of the snapshot in a folder of this name,
/// or the first of several files of which `path` is the common beginning.
std::string first_file(const std::string& path);

/// Throws Error (io) unless it is one; headers from strangers may say anything.
void check_dimension(std::uint64_t dimension, const std::string& where);

/// The box of a header with one or several sides; 0 means open.
Box box_of(const std::vector<double>& sides, int dimension, const std::string& where);

/// A snapshot of one kind of points.
SnapshotType only_type(std::uint64_t count);

}  // namespace kith::io

// Shared by the readers of Gadget's and SWIFT's HDF5 snapshots: particles of a type are in
// groups /PartType0, /PartType1, ... of one file or several, each field in a dataset.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "files/hdf5.hpp"
#include "snapshots/reader.hpp"

namespace kith::io {

/// Rows of a dataset that follow each other in a field.
struct Hdf5Piece {
  std::string file;
  std::string dataset;
  std::uint64_t row = 0;
  std::uint64_t rows = 0;
};

struct Hdf5Field {
  std::vector<Hdf5Piece> pieces;
  double factor = 1;  ///< of coordinates that are stored as integers
  std::uint64_t rows() const;
};

class Hdf5Reader : public SnapshotReader {
 public:
  void read(Field field, const SnapshotType& type, const RowRange& rows, const Target& to,
            const Workers& workers) const override;

  /// Names the files of a snapshot in `count` files, of which `path` is one.
  void list_files(const std::string& path, std::uint64_t count);

  /// Finds the fields of the `count` particles of a type in one file of the snapshot.
  void add_particles(const hdf5::InputFile& file, const std::string& path, int type,
                     std::uint64_t count, const std::vector<double>& sides);

  /// After all files: the types that have particles, and their fields. `masses`: the header's
  /// table.
  void finish_types(const std::vector<std::uint64_t>& totals, const std::vector<double>& masses,
                    const std::string& where);

  /// One dataset of a file as a field of type 0; positions first. Rows: their places.
  void add_dataset(const hdf5::InputFile& file, const std::string& path, Field field,
                   const std::string& place, const RowRange& rows);
  bool has_field(Field field) const { return fields_.contains({0, field}); }  ///< of type 0

  std::vector<std::string>
      type_names;          ///< by the names of the simulation code; filled by the format's reader
  std::string value_name;  ///< the dataset of Field::value; empty: none

 private:
  bool has(int type, Field field, std::uint64_t count, const std::string& where) const;
  std::vector<std::string> dataset_names(Field field) const;

  std::map<std::pair<int, Field>, Hdf5Field> fields_;
};

/// Counts by type of the header: of this file, and of the whole snapshot.
struct Hdf5Counts {
  std::vector<std::uint64_t> here;
  std::vector<std::uint64_t> total;
  std::uint64_t files = 1;
};

Hdf5Counts counts_of(const hdf5::Group& header);

/// Sides of the header's box: one number or one for each axis.
std::vector<double> sides_of(const hdf5::Group& header);

}  // namespace kith::io
